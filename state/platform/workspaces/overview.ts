import type { World } from '../../kernel/worlds/world.ts'
import { policyCheckOf } from '../policies/policy-checks.ts'
import { currentRunOf } from '../runs/queue.ts'
import { locksWorkspace, type Run, type RunPart, runs } from '../runs/runs.ts'
import { type ManagedResource, managedResourcesOf } from '../states/managed-resources.ts'
import { currentStateVersion, processedStateVersion } from '../states/state-versions.ts'
import type { Workspace } from './workspaces.ts'

/** Members of a run that the overview of a workspace contains. */
interface OverviewRun {
  readonly id: string
  readonly status: string
  readonly created_at: number
}

/** Attributes of a workspace that are derived from its runs and states. */
export interface WorkspaceOverview {
  /** Current run of the workspace, as `currentRunOf` returns it. The run may have ended. */
  readonly currentRun: OverviewRun | undefined
  readonly latestRun: OverviewRun | undefined
  /** Id of the current state version. */
  readonly currentState: string | undefined
  /** Number of managed resource instances in the newest processed state version. */
  readonly resourceCount: number
  /** Whether the current state version is still being processed. */
  readonly isProcessing: boolean
  /** Creation time of the current state version, or of the workspace if it has no state. */
  readonly latestChangeAt: number
  /**
   * Mean duration in milliseconds of the applies of the measured runs. The measured runs are the
   * newest 30 runs that were applied or errored. Null if none of these applies has ended.
   */
  readonly applyDuration: number | null
  /**
   * Mean duration in milliseconds of the plans of the measured runs; null if none of these plans
   * has ended.
   */
  readonly planDuration: number | null
  /** Number of measured runs whose mandatory policies failed; null without measured runs. */
  readonly policyCheckFailures: number | null
  /** Number of measured runs that errored; null without measured runs. */
  readonly runFailures: number | null
  /** Number of measured runs; null without measured runs. */
  readonly runCount: number | null
}

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

/** Returns the managed resources of a workspace, sorted by address. */
export function resourcesOf(world: World, { id }: Workspace): readonly ManagedResource[] {
  return managedResourcesOf(world, id)
}

/**
 * Maximum number of ended runs from which the mean durations and the failure counts are computed.
 */
const measuredRunCount = 30

function runOverview(world: World, workspace: string) {
  let latestRun: Run | undefined
  const ended: Run[] = []
  for (const run of world.table(runs).rows(`${workspace}/`)) {
    if (ended.length === measuredRunCount) break
    if (locksWorkspace(run)) latestRun ??= run
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

/** Returns whether mandatory policies of a run failed, even if the failure was overridden. */
function hasFailedPolicies(world: World, { id }: Run): boolean {
  const { status = 'passed' } = { ...policyCheckOf(world, id) }
  return ['soft_failed', 'hard_failed', 'overridden'].includes(status)
}

/**
 * Returns the mean duration in milliseconds of the plans or applies that have finished or errored.
 * Returns null if the list contains no such plan or apply.
 */
function meanDuration(parts: readonly RunPart[]): number | null {
  const durations = parts.flatMap(({ reached }) => {
    const { started_at, finished_at = reached.errored_at } = reached
    return started_at === undefined || finished_at === undefined ? [] : [finished_at - started_at]
  })
  const sum = durations.reduce((total, duration) => total + duration, 0)
  return durations.length === 0 ? null : Math.round(sum / durations.length)
}
