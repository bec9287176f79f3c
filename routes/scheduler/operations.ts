import { aclOperations } from './acl/operations.ts'
import { aclRoleOperations } from './acl/roles.ts'
import { agentOperations } from './agent/operations.ts'
import { statusOperations } from './agent/status.ts'
import { fileContentOperations } from './client/file-contents.ts'
import { fileOperations } from './client/files.ts'
import { logOperations } from './client/logs.ts'
import { clientRequestOperations } from './client/requests.ts'
import { statisticsOperations } from './client/statistics.ts'
import { allocationOperations } from './cluster/allocations.ts'
import { deploymentActionOperations } from './cluster/deployment-actions.ts'
import { deploymentOperations } from './cluster/deployments.ts'
import { evaluationOperations } from './cluster/evaluations.ts'
import { nodePoolOperations } from './cluster/node-pools.ts'
import { nodeWriteOperations } from './cluster/node-writes.ts'
import { nodeOperations } from './cluster/nodes.ts'
import { eventOperations } from './events/operations.ts'
import { actionOperations } from './jobs/actions.ts'
import { checkOperations } from './jobs/checks.ts'
import { listingOperations } from './jobs/listing.ts'
import { jobReadOperations } from './jobs/reads.ts'
import { registrationOperations } from './jobs/registration.ts'
import { scalingPolicyOperations } from './jobs/scaling-policies.ts'
import { versionOperations } from './jobs/versions.ts'
import { namespaceOperations } from './namespaces.ts'
import type { SchedulerOperation } from './operation.ts'
import { configurationOperations } from './operator/configuration.ts'
import { keyringOperations } from './operator/keyring.ts'
import { metricsOperations } from './operator/metrics.ts'
import { systemOperations } from './operator/system.ts'
import { wellKnownOperations } from './operator/well-known.ts'
import { searchOperations } from './search/operations.ts'
import { serviceOperations } from './services/operations.ts'
import { variableOperations } from './variables/operations.ts'

/** All operations of the jobs API below its prefix. */
export const schedulerOperations: readonly SchedulerOperation[] = [
  ...listingOperations,
  ...registrationOperations,
  ...checkOperations,
  ...jobReadOperations,
  ...versionOperations,
  ...actionOperations,
  ...scalingPolicyOperations,
  ...allocationOperations,
  ...clientRequestOperations,
  ...statisticsOperations,
  ...logOperations,
  ...fileOperations,
  ...fileContentOperations,
  ...evaluationOperations,
  ...deploymentOperations,
  ...deploymentActionOperations,
  ...nodeOperations,
  ...nodeWriteOperations,
  ...nodePoolOperations,
  ...serviceOperations,
  ...namespaceOperations,
  ...aclOperations,
  ...aclRoleOperations,
  ...searchOperations,
  ...eventOperations,
  ...variableOperations,
  ...statusOperations,
  ...agentOperations,
  ...configurationOperations,
  ...systemOperations,
  ...keyringOperations,
  ...metricsOperations,
]

/** Operations outside of the prefix, at the root of the server. */
export const outsideOperations: readonly SchedulerOperation[] = wellKnownOperations
