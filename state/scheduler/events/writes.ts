import type { Change } from '../../kernel/commits.ts'
import { isEqual } from '../../kernel/same.ts'
import type { Row } from '../../kernel/table.ts'
import { aclPolicies, aclRoles, aclTokens } from '../acl/tables.ts'
import { allocations, deployments, evaluations, nodePools, nodes } from '../cluster/tables.ts'
import { jobs } from '../records/tables.ts'
import { registrations } from '../services/tables.ts'

/** A row before and after a commit, however often that wrote it. */
export interface Written<R> {
  readonly key: string
  readonly before: R | undefined
  readonly after: R | undefined
}

/** What a commit wrote of what events tell, by kind. */
export interface Writes {
  readonly jobs: readonly Written<RowOf<typeof jobs>>[]
  readonly evaluations: readonly Written<RowOf<typeof evaluations>>[]
  readonly allocations: readonly Written<RowOf<typeof allocations>>[]
  readonly deployments: readonly Written<RowOf<typeof deployments>>[]
  readonly nodes: readonly Written<RowOf<typeof nodes>>[]
  readonly nodePools: readonly Written<RowOf<typeof nodePools>>[]
  readonly services: readonly Written<RowOf<typeof registrations>>[]
  readonly tokens: readonly Written<RowOf<typeof aclTokens>>[]
  readonly policies: readonly Written<RowOf<typeof aclPolicies>>[]
  readonly roles: readonly Written<RowOf<typeof aclRoles>>[]
}

type RowOf<T> = T extends { readonly row?: infer R } ? NonNullable<R> : never

/** The tables that events are told of. */
export const toldTables = {
  jobs,
  evaluations,
  allocations,
  deployments,
  nodes,
  nodePools,
  services: registrations,
  tokens: aclTokens,
  policies: aclPolicies,
  roles: aclRoles,
} as const

/** Sorts the changes of a commit; rows that are as they were are none. */
export function writesOf(changes: readonly Change[]): Writes {
  const byTable = new Map<string, Map<string, Written<Row>>>()
  for (const { table, key, before, after } of changes) {
    const rows = byTable.get(table) ?? new Map<string, Written<Row>>()
    byTable.set(table, rows)
    const known = rows.get(key)
    rows.set(key, { key, before: known === undefined ? before : known.before, after })
  }
  const sorted = Object.entries(toldTables).map(([name, { id }]) => [
    name,
    [...(byTable.get(id)?.values() ?? [])].filter(({ before, after }) => !isEqual(before, after)),
  ])
  // Each list has the rows of the table of its name.
  return Object.fromEntries(sorted) as unknown as Writes
}
