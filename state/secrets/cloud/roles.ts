import { compareBytewise } from '../../json/json.ts'
import { list, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { Stored } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/table.ts'
import type { World } from '../../kernel/world.ts'
import {
  changedTokenFields,
  freshTokenFields,
  type TokenFieldsChange,
  tokenFields,
} from '../logins/token-fields.ts'
import { type Mount, nextWal, storagePrefix, written } from '../mounts/mounts.ts'
import { refuse } from './texts.ts'

/**
 * Who may log in as the role, and what tokens they get (behaviour/secrets#cloud-role).
 * TTLs and periods in seconds, 0 for none.
 */
const cloudRoleShape = struct({
  /** Ids of groups and dynamic groups whose members may take the role. */
  cid_list: list(text),
  ...tokenFields,
  ...written,
})
export interface CloudRole extends Stored<typeof cloudRoleShape> {}

/** By `<mount uuid>/<name in lower case>`. */
export const cloudRoles = defineTable({
  service: 'secrets',
  name: 'cloud-roles',
  shape: cloudRoleShape,
})

const freshRole: CloudRole = { cid_list: [], ...freshTokenFields }

/** The members that a write may change. */
type CloudRoleChange = TokenFieldsChange & { readonly cid_list?: readonly string[] }

/** More would not fit into one question to the cloud's own service. */
const mostCids = 100

/** A role, whatever the case of its name; undefined when there is none. */
export function findCloudRole(world: World, mount: Mount, name: string): CloudRole | undefined {
  return world.table(cloudRoles).get(keyOf(mount, name))
}

/** A role; refuses with `absent`. */
export function readCloudRole(world: World, mount: Mount, name: string): CloudRole {
  const role = findCloudRole(world, mount, name)
  if (role === undefined) throw refuse('nothing-here')
  return role
}

/** The names of a mount's roles, sorted. */
export function cloudRoleNames(world: World, mount: Mount): string[] {
  return world.table(cloudRoles).children(storagePrefix(mount)).sort(compareBytewise)
}

/** Deletes a role; one that does not exist is fine. */
export function deleteCloudRole(world: World, mount: Mount, name: string): void {
  world.write(() => world.table(cloudRoles).delete(keyOf(mount, name)))
}

/**
 * Makes or changes a role; what is left out stays as it is.
 *
 * @throws invalid for too many ids, an unknown type, and settings below zero or in contradiction, in
 *   the reference's order.
 */
export function writeCloudRole(
  world: World,
  mount: Mount,
  name: string,
  change: CloudRoleChange,
): void {
  const before = findCloudRole(world, mount, name) ?? freshRole
  const { cid_list = before.cid_list, ...fields } = change
  if (cid_list.length > mostCids) throw refuse('too-many-cids')
  const role = { cid_list, ...changedTokenFields(before, fields) }
  world.write(() => {
    world.table(cloudRoles).put(keyOf(mount, name), { ...role, wal: nextWal(world) })
  })
}

function keyOf(mount: Mount, name: string): string {
  return storagePrefix(mount) + name.toLowerCase()
}
