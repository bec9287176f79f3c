import type { ChangedRows } from './changed-rows.ts'

/** The row that an event contains, with the topic for this kind of row. */
export type EventSubject =
  | { readonly topic: 'Job'; readonly row: RowOf<'jobs'> }
  | { readonly topic: 'Evaluation'; readonly row: RowOf<'evaluations'> }
  | { readonly topic: 'Allocation'; readonly row: RowOf<'allocations'> }
  | { readonly topic: 'Deployment'; readonly row: RowOf<'deployments'> }
  | { readonly topic: 'Node'; readonly row: RowOf<'nodes'> }
  | { readonly topic: 'NodePool'; readonly row: RowOf<'nodePools'> }
  | { readonly topic: 'Service'; readonly row: RowOf<'services'> }
  | { readonly topic: 'ACLToken'; readonly row: RowOf<'tokens'> }
  | { readonly topic: 'ACLPolicy'; readonly row: RowOf<'policies'> }
  | { readonly topic: 'ACLRole'; readonly row: RowOf<'roles'> }

type RowOf<Kind extends keyof ChangedRows> = NonNullable<ChangedRows[Kind][number]['after']>

export type StreamEvent = EventSubject & {
  readonly key: string
  /** Empty for rows that belong to no namespace, such as nodes. */
  readonly namespace: string
  readonly filterKeys: readonly string[] | null
}

/**
 * Events that the stream sends as one line, because the reference would make their changes in one
 * transaction.
 */
export interface EventLine {
  readonly index: number
  readonly type: string
  readonly events: readonly StreamEvent[]
}

interface RowChange<R> {
  readonly before: R | undefined
  readonly after: R | undefined
}

/**
 * Returns a function that builds the events of changed rows. The event of a deleted row contains
 * the row's last state.
 */
function eventsFrom<R, E extends StreamEvent>(event: (row: R) => E) {
  return (changes: readonly RowChange<R>[]): readonly StreamEvent[] =>
    changes.flatMap(({ before, after }) => {
      const row = after ?? before
      return row === undefined ? [] : [event(row)]
    })
}

const clusterWideScope = { namespace: '', filterKeys: null } as const

/** Functions that build events, by kind of row. */
export const eventsByKind = {
  jobs: eventsFrom((row: RowOf<'jobs'>) => ({
    topic: 'Job' as const,
    row,
    key: row.ID,
    namespace: row.Namespace,
    filterKeys: null,
  })),
  evaluations: eventsFrom((row: RowOf<'evaluations'>) => ({
    topic: 'Evaluation' as const,
    row,
    key: row.ID,
    namespace: row.Namespace,
    filterKeys: [row.JobID, row.DeploymentID ?? ''],
  })),
  allocations: eventsFrom((row: RowOf<'allocations'>) => ({
    topic: 'Allocation' as const,
    row,
    key: row.ID,
    namespace: row.Namespace,
    filterKeys: [row.JobID, row.DeploymentID],
  })),
  deployments: eventsFrom((row: RowOf<'deployments'>) => ({
    topic: 'Deployment' as const,
    row,
    key: row.ID,
    namespace: row.Namespace,
    filterKeys: [row.JobID],
  })),
  nodes: eventsFrom((row: RowOf<'nodes'>) => ({
    ...clusterWideScope,
    topic: 'Node' as const,
    row,
    key: row.ID,
  })),
  nodePools: eventsFrom((row: RowOf<'nodePools'>) => ({
    ...clusterWideScope,
    topic: 'NodePool' as const,
    row,
    key: row.Name,
  })),
  services: eventsFrom((row: RowOf<'services'>) => ({
    topic: 'Service' as const,
    row,
    key: row.ID,
    namespace: row.Namespace,
    filterKeys: [row.JobID, row.ServiceName],
  })),
  tokens: eventsFrom((row: RowOf<'tokens'>) => ({
    ...clusterWideScope,
    topic: 'ACLToken' as const,
    row,
    key: row.AccessorID,
  })),
  policies: eventsFrom((row: RowOf<'policies'>) => ({
    ...clusterWideScope,
    topic: 'ACLPolicy' as const,
    row,
    key: row.Name,
  })),
  roles: eventsFrom((row: RowOf<'roles'>) => ({
    topic: 'ACLRole' as const,
    row,
    key: row.ID,
    namespace: '',
    filterKeys: [row.Name],
  })),
}
