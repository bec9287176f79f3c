import { instant, nullable, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
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
  /** Id of the newest state version. */
  readonly currentState: string | undefined
  /** Managed resource instances in that state version; 0 while it is being processed. */
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

/** Returns the values that runs and states add to a workspace. No workspace has any yet. */
export function overviewOf(_world: World, { created_at }: Workspace): WorkspaceOverview {
  return {
    currentRun: undefined,
    latestRun: undefined,
    currentState: undefined,
    resourceCount: 0,
    isProcessing: false,
    latestChangeAt: created_at,
    applyDuration: null,
    planDuration: null,
    policyCheckFailures: null,
    runFailures: null,
    runCount: null,
  }
}

/** Attributes of a managed resource as the API returns them. */
export const resourceAttributes = {
  address: text,
  name: text,
  created_at: instant,
  updated_at: instant,
  /** Address of the module, `root` for the configuration itself. */
  module: text,
  provider: text,
  provider_type: text,
  /** Id of the state version that changed the resource last. */
  modified_by_state_version_id: text,
  name_index: nullable(text),
}

const resourceShape = struct({
  ...resourceAttributes,
  /** Id of the form `wsr-…`. */
  id: text,
})

/** A resource in the current state of a workspace. */
export interface ManagedResource extends StoredOf<typeof resourceShape> {}

/** Returns the resources in the current state of a workspace. No workspace has any state yet. */
export function resourcesOf(_world: World, _workspace: Workspace): readonly ManagedResource[] {
  return []
}
