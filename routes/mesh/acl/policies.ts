import { list } from '../../../state/kernel/shape/kinds.ts'
import type { ParsedOf } from '../../../state/kernel/shape/values.ts'
import { refuse } from '../../../state/mesh/acl/messages.ts'
import {
  createPolicy,
  deletePolicy,
  type PolicyInput,
  policiesIn,
  policyDataKind,
  policyNamed,
  policyWithId,
  updatePolicy,
} from '../../../state/mesh/acl/policies.ts'
import type { AclPolicy } from '../../../state/mesh/acl/tables.ts'
import { listAccess, listAcl, operation } from './access.ts'
import { policyBody } from './bodies.ts'
import { namedOperations } from './named-operations.ts'
import { policyJson, policyReply, policyStubReply, stubJson } from './views.ts'

function inputOf(body: ParsedOf<typeof policyBody>): PolicyInput {
  const { Name: name, Description: description, Rules: rules, Datacenters: datacenters } = body
  return { name, description, rules, datacenters }
}

/** Operations on policies (behaviour/mesh#acl-endpoints). */
export const policyOperations = [
  ...namedOperations<AclPolicy, ParsedOf<typeof policyBody>>({
    refuseId: () => refuse('id-of-new', { noun: 'policy' }),
    noun: 'policy',
    Noun: 'Policy',
    dataKind: policyDataKind,
    schema: policyReply,
    body: policyBody,
    decode: (context) => context.decode(policyBody, 'Policy'),
    create: (world, namespace, body) => createPolicy(world, namespace, inputOf(body)),
    update: (world, namespace, id, body) => updatePolicy(world, namespace, id, inputOf(body)),
    remove: deletePolicy,
    withId: policyWithId,
    withName: policyNamed,
    json: ({ world, dialect }, policy) => policyJson(world, policy, dialect),
  }),
  operation.get({
    id: 'listAclPolicies',
    path: '/acl/policies',
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
