import type { TableDefinition } from '../kernel/store/table.ts'
import type { TransitionKind } from '../kernel/worlds/service.ts'
import type { World } from '../kernel/worlds/world.ts'
import { refuse } from './messages.ts'

/**
 * Kind of object. Names of refusals contain the kind, for example `no-run-to-push` and
 * `run-push-impossible`.
 */
type Subject =
  | 'run'
  | 'workspace-run'
  | 'policy-check'
  | 'version'
  | 'state'
  | 'task-result'
  | 'agent'
  | 'membership'

interface ForcedTransition<
  R extends { readonly id: string; readonly status: string },
  Target extends string,
> extends Omit<TransitionKind, 'items' | 'force'> {
  readonly subject: Subject
  readonly table: TableDefinition<R, 'byId'>
  readonly targets: readonly Target[]
  /** Returns the targets that are reachable from the current status of an object. */
  reachableTargets(world: World, row: R): readonly Target[]
  /** Moves an object to a target that `reachableTargets` returned. */
  move(world: World, row: R, to: Target, details: Readonly<Record<string, unknown>>): void
}

/**
 * Returns a kind of transition for `/_mock/transitions` whose items are the rows of `table`. The
 * function `force` throws `no-…-to-push` for an unknown id and `…-push-impossible` for a target
 * that the row cannot reach. `move` may throw further refusals, for example about the details.
 */
export function forcedTransition<
  R extends { readonly id: string; readonly status: string },
  const Target extends string,
>({
  subject,
  table,
  reachableTargets,
  move,
  ...kind
}: ForcedTransition<R, Target>): TransitionKind {
  return {
    ...kind,
    items: (world) =>
      Array.from(world.table(table).index('byId').rows(), (row) => ({
        id: row.id,
        state: row.status,
        to: reachableTargets(world, row),
      })),
    force(world, id, to, details) {
      const row = world.table(table).index('byId').get(id)
      if (row === undefined) throw refuse(`no-${subject}-to-push`, { id })
      const { status } = row
      const target = reachableTargets(world, row).find((each) => each === to)
      if (target === undefined) throw refuse(`${subject}-push-impossible`, { status, target: to })
      move(world, row, target, details)
    },
  }
}
