import { ConfigError } from '../config-error.ts'
import type { ComparedApi } from './api.ts'
import { type Answer, memberOf, type Target } from './request.ts'

/** Does all with tokens that end with it, and with which goes what was made by them. */
export async function withOwnTokens<T>(
  api: ComparedApi,
  left: Target,
  right: Target,
  work: (left: Target, right: Target) => Promise<T>,
): Promise<T> {
  const { begin } = api
  if (begin === undefined) return work(left, right)
  const given = await Promise.all(
    [left, right].map(async (target) => {
      const answer = await begin.ask(target)
      refuseUnless(200, answer)
      const token = String(begin.token.reduce<unknown>(memberOf, answer.body))
      const own: Target = { ...target, token }
      const end = () => target.send({ ...begin.end(token, answer), token: target.token })
      return { own, end }
    }),
  )
  const [mock, real] = given
  try {
    return await work(mock?.own ?? left, real?.own ?? right)
  } finally {
    // A server that is gone has nothing to end.
    await Promise.allSettled(given.map(({ end }) => end()))
  }
}

/** @throws {ConfigError} for a server that answers otherwise */
export function refuseUnless(wanted: number, { status, body }: Answer): void {
  if (status === wanted) return
  const told = (JSON.stringify(body) ?? '').slice(0, 200)
  throw new ConfigError(`nothing compared: the server answered ${status}: ${told}`)
}
