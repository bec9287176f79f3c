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

/** Values of `DesiredDescription` for stopped allocations (behaviour/scheduler#allocations). */
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
 * Condition of an allocation's node. A `closed` node keeps its allocations but accepts no new
 * allocations.
 */
export type NodeCondition = 'fine' | 'closed' | 'disconnected' | 'down'

/** An allocation to stop. If `clientStatus` is set, the allocation is also marked as lost. */
export interface Stop {
  readonly allocation: Allocation
  readonly description: string
  readonly clientStatus?: 'lost'
}

export interface Placement {
  readonly group: TaskGroup
  readonly name: string
  readonly previous?: Allocation
  /** True if the placement reschedules a failed allocation. */
  readonly isRescheduled?: boolean
  /**
   * The allocation that is stopped when a node is found for the placement. Without a node, the
   * allocation continues.
   */
  readonly replaces?: Allocation
  readonly isCanary?: boolean
  /** The only node on which the allocation may run. Set only for system jobs. */
  readonly nodeId?: string
  /**
   * Number of equal allocations that this placement represents; 1 by default. Only one of them is
   * placed. The others exceed the limit of `reconcile` for one evaluation and count as unplaced.
   */
  readonly count?: number
}

/** The changes that a job needs, before nodes are chosen. */
export interface ReconcilePlan {
  readonly stops: readonly Stop[]
  readonly inPlace: readonly Allocation[]
  readonly placements: readonly Placement[]
  /** Failed allocations to reschedule later. */
  readonly delayed: readonly Allocation[]
  /** Allocations to mark as unknown because their node is disconnected. */
  readonly unknown: readonly Allocation[]
  /**
   * True if this evaluation does not replace all changed allocations, so that later evaluations
   * must replace the rest.
   */
  readonly hasPendingReplacements: boolean
  readonly desired: ReadonlyMap<string, DesiredUpdates>
  /** Groups of the deployment to create; empty if no deployment starts. */
  readonly rollout: readonly { group: TaskGroup; desiredTotal: Integer; desiredCanaries: Integer }[]
}

/**
 * Input of `reconcile` and `reconcileSystem`: a job, its allocations, and functions that look up
 * related data.
 */
export interface ReconcileInput {
  /** Undefined if the job was purged. */
  readonly job: Job | undefined
  /** Allocations with the job's ID that an evaluation must consider. */
  readonly allocations: readonly Allocation[]
  readonly nodeConditionOf: (nodeId: string) => NodeCondition
  /**
   * Returns the newest terminal allocation with this name on a node. The allocation may belong to
   * an earlier job with the same ID.
   */
  readonly latestEnded: (nodeId: string, name: string) => Allocation | undefined
  /** The newest deployment of the job's version, if any. */
  readonly deployment: Deployment | undefined
  readonly evaluationId: string
  /** Returns true if the evaluation is pending or blocked. */
  readonly isEvaluationOpen: (evaluationId: string) => boolean
  /** Returns a policy's `Interval` in milliseconds, multiplied by the time scale. */
  readonly rescheduleIntervalOf: (policy: ReschedulePolicy | null) => number
}

export const zeroUpdates = emptyValueOf(desiredUpdatesShape)

/** Builder that collects the changes of a plan, and counts them by group and kind of change. */
export class PlanBuilder {
  readonly stops: Stop[] = []
  readonly inPlace: Allocation[] = []
  readonly placements: Placement[] = []
  readonly delayed: Allocation[] = []
  readonly unknown: Allocation[] = []
  hasPendingReplacements = false
  readonly rollout: { group: TaskGroup; desiredTotal: Integer; desiredCanaries: Integer }[] = []
  readonly desired = new Map<string, DesiredUpdates>()

  count(group: string, update: keyof DesiredUpdates, by = 1): void {
    const updates = { ...(this.desired.get(group) ?? zeroUpdates) }
    updates[update] += by
    this.desired.set(group, updates)
  }

  stop(allocation: Allocation, description: string, clientStatus?: 'lost'): void {
    const status = clientStatus === undefined ? {} : { clientStatus }
    this.stops.push({ allocation, description, ...status })
  }

  /**
   * Adds the stop of an allocation that the job no longer needs. If the node is down or
   * disconnected, the allocation also becomes lost.
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

/**
 * Parses the number from an allocation's name, such as 3 from `job.group[3]`. Returns 0 for a name
 * without a number.
 */
export function allocationNumber(name: string): number {
  return Number(/\[(\d+)\]$/.exec(name)?.[1] ?? 0)
}

export function formatAllocationName(job: string, group: string, index: number): string {
  return `${job}.${group}[${index}]`
}
