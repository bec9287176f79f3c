import { isEqual } from '../../kernel/equality.ts'
import type { Change } from '../../kernel/store/commits.ts'
import type { Row } from '../../kernel/store/table.ts'
import { aclPolicies, aclRoles, aclTokens } from '../acl/tables.ts'
import { allocations, deployments, evaluations, nodePools, nodes } from '../cluster/model/tables.ts'
import { jobs } from '../records/tables.ts'
import { registrations } from '../services/tables.ts'

/** A row before and after a commit. Several writes of one commit to the row are combined. */
export interface ChangedRow<R> {
  readonly key: string
  readonly before: R | undefined
  readonly after: R | undefined
}

/** Changed rows of one commit, by kind of event. */
export interface ChangedRows {
  readonly jobs: readonly ChangedRow<RowOf<typeof jobs>>[]
  readonly evaluations: readonly ChangedRow<RowOf<typeof evaluations>>[]
  readonly allocations: readonly ChangedRow<RowOf<typeof allocations>>[]
  readonly deployments: readonly ChangedRow<RowOf<typeof deployments>>[]
  readonly nodes: readonly ChangedRow<RowOf<typeof nodes>>[]
  readonly nodePools: readonly ChangedRow<RowOf<typeof nodePools>>[]
  readonly services: readonly ChangedRow<RowOf<typeof registrations>>[]
  readonly tokens: readonly ChangedRow<RowOf<typeof aclTokens>>[]
  readonly policies: readonly ChangedRow<RowOf<typeof aclPolicies>>[]
  readonly roles: readonly ChangedRow<RowOf<typeof aclRoles>>[]
}

export type NodeRow = RowOf<typeof nodes>

type RowOf<T> = T extends { readonly row?: infer R } ? NonNullable<R> : never

/** Tables whose changes cause events. */
export const eventTables = {
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

/** A write to one of `eventTables`. */
export type EventChange = Pick<Change, 'table' | 'key' | 'before' | 'after'>

/**
 * Combines the writes of a commit into changed rows. Rows that are equal before and after the
 * commit are left out.
 */
export function changedRows(changes: readonly EventChange[]): ChangedRows {
  const byTable = new Map<string, Map<string, ChangedRow<Row>>>()
  for (const { table, key, before, after } of changes) {
    const rows = byTable.get(table) ?? new Map<string, ChangedRow<Row>>()
    byTable.set(table, rows)
    const earlier = rows.get(key)
    rows.set(key, { key, before: earlier === undefined ? before : earlier.before, after })
  }
  const changedByKind = Object.entries(eventTables).map(([name, { id }]) => [
    name,
    [...(byTable.get(id)?.values() ?? [])].filter(({ before, after }) => !isEqual(before, after)),
  ])
  // Each list contains only rows of the table that has the list's name in `eventTables`.
  return Object.fromEntries(changedByKind) as unknown as ChangedRows
}
