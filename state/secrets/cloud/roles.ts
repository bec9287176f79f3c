import { list, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import {
  applyTokenFieldsChange,
  defaultTokenFields,
  type TokenFieldsChange,
  tokenFields,
} from '../logins/token-fields.ts'
import { type Mount, MountRow, NamedRows, walField } from '../mounts/mounts.ts'
import { secretsTable } from '../table.ts'
import { refuse } from './messages.ts'

const cloudConfigShape = struct({
  /** Only identities of this tenancy may log in. */
  home_tenancy_id: text,
  ...walField,
})

/** Configurations by `<mount uuid>/config`. */
export const cloudConfigTable = secretsTable('cloud-configs', cloudConfigShape, { secrets: 'none' })

export const cloudConfigs = new MountRow(
  cloudConfigTable,
  () => refuse('cloud-not-configured'),
  'config',
)

/**
 * Sets the tenancy whose identities may log in (behaviour/secrets#cloud-config).
 *
 * @throws Refusal `invalid`, with the text `Missing homeTenancyId`, if the id is blank
 */
export function writeCloudConfig(world: World, mount: Mount, homeTenancyId: string): void {
  if (homeTenancyId.trim() === '') throw refuse('tenancy-missing')
  cloudConfigs.put(world, mount, { home_tenancy_id: homeTenancyId })
}

/**
 * A role: the groups that may log in, and the settings of their tokens
 * (behaviour/secrets#cloud-role). TTLs and periods are in seconds, and 0 if unset.
 */
const cloudRoleShape = struct({
  /** Ids of the groups and dynamic groups whose members may log in. */
  cid_list: list(text),
  ...tokenFields,
  ...walField,
})
export interface CloudRole extends StoredOf<typeof cloudRoleShape> {}

/** Roles by `<mount uuid>/<name in lower case>`. */
export const cloudRoleTable = secretsTable('cloud-roles', cloudRoleShape, { secrets: 'none' })

export const cloudRoles = new NamedRows(cloudRoleTable, () => refuse('nothing-here'))

const defaultRole: CloudRole = { cid_list: [], ...defaultTokenFields }

type CloudRoleChange = TokenFieldsChange & { readonly cid_list?: readonly string[] }

/**
 * Maximum number of ids in a role. The cloud's own service accepts at most this number in one
 * request.
 */
const maxCids = 100

/**
 * Creates or changes a role; members that are left out keep their values.
 *
 * @throws Refusal `invalid` for too many ids, an unknown type, and negative or contradictory
 *   settings. The checks run in the reference's order.
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
