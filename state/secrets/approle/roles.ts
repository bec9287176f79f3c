import { bool, list, nullable, text, uint } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { isLoginName } from '../logins/names.ts'
import { tokenFields } from '../logins/token-fields.ts'
import { type Mount, NamedRows, storagePrefix, walField } from '../mounts/mounts.ts'
import { secretsTable } from '../table.ts'
import { refuse } from './messages.ts'

/**
 * A role of the method AppRole (behaviour/secrets#approle-roles). TTLs are in seconds, and 0 if
 * unset.
 */
const roleShape = struct({
  /** The mount's UUID. */
  mount: text,
  /** Name in lower case. */
  name: text,
  bind_secret_id: bool,
  local_secret_ids: bool,
  /** Networks from which secret ids may be used; null for any. */
  secret_id_bound_cidrs: nullable(list(text)),
  /** Number of uses of a secret id; 0 means unlimited. */
  secret_id_num_uses: uint,
  secret_id_ttl: uint,
  ...tokenFields,
  /** Role id, unique within a mount. */
  role_id: text,
  /**
   * Old names (`policies`, `period`) that requests have used for token fields. Reads also return
   * the values under these names.
   */
  old_names: list(text),
  ...walField,
})
export interface AppRole extends StoredOf<typeof roleShape> {}

/**
 * Roles by `<mount uuid>/<name in lower case>`. The keys of the index `byRoleId` are `<mount
 * uuid>/<role id>`.
 */
export const appRoleTable = secretsTable('approle-roles', roleShape, {
  secrets: 'none',
  indexes: { byRoleId: ({ mount, role_id }) => `${mount}/${role_id}` },
})

const maxNameLength = 4096

/**
 * Returns the stored form of a role's name.
 * @throws Refusal for a name that is too long or invalid in a path
 */
export function roleName(text: string): string {
  if (!isLoginName(text)) throw refuse('unsupported-path')
  if (text.length > maxNameLength) throw refuse('approle-name-too-long')
  return text.toLowerCase()
}

export const appRoles = new NamedRows(appRoleTable, () => refuse('nothing-here'), roleName)

export function appRoleOfId(world: World, mount: Mount, roleId: string): AppRole | undefined {
  return world
    .table(appRoleTable)
    .index('byRoleId')
    .get(storagePrefix(mount) + roleId)
}
