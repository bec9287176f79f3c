import { formatTimestamp } from '../../../kernel/time.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import type { Allocation } from '../model/allocation-shapes.ts'
import { toNanoseconds } from '../model/evaluations.ts'
import type { Deployment, DeploymentState } from '../model/placement-shapes.ts'
import { scheduleStepAt, stepDueAt, stepNames } from '../model/steps.ts'
import { changeDeployment } from './deployments.ts'
import { scheduleHealthStep } from './health.ts'
import { earliestDeadline } from './rollout.ts'

/**
 * Recorder of the allocations that one evaluation places in the active deployment of a job. `write`
 * writes the deployment once: the row contains all groups of the job, so a write for each
 * allocation would take quadratic time.
 */
export class PlacementRecorder {
  readonly #world: World
  readonly #deployment: Deployment | undefined
  readonly #changedGroups = new Map<string, DeploymentState>()
  /** IDs of the recorded canaries by group. */
  readonly #canaries = new Map<string, string[]>()
  /** Nanoseconds since 1970. */
  #lastPlacement = 0
  /**
   * Earliest progress deadline of the groups that have too few healthy allocations, in milliseconds
   * since 1970.
   */
  #deadline: number | undefined

  /**
   * @param deployment the job's active deployment, if any. No other code may change the deployment
   * before `write` is called
   */
  constructor(world: World, deployment: Deployment | undefined) {
    this.#world = world
    this.#deployment = deployment
    this.#deadline = deployment === undefined ? undefined : earliestDeadline(deployment)
  }

  /**
   * Counts an allocation that was placed or updated in place, if the allocation belongs to the
   * deployment. Schedules the step that decides the allocation's health. Must run inside a
   * transaction.
   */
  record(allocation: Allocation): void {
    if (this.#deployment !== undefined && allocation.DeploymentID === this.#deployment.ID) {
      this.#addPlacement(this.#deployment, allocation)
    }
    scheduleHealthStep(this.#world, allocation)
  }

  #addPlacement({ ID, TaskGroups }: Deployment, allocation: Allocation): void {
    const group = allocation.TaskGroup
    const state = this.#changedGroups.get(group) ?? TaskGroups?.[group]
    if (state === undefined) return
    this.#lastPlacement = toNanoseconds(this.#world.clock.now())
    this.#changedGroups.set(group, {
      ...state,
      PlacedAllocs: state.PlacedAllocs + 1,
      // The progress deadline starts with the first placement.
      RequireProgressBy: state.RequireProgressBy ?? this.#startDeadline(ID, state),
    })
    if (allocation.DeploymentStatus?.Canary !== true) return
    const canaries = this.#canaries.get(group)
    if (canaries === undefined) this.#canaries.set(group, [allocation.ID])
    else canaries.push(allocation.ID)
  }

  /**
   * Starts the progress deadline of a group. Returns the deadline as an RFC 3339 time, or null if
   * the group has no deadline.
   */
  #startDeadline(id: string, state: DeploymentState): string | null {
    if (state.ProgressDeadline === 0) return null
    const due = stepDueAt(this.#world, stepNames.progress, { unskippable: state.ProgressDeadline })
    if (state.HealthyAllocs < state.DesiredTotal) {
      this.#deadline = Math.min(this.#deadline ?? due, due)
    }
    scheduleStepAt(this.#world, stepNames.progress, id, this.#deadline ?? due)
    return formatTimestamp(due)
  }

  /** Writes the deployment unless nothing was recorded. Must run inside a transaction. */
  write(): void {
    if (this.#deployment === undefined || this.#changedGroups.size === 0) return
    const { TaskGroups } = this.#deployment
    const changed = Array.from(this.#changedGroups, ([group, state]) => {
      const canaries = this.#canaries.get(group)
      if (canaries === undefined) return [group, state] as const
      const PlacedCanaries = [...(state.PlacedCanaries ?? []), ...canaries]
      return [group, { ...state, PlacedCanaries }] as const
    })
    changeDeployment(this.#world, this.#deployment, {
      ModifyTime: this.#lastPlacement,
      TaskGroups: { ...TaskGroups, ...Object.fromEntries(changed) },
    })
  }
}
