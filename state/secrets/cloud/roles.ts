import { list, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import {
  applyTokenFieldsChange,
  defaultTokenFields,
  type TokenFieldsChange,
  tokenFields,
} from '../logins/token-fields.ts'
import { type Mount, walField } from '../mounts/mounts.ts'
import { NamedRows } from '../mounts/rows.ts'
import { refuse } from './messages.ts'

/**
 * Who may log in as the role, and what tokens they get (behaviour/secrets#cloud-role).
 * TTLs and periods in seconds, 0 for none.
 */
const cloudRoleShape = struct({
  /** Ids of groups and dynamic groups whose members may take the role. */
  cid_list: list(text),
  ...tokenFields,
  ...walField,
})
export interface CloudRole extends StoredOf<typeof cloudRoleShape> {}

/** By `<mount uuid>/<name in lower case>`. */
export const cloudRoleTable = defineTable({
  service: 'secrets',
  name: 'cloud-roles',
  shape: cloudRoleShape,
})

/** The roles of mounts, whatever the case of their names. */
export const cloudRoles = new NamedRows(cloudRoleTable, () => refuse('nothing-here'))

const defaultRole: CloudRole = { cid_list: [], ...defaultTokenFields }

/** The members that a write may change. */
type CloudRoleChange = TokenFieldsChange & { readonly cid_list?: readonly string[] }

/** More would not fit into one question to the cloud's own service. */
const maxCids = 100

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
  const before = cloudRoles.find(world, mount, name) ?? defaultRole
  const { cid_list = before.cid_list, ...fields } = change
  if (cid_list.length > maxCids) throw refuse('too-many-cids')
  cloudRoles.put(world, mount, name, { cid_list, ...applyTokenFieldsChange(before, fields) })
}
