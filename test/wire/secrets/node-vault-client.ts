import nodeVault from 'node-vault'
import { expect } from 'vitest'
import { start } from '../../support/command.ts'

/** The instant at which the server's clock stands. */
export const now = '2026-01-01T00:00:00Z'
/** What generated ids look like. */
export const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
/** What accessors of tokens look like. */
export const accessor = expect.stringMatching(/^[0-9A-Za-z]{24}$/)
/** The default TTL, in seconds. */
export const month = 2_764_800

/**
 * A server of its own, and the client with the root token. A token that it makes or renews
 * becomes the client's own, so tests do that with another client.
 */
export async function connect(options: object = {}) {
  const flags = ['--port=0', `--clock=frozen@${now}`, '--seed=test']
  const { origins } = await start(flags, { UNDERSTUDY_OPTIONS: JSON.stringify(options) })
  const { origin } = new URL(origins.secrets)
  const as = (token: string) => nodeVault({ endpoint: origin, token })
  return { origin, as, client: as('root') }
}

/** What a caller of the client sees of a refusal. */
export async function failure(call: Promise<unknown>): Promise<unknown> {
  const outcome: unknown = await call.then(
    (body) => ({ succeeded: body }),
    (error: unknown) => error,
  )
  return outcome instanceof Error && 'response' in outcome
    ? { message: outcome.message, response: outcome.response }
    : outcome
}

/** The failure that a status and texts make of the client's call. */
export const refused = (statusCode: number, ...errors: readonly string[]) => ({
  message: errors[0] ?? `Status ${statusCode}`,
  response: { statusCode, body: { errors } },
})

/** What the client makes of a 204. */
export const nothing = ''
