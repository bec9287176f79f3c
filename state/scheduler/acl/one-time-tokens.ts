import { text, time, uint } from '../../kernel/shape/kinds.ts'
import { secret, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { formatTimestamp, parseTimestamp } from '../../kernel/time.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { nextIndex, schedulerTable } from '../indexes.ts'
import { refuse as requestRefusal } from '../messages.ts'
import { requireAcls } from './callers.ts'
import { refuse } from './messages.ts'
import { type AclToken, aclTokens } from './tables.ts'
import { findTokenBySecret } from './token-bodies.ts'
import { uuidError } from './uuids.ts'

/** Lifetime of a one-time token in milliseconds: ten minutes. */
const lifetime = 600_000

/** A secret that can be exchanged once for a token (behaviour/scheduler#one-time-tokens). */
export const oneTimeTokenShape = struct('OneTimeToken', {
  OneTimeSecretID: secret(text),
  AccessorID: text,
  ExpiresAt: time,
  CreateIndex: uint,
  ModifyIndex: uint,
})
type OneTimeToken = StoredOf<typeof oneTimeTokenShape>

/**
 * One-time tokens by the AccessorID of the ACL token for which they can be exchanged. Each ACL
 * token has at most one of them: a new one-time token replaces the previous one.
 */
export const oneTimeTokens = schedulerTable('one-time-tokens', oneTimeTokenShape, {
  secrets: { members: ['OneTimeSecretID'] },
  indexes: { bySecret: ({ OneTimeSecretID }) => OneTimeSecretID },
})

/**
 * Creates a one-time token that can be exchanged for the ACL token with this secret. Deletes the
 * ACL token's previous one-time token.
 *
 * @throws Refusal 400 while ACLs are off, 403 for an unknown secret, 500 for a missing or malformed
 *   secret
 */
export function createOneTimeToken(world: World, secretId: string | undefined): OneTimeToken {
  requireAcls(world)
  if (secretId === undefined) throw refuse('token-secret-missing')
  const token = findTokenBySecret(world, secretId)
  if (token === undefined) {
    const why = uuidError(secretId)
    throw why === undefined
      ? requestRefusal('permission-denied')
      : refuse('token-lookup-failed', { why })
  }
  return world.write(() => {
    const index = nextIndex(world)
    const created = {
      OneTimeSecretID: world.ids.uuid(),
      AccessorID: token.AccessorID,
      ExpiresAt: formatTimestamp(world.clock.now() + lifetime),
      CreateIndex: index,
      ModifyIndex: index,
    }
    world.table(oneTimeTokens).put(token.AccessorID, created)
    return created
  })
}

/**
 * Exchanges a one-time token for its ACL token: deletes the one-time token and returns the ACL
 * token.
 *
 * @throws Refusal 400 while ACLs are off; 403 for an unknown, used or expired secret and if the ACL
 *   token no longer exists; 500 for an empty or malformed secret
 */
export function exchangeOneTimeToken(world: World, secretId: string): AclToken {
  requireAcls(world)
  if (secretId === '') throw refuse('one-time-secret-missing')
  const why = uuidError(secretId)
  if (why !== undefined) throw refuse('one-time-lookup-failed', { why })
  const oneTimeToken = world.table(oneTimeTokens).index('bySecret').get(secretId)
  const token = oneTimeToken && world.table(aclTokens).get(oneTimeToken.AccessorID)
  if (oneTimeToken === undefined || token === undefined || hasExpired(world, oneTimeToken)) {
    throw requestRefusal('permission-denied')
  }
  world.write(() => world.table(oneTimeTokens).delete(oneTimeToken.AccessorID))
  return token
}

function hasExpired(world: World, { ExpiresAt }: OneTimeToken): boolean {
  return (parseTimestamp(ExpiresAt) ?? 0) < world.clock.now()
}
