import type { ServiceDefinition } from '../kernel/worlds/service.ts'
import type { World } from '../kernel/worlds/world.ts'
import { aclTables } from './acl/tables.ts'
import { aclTokenAgendaJobs } from './acl/token-rows.ts'
import { schedulerServers } from './agent/server.ts'
import { clusterTransitions } from './cluster/cluster-transitions.ts'
import { jobStatusRule } from './cluster/model/job-status.ts'
import { clusterTables } from './cluster/model/tables.ts'
import { clusterAgendaJobs, resumeSteps } from './cluster/step-runner.ts'
import { dataIndexRule } from './data-indexes.ts'
import { loadScheduler, schedulerFixtures } from './fixtures.ts'
import { dataIndexes, schedulerName } from './indexes.ts'
import { periodicAgendaJobs } from './jobs/periodic.ts'
import { namespaceTables } from './namespaces.ts'
import { rootKeys } from './operator/root-keys.ts'
import { rootKeyAgendaJobs } from './operator/rotation.ts'
import { schedulerConfigurations } from './operator/tables.ts'
import { optionsOf, schedulerOptions } from './options.ts'
import { scalingPolicyRule } from './records/scaling-policies.ts'
import { jobTables } from './records/tables.ts'
import { raiseIndex, seedScheduler } from './seed.ts'
import { serviceRule } from './services/service-rule.ts'
import { serviceTables } from './services/tables.ts'
import { variableTables } from './variables/tables.ts'

/** The job scheduler: everything it brings to a world. */
export const schedulerService = {
  name: schedulerName,
  tables: [
    dataIndexes,
    ...namespaceTables,
    ...jobTables,
    ...clusterTables,
    ...serviceTables,
    ...aclTables,
    ...variableTables,
    schedulerServers,
    schedulerConfigurations,
    rootKeys,
  ],
  retiredTables: [
    'acl-token-secrets',
    'active-deployments',
    'blocked-evaluations',
    'counted-allocations',
    'dispatch-tokens',
    'evaluation-allocations',
    'held-step-keys',
    'job-allocations',
    'job-changes',
    'job-children',
    'job-deployments',
    'job-evaluations',
    'node-allocations',
    'open-allocations',
    'open-evaluations',
    'placed-allocations',
  ],
  options: schedulerOptions,
  fixtures: schedulerFixtures,
  jobs: {
    ...periodicAgendaJobs,
    ...clusterAgendaJobs,
    ...aclTokenAgendaJobs,
    ...rootKeyAgendaJobs,
  },
  transitions: clusterTransitions,
  // The status of a job first: it writes jobs.
  rules: [jobStatusRule, scalingPolicyRule, serviceRule, dataIndexRule],
  seed: seedScheduler,
  load(world, document, part) {
    raiseIndex(world)
    loadScheduler(world, document, part)
  },
  reschedule: resumeSteps,
  info: schedulerInfo,
} as const satisfies ServiceDefinition

/** The scheduler's part of `/_mock/info` (behaviour/program#fresh-world). */
export interface SchedulerInfo {
  /** The management token's secret. */
  readonly token: string
}

/** The token that a fresh world has. */
function schedulerInfo(world: World): SchedulerInfo {
  return { token: optionsOf(world).initialManagementToken }
}
