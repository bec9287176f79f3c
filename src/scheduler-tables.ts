import type {
  aclBootstrap,
  aclPolicies,
  aclTokenSecrets,
  aclTokens,
} from '../state/scheduler/acl/tables.ts'
import type { outcomeRules } from '../state/scheduler/cluster/steering.ts'
import type {
  activeDeployments,
  allocations,
  blockedEvaluations,
  countedAllocations,
  deployments,
  evaluationAllocations,
  evaluations,
  heldStepKeys,
  heldSteps,
  jobAllocations,
  jobDeployments,
  jobEvaluations,
  nodeAllocations,
  nodePools,
  nodes,
  openAllocations,
  openEvaluations,
  placedAllocations,
  taskLives,
} from '../state/scheduler/cluster/tables.ts'
import type { dataIndexes } from '../state/scheduler/indexes.ts'
import type {
  dispatchTokens,
  jobChanges,
  jobChildren,
  jobSubmissions,
  jobSummaries,
  jobs,
  jobVersions,
  scalingEvents,
} from '../state/scheduler/jobs/tables.ts'
import type { namespaces } from '../state/scheduler/namespaces.ts'
import type { Rows } from './resources.ts'

/** Everything the job scheduler keeps, by table and key; the keys are told at each table. */
export interface SchedulerTables {
  readonly 'acl-bootstrap': Rows<typeof aclBootstrap>
  readonly 'acl-policies': Rows<typeof aclPolicies>
  readonly 'acl-token-secrets': Rows<typeof aclTokenSecrets>
  readonly 'acl-tokens': Rows<typeof aclTokens>
  readonly 'active-deployments': Rows<typeof activeDeployments>
  readonly allocations: Rows<typeof allocations>
  readonly 'blocked-evaluations': Rows<typeof blockedEvaluations>
  readonly 'counted-allocations': Rows<typeof countedAllocations>
  readonly deployments: Rows<typeof deployments>
  readonly 'dispatch-tokens': Rows<typeof dispatchTokens>
  readonly 'evaluation-allocations': Rows<typeof evaluationAllocations>
  readonly evaluations: Rows<typeof evaluations>
  readonly 'held-step-keys': Rows<typeof heldStepKeys>
  readonly 'held-steps': Rows<typeof heldSteps>
  readonly indexes: Rows<typeof dataIndexes>
  readonly 'job-allocations': Rows<typeof jobAllocations>
  readonly 'job-changes': Rows<typeof jobChanges>
  readonly 'job-children': Rows<typeof jobChildren>
  readonly 'job-deployments': Rows<typeof jobDeployments>
  readonly 'job-evaluations': Rows<typeof jobEvaluations>
  readonly 'job-submissions': Rows<typeof jobSubmissions>
  readonly 'job-summaries': Rows<typeof jobSummaries>
  readonly 'job-versions': Rows<typeof jobVersions>
  readonly jobs: Rows<typeof jobs>
  readonly namespaces: Rows<typeof namespaces>
  readonly 'node-allocations': Rows<typeof nodeAllocations>
  readonly 'node-pools': Rows<typeof nodePools>
  readonly nodes: Rows<typeof nodes>
  readonly 'open-allocations': Rows<typeof openAllocations>
  readonly 'open-evaluations': Rows<typeof openEvaluations>
  readonly 'outcome-rules': Rows<typeof outcomeRules>
  readonly 'placed-allocations': Rows<typeof placedAllocations>
  readonly 'scaling-events': Rows<typeof scalingEvents>
  readonly 'task-lives': Rows<typeof taskLives>
}
