import { ConfigError } from '../../config-error.ts'
import type { ComparedApi } from './compared-api.ts'
import { type Answer, memberOf, type Target } from './request.ts'

/** Runs work with temporary tokens. Revoking them also removes what was created with them. */
export async function withComparisonTokens<T>(
  api: ComparedApi,
  left: Target,
  right: Target,
  work: (left: Target, right: Target) => Promise<T>,
): Promise<T> {
  const { comparisonToken } = api
  if (comparisonToken === undefined) return work(left, right)
  const sessions = await Promise.all(
    [left, right].map(async (target) => {
      const answer = await comparisonToken.create(target)
      requireStatus(200, answer)
      const token = String(comparisonToken.token.reduce<unknown>(memberOf, answer.body))
      const authorized: Target = { ...target, token }
      const revoke = () =>
        target.send({ ...comparisonToken.revocation(token, answer), token: target.token })
      return { own: authorized, end: revoke }
    }),
  )
  const [mock, real] = sessions
  try {
    return await work(mock?.own ?? left, real?.own ?? right)
  } finally {
    // Revocation may fail if the server is gone; there is nothing left to revoke then.
    await Promise.allSettled(sessions.map(({ end: revoke }) => revoke()))
  }
}

/**
 * Checks the status of a reply.
 *
 * @throws {ConfigError} if the status is another one
 */
export function requireStatus(expected: number, { status, body }: Answer): void {
  if (status === expected) return
  const excerpt = (JSON.stringify(body) ?? '').slice(0, 200)
  throw new ConfigError(`nothing compared: the server answered ${status}: ${excerpt}`)
}
