import type { Writes } from './writes.ts'

/** The kinds of things that events are about, with the rows that they tell. */
export type Told =
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

type RowOf<Kind extends keyof Writes> = NonNullable<Writes[Kind][number]['after']>

/** One thing that a write changed (behaviour/scheduler#event-stream, table). */
export type StreamEvent = Told & {
  readonly key: string
  /** Empty for what is in none. */
  readonly namespace: string
  readonly filterKeys: readonly string[] | null
}

/** The events of one write. */
export interface EventLine {
  readonly index: number
  readonly type: string
  readonly events: readonly StreamEvent[]
}

interface Change<R> {
  readonly before: R | undefined
  readonly after: R | undefined
}

/** Makes the events of rows: as they are now, or, where they are gone, as they were. */
function telling<R, E extends StreamEvent>(event: (row: R) => E) {
  return (changes: readonly Change<R>[]): readonly StreamEvent[] =>
    changes.flatMap(({ before, after }) => {
      const row = after ?? before
      return row === undefined ? [] : [event(row)]
    })
}

const everywhere = { namespace: '', filterKeys: null } as const

/** The events of each kind. */
export const eventsOf = {
  jobs: telling((row: RowOf<'jobs'>) => ({
    topic: 'Job' as const,
    row,
    key: row.ID,
    namespace: row.Namespace,
    filterKeys: null,
  })),
  evaluations: telling((row: RowOf<'evaluations'>) => ({
    topic: 'Evaluation' as const,
    row,
    key: row.ID,
    namespace: row.Namespace,
    filterKeys: [row.JobID, row.DeploymentID ?? ''],
  })),
  allocations: telling((row: RowOf<'allocations'>) => ({
    topic: 'Allocation' as const,
    row,
    key: row.ID,
    namespace: row.Namespace,
    filterKeys: [row.JobID, row.DeploymentID],
  })),
  deployments: telling((row: RowOf<'deployments'>) => ({
    topic: 'Deployment' as const,
    row,
    key: row.ID,
    namespace: row.Namespace,
    filterKeys: [row.JobID],
  })),
  nodes: telling((row: RowOf<'nodes'>) => ({
    ...everywhere,
    topic: 'Node' as const,
    row,
    key: row.ID,
  })),
  nodePools: telling((row: RowOf<'nodePools'>) => ({
    ...everywhere,
    topic: 'NodePool' as const,
    row,
    key: row.Name,
  })),
  services: telling((row: RowOf<'services'>) => ({
    topic: 'Service' as const,
    row,
    key: row.ID,
    namespace: row.Namespace,
    filterKeys: [row.JobID, row.ServiceName],
  })),
  tokens: telling((row: RowOf<'tokens'>) => ({
    ...everywhere,
    topic: 'ACLToken' as const,
    row,
    key: row.AccessorID,
  })),
  policies: telling((row: RowOf<'policies'>) => ({
    ...everywhere,
    topic: 'ACLPolicy' as const,
    row,
    key: row.Name,
  })),
  roles: telling((row: RowOf<'roles'>) => ({
    topic: 'ACLRole' as const,
    row,
    key: row.ID,
    namespace: '',
    filterKeys: [row.Name],
  })),
}
