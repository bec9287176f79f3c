import { emptyAclOperations } from './acl/empty-endpoints.ts'
import { policyOperations, roleOperations } from './acl/policies-and-roles.ts'
import { templatedPolicyOperations } from './acl/templated-policies.ts'
import { tokenOperations } from './acl/tokens.ts'
import { eventOperations } from './events/events.ts'
import { kvOperations } from './kv/kv.ts'
import { txnOperations } from './kv/txn.ts'
import { namespaceOperations } from './namespaces/namespaces.ts'
import type { MeshOperation } from './operation.ts'
import { serverOperations } from './server/agent.ts'
import { agentTokenOperations } from './server/agent-tokens.ts'
import { catalogOperations } from './server/catalog.ts'
import { sessionOperations } from './sessions/sessions.ts'

/** All operations of the mesh API. */
export const meshOperations: readonly MeshOperation[] = [
  ...namespaceOperations,
  ...kvOperations,
  ...txnOperations,
  ...sessionOperations,
  ...eventOperations,
  ...serverOperations,
  ...agentTokenOperations,
  ...catalogOperations,
  ...tokenOperations,
  ...policyOperations,
  ...roleOperations,
  ...templatedPolicyOperations,
  ...emptyAclOperations,
]
