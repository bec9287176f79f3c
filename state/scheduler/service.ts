import { defineRule } from '../kernel/store/rules.ts'
import { raiseIndex } from '../kernel/worlds/document.ts'
import type { ServiceDefinition } from '../kernel/worlds/service.ts'
import type { World } from '../kernel/worlds/world.ts'
import { seedAcl } from './acl/bootstrap.ts'
import { oneTimeTokens } from './acl/one-time-tokens.ts'
import { aclPolicies, aclRoles, aclTables, aclTokens } from './acl/tables.ts'
import { aclTokenAgendaJobs } from './acl/token-bodies.ts'
import { schedulerServers, seedServer } from './agent/server.ts'
import { nodeMetadata } from './client/metadata.ts'
import { clusterTransitions } from './cluster/cluster-transitions.ts'
import { jobStatusRule } from './cluster/model/job-summaries.ts'
import {
  allocations,
  clusterTables,
  deployments,
  evaluations,
  nodePools,
  nodes,
} from './cluster/model/tables.ts'
import { seedNodePools } from './cluster/nodes/node-pools.ts'
import { seedNodes } from './cluster/nodes/nodes.ts'
import { clusterAgendaJobs, resumeSteps } from './cluster/step-runner.ts'
import { eventBufferRule, forgetReplacedRows } from './events/buffer.ts'
import { loadScheduler, schedulerFixtures } from './fixtures.ts'
import { type DataKind, dataIndexes, schedulerName, touchIndex } from './indexes.ts'
import { periodicAgendaJobs } from './jobs/launches.ts'
import { namespaces, namespaceTables, seedNamespaces } from './namespaces.ts'
import { schedulerConfigurations } from './operator/configuration.ts'
import { rootKeys } from './operator/root-keys.ts'
import { rootKeyAgendaJobs } from './operator/rotation.ts'
import { optionsOf, schedulerOptions } from './options.ts'
import { scalingPolicyRule } from './records/scaling-policies.ts'
import {
  jobSubmissions,
  jobSummaries,
  jobs,
  jobTables,
  jobVersions,
  scalingEvents,
  scalingPolicies,
} from './records/tables.ts'
import { serviceRule } from './services/service-rule.ts'
import { registrations, serviceTables } from './services/tables.ts'
import { variables, variableTables } from './variables/tables.ts'

/**
 * Tables, each with the kind of data that its rows belong to. A write to a table changes the index
 * of that kind.
 */
const tableKinds = [
  [jobs, 'jobs'],
  [jobVersions, 'versions'],
  [jobSubmissions, 'submissions'],
  [jobSummaries, 'summaries'],
  [evaluations, 'evaluations'],
  [allocations, 'allocations'],
  [deployments, 'deployments'],
  [nodes, 'nodes'],
  [nodePools, 'node-pools'],
  [scalingEvents, 'scaling-events'],
  [scalingPolicies, 'scaling-policies'],
  [registrations, 'services'],
  [namespaces, 'namespaces'],
  [aclPolicies, 'acl-policies'],
  [aclTokens, 'acl-tokens'],
  [aclRoles, 'acl-roles'],
  [variables, 'variables'],
  [rootKeys, 'root-keys'],
] as const

const kindByTable: ReadonlyMap<string, DataKind> = new Map(
  tableKinds.map(([{ id }, kind]) => [id, kind]),
)

/**
 * Rule that stores the index of the last write to each kind of data (behaviour/scheduler#blocking).
 */
const dataIndexRule = defineRule({
  name: 'scheduler.data-indexes',
  tables: tableKinds.map(([table]) => table),
  apply(world: World, changes) {
    const kindsWritten = new Map<DataKind, boolean>()
    for (const { table, before, after } of changes) {
      const kind = kindByTable.get(table)
      if (kind === undefined) continue
      const isSeed = before === undefined && isSeedRow(after)
      kindsWritten.set(kind, (kindsWritten.get(kind) ?? true) && isSeed)
    }
    for (const [kind, isSeed] of kindsWritten)
      touchIndex(world, kind, isSeed ? seedRowIndex : undefined)
  },
})

/** The index of the built-in rows: the namespace `default` and the node pools. */
const seedRowIndex = 1

function isSeedRow(row: object | undefined): boolean {
  return row !== undefined && Reflect.get(row, 'ModifyIndex') === seedRowIndex
}

/** Starting value of the index for the built-in rows (behaviour/scheduler#blocking). */
const initialIndex = 0

/**
 * Starting value of the index for all other rows. The commit that creates a fresh world therefore
 * has the index 10 (behaviour/scheduler#versions).
 */
const freshWorldIndex = 9

function seedScheduler(world: World): void {
  world.store.setIndex(schedulerName, initialIndex)
  seedNamespaces(world)
  seedNodePools(world)
  world.store.setIndex(schedulerName, freshWorldIndex)
  seedNodes(world)
  seedAcl(world)
  seedServer(world)
}

export const schedulerService = {
  name: schedulerName,
  tables: [
    dataIndexes,
    ...namespaceTables,
    ...jobTables,
    ...clusterTables,
    nodeMetadata,
    oneTimeTokens,
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
  // The job status rule comes first, because it writes jobs. The buffer of events comes last,
  // because it reads the writes of the other rules.
  rules: [jobStatusRule, scalingPolicyRule, serviceRule, dataIndexRule, eventBufferRule],
  seed: seedScheduler,
  *load(world, document, part) {
    raiseIndex(world, schedulerName, world.table(dataIndexes).rows())
    forgetReplacedRows(world)
    yield* loadScheduler(world, document, part)
  },
  reschedule: resumeSteps,
  info: schedulerInfo,
} as const satisfies ServiceDefinition

/** The scheduler's part of `/_mock/info` (behaviour/program#fresh-world). */
export interface SchedulerInfo {
  readonly token: string
}

function schedulerInfo(world: World): SchedulerInfo {
  return { token: optionsOf(world).initialManagementToken }
}
