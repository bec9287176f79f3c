import type { Json } from '../../kernel/json.ts'
import { isObject } from '../../kernel/objects.ts'
import { any, text, word } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { Configuration } from './configuration.ts'
import type { RunOutcome } from './outcome-shape.ts'
import type { CurrentState } from './run-state.ts'
import type { Run } from './runs.ts'

export const outputChangeShape = struct({
  name: text,
  action: word('create', 'update', 'delete', 'no-op'),
  before: any,
  after: any,
  sensitive: optional(word('yes')),
})

/** A planned change of an output of the root module. */
export interface OutputChange extends StoredOf<typeof outputChangeShape> {}

/**
 * Returns a planned output. `provided` is the value of the output, or an object with the member
 * `value` and optionally `sensitive`.
 */
function providedOutput(name: string, provided: Json) {
  const isDescribed = isObject(provided) && Object.hasOwn(provided, 'value')
  const { value, sensitive } = isDescribed ? provided : { value: provided, sensitive: false }
  // The cast is safe, because the outcome was parsed from JSON.
  return { name, value: value as Json, sensitive: sensitive === true }
}

/** Returns the planned changes of all outputs, including outputs that stay unchanged. */
export function outputChanges(
  run: Run,
  outcome: RunOutcome,
  { outputs }: Configuration,
  { outputs: currentOutputs }: CurrentState,
): OutputChange[] {
  if (run.refresh_only || outcome.changes === false) {
    return Object.entries(currentOutputs).map(([name, { value, sensitive }]) => ({
      name,
      action: 'no-op',
      before: value,
      after: value,
      ...(sensitive ? { sensitive: 'yes' } : {}),
    }))
  }
  const plannedOutputs = outcome.outputs
  const wanted = plannedOutputs
    ? Object.entries(plannedOutputs).map(([name, value]) => providedOutput(name, value))
    : outputs
  const changed = (run.is_destroy ? [] : wanted).map(({ name, value, sensitive }): OutputChange => {
    const before = currentOutputs[name]
    const isSame = before !== undefined && JSON.stringify(before.value) === JSON.stringify(value)
    const action = before === undefined ? 'create' : 'update'
    return {
      name,
      action: isSame ? 'no-op' : action,
      before: before?.value ?? null,
      after: value,
      ...(sensitive ? { sensitive: 'yes' } : {}),
    }
  })
  const names = new Set(changed.map(({ name }) => name))
  const deletions = Object.entries(currentOutputs)
    .filter(([name]) => !names.has(name))
    .map(
      ([name, { value }]): OutputChange => ({ name, action: 'delete', before: value, after: null }),
    )
  return [...changed, ...deletions]
}
