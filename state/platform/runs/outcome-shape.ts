import {
  any,
  constant,
  list,
  map,
  name,
  text,
  textOf,
  uintOf,
  union,
  word,
} from '../../kernel/shape/kinds.ts'
import { described, optional, partial, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'

/** Go duration without a sign, such as `1h30m`. */
const goDuration = textOf({ pattern: '^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h)){1,16}$' })

const count = uintOf({ maximum: 1000 })
const ending = word('finished', 'errored')

/** Detail that a run task reports together with its result. */
export const plannedTaskOutcomeShape = struct({
  outcomeId: name,
  description: name,
  body: optional(text),
  url: optional(text),
  tags: optional(map(any)),
})

export interface PlannedTaskOutcome extends StoredOf<typeof plannedTaskOutcomeShape> {}

/**
 * Outcome of a run (behaviour/platform#run-outcomes). Missing members follow from the variables of
 * the run and the uploaded files, or have the defaults that their descriptions state.
 */
export const runOutcomeShape = partial(
  struct({
    plan: described(ending, 'Result of the plan'),
    apply: described(ending, 'Result of the apply'),
    error: described(
      partial(struct({ summary: text, detail: text })),
      'Error of an errored plan or apply',
    ),
    changes: described(
      union(
        constant(false),
        partial(struct({ add: count, change: count, destroy: count, import: count })),
      ),
      'Number of resources that change; false means none',
    ),
    resources: described(
      list(
        struct({
          address: name,
          action: word('create', 'update', 'delete', 'replace', 'no-op', 'read'),
          before: optional(map(any)),
          after: optional(map(any)),
          provider: optional(described(name, 'Address of the provider')),
          unknown: optional(described(list(name), 'Attributes that are unknown during the plan')),
          sensitive: optional(described(list(name), 'Sensitive attributes')),
        }),
      ),
      'The planned actions by address',
    ),
    outputs: described(map(any), 'Values of outputs after the apply'),
    state: described(
      union(constant('lost'), map(any)),
      'Members of the state file that the apply writes; `lost` means that the apply stores no state',
    ),
    log: described(
      union(text, partial(struct({ plan: text, apply: text }))),
      'Text that is added to the log of the plan, or to the logs of plan and apply',
    ),
    planTime: described(goDuration, 'Duration of the plan'),
    applyTime: described(goDuration, 'Duration of the apply'),
    tasks: described(
      map(
        partial(
          struct({
            status: word('passed', 'failed', 'errored'),
            message: text,
            url: text,
            outcomes: list(plannedTaskOutcomeShape),
          }),
        ),
      ),
      'Results of run tasks by name; `*` stands for all others. Tasks without a result pass',
    ),
    policies: described(
      map(word('passed', 'failed', 'errored')),
      'Results of policies, by the name of the policy or of its set; `*` stands for all others',
    ),
    cost: described(
      partial(struct({ prior: text, proposed: text, matched: count, unmatched: count })),
      'Estimated costs, and the number of resources that they cover',
    ),
    readme: described(text, 'Readme of the workspace after the run is applied'),
    warnings: described(
      list(struct({ action: name, description: text })),
      'Diagnostics that the command prints as warnings',
    ),
  }),
)

/**
 * Planned result of a run, from a rule, the options, variables, a fixture or a forced transition.
 */
export interface RunOutcome extends StoredOf<typeof runOutcomeShape> {}

/** Numbers of resources by kind of change. */
export interface ChangeCounts {
  readonly add: number
  readonly change: number
  readonly destroy: number
  readonly import: number
}

/**
 * Returns the entry for the first name that has an entry. Without such a name, returns the entry
 * `*`, or undefined if that entry does not exist.
 */
export function entryFor<Entry>(
  entries: Readonly<Record<string, Entry>> | undefined,
  ...names: readonly string[]
): Entry | undefined {
  if (entries === undefined) return undefined
  const name = [...names, '*'].find((each) => Object.hasOwn(entries, each))
  return name === undefined ? undefined : entries[name]
}
