import { instant, list, text, word } from '../../kernel/shape/kinds.ts'
import { partial, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { newId } from '../ids.ts'
import { entryFor } from '../runs/outcome-shape.ts'
import type { PolicyResult } from '../runs/run-conditions.ts'
import { isRunOver, type Run } from '../runs/runs.ts'
import { platformTable } from '../table.ts'
import { workspaceWithId } from '../workspaces/workspaces.ts'
import { alwaysFails, policyWithId } from './policies.ts'
import { isEvaluatedByAgents, policySetsFor } from './policy-sets.ts'

export const policyCheckStatuses = [
  'pending',
  'queued',
  'passed',
  'soft_failed',
  'hard_failed',
  'errored',
  'overridden',
  'canceled',
  'unreachable',
] as const

/**
 * Times at which a policy check reached its statuses. Statuses that were not reached are missing.
 */
export const policyCheckTimes = partial(
  struct({
    queued_at: instant,
    passed_at: instant,
    soft_failed_at: instant,
    hard_failed_at: instant,
    errored_at: instant,
    overridden_at: instant,
    canceled_at: instant,
  }),
)

const checkedPolicy = struct({
  name: text,
  /** Name of the policy set that contains the policy. */
  set: text,
  level: word('hard-mandatory', 'soft-mandatory', 'mandatory', 'advisory'),
  result: word('passed', 'failed', 'errored'),
})

const checkShape = struct({
  /** Id of the form `polchk-…`. */
  id: text,
  /** Run id. */
  run: text,
  status: word(...policyCheckStatuses),
  reached: policyCheckTimes,
  /** Checked policies. The results of the policies are provisional until the check has ended. */
  policies: list(checkedPolicy),
})

/**
 * The check of the `sentinel` policies that apply to a run and that no agent evaluates
 * (behaviour/platform#policy-checks).
 */
export interface PolicyCheck extends StoredOf<typeof checkShape> {}

/** Policy checks by run id. A run has at most one policy check. */
export const policyChecks = platformTable('policy-checks', checkShape, {
  secrets: 'none',
  indexes: { byId: ({ id }) => id },
})

export function policyCheckOf(world: World, run: string): PolicyCheck | undefined {
  return world.table(policyChecks).get(run)
}

export function policyCheckWithId(world: World, id: string): PolicyCheck | undefined {
  return world.table(policyChecks).index('byId').get(id)
}

/**
 * Returns the policies to check for a run: the policies of the `sentinel` sets that apply to the
 * run's workspace and that no agent evaluates.
 */
export function policiesToCheck(world: World, run: Run): PolicyCheck['policies'] {
  const workspace = workspaceWithId(world, run.workspace)
  if (workspace === undefined) return []
  return policySetsFor(world, workspace)
    .filter((set) => !isEvaluatedByAgents(set))
    .flatMap((set) =>
      set.policies.flatMap((id) => {
        const policy = policyWithId(world, id)
        if (policy === undefined) return []
        const { name, enforcement_level: level } = policy
        const result = alwaysFails(world, policy) ? ('failed' as const) : ('passed' as const)
        return [{ name, set: set.name, level, result }]
      }),
    )
}

/**
 * Adds a policy check to a planned run if there are policies to check. Must run inside a
 * transaction.
 */
function addPolicyCheck(world: World, run: Run): void {
  const policies = policiesToCheck(world, run)
  if (policies.length === 0) return
  const check: PolicyCheck = {
    id: newId(world, 'polchk'),
    run: run.id,
    status: 'pending',
    reached: {},
    policies,
  }
  world.table(policyChecks).put(run.id, check)
}

/**
 * Returns the policies of a check with their results. Results in the outcome of the run override
 * the stored results.
 */
function policiesWithResults({ policies }: PolicyCheck, { outcome }: Run): PolicyCheck['policies'] {
  return policies.map((policy) => ({
    ...policy,
    result: entryFor(outcome.policies, policy.name, policy.set) ?? policy.result,
  }))
}

/**
 * Returns the status with which the policy check of a run ends unless a forced transition sets
 * another status. Returns `passed` if the run has no policy check.
 */
export function policyResultOf(world: World, run: Run): PolicyResult {
  const check = policyCheckOf(world, run.id)
  const failed =
    check === undefined
      ? []
      : policiesWithResults(check, run).filter((one) => one.result !== 'passed')
  if (failed.some(({ result }) => result === 'errored')) return 'errored'
  if (failed.some(({ level }) => level === 'hard-mandatory')) return 'hard_failed'
  return failed.some(({ level }) => level === 'soft-mandatory') ? 'soft_failed' : 'passed'
}

/**
 * Returns the policies of a check with the results that a forced transition to `result` requires.
 * For `soft_failed` and `hard_failed`, the policies of the matching enforcement level fail. If no
 * policy has that level, all policies fail.
 */
function policiesWithForcedResults(
  policies: PolicyCheck['policies'],
  result: PolicyResult,
): PolicyCheck['policies'] {
  if (result === 'passed') return policies.map((one) => ({ ...one, result: 'passed' }))
  if (result === 'errored') return policies.map((one) => ({ ...one, result: 'errored' }))
  const level = result === 'soft_failed' ? 'soft-mandatory' : 'hard-mandatory'
  const isFailed = policies.some((one) => one.level === level)
  return policies.map((one) => ({
    ...one,
    result: !isFailed || one.level === level ? 'failed' : 'passed',
  }))
}

/**
 * Adds a policy check to a run that has become `planned`, if there are policies to check. After
 * each later change of the run's status, updates the check. `result` is the status that the check
 * gets when the run leaves the status `policy_checking`. Must run inside a transaction.
 */
export function updatePolicyCheck(
  world: World,
  run: Run,
  from: Run['status'],
  { at, result }: { readonly at: number; readonly result: PolicyResult },
): void {
  if (run.status === 'planned') addPolicyCheck(world, run)
  const check = policyCheckOf(world, run.id)
  if (check === undefined) return
  const putStatus = (status: PolicyCheck['status'], policies = check.policies) => {
    const name = `${status}_at`
    const time = Object.hasOwn(policyCheckTimes.fields, name) ? { [name]: at } : {}
    const reached = { ...check.reached, ...time }
    world.table(policyChecks).put(run.id, { ...check, status, reached, policies })
  }
  const isOpen = check.status === 'pending' || check.status === 'queued'
  if (run.status === 'policy_checking') putStatus('queued')
  else if (run.status === 'canceled' || run.status === 'discarded') {
    if (isOpen) putStatus('canceled')
  } else if (from === 'policy_checking') {
    const isForced = policyResultOf(world, run) !== result
    putStatus(
      result,
      isForced
        ? policiesWithForcedResults(check.policies, result)
        : policiesWithResults(check, run),
    )
  } else if (from === 'policy_override') putStatus('overridden')
  else if (isRunOver(run) && isOpen) putStatus('unreachable')
}

/** Deletes the policy check of a run. Must run inside a transaction. */
export function dropPolicyCheck(world: World, run: string): void {
  world.table(policyChecks).delete(run)
}
