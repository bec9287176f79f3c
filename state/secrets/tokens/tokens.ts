import { appendAll } from '../../kernel/lists.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import {
  entityOf,
  isEntityDisabled,
  namespaceIdentityPolicies,
} from '../identity/entity-policies.ts'
import { wipeCubbyhole } from '../kv/cubbyhole.ts'
import { revokeHeldLeases, tokenExpireJob } from '../leases/leases.ts'
import { isDevelopmentServer, optionsOf } from '../options.ts'
import { createToken } from './creation.ts'
import { refuse } from './messages.ts'
import { childrenPrefix, findToken, rootTokenPath, type Token, tokens } from './rows.ts'

export type { Token } from './rows.ts'

/** The member `auth` of a reply. */
export interface AuthBlock {
  readonly client_token: string
  readonly accessor: string
  /** Null in the reply to a login that waits for a second factor. */
  readonly policies: readonly string[] | null
  /** Policies of the token itself; undefined if empty. */
  readonly token_policies?: readonly string[]
  /** Policies of the token's entity and its groups; undefined if empty. */
  readonly identity_policies?: readonly string[]
  readonly metadata: Readonly<Record<string, string>> | null
  readonly lease_duration: number
  readonly renewable: boolean
  readonly entity_id: string
  readonly token_type: string
  readonly orphan: boolean
  /** Second factors that the login needs; null if it needs none. */
  readonly mfa_requirement: object | null
  readonly num_uses: number
}

/**
 * Builds the member `auth` of a reply.
 * @param numUses number of uses that the reply shows
 */
export function authBlock(world: World, token: Token, numUses = token.num_uses): AuthBlock {
  const identity = [...namespaceIdentityPolicies(world, token)].sort()
  return {
    client_token: token.id,
    accessor: token.accessor,
    policies:
      identity.length === 0
        ? token.policies
        : [...new Set([...token.policies, ...identity])].sort(),
    ...(token.policies.length > 0 && { token_policies: token.policies }),
    ...(identity.length > 0 && { identity_policies: identity }),
    metadata: token.meta,
    lease_duration: token.ttl,
    renewable: token.renewable,
    entity_id: token.entity_id,
    token_type: token.type,
    orphan: token.parent === null,
    mfa_requirement: null,
    num_uses: numUses,
  }
}

/**
 * Returns the token that a request contains (behaviour/secrets#identity).
 * @throws Refusal for a token that is unknown, expired or used up, and for a disabled or deleted
 *   entity
 */
export function requireUsableToken(world: World, text: string): Token {
  const token = findToken(world, text)
  if (token === undefined || token.num_uses < 0) throw refuse('token-refused')
  if (isEntityDisabled(world, token)) {
    const entity = entityOf(world, token)
    const details = entity === undefined ? { deletedEntity: token.entity_id } : { entity }
    throw refuse('token-refused').withDetails(details)
  }
  return token
}

/**
 * Counts a use of a token with limited uses. Must be called once per request, before the operation.
 * The last use sets `num_uses` to -1 and schedules the immediate revocation of the token. As in the
 * reference, the current request can still read the token: the agenda revokes it before the next
 * request.
 */
export function consumeUse(world: World, token: Token): void {
  if (token.num_uses <= 0) return
  const current = world.table(tokens).get(token.id)
  if (current === undefined || current.num_uses <= 0) return
  const isLastUse = current.num_uses === 1
  world.write(() => {
    world
      .table(tokens)
      .put(token.id, { ...current, num_uses: isLastUse ? -1 : current.num_uses - 1 })
    if (isLastUse) {
      world.agenda.schedule({ at: world.clock.now(), job: tokenExpireJob, id: token.id })
    }
  })
}

/**
 * Revokes a token and its descendants, with their leases and cubbyholes (behaviour/secrets#tokens).
 * Does nothing for an unknown token.
 */
export function revokeToken(world: World, id: string): void {
  world.write(() => {
    const pending = [id]
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const token = world.table(tokens).get(next)
      if (token === undefined) continue
      appendAll(pending, childrenOf(world, token))
      removeToken(world, token)
    }
  })
}

/**
 * Revokes only the token itself, with its leases and cubbyhole; the children of the token become
 * orphans. Does nothing for an unknown token.
 */
export function revokeOrphaning(world: World, id: string): void {
  world.write(() => {
    const token = world.table(tokens).get(id)
    if (token === undefined) return
    for (const childId of childrenOf(world, token)) {
      const child = world.table(tokens).get(childId)
      if (child !== undefined) world.table(tokens).put(childId, { ...child, parent: null })
    }
    removeToken(world, token)
  })
}

function childrenOf(world: World, token: Token): string[] {
  const children = world.table(tokens).index('byParent').rows(childrenPrefix(token.id))
  return Array.from(children, ({ id }) => id)
}

/**
 * Deletes a token with its leases and its cubbyhole, and cancels its scheduled expiry. Does not
 * change the token's children.
 */
function removeToken(world: World, token: Token): void {
  revokeHeldLeases(world, token)
  wipeCubbyhole(world, token)
  world.table(tokens).delete(token.id)
  world.agenda.cancel(tokenExpireJob, token.id)
}

const rootToken = { policies: ['root'], displayName: 'root', path: rootTokenPath } as const

/** Creates a root token that never expires, and returns its id. */
export function createRootToken(world: World): string {
  return createToken(world, rootToken).token.id
}

/**
 * Creates a root token with the id in the option `rootToken`. On a development server, as in the
 * product, the token looks like a token that another root token has created.
 */
export function createNamedRootToken(world: World): void {
  const { rootToken: id } = optionsOf(world)
  createToken(world, {
    id,
    ...rootToken,
    ...(isDevelopmentServer(world) ? { displayName: 'token', path: 'auth/token/create' } : {}),
  })
}

export const tokenJobs: Readonly<Record<string, JobHandler>> = {
  [tokenExpireJob]: (world, { id }) => revokeToken(world, id),
}

/** Counts the service tokens of all namespaces, including wrapping tokens. */
export function countServiceTokens(world: World): number {
  let count = 0
  for (const { type } of world.table(tokens).rows()) if (type === 'service') count++
  return count
}
