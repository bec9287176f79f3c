import { list, text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import type { ParsedOf } from '../../../state/kernel/shape/values.ts'
import { policyBody, policyInputOf, roleBody, roleInputOf } from '../../../state/mesh/acl/bodies.ts'
import { isUuid } from '../../../state/mesh/acl/ids.ts'
import { refuse } from '../../../state/mesh/acl/messages.ts'
import {
  createPolicy,
  deletePolicy,
  policiesIn,
  policyDataKind,
  policyNamed,
  policyWithId,
  updatePolicy,
} from '../../../state/mesh/acl/policies.ts'
import {
  createRole,
  deleteRole,
  roleDataKind,
  roleNamed,
  rolesIn,
  roleWithId,
  updateRole,
} from '../../../state/mesh/acl/roles.ts'
import type { AclPolicy, AclRole } from '../../../state/mesh/acl/tables.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { JsonText } from '../../http/json-text.ts'
import type { MeshContext } from '../operation.ts'
import { authorizeWrite, listAccess, listAcl, operation } from './access.ts'
import { objectOperations } from './object-operations.ts'
import { policyJson, policyReply, policyStubReply, roleJson, roleReply, stubJson } from './views.ts'

/** Returns the members of `ObjectKind` that policies and roles have in common. */
function namedKind<const Noun extends 'policy' | 'role'>(noun: Noun) {
  return {
    nounWithArticle: `an ACL ${noun}`,
    noun,
    path: `/acl/${noun}`,
    parameter: 'id',
    summaries: {
      create: `Create an ACL ${noun}.`,
      update: `Replace an ACL ${noun}. Without an ID, create one.`,
      delete: `Delete an ACL ${noun}; links to it grant nothing afterwards.`,
    },
    requireKey(id: string): void {
      if (id === '') throw refuse('id-missing', { noun })
    },
    authorizeDeletion: (context: MeshContext) => authorizeWrite(context).namespace,
  } as const
}

export const roleOperations = [
  ...objectOperations<AclRole, ParsedOf<typeof roleBody>>(operation, {
    ...namedKind('role'),
    Noun: 'Role',
    dataKind: roleDataKind,
    schema: roleReply,
    body: roleBody,
    decode: (context) => context.decode(roleBody, 'Role'),
    // As in the reference, a creation with an ID gets the message about an ID that differs from the
    // path.
    checkKey({ ID }, id) {
      if (ID && ID !== id) throw refuse('ids-differ', { Noun: 'Role' })
    },
    write(world, namespace, id, body) {
      const input = roleInputOf(body)
      return id === ''
        ? createRole(world, namespace, input)
        : updateRole(world, namespace, id, input)
    },
    find: roleWithId,
    findByName: roleNamed,
    remove: deleteRole,
    json: ({ world, dialect }, role) => new JsonText(roleJson(world, role, dialect)),
  }),
  operation.get('listAclRoles', '/acl/roles', {
    access: listAccess,
    summary: 'List the ACL roles of a namespace.',
    query: parameters({ policy: described(text, 'Only objects with a link to this policy') }),
    reply: { 200: list(roleReply) },
    run: ({ context }) => {
      const policy = context.query.value('policy')
      const matchesFilter = ({ policies }: AclRole) =>
        policy === undefined || policies.includes(policy)
      return listAcl(
        context,
        roleDataKind,
        (namespace) => {
          if (policy !== undefined && !isUuid(policy)) {
            throw refuse('lookup-id-no-uuid', { kind: 'role' })
          }
          return rolesIn(context.world, namespace).filter(matchesFilter)
        },
        () => (role) => roleJson(context.world, role, context.dialect),
      )
    },
  }),
]

export const policyOperations = [
  ...objectOperations<AclPolicy, ParsedOf<typeof policyBody>>(operation, {
    ...namedKind('policy'),
    Noun: 'Policy',
    dataKind: policyDataKind,
    schema: policyReply,
    body: policyBody,
    decode: (context) => context.decode(policyBody, 'Policy'),
    checkKey({ ID }, id) {
      if (ID && id === undefined) throw refuse('id-of-new', { noun: 'policy' })
      if (ID && ID !== id) throw refuse('ids-differ', { Noun: 'Policy' })
    },
    write(world, namespace, id, body) {
      const input = policyInputOf(body)
      return id === ''
        ? createPolicy(world, namespace, input)
        : updatePolicy(world, namespace, id, input)
    },
    find: policyWithId,
    findByName: policyNamed,
    remove: deletePolicy,
    json: ({ world, dialect }, policy) => new JsonText(policyJson(world, policy, dialect)),
  }),
  operation.get('listAclPolicies', '/acl/policies', {
    access: listAccess,
    summary: 'List the ACL policies of a namespace, without their rules.',
    reply: { 200: list(policyStubReply) },
    run: ({ context }) =>
      listAcl(
        context,
        policyDataKind,
        (namespace) => policiesIn(context.world, namespace),
        () => (policy) => stubJson(context.world, policy, context.dialect),
      ),
  }),
]
