import type { FastifyRequest } from 'fastify'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { isInNetworks } from '../../../state/secrets/tokens/addresses.ts'
import { consumeUse, requireUsableToken, type Token } from '../../../state/secrets/tokens/tokens.ts'
import { apiHeader } from '../dialect/dialect.ts'
import { refuse } from '../messages.ts'

/**
 * Returns the token of the caller and, if its uses are limited, counts the use
 * (behaviour/secrets#tokens). Refuses a missing or invalid token, and a token that may not be used
 * from the caller's address (behaviour/secrets#logins).
 *
 * @param peer IP address from which the request came
 */
export function authenticate(world: World, text: string, peer: string): Token {
  if (text === '') throw refuse('token-refused')
  const token = requireUsableToken(world, text)
  const { bound_cidrs: networks } = token
  if (networks.length > 0 && !isInNetworks(networks, peer)) throw refuse('token-refused')
  // A use is counted even if the request is refused later.
  if (token.num_uses > 0) world.commitNow(() => consumeUse(world, token))
  return token
}

/**
 * Returns the client token from the API's token header or, without it, from `Authorization`; empty
 * if there is none.
 */
export function headerToken(request: FastifyRequest): string {
  return apiHeader(request.headers, 'token') || bearerToken(request) || ''
}

const bearerScheme = 'Bearer '

/**
 * Returns the first bearer token among all values of `Authorization`; undefined if there is none.
 * Node's `headers` contain only the first value.
 */
function bearerToken({ headers: { authorization }, raw }: FastifyRequest): string | undefined {
  if (authorization === undefined) return undefined
  const value = authorization.startsWith(bearerScheme)
    ? authorization
    : raw.rawHeaders.find(
        (text, at, all) =>
          at % 2 === 1 &&
          text.startsWith(bearerScheme) &&
          all[at - 1]?.toLowerCase() === 'authorization',
      )
  return value?.slice(bearerScheme.length).trim()
}

/**
 * Returns the token of the caller. Operations that call this function require a token, so the
 * refusal is never thrown; it only satisfies the compiler.
 */
export function requireCaller(call: { readonly token: Token | undefined }): Token {
  if (call.token === undefined) throw refuse('token-refused')
  return call.token
}
