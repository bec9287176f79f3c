import type { World } from '../../kernel/worlds/world.ts'
import { policyCheckOf } from '../policies/policy-checks.ts'
import { currentRunOf } from './queue.ts'
import { isOrdinary, type Run, type RunPart, runs } from './runs.ts'

/** Number of ended runs that the figures of a workspace are about. */
const measuredRuns = 30

/** Returns the values that the runs of a workspace add to its resource. */
export function runOverview(world: World, workspace: string) {
  let latestRun: Run | undefined
  const ended: Run[] = []
  for (const run of world.table(runs).rows(`${workspace}/`)) {
    if (ended.length === measuredRuns) break
    if (isOrdinary(run)) latestRun ??= run
    if (run.status === 'applied' || run.status === 'errored') ended.push(run)
  }
  const count = ended.length
  return {
    currentRun: currentRunOf(world, workspace),
    latestRun,
    applyDuration: meanDuration(ended.map(({ apply }) => apply)),
    planDuration: meanDuration(ended.map(({ plan }) => plan)),
    policyCheckFailures:
      count === 0 ? null : ended.filter((run) => hasFailedPolicies(world, run)).length,
    runFailures: count === 0 ? null : ended.filter(({ status }) => status === 'errored').length,
    runCount: count === 0 ? null : count,
  }
}

/** Returns whether mandatory policies failed for a run, even if that was overridden. */
function hasFailedPolicies(world: World, { id }: Run): boolean {
  const { status = 'passed' } = { ...policyCheckOf(world, id) }
  return ['soft_failed', 'hard_failed', 'overridden'].includes(status)
}

/** Returns the mean duration of plans or applies that ran to their end, in milliseconds. */
function meanDuration(parts: readonly RunPart[]): number | null {
  const durations = parts.flatMap(({ reached }) => {
    const { started_at, finished_at = reached.errored_at } = reached
    return started_at === undefined || finished_at === undefined ? [] : [finished_at - started_at]
  })
  const sum = durations.reduce((total, duration) => total + duration, 0)
  return durations.length === 0 ? null : Math.round(sum / durations.length)
}
