import type { Integer } from '../../../kernel/integers.ts'
import { emptyValueOf } from '../../../kernel/shape/fill-defaults.ts'
import type { Job, TaskGroup } from '../../job/job-shape.ts'
import type { ReschedulePolicy } from '../../job/scheduling-shapes.ts'
import type { Allocation } from '../model/allocation-shapes.ts'
import {
  type Deployment,
  type DesiredUpdates,
  desiredUpdatesShape,
} from '../model/placement-shapes.ts'

/** Descriptions of stopped allocations (behaviour/scheduler#allocations). */
export const stopDescriptions = {
  notNeeded: 'alloc not needed due to job update',
  updated: 'alloc is being updated due to job update',
  rescheduled: 'alloc was rescheduled because it failed',
  lost: 'alloc is lost since its node is down',
  migrated: 'alloc is being migrated',
  tainted: 'alloc not needed as node is tainted',
  reconnected: 'alloc not needed due to disconnected client reconnect',
} as const

/**
 * The condition of an allocation's node. A closed node keeps its allocations but accepts no new
 * ones.
 */
export type NodeCondition = 'fine' | 'closed' | 'disconnected' | 'down'

/** An allocation to stop or to mark as lost. */
export interface Stop {
  readonly allocation: Allocation
  readonly description: string
  readonly clientStatus?: 'lost'
}

/** An allocation to create. */
export interface Placement {
  readonly group: TaskGroup
  readonly name: string
  readonly previous?: Allocation
  /** True if this is a rescheduling attempt for a failed allocation. */
  readonly rescheduled?: boolean
  /**
   * The allocation to stop once a node is found for this one. If no node is found, nothing is
   * stopped.
   */
  readonly replaces?: Allocation
  readonly canary?: boolean
  /** The node on which the allocation must run; only for system jobs. */
  readonly nodeId?: string
  /**
   * The number of equal allocations that this placement stands for, of which only one is tried.
   * Default: 1.
   */
  readonly count?: number
}

/** The changes that bring the cluster in line with a job. */
export interface ReconcilePlan {
  readonly stops: readonly Stop[]
  readonly inPlace: readonly Allocation[]
  readonly placements: readonly Placement[]
  /** Failed allocations to reschedule later. */
  readonly delayed: readonly Allocation[]
  /** Allocations to mark as unknown because their node is disconnected. */
  readonly unknown: readonly Allocation[]
  /** True if a later evaluation must replace further allocations. */
  readonly hasPendingReplacements: boolean
  readonly desired: ReadonlyMap<string, DesiredUpdates>
  /** Groups of a new deployment; empty if no deployment starts. */
  readonly rollout: readonly { group: TaskGroup; desiredTotal: Integer; desiredCanaries: Integer }[]
}

/** Everything that reconciliation depends on. */
export interface ReconcileInput {
  /** The desired job; undefined if it was purged. */
  readonly job: Job | undefined
  /** Allocations under the ID of the job that affect what the job needs. */
  readonly allocations: readonly Allocation[]
  readonly nodeConditionOf: (nodeId: string) => NodeCondition
  /**
   * Returns the newest terminal allocation of a name on a node. The allocation may belong to an
   * earlier job.
   */
  readonly latestEnded: (nodeId: string, name: string) => Allocation | undefined
  /** The newest deployment of this version, if any. */
  readonly deployment: Deployment | undefined
  readonly evaluationId: string
  /** Returns true if an evaluation is pending or blocked. */
  readonly isEvaluationOpen: (evaluationId: string) => boolean
  /** Returns the length of a policy's `Interval` in milliseconds, scaled. */
  readonly rescheduleIntervalOf: (policy: ReschedulePolicy | null) => number
}

/** Counters of a group without changes. */
export const zeroUpdates = emptyValueOf(desiredUpdatesShape)

/** Builder of a plan. The builder also counts the changes to each group. */
export class PlanBuilder {
  readonly stops: Stop[] = []
  readonly inPlace: Allocation[] = []
  readonly placements: Placement[] = []
  readonly delayed: Allocation[] = []
  readonly unknown: Allocation[] = []
  hasPendingReplacements = false
  readonly rollout: { group: TaskGroup; desiredTotal: Integer; desiredCanaries: Integer }[] = []
  readonly desired = new Map<string, DesiredUpdates>()

  /** Counts a change to a group. */
  count(group: string, update: keyof DesiredUpdates, by = 1): void {
    const updates = { ...(this.desired.get(group) ?? zeroUpdates) }
    updates[update] += by
    this.desired.set(group, updates)
  }

  /** Adds an allocation to those that the plan stops. */
  stop(allocation: Allocation, description: string, clientStatus?: 'lost'): void {
    const status = clientStatus === undefined ? {} : { clientStatus }
    this.stops.push({ allocation, description, ...status })
  }

  /**
   * Stops an allocation that is no longer needed. On an unreachable node, marks it as lost instead.
   */
  stopUnneeded(
    allocation: Allocation,
    nodeCondition: NodeCondition,
    description: string = stopDescriptions.notNeeded,
  ): void {
    const isLost = nodeCondition === 'down' || nodeCondition === 'disconnected'
    this.stop(allocation, description, isLost ? 'lost' : undefined)
    this.count(allocation.TaskGroup, 'Stop')
  }
}

/** Returns the number in an allocation's name, such as 3 in `job.group[3]`. */
export function allocationNumber(name: string): number {
  return Number(/\[(\d+)\]$/.exec(name)?.[1] ?? 0)
}

/** Returns the name of a group's allocation with this number. */
export function formatAllocationName(job: string, group: string, index: number): string {
  return `${job}.${group}[${index}]`
}
