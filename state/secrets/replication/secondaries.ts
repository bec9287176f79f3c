import { bool, constant, int, name, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { secretsTable } from '../table.ts'
import { revokeToken } from '../tokens/tokens.ts'
import { refuse } from './messages.ts'
import { replicationRow } from './modes.ts'

/** Links severed by a caller, keyed by their other end: `primary`, or a secondary's id. */
export const severedLinks = secretsTable('replication-links', struct({ cut: constant(true) }), {
  secrets: 'none',
  local: true,
})

/** The id of a secondary's only link. */
export const primaryLinkId = 'primary'

/** Returns whether a caller has severed a link at this end. */
export function isSevered(world: World, id: string): boolean {
  return world.table(severedLinks).has(id)
}

/** Severs a link at this end. */
export function severLink(world: World, id: string): void {
  world.write(() => world.table(severedLinks).put(id, { cut: true }))
}

/** Restores a link at this end, if it is severed. */
export function restoreLink(world: World, id: string): void {
  world.write(() => world.table(severedLinks).delete(id))
}

/** A secondary in its primary's records: invited or joined. */
const secondaryShape = struct({
  /** The name that the operator gave. */
  id: name,
  /** The credential with which it authenticates. */
  credential: name,
  /** The wrapping token behind its activation token; empty with a public key. */
  wrapping_token: text,
  /** End of the invitation, in milliseconds since 1970. */
  expires: int,
  activated: bool,
  /** Reported by the secondary when it joined; empty before. */
  node_id: text,
  api_address: text,
})
export interface Secondary extends StoredOf<typeof secondaryShape> {}

/** Secondaries by id, with an index by credential. */
export const secondaries = secretsTable('replication-secondaries', secondaryShape, {
  secrets: { members: ['credential', 'wrapping_token'] },
  local: true,
  indexes: { byCredential: ({ credential }) => credential },
})

/** Returns the joined secondaries, in order of id. */
export function knownSecondaries(world: World): Secondary[] {
  return Array.from(world.table(secondaries).rows()).filter(({ activated }) => activated)
}

/** Returns whether a secondary has joined or may still join. */
function isJoinedOrJoinable(world: World, { activated, expires }: Secondary): boolean {
  return activated || world.clock.now() < expires
}

/**
 * Throws an `invalid` refusal for an empty id and for an id in use (behaviour/secrets#replication).
 */
export function checkNewSecondary(world: World, id: string): void {
  if (id === '') throw refuse('secondary-id-missing')
  const conflicting = world.table(secondaries).get(id)
  if (conflicting !== undefined && isJoinedOrJoinable(world, conflicting)) {
    throw refuse('secondary-id-taken', { id })
  }
}

/** Invites a secondary until `expires`. Callers have checked the id. */
export function addPendingSecondary(
  world: World,
  secondary: Pick<Secondary, 'id' | 'credential' | 'wrapping_token' | 'expires'>,
): void {
  const initialInfo = { activated: false, node_id: '', api_address: '' }
  world.write(() => world.table(secondaries).put(secondary.id, { ...secondary, ...initialInfo }))
}

/**
 * Returns the secondary with this credential, joined or not; undefined unless this cluster is a
 * primary.
 */
export function findByCredential(world: World, credential: string): Secondary | undefined {
  if (replicationRow(world)?.mode !== 'primary') return undefined
  return world.table(secondaries).index('byCredential').get(credential)
}

/** The facts that a secondary reports about itself when it joins. */
export type SecondaryIntroduction = Pick<Secondary, 'node_id' | 'api_address'>

/**
 * Marks an invited secondary as joined. Throws an `invalid` refusal for an unknown credential, one
 * already used, and an expired invitation.
 */
export function activateSecondary(
  world: World,
  credential: string,
  secondaryInfo: SecondaryIntroduction,
): void {
  const secondary = findByCredential(world, credential)
  if (secondary === undefined || secondary.activated || !isJoinedOrJoinable(world, secondary)) {
    throw refuse('credential-unknown')
  }
  const activated = { ...secondary, ...secondaryInfo, activated: true }
  world.write(() => world.table(secondaries).put(secondary.id, activated))
}

/** Revokes a secondary, invited or joined. Throws an `invalid` refusal for an unknown id. */
export function revokeSecondary(world: World, id: string): void {
  const secondary = world.table(secondaries).get(id)
  if (secondary === undefined || !isJoinedOrJoinable(world, secondary)) {
    throw refuse('secondary-absent', { id })
  }
  world.write(() => remove(world, secondary))
}

/** Revokes all secondaries, when the cluster ceases to be a primary. */
export function removeAllSecondaries(world: World): void {
  for (const secondary of [...world.table(secondaries).rows()]) remove(world, secondary)
}

function remove(world: World, { id, wrapping_token }: Secondary): void {
  if (wrapping_token !== '') revokeToken(world, wrapping_token)
  world.table(secondaries).delete(id)
  restoreLink(world, id)
}
