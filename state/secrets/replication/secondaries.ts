import { bool, constant, int, name, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { secretsTable } from '../table.ts'
import { revokeToken } from '../tokens/tokens.ts'
import { refuse } from './messages.ts'
import { replicationRow } from './modes.ts'

/**
 * Links that forced transitions have severed, by their other end: `primary`, or the id of a
 * secondary.
 */
export const severedLinks = secretsTable('replication-links', struct({ cut: constant(true) }), {
  secrets: 'none',
  local: true,
})

/** Id of the only link of a secondary. */
export const primaryLinkId = 'primary'

export function isSevered(world: World, id: string): boolean {
  return world.table(severedLinks).has(id)
}

/** Severs a link at this end until `restoreLink` is called. The other end is not changed. */
export function severLink(world: World, id: string): void {
  world.write(() => world.table(severedLinks).put(id, { cut: true }))
}

/** Restores a link at this end. Does nothing if the link is not severed. */
export function restoreLink(world: World, id: string): void {
  world.write(() => world.table(severedLinks).delete(id))
}

/** A secondary that was invited or has joined, as its primary stores it. */
const secondaryShape = struct({
  /** Name that the operator gave the secondary. */
  id: name,
  /** Secret with which the secondary authenticates. */
  credential: name,
  /**
   * Wrapping token of the activation token; empty if the activation token is encrypted with a
   * public key.
   */
  wrapping_token: text,
  /** End of the invitation, in milliseconds since 1970. */
  expires: int,
  activated: bool,
  /** Node id that the secondary reported when it joined; empty before. */
  node_id: text,
  api_address: text,
})
export interface Secondary extends StoredOf<typeof secondaryShape> {}

/** Secondaries by id. Index `byCredential` finds the secondary that authenticates. */
export const secondaries = secretsTable('replication-secondaries', secondaryShape, {
  secrets: { members: ['credential', 'wrapping_token'] },
  local: true,
  indexes: { byCredential: ({ credential }) => credential },
})

/** Returns the secondaries that have joined, in the order of their ids. */
export function knownSecondaries(world: World): Secondary[] {
  return Array.from(world.table(secondaries).rows()).filter(({ activated }) => activated)
}

/** Returns whether a secondary has joined, or has an invitation that has not expired. */
function isJoinedOrJoinable(world: World, { activated, expires }: Secondary): boolean {
  return activated || world.clock.now() < expires
}

/**
 * Throws an `invalid` refusal for an id that is empty or in use (behaviour/secrets#replication).
 */
export function checkNewSecondary(world: World, id: string): void {
  if (id === '') throw refuse('secondary-id-missing')
  const conflicting = world.table(secondaries).get(id)
  if (conflicting !== undefined && isJoinedOrJoinable(world, conflicting)) {
    throw refuse('secondary-id-taken', { id })
  }
}

/** Stores an invitation, which ends at `expires`. Callers have already checked the id. */
export function addPendingSecondary(
  world: World,
  secondary: Pick<Secondary, 'id' | 'credential' | 'wrapping_token' | 'expires'>,
): void {
  const initialInfo = { activated: false, node_id: '', api_address: '' }
  world.write(() => world.table(secondaries).put(secondary.id, { ...secondary, ...initialInfo }))
}

/**
 * Returns the joined or invited secondary with this credential, even if its invitation has expired.
 * Returns undefined for an unknown credential, and on a cluster that is not a primary.
 */
export function findByCredential(world: World, credential: string): Secondary | undefined {
  if (replicationRow(world)?.mode !== 'primary') return undefined
  return world.table(secondaries).index('byCredential').get(credential)
}

/** Data that a secondary sends when it joins. */
export type SecondaryIntroduction = Pick<Secondary, 'node_id' | 'api_address'>

/**
 * Marks an invited secondary as joined. Throws an `invalid` refusal if the credential is unknown or
 * already used, or if the invitation has expired.
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

/**
 * Deletes a joined or invited secondary, which can then no longer connect. Revokes the wrapping
 * token of its invitation and restores a severed link. Throws an `invalid` refusal for an unknown
 * id and for an expired invitation.
 */
export function revokeSecondary(world: World, id: string): void {
  const secondary = world.table(secondaries).get(id)
  if (secondary === undefined || !isJoinedOrJoinable(world, secondary)) {
    throw refuse('secondary-absent', { id })
  }
  world.write(() => removeSecondary(world, secondary))
}

/**
 * Deletes all secondaries, revokes the wrapping tokens of their invitations, and restores severed
 * links. Called when a cluster stops being a primary.
 */
export function removeAllSecondaries(world: World): void {
  for (const secondary of [...world.table(secondaries).rows()]) removeSecondary(world, secondary)
}

function removeSecondary(world: World, { id, wrapping_token }: Secondary): void {
  if (wrapping_token !== '') revokeToken(world, wrapping_token)
  world.table(secondaries).delete(id)
  restoreLink(world, id)
}
