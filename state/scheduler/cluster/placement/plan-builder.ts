import type { Job, TaskGroup } from '../../job/job-shape.ts'
import type { ReschedulePolicy } from '../../job/scheduling-shapes.ts'
import type { Allocation } from '../model/allocation-shapes.ts'
import type { Deployment, DesiredUpdates } from '../model/placement-shapes.ts'

/** Why allocations are stopped (behaviour/scheduler#allocations). */
export const stopDescriptions = {
  notNeeded: 'alloc not needed due to job update',
  updated: 'alloc is being updated due to job update',
  rescheduled: 'alloc was rescheduled because it failed',
  lost: 'alloc is lost since its node is down',
  migrated: 'alloc is being migrated',
  reconnected: 'alloc not needed due to disconnected client reconnect',
} as const

/** The condition of an allocation's node; one that is closed keeps what it has, and takes nothing new. */
export type NodeCondition = 'fine' | 'closed' | 'disconnected' | 'down'

/** An allocation that has to go, or be marked. */
export interface Stop {
  readonly allocation: Allocation
  readonly description: string
  readonly clientStatus?: 'lost'
}

/** An allocation that has to be made. */
export interface Placement {
  readonly group: TaskGroup
  readonly name: string
  readonly previous?: Allocation
  /** The previous one failed: this is one of its policy's attempts. */
  readonly rescheduled?: boolean
  /** The previous one goes when this one has a place, and stays when not. */
  readonly replaces?: Allocation
  readonly canary?: boolean
  /** Where it has to be: system jobs have one on each node. */
  readonly nodeId?: string
  /** It stands for so many of which no more than one is tried; one where nothing is said. */
  readonly count?: number
}

/** The changes that make the cluster as a job asks. */
export interface ReconcilePlan {
  readonly stops: readonly Stop[]
  readonly inPlace: readonly Allocation[]
  readonly placements: readonly Placement[]
  /** Failed allocations that are placed anew later. */
  readonly delayed: readonly Allocation[]
  /** Allocations whose node is away for a while. */
  readonly unknown: readonly Allocation[]
  /** Something has to be replaced, but its turn is not now. */
  readonly hasPendingReplacements: boolean
  readonly desired: ReadonlyMap<string, DesiredUpdates>
  /** Groups that a new deployment rolls out; none: no deployment starts. */
  readonly rollout: readonly { group: TaskGroup; desiredTotal: number; desiredCanaries: number }[]
}

/** The facts that reconciling depends on. */
export interface ReconcileInput {
  /** As it has to be; undefined when it was purged. */
  readonly job: Job | undefined
  /** The allocations under the job's ID that still count. */
  readonly allocations: readonly Allocation[]
  readonly nodeConditionOf: (nodeId: string) => NodeCondition
  /** The newest deployment of this version. */
  readonly deployment: Deployment | undefined
  readonly evaluationId: string
  /** Tells whether an evaluation is still to be processed. */
  readonly isEvaluationOpen: (evaluationId: string) => boolean
  /** Milliseconds that a policy's Interval takes in this world. */
  readonly rescheduleIntervalOf: (policy: ReschedulePolicy | null) => number
}

/** Nothing is done to a group. */
export const zeroUpdates: DesiredUpdates = {
  Ignore: 0,
  Place: 0,
  Migrate: 0,
  Stop: 0,
  InPlaceUpdate: 0,
  DestructiveUpdate: 0,
  Canary: 0,
  Preemptions: 0,
}

/** Collects a plan and counts what it does to each group. */
export class PlanBuilder {
  readonly stops: Stop[] = []
  readonly inPlace: Allocation[] = []
  readonly placements: Placement[] = []
  readonly delayed: Allocation[] = []
  readonly unknown: Allocation[] = []
  hasPendingReplacements = false
  readonly rollout: { group: TaskGroup; desiredTotal: number; desiredCanaries: number }[] = []
  readonly desired = new Map<string, DesiredUpdates>()

  /** Counts something that is done to a group. */
  count(group: string, update: keyof DesiredUpdates, by = 1): void {
    const updates = { ...(this.desired.get(group) ?? zeroUpdates) }
    updates[update] += by
    this.desired.set(group, updates)
  }

  /** An allocation has to go. */
  stop(allocation: Allocation, description: string, clientStatus?: 'lost'): void {
    this.stops.push({
      allocation,
      description,
      ...(clientStatus === undefined ? {} : { clientStatus }),
    })
  }

  /** An allocation is not wanted any more. */
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

/** The number in an allocation's name: `job.group[3]`. */
export function allocationNumber(name: string): number {
  return Number(/\[(\d+)\]$/.exec(name)?.[1] ?? 0)
}

/** The name of a group's allocation with a number. */
export function formatAllocationName(job: string, group: string, index: number): string {
  return `${job}.${group}[${index}]`
}
