import { quoteGo } from '../../go/text.ts'
import { list, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Entity } from '../identity/entities.ts'
import { allGroups } from '../identity/entity-policies.ts'
import { type Mount, walField } from '../mounts/mounts.ts'
import { secretsTable } from '../table.ts'
import { BuiltInRows } from './built-in-rows.ts'
import { refuse } from './messages.ts'

/** Entities and groups that may use a client (behaviour/secrets#oidc-clients). */
const assignmentShape = struct({
  entity_ids: list(text),
  group_ids: list(text),
  ...walField,
})
interface Assignment extends StoredOf<typeof assignmentShape> {}

/** Assignments by `<mount uuid>/<name>`. The mount is that of the identity store. */
export const assignmentTable = secretsTable('oidc-assignments', assignmentShape, {
  secrets: 'none',
})

const allowAll = 'allow_all'

/** The assignments of each namespace. The built-in assignment `allow_all` always exists. */
export const assignments = new BuiltInRows(
  assignmentTable,
  () => refuse('nothing-here'),
  allowAll,
  { entity_ids: ['*'], group_ids: ['*'] },
)

/**
 * Creates or changes an assignment. Members that are left out keep their values.
 * @throws Refusal for `allow_all`
 */
export function writeAssignment(
  world: World,
  mount: Mount,
  name: string,
  change: Partial<Pick<Assignment, 'entity_ids' | 'group_ids'>>,
): void {
  if (name === allowAll) throw refuse('oidc-assignment-stays', { action: 'modification' })
  const before = assignments.find(world, mount, name) ?? { entity_ids: [], group_ids: [] }
  const { entity_ids, group_ids } = { ...before, ...change }
  const distinct = (ids: readonly string[]) => [...new Set(ids.map((id) => id.toLowerCase()))]
  const row = { entity_ids: distinct(entity_ids), group_ids: distinct(group_ids) }
  assignments.put(world, mount, name, row)
}

/**
 * Deletes an assignment.
 * @param clients names of the clients that use the assignment
 * @throws Refusal if a client uses the assignment, and for `allow_all`
 */
export function deleteAssignment(
  world: World,
  mount: Mount,
  name: string,
  clients: readonly string[],
): void {
  if (name === allowAll) throw refuse('oidc-assignment-stays', { action: 'deletion' })
  if (clients.length > 0) {
    const names = clients.join(', ')
    throw refuse('oidc-assignment-of-clients', { name: quoteGo(name), names })
  }
  assignments.remove(world, mount, name)
}

/** Returns whether an entity is enabled and belongs to one of the named assignments. */
export function isAssigned(
  world: World,
  mount: Mount,
  entity: Entity,
  names: readonly string[],
): boolean {
  if (entity.disabled) return false
  if (names.includes(allowAll)) return true
  const groups = allGroups(world, entity).map(({ id }) => id)
  return names
    .flatMap((name) => assignments.find(world, mount, name) ?? [])
    .some(
      ({ entity_ids, group_ids }) =>
        entity_ids.includes(entity.id) || group_ids.some((id) => groups.includes(id)),
    )
}
