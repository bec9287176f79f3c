import { defineRule } from '../kernel/rules.ts'
import type { World } from '../kernel/world.ts'
import { aclPolicies, aclRoles, aclTokens } from './acl/tables.ts'
import { allocations, deployments, evaluations, nodePools, nodes } from './cluster/tables.ts'
import { type DataKind, touch } from './indexes.ts'
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
const tablesOf = [
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

const kinds: ReadonlyMap<string, DataKind> = new Map(tablesOf.map(([{ id }, kind]) => [id, kind]))

/**
 * Keeps the index of the last write to each kind of data (behaviour/scheduler#blocking).
 */
export const dataIndexRule = defineRule({
  name: 'scheduler.data-indexes',
  tables: tablesOf.map(([table]) => table),
  apply(world: World, changes) {
    const written = new Map<DataKind, boolean>()
    for (const { table, before, after } of changes) {
      const kind = kinds.get(table)
      if (kind === undefined) continue
      const isOld = before === undefined && isFromBeginning(after)
      written.set(kind, (written.get(kind) ?? true) && isOld)
    }
    for (const [kind, isOld] of written) touch(world, kind, isOld ? firstIndex : undefined)
  },
})

/** The index of what is there from the beginning: the built-in namespace and node pools. */
const firstIndex = 1

function isFromBeginning(row: object | undefined): boolean {
  return row !== undefined && Reflect.get(row, 'ModifyIndex') === firstIndex
}
