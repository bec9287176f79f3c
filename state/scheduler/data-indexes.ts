import { defineRule } from '../kernel/store/rules.ts'
import type { World } from '../kernel/worlds/world.ts'
import { aclPolicies, aclRoles, aclTokens } from './acl/tables.ts'
import { allocations, deployments, evaluations, nodePools, nodes } from './cluster/model/tables.ts'
import { type DataKind, touchIndex } from './indexes.ts'
import { namespaces } from './namespaces.ts'
import { rootKeys } from './operator/root-keys.ts'
import {
  jobSubmissions,
  jobSummaries,
  jobs,
  jobVersions,
  scalingEvents,
  scalingPolicies,
} from './records/tables.ts'
import { registrations } from './services/tables.ts'
import { variables } from './variables/tables.ts'

/** The tables of each kind of data. */
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

const kinds: ReadonlyMap<string, DataKind> = new Map(tableKinds.map(([{ id }, kind]) => [id, kind]))

/**
 * Keeps the index of the last write to each kind of data (behaviour/scheduler#blocking).
 */
export const dataIndexRule = defineRule({
  name: 'scheduler.data-indexes',
  tables: tableKinds.map(([table]) => table),
  apply(world: World, changes) {
    const kindsWritten = new Map<DataKind, boolean>()
    for (const { table, before, after } of changes) {
      const kind = kinds.get(table)
      if (kind === undefined) continue
      const isSeed = before === undefined && isSeedRow(after)
      kindsWritten.set(kind, (kindsWritten.get(kind) ?? true) && isSeed)
    }
    for (const [kind, isSeed] of kindsWritten)
      touchIndex(world, kind, isSeed ? firstIndex : undefined)
  },
})

/** The index of what is there from the beginning: the built-in namespace and node pools. */
const firstIndex = 1

function isSeedRow(row: object | undefined): boolean {
  return row !== undefined && Reflect.get(row, 'ModifyIndex') === firstIndex
}
