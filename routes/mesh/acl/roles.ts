import { list, text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import type { ParsedOf } from '../../../state/kernel/shape/values.ts'
import { isUuid } from '../../../state/mesh/acl/ids.ts'
import { refuse } from '../../../state/mesh/acl/messages.ts'
import {
  createRole,
  deleteRole,
  type RoleInput,
  roleDataKind,
  roleNamed,
  rolesIn,
  roleWithId,
  updateRole,
} from '../../../state/mesh/acl/roles.ts'
import type { AclRole } from '../../../state/mesh/acl/tables.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { listAccess, listAcl, operation } from './access.ts'
import { identitiesOf, linksOf, roleBody } from './bodies.ts'
import { namedOperations } from './named-operations.ts'
import { roleJson, roleReply } from './views.ts'

function inputOf(body: ParsedOf<typeof roleBody>): RoleInput {
  const { Name: name, Description: description, Policies } = body
  return { name, description, policies: linksOf(Policies), identities: identitiesOf(body) }
}

/** Operations on roles (behaviour/mesh#acl-endpoints). */
export const roleOperations = [
  ...namedOperations<AclRole, ParsedOf<typeof roleBody>>({
    // The reference compares the ID with that of the path, which is empty here.
    refuseId: () => refuse('ids-differ', { Noun: 'Role' }),
    noun: 'role',
    Noun: 'Role',
    dataKind: roleDataKind,
    schema: roleReply,
    body: roleBody,
    decode: (context) => context.decode(roleBody, 'Role'),
    create: (world, namespace, body) => createRole(world, namespace, inputOf(body)),
    update: (world, namespace, id, body) => updateRole(world, namespace, id, inputOf(body)),
    remove: deleteRole,
    withId: roleWithId,
    withName: roleNamed,
    json: ({ world, dialect }, role) => roleJson(world, role, dialect),
  }),
  operation.get({
    id: 'listAclRoles',
    path: '/acl/roles',
    access: listAccess,
    summary: 'List the ACL roles of a namespace.',
    query: parameters({ policy: described(text, 'Linked to this policy') }),
    reply: { 200: list(roleReply) },
    run: ({ context }) => {
      const policy = context.query.value('policy')
      if (policy !== undefined && !isUuid(policy)) {
        throw refuse('lookup-id-no-uuid', { kind: 'role' })
      }
      const matchesFilter = ({ policies }: AclRole) =>
        policy === undefined || policies.includes(policy)
      return listAcl(
        context,
        roleDataKind,
        (namespace) => rolesIn(context.world, namespace).filter(matchesFilter),
        () => (role) => roleJson(context.world, role, context.dialect),
      )
    },
  }),
]
