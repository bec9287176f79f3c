import { any, list } from '../../../state/kernel/shape/kinds.ts'
import { requireAcls } from '../../../state/scheduler/acl/callers.ts'
import { refuse } from '../../../state/scheduler/acl/messages.ts'
import {
  deleteRole,
  listRoles,
  putRole,
  readRole,
  readRoleByName,
} from '../../../state/scheduler/acl/roles.ts'
import {
  type AclRole,
  aclRoleRowShape,
  aclRoleShape,
  type InputAclRole,
} from '../../../state/scheduler/acl/tables.ts'
import { roleReply } from '../../../state/scheduler/acl/token-bodies.ts'
import type { Answer } from '../../http/declare/operation.ts'
import { forEach, requiresAnyOf, within } from '../access.ts'
import { operationsOf, type SchedulerContext } from '../operation.ts'
import { readData, readObject } from '../reads.ts'

const operation = operationsOf({ spec: 'behaviour/scheduler#acl-roles' })

/**
 * Operations on roles, auth methods and binding rules. The lists of auth methods and binding rules
 * are always empty.
 */
export const aclRoleOperations = [
  operation.get('listJobAclRoles', '/acl/roles', {
    access: forEach(requiresAnyOf('management', 'holder')),
    summary: 'List roles; can block.',
    reply: { 200: list(aclRoleShape) },
    run({ context }) {
      const { world } = context
      return readData(context, 'acl-roles', ({ prefix }) =>
        listRoles(world, context.caller, prefix).map((role) => world.derived(role, roleReply)),
      )
    },
  }),
  operation.post('createJobAclRole', '/acl/role', {
    access: requiresAnyOf('management'),
    summary: 'Create a role, or replace the one whose ID is sent.',
    reply: { 200: aclRoleShape },
    body: aclRoleRowShape,
    run: ({ context, body }) => putRoleReply(context, body()),
  }),
  operation.get('readJobAclRole', '/acl/role/:id', {
    access: within(requiresAnyOf('management', 'holder')),
    summary: 'Read a role; can block.',
    reply: { 200: aclRoleShape },
    run({ context, params: { id } }) {
      checkRolePath(id)
      return readRoleReply(context, () => readRole(context.world, context.caller, id))
    },
  }),
  operation.get('readNamedJobAclRole', '/acl/role/name/:name', {
    access: within(requiresAnyOf('management', 'holder')),
    summary: 'Read a role by its name; can block.',
    reply: { 200: aclRoleShape },
    run({ context, params: { name } }) {
      if (name === '') throw refuse('role-name-missing')
      checkRolePath(name)
      return readRoleReply(context, () => readRoleByName(context.world, context.caller, name))
    },
  }),
  operation.post('updateJobAclRole', '/acl/role/:id', {
    access: within(requiresAnyOf('management')),
    summary: 'Update a role.',
    reply: { 200: aclRoleShape },
    body: aclRoleRowShape,
    run({ context, params: { id }, body }) {
      checkRolePath(id)
      return putRoleReply(context, body(), id)
    },
  }),
  operation.delete('deleteJobAclRole', '/acl/role/:id', {
    access: within(requiresAnyOf('management')),
    summary: 'Delete a role; tokens with the role lose its rights.',
    run({ context, params: { id } }) {
      checkRolePath(id)
      deleteRole(context.world, context.caller, id)
      return context.writeReply()
    },
  }),
  operation.get('listJobAclAuthMethods', '/acl/auth-methods', {
    access: 'anyone',
    summary: 'List auth methods: there are none.',
    reply: { 200: list(any) },
    run: ({ context }) => emptyList(context),
  }),
  operation.get('listJobAclBindingRules', '/acl/binding-rules', {
    access: requiresAnyOf('management'),
    summary: 'List the binding rules of auth methods: there are none.',
    reply: { 200: list(any) },
    run: ({ context }) => emptyList(context),
  }),
]

function putRoleReply(context: SchedulerContext, input: InputAclRole, pathId?: string): Answer {
  const { world, caller } = context
  return context.writeReply(roleReply(putRole(world, caller, input, pathId)))
}

function readRoleReply(context: SchedulerContext, read: () => AclRole) {
  return readObject(context, 'acl-roles', () => context.world.derived(read(), roleReply))
}

function emptyList(context: SchedulerContext) {
  return context.read(() => {
    requireAcls(context.world)
    return { index: 1, body: [] }
  })
}

/** Throws a refusal if a name in the path is empty or contains a slash. */
function checkRolePath(name: string): void {
  if (name === '') throw refuse('role-id-missing')
  if (name.includes('/')) throw refuse('role-path-invalid')
}
