import type { World } from '../../kernel/world.ts'
import { lastIndex } from '../indexes.ts'
import type { Job } from '../job/job-shape.ts'
import { isChanged, jobOf } from '../records/store.ts'
import type { Allocation } from './allocation-shapes.ts'
import { countedAllocationsOf } from './allocations.ts'
import { latestDeployment } from './deployments.ts'
import type { Node } from './node-shapes.ts'
import { isReady } from './nodes.ts'
import type { Deployment, DesiredUpdates, PlacementMetrics } from './placement-shapes.ts'
import { Placer } from './placer.ts'
import {
  type NodeCondition,
  type Placement,
  type Reconciled,
  type Situation,
  stopDescriptions,
} from './plan-builder.ts'
import { reconcile } from './reconcile.ts'
import { isOpen, isTerminal } from './standing.ts'
import { scaledInterval } from './steps.ts'
import { reconcileSystem } from './system-reconcile.ts'
import { evaluations, nodes } from './tables.ts'

/** A placement that has a node. */
export interface Placed extends Placement {
  readonly node: Node
  readonly metrics: PlacementMetrics
}

/** The effect that an evaluation has, or would have. */
export interface Decision extends Omit<Reconciled, 'placements'> {
  readonly placed: readonly Placed[]
  /** Failed allocations for whose next attempt there was no node. */
  readonly unplaced: readonly Allocation[]
  /** Why a group could not be placed in full. */
  readonly failed: ReadonlyMap<string, PlacementMetrics>
  /** The nodes that are too full for a system job; undefined for jobs that take any node. */
  readonly full: ReadonlySet<string> | undefined
  /** The number of allocations of each group that have no place. */
  readonly queued: ReadonlyMap<string, number>
}

/** Tells how a node is for the allocations on it. */
function conditionOf(world: World, nodeId: string): NodeCondition {
  const node = world.table(nodes).get(nodeId)
  if (node === undefined || node.Status === 'down') return 'down'
  if (node.Status === 'disconnected') return 'disconnected'
  return isReady(node) ? 'fine' : 'closed'
}

/** The newest deployment of a version of a job. */
function deploymentOf(world: World, job: Job): Deployment | undefined {
  const newest = latestDeployment(world, job.Namespace, job.ID)
  const isOfVersion =
    newest?.JobCreateIndex === job.CreateIndex && newest.JobVersion === job.Version
  return isOfVersion ? newest : undefined
}

/**
 * Works out how to bring the cluster in line with a job. Writes nothing.
 *
 * @param job as it has to be; undefined when it is gone
 */
export function decide(
  world: World,
  namespace: string,
  id: string,
  job: Job | undefined,
  evaluationId: string,
): Decision {
  const allocations = countedAllocationsOf(world, namespace, id, job)
  const situation: Situation = {
    job,
    allocations,
    conditionOf: (nodeId) => conditionOf(world, nodeId),
    deployment: job === undefined ? undefined : deploymentOf(world, job),
    evaluationId,
    isOpen: (other) => {
      const evaluation = world.table(evaluations).get(other)
      return evaluation !== undefined && isOpen(evaluation)
    },
    intervalOf: (policy) => scaledInterval(world, policy?.Interval ?? 0),
  }
  const staying = allocations.filter((allocation) => !isTerminal(allocation))
  const placer = job === undefined ? undefined : new Placer(world, job, staying, lastIndex(world))
  const plan = isSystemJob(job) ? reconcileSystem(situation, placer) : reconcile(situation)
  return findPlaces(plan, job, placer)
}

function findPlaces(plan: Reconciled, job: Job | undefined, placer: Placer | undefined): Decision {
  const placed: Placed[] = []
  const unplaced: Allocation[] = []
  const failed = new Map<string, PlacementMetrics>()
  const queued = new Map<string, number>()
  const kept = new Set<string>()
  const full = new Set<string>()
  for (const { Name } of job?.Stop ? [] : (job?.TaskGroups ?? [])) queued.set(Name, 0)
  for (const { allocation } of plan.stops) placer?.leave(allocation)
  for (const placement of plan.placements) {
    const { group, previous, replaces, times = 1 } = placement
    const before = failed.get(group.Name)
    // Once a group does not fit, neither do more of it; on another node it still may.
    const isTold = before !== undefined && placement.nodeId === undefined
    if (replaces !== undefined) placer?.leave(replaces)
    const place = isTold ? undefined : placer?.place(group, searchOf(placement))
    if (place?.node !== undefined) {
      placed.push({ node: place.node, metrics: place.metrics, ...placement })
      if (times === 1) continue
    }
    const left = place?.node === undefined ? times : times - 1
    if (replaces !== undefined) placer?.stay(replaces)
    if (placement.nodeId !== undefined) {
      // What is no room elsewhere is a node like any other for a job that has one on each that fits.
      if (place?.metrics.NodesExhausted === 0) continue
      full.add(placement.nodeId)
    }
    queued.set(group.Name, (queued.get(group.Name) ?? 0) + left)
    const metrics = before ?? place?.metrics
    if (metrics !== undefined) {
      const more = before === undefined ? left - 1 : left
      const CoalescedFailures = metrics.CoalescedFailures + more
      failed.set(group.Name, { ...metrics, CoalescedFailures })
    }
    if (placement.rescheduled && previous !== undefined) {
      unplaced.push(previous)
      kept.add(previous.ID)
    }
  }
  nowhere(plan, job, placer, failed)
  const stops = plan.stops.filter(({ allocation }) => !kept.has(allocation.ID))
  return {
    stops: [
      ...stops,
      ...placed.flatMap(({ replaces }) =>
        replaces === undefined
          ? []
          : [{ allocation: replaces, description: stopDescriptions.updated }],
      ),
    ],
    inPlace: plan.inPlace,
    later: plan.later,
    unknown: plan.unknown,
    waits: plan.waits,
    desired: plan.desired,
    rollout: plan.rollout,
    placed,
    unplaced,
    failed,
    full: isSystemJob(job) ? full : undefined,
    queued,
  }
}

function isSystemJob(job: Job | undefined): boolean {
  return job?.Type === 'system' || job?.Type === 'sysbatch'
}

function searchOf({ rescheduled, previous, nodeId }: Placement): {
  readonly avoid?: string
  readonly only?: string
} {
  return {
    ...(rescheduled && previous !== undefined ? { avoid: previous.NodeID } : {}),
    ...(nodeId === undefined ? {} : { only: nodeId }),
  }
}

/**
 * A system job that fits none of the nodes that there are has failed too, though nothing is queued for
 * it and nothing waits; where there is none it is as it should be (behaviour/scheduler#evaluations).
 */
function nowhere(
  plan: Reconciled,
  job: Job | undefined,
  placer: Placer | undefined,
  failed: Map<string, PlacementMetrics>,
): void {
  if (job === undefined || job.Stop || !isSystemJob(job)) return
  if (placer === undefined || placer.nodes.length === 0) return
  for (const group of job.TaskGroups ?? []) {
    const updates = plan.desired.get(group.Name)
    const isOnSome = updates !== undefined && Object.values(updates).some((count) => count > 0)
    if (group.Count === 0 || isOnSome) continue
    const { metrics } = placer.place(group)
    failed.set(group.Name, { ...metrics, NodesAvailable: null, NodesInPool: 0 })
  }
}

/** The effect that a registration would have (behaviour/scheduler#plan). */
interface DryRun {
  readonly desired: Readonly<Record<string, DesiredUpdates>>
  /** Why groups could not be placed; null when all can. */
  readonly failed: Readonly<Record<string, PlacementMetrics>> | null
}

/** Returns what registering a job would make the cluster do. Writes nothing. */
export function planJob(world: World, job: Job): DryRun {
  // As in the reference, a job for each node says nothing of groups that have none.
  const isTold = ([, updates]: readonly [string, DesiredUpdates]) =>
    !isSystemJob(job) || Object.values(updates).some((count) => count > 0)
  const current = jobOf(world, job.Namespace, job.ID)
  const decision = decide(world, job.Namespace, job.ID, nextVersion(world, current, job), '')
  return {
    desired: Object.fromEntries([...decision.desired].filter(isTold)),
    failed: decision.failed.size === 0 ? null : Object.fromEntries(decision.failed),
  }
}

/** The job as it would be stored. */
function nextVersion(world: World, current: Job | undefined, job: Job): Job {
  const index = lastIndex(world) + 1
  const fresh = { ...job, ModifyIndex: index, JobModifyIndex: index }
  if (current === undefined) return { ...fresh, CreateIndex: index }
  if (!isChanged(current, job)) return current
  return { ...fresh, Version: current.Version + 1, CreateIndex: current.CreateIndex }
}
