import { name, uintOf } from '../../kernel/shape/kinds.ts'
import { described, optional, partial, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { sortableNumber } from '../../kernel/sortable-number.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from '../messages.ts'
import { platformTable } from '../table.ts'
import { matchesWildcard } from '../wildcard.ts'
import { workspaceWithId } from '../workspaces/workspaces.ts'
import { type RunOutcome, runOutcomeShape } from './outcome-shape.ts'
import { operationOf, type Run } from './runs.ts'

const matchShape = partial(
  struct({
    organization: described(name, 'Name of the organization'),
    workspace: described(name, 'Name of the workspace; `*` matches any text'),
    message: described(name, 'Message of the run; `*` matches any text'),
    operation: described(name, 'Operation of the run, such as plan_only'),
    source: described(name, 'Source of the run'),
    run: described(name, 'Id of the run'),
  }),
)

/** Rule that sets the outcome of the runs that match it (behaviour/platform#run-outcomes). */
export const runOutcomeRuleShape = struct({
  match: described(optional(matchShape), 'Runs to which the rule applies; all runs if left out'),
  times: described(
    optional(uintOf({ minimum: 1 })),
    'Maximum number of runs to which the rule applies; unlimited if left out',
  ),
  ...runOutcomeShape.fields,
})

export interface RunOutcomeRule extends StoredOf<typeof runOutcomeRuleShape> {}

/** Rules by id. The ids sort in the order in which the rules are matched. */
export const runOutcomeRules = platformTable('run-outcomes', runOutcomeRuleShape, {
  secrets: 'none',
})

/** Adds a rule after all others and returns its id. */
export function addRunOutcomeRule(world: World, rule: RunOutcomeRule): string {
  const table = world.table(runOutcomeRules)
  const [last = ''] = Array.from(table.entries()).at(-1) ?? []
  const id = sortableNumber(Number(last === '' ? 0 : last) + 1, 6)
  world.write(() => table.put(id, rule))
  return id
}

/** Deletes a rule or, without an id, all rules. Throws `no-run-outcome` for an unknown id. */
export function removeRunOutcomeRules(world: World, id?: string): void {
  const table = world.table(runOutcomeRules)
  world.write(() => {
    if (id === undefined) table.deleteAll('')
    else if (!table.delete(id)) throw refuse('no-run-outcome', { id })
  })
}

/**
 * Returns the outcome of the first rule that matches a run, or undefined if no rule matches. Counts
 * the use, and deletes the rule after its last use. Must run inside a transaction.
 */
export function takeRunOutcome(world: World, run: Run): RunOutcome | undefined {
  const table = world.table(runOutcomeRules)
  const found = Array.from(table.entries()).find(([, rule]) => matches(world, run, rule))
  if (found === undefined) return undefined
  const [id, { match, times, ...outcome }] = found
  if (times === 1) table.delete(id)
  else if (times !== undefined) {
    table.put(id, { ...outcome, times: times - 1, ...(match === undefined ? {} : { match }) })
  }
  return outcome
}

function matches(world: World, run: Run, { match = {} }: RunOutcomeRule): boolean {
  const { organization, name: workspace } = { ...workspaceWithId(world, run.workspace) }
  const isSame = (wanted: string | undefined, value: string | undefined) =>
    wanted === undefined || wanted === value
  const isLike = (pattern: string | undefined, value: string | undefined) =>
    pattern === undefined || (value !== undefined && matchesWildcard(pattern, value))
  return (
    isSame(match.organization, organization) &&
    isLike(match.workspace, workspace) &&
    isLike(match.message, run.message) &&
    isSame(match.operation, operationOf(run)) &&
    isSame(match.source, run.source) &&
    isSame(match.run, run.id)
  )
}
