import { list, name, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { secretsTable } from '../table.ts'

/** A rule about which logins need a second factor (behaviour/secrets#mfa). */
const enforcementShape = struct({
  id: name,
  /** Namespace id. */
  namespace: text,
  name,
  mfa_method_ids: list(text),
  auth_method_accessors: list(text),
  /** Neutral type names of login methods, such as `cloud` instead of the vendor's `oci`. */
  auth_method_types: list(text),
  identity_group_ids: list(text),
  identity_entity_ids: list(text),
})
export interface Enforcement extends StoredOf<typeof enforcementShape> {}

/** Enforcements by `<namespace id>/<name>`. */
export const enforcementTable = secretsTable('mfa-enforcements', enforcementShape, {
  secrets: 'none',
})

/**
 * Returns the enforcements whose row keys start with a prefix, sorted by id. Logins validate
 * enforcements in this order.
 */
export function enforcementsById(world: World, prefix = ''): Enforcement[] {
  return [...world.table(enforcementTable).rows(prefix)].sort((a, b) => (a.id < b.id ? -1 : 1))
}

/**
 * Returns the first enforcement, sorted by id, that uses a method; undefined for an unused method.
 */
export function enforcementWith(world: World, methodId: string): Enforcement | undefined {
  return enforcementsById(world).find(({ mfa_method_ids: ids }) => ids.includes(methodId))
}
