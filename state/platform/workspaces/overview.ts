import type { World } from '../../kernel/worlds/world.ts'
import { policyCheckOf } from '../policies/policy-checks.ts'
import { currentRunOf } from '../runs/queue.ts'
import { isOrdinary, type Run, type RunPart, runs } from '../runs/runs.ts'
import { type ManagedResource, managedResourcesOf } from '../states/managed-resources.ts'
import { currentStateVersion, processedStateVersion } from '../states/state-versions.ts'
import type { Workspace } from './workspaces.ts'

/** A run as the overview of its workspace names it. */
interface OverviewRun {
  readonly id: string
  readonly status: string
  readonly created_at: number
}

/** Values that the runs and states of a workspace add to its resource. */
export interface WorkspaceOverview {
  /** Run that is under way or was applied last. */
  readonly currentRun: OverviewRun | undefined
  readonly latestRun: OverviewRun | undefined
  /** Id of the current state version. */
  readonly currentState: string | undefined
  /** Managed resource instances in the newest state version that was processed. */
  readonly resourceCount: number
  /** Whether that state version is still being processed. */
  readonly isProcessing: boolean
  /** Creation time of the workspace or of its newest state version. */
  readonly latestChangeAt: number
  /**
   * Mean durations in milliseconds and counts of the last 30 runs that were applied or errored;
   * null without such runs.
   */
  readonly applyDuration: number | null
  readonly planDuration: number | null
  readonly policyCheckFailures: number | null
  readonly runFailures: number | null
  readonly runCount: number | null
}

/** Returns the values that runs and states add to a workspace. */
export function overviewOf(world: World, { id, created_at }: Workspace): WorkspaceOverview {
  const current = currentStateVersion(world, id)
  return {
    ...runOverview(world, id),
    currentState: current?.id,
    resourceCount: processedStateVersion(world, id)?.resource_count ?? 0,
    isProcessing: current !== undefined && !current.resources_processed,
    latestChangeAt: current?.created_at ?? created_at,
  }
}

/** Returns the resources in the current state of a workspace, sorted by address. */
export function resourcesOf(world: World, { id }: Workspace): readonly ManagedResource[] {
  return managedResourcesOf(world, id)
}

/** Number of ended runs that the figures of a workspace are about. */
const measuredRuns = 30

/** Returns the values that the runs of a workspace add to its resource. */
function runOverview(world: World, workspace: string) {
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
