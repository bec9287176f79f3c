import { compareBytewise } from '../../json/json.ts'
import { isEqual } from '../../kernel/equality.ts'
import type { Message } from '../../kernel/message.ts'
import { fillDefaults } from '../../kernel/shape/fill-defaults.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { nextIndex } from '../indexes.ts'
import { refuse as requestRefusal } from '../messages.ts'
import { failedChecks, multiError } from '../validation/errors.ts'
import { requireAcls, requireManagement, type SchedulerCaller } from './callers.ts'
import { message, refuse } from './messages.ts'
import {
  type AclRole,
  aclPolicies,
  aclRoleRowShape,
  aclRoles,
  type InputAclRole,
} from './tables.ts'

/**
 * Returns the roles whose IDs begin with a prefix, ordered by ID. Management tokens see all roles,
 * other callers only those of their own token (behaviour/scheduler#acl-roles).
 *
 * @throws Refusal 400 while ACLs are off
 */
export function listRoles(world: World, caller: SchedulerCaller, prefix = ''): readonly AclRole[] {
  requireAcls(world)
  return Array.from(world.table(aclRoles).rows(prefix))
    .filter(({ ID }) => caller.isManagement || caller.roles.includes(ID))
    .sort((a, b) => compareBytewise(a.ID, b.ID))
}

/**
 * Returns a role by ID. Only management tokens and tokens with the role may read the role.
 *
 * @throws Refusal 400 while ACLs are off, 403 for other tokens, 404 for an unknown role
 */
export function readRole(world: World, caller: SchedulerCaller, id: string): AclRole {
  requireAcls(world)
  if (!caller.isManagement && !caller.roles.includes(id)) throw requestRefusal('permission-denied')
  const role = world.table(aclRoles).get(id)
  if (role === undefined) throw refuse('role-not-found')
  return role
}

/** Returns a role by name. The checks and refusals are those of `readRole`. */
export function readRoleByName(world: World, caller: SchedulerCaller, name: string): AclRole {
  requireAcls(world)
  const role = world.table(aclRoles).index('byName').get(name)
  if (!caller.isManagement && (role === undefined || !caller.roles.includes(role.ID))) {
    throw requestRefusal('permission-denied')
  }
  if (role === undefined) throw refuse('role-not-found')
  return role
}

/**
 * Creates a role or, if the body has an ID, updates the role. If nothing changes, nothing is
 * written.
 *
 * @param pathId the ID in the path, if any
 * @throws Refusal 400 while ACLs are off, if the ID differs from that in the path, and for an
 * unknown ID or policy, an invalid role, or a new role whose name is taken; 403 without management
 * rights; 500 for an update that gives the role the name of another role
 */
export function putRole(
  world: World,
  caller: SchedulerCaller,
  input: InputAclRole,
  pathId?: string,
): AclRole {
  const role = fillDefaults(input, aclRoleRowShape)
  if (pathId !== undefined && role.ID !== pathId) throw refuse('role-id-mismatch')
  requireAcls(world)
  requireManagement(caller)
  const problems = problemsOf(role)
  if (problems.length > 0) throw refuse('role-invalid', { errors: multiError(problems) })
  const table = world.table(aclRoles)
  const before = role.ID === '' ? undefined : table.get(role.ID)
  const sameNameRole = table.index('byName').get(role.Name)
  if (role.ID === '' && sameNameRole !== undefined) throw refuse('role-again', { name: role.Name })
  if (role.ID !== '' && before === undefined) throw refuse('role-unknown', { role: role.ID })
  const names = new Set((role.Policies ?? []).map(({ Name }) => Name))
  for (const name of names) {
    if (!world.table(aclPolicies).has(name)) throw refuse('role-policy-unknown', { name })
  }
  if (sameNameRole !== undefined && sameNameRole.ID !== role.ID) {
    throw refuse('role-name-taken', { name: role.Name })
  }
  const Policies = Array.from(names, (Name) => ({ Name }))
  if (before !== undefined && isEqual(before, { ...before, ...editableFields(role), Policies })) {
    return before
  }
  return world.write(() => {
    const index = nextIndex(world)
    const row: AclRole = {
      ID: role.ID || world.ids.uuid(),
      ...editableFields(role),
      Policies,
      CreateIndex: before?.CreateIndex ?? index,
      ModifyIndex: index,
    }
    table.put(row.ID, row)
    return row
  })
}

function editableFields({ Name, Description }: AclRole): Pick<AclRole, 'Name' | 'Description'> {
  return { Name, Description }
}

const maxDescriptionBytes = 256

function problemsOf({ Name, Description, Policies }: AclRole): readonly Message[] {
  return failedChecks(
    !/^[a-zA-Z0-9-]{1,128}$/.test(Name) && message('policy-name-invalid', { name: Name }),
    Buffer.byteLength(Description) > maxDescriptionBytes &&
      message('policy-description-long', { most: maxDescriptionBytes }),
    (Policies ?? []).length === 0 && message('role-policies-missing'),
  )
}

/**
 * Deletes a role. Tokens keep the ID of the role, which no longer grants anything.
 *
 * @throws Refusal 400 while ACLs are off, 403 without management rights, 500 for an unknown role
 */
export function deleteRole(world: World, caller: SchedulerCaller, id: string): void {
  requireAcls(world)
  requireManagement(caller)
  if (!world.table(aclRoles).has(id)) throw refuse('deleted-role-not-found')
  world.write(() => world.table(aclRoles).delete(id))
}
