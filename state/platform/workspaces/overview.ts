import type { World } from '../../kernel/worlds/world.ts'
import { runOverview } from '../runs/run-overview.ts'
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
