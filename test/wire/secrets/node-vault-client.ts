import nodeVault from 'node-vault'
import { expect } from 'vitest'
import { start } from '../../support/command.ts'

/** Time at which the server's clock is frozen. */
export const now = '2026-01-01T00:00:00Z'
/** Matcher of generated ids. */
export const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
/** Matcher of token accessors. */
export const accessor = expect.stringMatching(/^[0-9A-Za-z]{24}$/)
/** Default TTL in seconds. */
export const month = 2_764_800

/**
 * Starts a server, and returns a client with the root token. The client adopts tokens that it
 * creates or renews, so tests do that with another client.
 */
export async function connect(options: object = {}) {
  const flags = ['--port=0', `--clock=frozen@${now}`, '--seed=test']
  const { origins } = await start(flags, { UNDERSTUDY_OPTIONS: JSON.stringify(options) })
  const { origin } = new URL(origins.secrets)
  const as = (token: string) => nodeVault({ endpoint: origin, token })
  return { origin, as, client: as('root') }
}

/** Returns the error of a refused call as the client's users see it. */
export async function failure(call: Promise<unknown>): Promise<unknown> {
  const outcome: unknown = await call.then(
    (body) => ({ succeeded: body }),
    (error: unknown) => error,
  )
  return outcome instanceof Error && 'response' in outcome
    ? { message: outcome.message, response: outcome.response }
    : outcome
}

/** Returns the expected failure for a status and texts. */
export const refused = (statusCode: number, ...errors: readonly string[]) => ({
  message: errors[0] ?? `Status ${statusCode}`,
  response: { statusCode, body: { errors } },
})

/** Value that the client returns for a 204. */
export const nothing = ''
