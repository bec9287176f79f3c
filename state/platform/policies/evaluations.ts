import { bool, instant, list, nullable, text, word } from '../../kernel/shape/kinds.ts'
import { partial, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { newId } from '../ids.ts'
import { optionsOf } from '../options.ts'
import { ownedRows } from '../owned-rows.ts'
import { entryFor } from '../runs/outcome-shape.ts'
import { runKind } from '../runs/run-machine.ts'
import type { Run } from '../runs/runs.ts'
import { platformTable } from '../table.ts'
import { delayMs } from '../timing.ts'
import type { Workspace } from '../workspaces/workspaces.ts'
import { alwaysFails, policyWithId } from './policies.ts'
import { isEvaluatedByAgents, type PolicySet, policySetsFor } from './policy-sets.ts'

const statuses = [
  'pending',
  'running',
  'passed',
  'failed',
  'errored',
  'overridden',
  'canceled',
  'unreachable',
] as const

export const evaluationAttributes = {
  status: word(...statuses),
  policy_kind: word('sentinel', 'opa'),
  policy_tool_version: text,
  created_at: instant,
  updated_at: instant,
}

/**
 * Times at which an evaluation reached its statuses. Statuses that were not reached are missing.
 */
export const evaluationTimes = partial(
  struct({
    running_at: instant,
    passed_at: instant,
    failed_at: instant,
    errored_at: instant,
    overridden_at: instant,
    canceled_at: instant,
  }),
)

const evaluatedPolicy = struct({
  name: text,
  description: nullable(text),
  query: nullable(text),
  level: word('mandatory', 'advisory'),
  status: word('passed', 'failed', 'errored'),
})

const evaluationShape = struct({
  ...evaluationAttributes,
  /** Id of the form `poleval-…`. */
  id: text,
  /** Id of the task stage. */
  stage: text,
  /** Run id. */
  run: text,
  set_name: text,
  set_description: text,
  /** Whether failures can be overridden. */
  overridable: bool,
  reached: evaluationTimes,
  policies: list(evaluatedPolicy),
})

/**
 * The evaluation of a policy set by an agent for one run (behaviour/platform#policy-evaluations).
 */
export interface PolicyEvaluation extends StoredOf<typeof evaluationShape> {}

/** Policy evaluations by `<task stage>/<number>`, in creation order. */
export const policyEvaluations = platformTable('policy-evaluations', evaluationShape, {
  secrets: 'none',
  indexes: { byId: ({ id }) => id },
})

const rows = ownedRows(policyEvaluations, 'stage')

/** Functions of `ownedRows` for the evaluations of a task stage. */
export const { withId: evaluationWithId, dropAll: dropEvaluations } = rows

/**
 * Evaluations of a stage with the same policy kind and tool version. The API returns them as a
 * single evaluation. The group is never empty.
 */
export type EvaluationGroup = readonly [PolicyEvaluation, ...PolicyEvaluation[]]

/**
 * Returns the evaluations of a stage in creation order, grouped by policy kind and tool version.
 */
export function evaluationGroupsOf(world: World, stage: string): EvaluationGroup[] {
  const groups = new Map<string, EvaluationGroup>()
  for (const evaluation of rows.of(world, stage)) {
    const tool = `${evaluation.policy_kind}/${evaluation.policy_tool_version}`
    const group = groups.get(tool)
    groups.set(tool, group === undefined ? [evaluation] : [...group, evaluation])
  }
  return [...groups.values()]
}

/**
 * Returns the group that contains the given evaluation. If the evaluation is not stored, returns a
 * group that contains only this evaluation.
 */
export function evaluationGroupOf(world: World, evaluation: PolicyEvaluation): EvaluationGroup {
  const groups = evaluationGroupsOf(world, evaluation.stage)
  return groups.find((group) => group.some(({ id }) => id === evaluation.id)) ?? [evaluation]
}

/** Name of the job that ends the evaluations of a stage. The job's id is the stage's id. */
export const evaluationKind = 'platform.policy-evaluation'

/** Returns the policy sets that apply to a workspace and are evaluated by agents. */
export function agentEvaluatedSets(world: World, workspace: Workspace): PolicySet[] {
  return policySetsFor(world, workspace).filter(isEvaluatedByAgents)
}

/**
 * Returns the policies of a set, each with the status that `alwaysFails` determines. For a set
 * without policies, returns a single mandatory policy that passes and has the name of the set.
 */
function evaluatedPoliciesOf(world: World, set: PolicySet): PolicyEvaluation['policies'] {
  const named = set.policies.flatMap((id): PolicyEvaluation['policies'] => {
    const policy = policyWithId(world, id)
    if (policy === undefined) return []
    const { name, description, query, enforcement_level } = policy
    const level = enforcement_level === 'advisory' ? 'advisory' : 'mandatory'
    const status = alwaysFails(world, policy) ? 'failed' : 'passed'
    return [{ name, description, query, level, status }]
  })
  if (named.length > 0) return named
  const { name, description } = set
  return [{ name, description, query: null, level: 'mandatory', status: 'passed' }]
}

/**
 * Adds an evaluation for each policy set to a stage of a new run. Must run inside a transaction.
 */
export function addEvaluations(
  world: World,
  { id: run }: Run,
  stage: string,
  sets: readonly PolicySet[],
): void {
  const now = world.clock.now()
  for (const set of sets) {
    rows.put(world, {
      id: newId(world, 'poleval'),
      stage,
      run,
      status: 'pending',
      policy_kind: set.kind,
      policy_tool_version: set.policy_tool_version,
      created_at: now,
      updated_at: now,
      set_name: set.name,
      set_description: set.description,
      overridable: set.overridable,
      reached: {},
      policies: evaluatedPoliciesOf(world, set),
    })
  }
}

type Status = PolicyEvaluation['status']

function setEvaluationStatus(
  world: World,
  evaluation: PolicyEvaluation,
  status: Status,
  at: number,
): void {
  const name = `${status}_at`
  const time = Object.hasOwn(evaluationTimes.fields, name) ? { [name]: at } : {}
  const reached = { ...evaluation.reached, ...time }
  rows.put(world, { ...evaluation, status, reached, updated_at: at })
}

/**
 * Starts the evaluations of a stage. Schedules their end unless the timing of runs is `manual`.
 * Must run inside a transaction.
 */
export function startEvaluations(world: World, stage: string, at: number): void {
  const all = rows.of(world, stage)
  for (const evaluation of all) setEvaluationStatus(world, evaluation, 'running', at)
  const delay = delayMs(world, runKind, optionsOf(world).stageTime)
  if (all.length > 0 && delay !== undefined) {
    world.agenda.schedule({ at: at + delay, job: evaluationKind, id: stage })
  }
}

/**
 * Ends the running evaluations of a stage. Results in the outcome of the run override the stored
 * results of the policies. Must run inside a transaction.
 */
export function finishEvaluations(world: World, stage: string, { outcome }: Run, at: number): void {
  for (const evaluation of rows.of(world, stage)) {
    if (evaluation.status !== 'running') continue
    const policies = evaluation.policies.map((one) => ({
      ...one,
      status: entryFor(outcome.policies, one.name, evaluation.set_name) ?? one.status,
    }))
    const isMandatory = (status: string) =>
      policies.some((one) => one.level === 'mandatory' && one.status === status)
    const isErrored = policies.some(({ status }) => status === 'errored')
    const status = isErrored ? 'errored' : isMandatory('failed') ? 'failed' : 'passed'
    setEvaluationStatus(world, { ...evaluation, policies }, status, at)
  }
}

/**
 * New status of an evaluation whose stage ends, by how the stage ends and by the previous status of
 * the evaluation. An evaluation whose previous status is not listed keeps that status.
 */
const statusAtStageEnd = {
  passed: { pending: 'passed', running: 'passed', failed: 'overridden' },
  failed: { pending: 'failed', running: 'failed' },
  canceled: { pending: 'canceled', running: 'canceled' },
  unreachable: { pending: 'unreachable' },
} as const satisfies Readonly<Record<string, { readonly [S in Status]?: Status }>>

/**
 * Updates the evaluations of a stage when the stage ends, as `statusAtStageEnd` defines. Cancels
 * the job that would end the evaluations later. Must run inside a transaction.
 */
export function closeEvaluations(
  world: World,
  stage: string,
  end: keyof typeof statusAtStageEnd,
  at: number,
): void {
  const next: { readonly [S in Status]?: Status } = statusAtStageEnd[end]
  for (const evaluation of rows.of(world, stage)) {
    const status = next[evaluation.status]
    if (status !== undefined) setEvaluationStatus(world, evaluation, status, at)
  }
  world.agenda.cancel(evaluationKind, stage)
}

/**
 * Returns the combined result of a stage's evaluations:
 * - `open` while an evaluation is pending or running
 * - `passed` if no evaluation has failed or errored
 * - `failed` if an evaluation has errored, or has failed and cannot be overridden
 * - `awaiting` if evaluations have failed and all failures can be overridden
 */
export function combinedResultOf(
  world: World,
  stage: string,
): 'open' | 'failed' | 'awaiting' | 'passed' {
  const all = rows.of(world, stage)
  if (all.some(({ status }) => status === 'pending' || status === 'running')) return 'open'
  const failed = all.filter(({ status }) => status === 'failed' || status === 'errored')
  if (failed.length === 0) return 'passed'
  const isFinal = failed.some((one) => one.status === 'errored' || !one.overridable)
  return isFinal ? 'failed' : 'awaiting'
}
