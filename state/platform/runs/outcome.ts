import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { parseWaitTime, unquote } from '../test-runs/outcome.ts'
import { effectiveVariablesIn } from '../variable-sets/precedence.ts'
import { takeRunOutcome } from './outcome-rules.ts'
import type { RunOutcome } from './outcome-shape.ts'
import type { Run } from './runs.ts'

/** Outcome for each value of the variable `mock_result`. */
const outcomeByMockResult: ReadonlyMap<unknown, RunOutcome> = new Map<unknown, RunOutcome>([
  ['error', { plan: 'errored' }],
  ['apply_error', { apply: 'errored' }],
  ['no_changes', { changes: false }],
])

/**
 * Returns the values of a run's variables by key. Variables of the run itself override all others.
 */
function valuesByKey(world: World, { workspace, variables }: Run): Map<string, string> {
  return new Map(
    [...effectiveVariablesIn(world, workspace).toReversed(), ...variables].map(({ key, value }) => [
      key,
      value,
    ]),
  )
}

/**
 * Returns the outcome of a run (behaviour/platform#run-outcomes): the outcome of the first matching
 * rule or, if no rule matches, the option `runOutcome`. The variables `mock_result` and `wait_time`
 * set members that this outcome does not contain. Counts the use of the rule. Must run inside a
 * transaction.
 */
export function determineOutcome(world: World, run: Run): RunOutcome {
  const values = valuesByKey(world, run)
  const wait = parseWaitTime(unquote(values.get('wait_time')))
  return {
    ...outcomeByMockResult.get(unquote(values.get('mock_result'))),
    ...(wait === null ? {} : { planTime: `${wait}ms` }),
    ...(takeRunOutcome(world, run) ?? optionsOf(world).runOutcome),
  }
}
