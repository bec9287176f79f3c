import { bool, int, name, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { revokeToken } from '../tokens/tokens.ts'
import { refuse } from './messages.ts'
import { replicationRow } from './modes.ts'
import { restoreLink } from './severed-links.ts'

/** A secondary as its primary knows it: one that may join, or has joined. */
const secondaryShape = struct({
  /** The name that the operator gave. */
  id: name,
  /** The credential that it proves itself with. */
  credential: name,
  /** The token that its activation token stands for; empty with a public key. */
  wrapping_token: text,
  /** Until when it may join, in milliseconds since 1970. */
  expires: int,
  activated: bool,
  /** Facts that it told of itself when it joined; empty before. */
  node_id: text,
  api_address: text,
})
export interface Secondary extends StoredOf<typeof secondaryShape> {}

/** By id; `byCredential` by that. */
export const secondaries = defineTable({
  service: 'secrets',
  name: 'replication-secondaries',
  local: true,
  indexes: { byCredential: ({ credential }) => credential },
  shape: secondaryShape,
})

/** The secondaries that have joined, in order of id. */
export function knownSecondaries(world: World): Secondary[] {
  return Array.from(world.table(secondaries).rows()).filter(({ activated }) => activated)
}

/** Tells whether a secondary still counts: joined, or free to join. */
function isJoinedOrJoinable(world: World, { activated, expires }: Secondary): boolean {
  return activated || world.clock.now() < expires
}

/** 400: no id, or one that is taken (behaviour/secrets#replication). */
export function checkNewSecondary(world: World, id: string): void {
  if (id === '') throw refuse('secondary-id-missing')
  const conflicting = world.table(secondaries).get(id)
  if (conflicting !== undefined && isJoinedOrJoinable(world, conflicting)) {
    throw refuse('secondary-id-taken', { id })
  }
}

/** Lets a secondary join until `expires`; the id is checked. */
export function addPendingSecondary(
  world: World,
  secondary: Pick<Secondary, 'id' | 'credential' | 'wrapping_token' | 'expires'>,
): void {
  const initialInfo = { activated: false, node_id: '', api_address: '' }
  world.write(() => world.table(secondaries).put(secondary.id, { ...secondary, ...initialInfo }))
}

/** The secondary with a credential, joined or not; undefined on a cluster that is no primary. */
export function findByCredential(world: World, credential: string): Secondary | undefined {
  if (replicationRow(world)?.mode !== 'primary') return undefined
  return world.table(secondaries).index('byCredential').get(credential)
}

/** The facts that a secondary tells of itself when it joins. */
export type SecondaryIntroduction = Pick<Secondary, 'node_id' | 'api_address'>

/** Takes a secondary in, once. Refuses with `invalid` one that may not join, or not any more. */
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

/** Shuts a secondary out, also one that has not joined yet. 400 when there is none with the id. */
export function revokeSecondary(world: World, id: string): void {
  const secondary = world.table(secondaries).get(id)
  if (secondary === undefined || !isJoinedOrJoinable(world, secondary)) {
    throw refuse('secondary-absent', { id })
  }
  world.write(() => remove(world, secondary))
}

/** Shuts all secondaries out: the cluster is no primary any more. */
export function removeAllSecondaries(world: World): void {
  for (const secondary of [...world.table(secondaries).rows()]) remove(world, secondary)
}

function remove(world: World, { id, wrapping_token }: Secondary): void {
  if (wrapping_token !== '') revokeToken(world, wrapping_token)
  world.table(secondaries).delete(id)
  restoreLink(world, id)
}
