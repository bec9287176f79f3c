import type { aclBootstrap, aclPolicies, aclTokens } from '../state/scheduler/acl/tables.ts'
import type { outcomeRules } from '../state/scheduler/cluster/steering.ts'
import type {
  allocations,
  deployments,
  evaluations,
  heldSteps,
  nodePools,
  nodes,
  taskLives,
} from '../state/scheduler/cluster/tables.ts'
import type { dataIndexes } from '../state/scheduler/indexes.ts'
import type {
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
  readonly 'acl-tokens': Rows<typeof aclTokens>
  readonly allocations: Rows<typeof allocations>
  readonly deployments: Rows<typeof deployments>
  readonly evaluations: Rows<typeof evaluations>
  readonly 'held-steps': Rows<typeof heldSteps>
  readonly indexes: Rows<typeof dataIndexes>
  readonly 'job-submissions': Rows<typeof jobSubmissions>
  readonly 'job-summaries': Rows<typeof jobSummaries>
  readonly 'job-versions': Rows<typeof jobVersions>
  readonly jobs: Rows<typeof jobs>
  readonly namespaces: Rows<typeof namespaces>
  readonly 'node-pools': Rows<typeof nodePools>
  readonly nodes: Rows<typeof nodes>
  readonly 'outcome-rules': Rows<typeof outcomeRules>
  readonly 'scaling-events': Rows<typeof scalingEvents>
  readonly 'task-lives': Rows<typeof taskLives>
}
