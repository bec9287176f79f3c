import { isObject } from '../../../state/kernel/objects.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { initialRootToken } from '../../../state/secrets/seal/seal.ts'
import { type Token, tokens } from '../../../state/secrets/tokens/rows.ts'
import type { Amendment, Correction } from '../../http/journal-hooks/api-explanations.ts'
import type { Corrector, RefusedRequest } from '../../http/journal-hooks/token-corrections.ts'
import { pathTo, targetOf } from './request-target.ts'

/**
 * Id of the operation that revokes the token of its caller. Corrections never send this operation
 * with a root token, because it would revoke the root token.
 */
const revokingOperation = 'revokeOwnToken'

/**
 * Suggests a root token, which is valid in all namespaces. Returns undefined in each of these
 * cases: the world has no root token; the request already has it; the operation would revoke it.
 */
export function withRootToken(request: RefusedRequest): Correction | undefined {
  const { world, at, token, operation } = request
  const headers = rootHeaders(request)
  if (headers === undefined || rootToken(world, at)?.id === token) return undefined
  return operation?.id === revokingOperation
    ? undefined
    : { change: 'Send a root token', request: { headers } }
}

/**
 * Returns headers that replace the token of a request with a root token; undefined if the world has
 * no root token.
 */
export function rootHeaders({ world, at, tokenHeader }: RefusedRequest): Amendment['headers'] {
  const root = rootToken(world, at)
  return root && { authorization: undefined, [tokenHeader]: root.id }
}

function rootToken(world: World, at: number): Token | undefined {
  const isValid = (token: Token | undefined) =>
    token?.policies[0] === 'root' &&
    token.namespace_path === '' &&
    (token.expire_time ?? Infinity) > at
  const initial = world.table(tokens).get(initialRootToken(world) ?? '')
  return isValid(initial) ? initial : [...world.table(tokens).rows()].find(isValid)
}

/**
 * Returns a correction that POSTs JSON to a path in the request's namespace. The correction has a
 * root token if the world has one.
 */
export function sendTo(
  request: RefusedRequest,
  path: string,
  body: NonNullable<Amendment['body']>,
  change?: string,
): Correction {
  const { namespace, headerNamespace } = targetOf(request)
  const headers = { ...rootHeaders(request), 'content-type': 'application/json' }
  return {
    ...(change !== undefined && { change }),
    request: { method: 'POST', path: pathTo(namespace, headerNamespace, path), headers, body },
  }
}

/**
 * Returns a correction that reads an object instead of changing it, or reads the list that contains
 * the object.
 */
export function readInstead(find: (path: string) => string): Corrector {
  return ({ path }) => {
    const at = find(path)
    return { request: { method: 'GET', path: at }, change: `Read ${at}` }
  }
}

/** Returns a correction that sets a member of the body. */
export function withField(name: string, value: unknown): Corrector {
  return () => ({
    change: `Send "${name}": ${JSON.stringify(value)}`,
    request: { body: (body) => ({ ...(isObject(body) ? body : {}), [name]: value }) },
  })
}
