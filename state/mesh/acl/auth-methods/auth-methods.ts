import { formatGoDuration, MILLISECOND } from '../../../go/duration.ts'
import type { JsonObject } from '../../../kernel/json.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import { nextIndex, touch } from '../../indexes.ts'
import { milliseconds, optionsOf } from '../../options.ts'
import { refuse } from '../messages.ts'
import { aclTokens, namespacePrefix } from '../tables.ts'
import { dropToken } from '../tokens.ts'
import { configProblem, type MethodType, methodTypes } from './config.ts'
import { type AuthMethod, authMethods, bindingRules, methodKey } from './tables.ts'

/** Key under which `dataIndexes` stores the index of the last write to an auth method. */
export const methodDataKind = 'acl-auth-methods'
/** Key under which `dataIndexes` stores the index of the last write to a binding rule. */
export const ruleDataKind = 'acl-binding-rules'

export type AuthMethodInput = Omit<AuthMethod, 'namespace' | 'create_index' | 'modify_index'>

export function authMethod(world: World, namespace: string, name: string): AuthMethod | undefined {
  return world.table(authMethods).get(methodKey(namespace, name))
}

/** Returns the auth methods of a namespace, ordered by name. */
export function authMethodsIn(world: World, namespace: string): readonly AuthMethod[] {
  return [...world.table(authMethods).rows(namespacePrefix(namespace))]
}

function isMethodType(type: string): type is MethodType {
  return (methodTypes as readonly string[]).includes(type)
}

function checkTtl(world: World, ttl: number): void {
  const least = milliseconds(optionsOf(world).tokenMinExpirationTTL) * MILLISECOND
  const greatest = milliseconds('24h') * MILLISECOND * 365_000
  const text = formatGoDuration(ttl)
  if (ttl > greatest) {
    throw refuse('method-ttl-long', { ttl: text, limit: formatGoDuration(greatest) })
  }
  if (ttl !== 0 && ttl < least) {
    throw refuse('method-ttl-short', { ttl: text, limit: formatGoDuration(least) })
  }
}

/**
 * Creates or replaces an auth method. Throws a refusal if the input is invalid or changes the type.
 */
export function putAuthMethod(world: World, namespace: string, input: AuthMethodInput): AuthMethod {
  const { name } = input
  if (name === '') throw refuse('method-unnamed')
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(name)) throw refuse('method-name-odd')
  const before = authMethod(world, namespace, name)
  const type = input.type || (before?.type ?? '')
  if (before !== undefined && before.type !== type) throw refuse('method-type-changed')
  if (!isMethodType(type)) throw refuse('method-type-unknown')
  checkTtl(world, input.max_token_ttl)
  if (!['', 'local', 'global'].includes(input.token_locality)) throw refuse('method-locality')
  const problem = configProblem(type, (input.config ?? {}) as JsonObject)
  if (problem !== undefined) throw refuse('method-invalid', { problem })
  return world.write(() => {
    const index = nextIndex(world)
    const create_index = before?.create_index ?? index
    const row = { ...input, type, namespace, create_index, modify_index: index }
    world.table(authMethods).put(methodKey(namespace, name), row)
    touch(world, methodDataKind)
    return row
  })
}

/** Removes an auth method with its binding rules and its tokens. Must run inside a transaction. */
function dropAuthMethod(world: World, { namespace, name }: AuthMethod): void {
  const key = methodKey(namespace, name)
  const rules = [...world.table(bindingRules).index('byMethod').rows(`${key}/`)]
  for (const { id } of rules) world.table(bindingRules).delete(id)
  if (rules.length > 0) touch(world, ruleDataKind)
  for (const token of [...world.table(aclTokens).rows()]) {
    if (token.auth_method === key) dropToken(world, token)
  }
  world.table(authMethods).delete(key)
  touch(world, methodDataKind)
}

/**
 * Deletes an auth method with its binding rules and its tokens. Throws a refusal (404) if the
 * method does not exist.
 */
export function deleteAuthMethod(world: World, namespace: string, name: string): void {
  const method = authMethod(world, namespace, name)
  if (method === undefined) throw refuse('nothing-to-delete', { noun: 'auth method' })
  world.write(() => dropAuthMethod(world, method))
}

/**
 * Removes the auth methods of a namespace that is being removed. Returns whether there were any.
 */
export function removeAuthMethods(world: World, namespace: string): boolean {
  const methods = authMethodsIn(world, namespace)
  world.write(() => {
    for (const method of methods) dropAuthMethod(world, method)
  })
  return methods.length > 0
}
