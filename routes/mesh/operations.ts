import { authMethodOperations } from './acl/auth-methods.ts'
import { authorizeOperations } from './acl/authorize.ts'
import { bindingRuleOperations } from './acl/binding-rules.ts'
import { loginOperations } from './acl/login.ts'
import { policyOperations, roleOperations } from './acl/policies-and-roles.ts'
import { replicationOperations } from './acl/replication.ts'
import { templatedPolicyOperations } from './acl/templated-policies.ts'
import { tokenOperations } from './acl/tokens.ts'
import { agentCheckOperations } from './agent/checks.ts'
import { agentHealthOperations } from './agent/service-health.ts'
import { agentServiceOperations } from './agent/services.ts'
import { catalogOperations } from './catalog/catalog.ts'
import { gatewayOperations } from './catalog/gateway-services.ts'
import { healthOperations } from './catalog/health.ts'
import { registrationOperations } from './catalog/registration.ts'
import { configOperations } from './config/config.ts'
import { discoveryChainOperations } from './config/discovery-chain.ts'
import { connectOperations } from './connect/connect.ts'
import { rootOperations } from './connect/roots.ts'
import { eventOperations } from './events/events.ts'
import { intentionOperations } from './intentions/intentions.ts'
import { legacyIntentionOperations } from './intentions/legacy-intentions.ts'
import { kvOperations } from './kv/kv.ts'
import { txnOperations } from './kv/txn.ts'
import { namespaceOperations } from './namespaces/namespaces.ts'
import type { MeshOperation } from './operation.ts'
import { autopilotOperations } from './operator/autopilot.ts'
import { coordinateOperations } from './operator/coordinates.ts'
import { peeringOperations } from './operator/peerings.ts'
import { raftOperations } from './operator/raft.ts'
import { usageOperations } from './operator/usage.ts'
import { queryExecutionOperations } from './queries/execution.ts'
import { queryOperations } from './queries/queries.ts'
import { serverOperations } from './server/agent.ts'
import { agentCommandOperations } from './server/agent-commands.ts'
import { agentReportOperations } from './server/agent-reports.ts'
import { sessionOperations } from './sessions/sessions.ts'
import { snapshotOperations } from './snapshot/snapshot.ts'

export const meshOperations: readonly MeshOperation[] = [
  ...namespaceOperations,
  ...kvOperations,
  ...txnOperations,
  ...sessionOperations,
  ...eventOperations,
  ...configOperations,
  ...discoveryChainOperations,
  ...queryOperations,
  ...queryExecutionOperations,
  ...intentionOperations,
  ...legacyIntentionOperations,
  ...coordinateOperations,
  ...autopilotOperations,
  ...raftOperations,
  ...peeringOperations,
  ...usageOperations,
  ...snapshotOperations,
  ...connectOperations,
  ...rootOperations,
  ...serverOperations,
  ...agentCommandOperations,
  ...agentReportOperations,
  ...agentServiceOperations,
  ...agentCheckOperations,
  ...agentHealthOperations,
  ...catalogOperations,
  ...gatewayOperations,
  ...healthOperations,
  ...registrationOperations,
  ...tokenOperations,
  ...policyOperations,
  ...roleOperations,
  ...templatedPolicyOperations,
  ...replicationOperations,
  ...authMethodOperations,
  ...bindingRuleOperations,
  ...loginOperations,
  ...authorizeOperations,
]
