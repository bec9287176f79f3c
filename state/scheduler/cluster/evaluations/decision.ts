import type { InParts } from '../../../kernel/parts.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import { lastIndex } from '../../indexes.ts'
import type { Job } from '../../job/job-shape.ts'
import { findJob, isSpecChanged } from '../../records/store.ts'
import { allAllocationsOf, relevantAllocationsOf } from '../allocations/allocations.ts'
import { latestDeployment } from '../deployments/deployments.ts'
import type { Allocation } from '../model/allocation-shapes.ts'
import { isOpen, isTerminal } from '../model/allocation-status.ts'
import type { Node } from '../model/node-shapes.ts'
import type { Deployment, DesiredUpdates, PlacementMetrics } from '../model/placement-shapes.ts'
import { scaledInterval } from '../model/steps.ts'
import { evaluations, nodes } from '../model/tables.ts'
import { isReady } from '../nodes/nodes.ts'
import { type ClassEligibility, classEligibilityOf } from '../placement/class-eligibility.ts'
import { Placer } from '../placement/placer.ts'
import {
  type NodeCondition,
  type Placement,
  type ReconcileInput,
  type ReconcilePlan,
  stopDescriptions,
} from '../placement/plan-builder.ts'
import { reconcile } from './reconcile.ts'
import { reconcileSystem } from './system-reconcile.ts'

/** A placement for which a node was found. */
export interface AssignedPlacement extends Placement {
  readonly node: Node
  readonly metrics: PlacementMetrics
}

/** Changes that an evaluation makes, or that a plan request predicts. */
export interface PlacementDecision extends Omit<ReconcilePlan, 'placements'> {
  readonly placed: readonly AssignedPlacement[]
  /** Failed allocations that should be replaced, but no node was found for the replacement. */
  readonly unplaced: readonly Allocation[]
  /** Metrics by name of the group, for groups that were not placed completely. */
  readonly failed: ReadonlyMap<string, PlacementMetrics>
  /** IDs of the nodes that are too full for a system job; undefined for other jobs. */
  readonly fullNodes: ReadonlySet<string> | undefined
  /** The node classes that a blocked evaluation reports; undefined if everything was placed. */
  readonly classEligibility: ClassEligibility | undefined
  /**
   * Number of unplaced allocations by group. Every group of the job has an entry, even if the job
   * is stopped.
   */
  readonly queued: ReadonlyMap<string, number>
}

function nodeConditionOf(world: World, nodeId: string): NodeCondition {
  const node = world.table(nodes).get(nodeId)
  if (node === undefined || node.Status === 'down') return 'down'
  if (node.Status === 'disconnected') return 'disconnected'
  return isReady(node) ? 'fine' : 'closed'
}

/**
 * Returns a function that finds the newest terminal allocation by node and name. The allocations
 * are read on the first call.
 */
function latestEndedOf(world: World, namespace: string, id: string): ReconcileInput['latestEnded'] {
  let latest: Map<string, Allocation> | undefined
  return (nodeId, name) => {
    if (latest === undefined) {
      const ended = allAllocationsOf(world, namespace, id).filter(isTerminal)
      ended.sort((a, b) => a.CreateIndex - b.CreateIndex)
      latest = new Map(ended.map((each) => [`${each.NodeID} ${each.Name}`, each]))
    }
    return latest.get(`${nodeId} ${name}`)
  }
}

/**
 * Returns the newest deployment of a job; undefined without a deployment, or if the newest
 * deployment belongs to another version of the job.
 */
function deploymentOfVersion(world: World, job: Job): Deployment | undefined {
  const newestDeployment = latestDeployment(world, job.Namespace, job.ID)
  const isOfVersion =
    newestDeployment?.JobCreateIndex === job.CreateIndex &&
    newestDeployment.JobVersion === job.Version
  return isOfVersion ? newestDeployment : undefined
}

/**
 * Computes the changes that bring the cluster in line with a job, pausing between placements and,
 * for service and batch jobs, between groups. Writes nothing.
 *
 * @param job the desired job; undefined if it was purged
 */
export function* decidePlacements(
  world: World,
  namespace: string,
  id: string,
  job: Job | undefined,
  evaluationId: string,
): InParts<PlacementDecision> {
  const allocations = relevantAllocationsOf(world, namespace, id, job)
  const input: ReconcileInput = {
    job,
    allocations,
    nodeConditionOf: (nodeId) => nodeConditionOf(world, nodeId),
    latestEnded: latestEndedOf(world, namespace, id),
    deployment: job === undefined ? undefined : deploymentOfVersion(world, job),
    evaluationId,
    isEvaluationOpen: (id) => {
      const evaluation = world.table(evaluations).get(id)
      return evaluation !== undefined && isOpen(evaluation)
    },
    rescheduleIntervalOf: (policy) => scaledInterval(world, policy?.Interval ?? 0),
  }
  const stayingAllocations = allocations.filter((allocation) => !isTerminal(allocation))
  const placer =
    job === undefined ? undefined : new Placer(world, job, stayingAllocations, lastIndex(world))
  const plan = isSystemJob(job) ? reconcileSystem(input, placer) : yield* reconcile(input)
  return yield* assignNodes(plan, job, placer)
}

function* assignNodes(
  plan: ReconcilePlan,
  job: Job | undefined,
  placer: Placer | undefined,
): InParts<PlacementDecision> {
  const placed: AssignedPlacement[] = []
  const unplaced: Allocation[] = []
  const failed = new Map<string, PlacementMetrics>()
  const queued = new Map<string, number>()
  const kept = new Set<string>()
  const fullNodes = new Set<string>()
  for (const { Name } of job?.TaskGroups ?? []) queued.set(Name, 0)
  for (const { allocation } of plan.stops) placer?.release(allocation)
  for (const placement of plan.placements) {
    yield
    const { group, previous, replaces, count = 1 } = placement
    const earlierMetrics = failed.get(group.Name)
    // Once an allocation of a group fits on no node, the search is skipped for the other
    // allocations of the group. A placement on a given node is tried nevertheless.
    const isKnownToFail = earlierMetrics !== undefined && placement.nodeId === undefined
    if (replaces !== undefined) placer?.release(replaces)
    const result = isKnownToFail ? undefined : placer?.place(group, nodeSelection(placement))
    if (result?.node !== undefined) {
      placed.push({ node: result.node, metrics: result.metrics, ...placement })
      if (count === 1) continue
    }
    const unplacedCount = result?.node === undefined ? count : count - 1
    if (replaces !== undefined) placer?.restore(replaces)
    if (placement.nodeId !== undefined) {
      // A node is full only if it has too few resources. If the node was filtered out instead,
      // nothing is queued.
      if (result?.metrics.NodesExhausted === 0) continue
      fullNodes.add(placement.nodeId)
    }
    queued.set(group.Name, (queued.get(group.Name) ?? 0) + unplacedCount)
    const metrics = earlierMetrics ?? result?.metrics
    if (metrics !== undefined) {
      const additionalFailures = earlierMetrics === undefined ? unplacedCount - 1 : unplacedCount
      const CoalescedFailures = metrics.CoalescedFailures + additionalFailures
      failed.set(group.Name, { ...metrics, CoalescedFailures })
    }
    if (placement.isRescheduled && previous !== undefined) {
      unplaced.push(previous)
      kept.add(previous.ID)
    }
  }
  failUnplaceableGroups(plan, job, placer, failed)
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
    delayed: plan.delayed,
    unknown: plan.unknown,
    hasPendingReplacements: plan.hasPendingReplacements,
    desired: plan.desired,
    rollout: plan.rollout,
    placed,
    unplaced,
    failed,
    classEligibility:
      job === undefined || placer === undefined || failed.size === 0
        ? undefined
        : classEligibilityOf(
            job,
            [...new Set(plan.placements.map(({ group }) => group))],
            placer.nodes,
            (group, node) => placer.infeasibility(group, node) === undefined,
          ),
    fullNodes: isSystemJob(job) ? fullNodes : undefined,
    queued,
  }
}

function isSystemJob(job: Job | undefined): boolean {
  return job?.Type === 'system' || job?.Type === 'sysbatch'
}

function nodeSelection({ isRescheduled, previous, nodeId }: Placement) {
  return {
    ...(isRescheduled && previous !== undefined ? { avoidNode: previous.NodeID } : {}),
    ...(nodeId === undefined ? {} : { onlyNode: nodeId }),
  }
}

/**
 * Records a failure for each group of a system job that fits on no existing node. Nothing is queued
 * or blocked for these groups. Without candidate nodes, nothing is recorded
 * (behaviour/scheduler#evaluations).
 */
function failUnplaceableGroups(
  plan: ReconcilePlan,
  job: Job | undefined,
  placer: Placer | undefined,
  failed: Map<string, PlacementMetrics>,
): void {
  if (job === undefined || job.Stop || !isSystemJob(job)) return
  if (placer === undefined || placer.nodes.length === 0) return
  for (const group of job.TaskGroups ?? []) {
    const updates = plan.desired.get(group.Name)
    const hasUpdates = updates !== undefined && Object.values(updates).some((count) => count > 0)
    if (group.Count === 0 || hasUpdates) continue
    const { metrics } = placer.place(group)
    failed.set(group.Name, { ...metrics, NodesAvailable: null, NodesInPool: 0 })
  }
}

/**
 * Computes the changes that registering a job would make, pausing as `decidePlacements` does
 * (behaviour/scheduler#plan). Writes nothing.
 */
export function* planRegistration(world: World, job: Job): InParts<PlannedRegistration> {
  // As in the reference, the plan of a system job leaves out groups without changes.
  const isPlanned = ([, updates]: readonly [string, DesiredUpdates]) =>
    !isSystemJob(job) || Object.values(updates).some((count) => count > 0)
  const current = findJob(world, job.Namespace, job.ID)
  const next = nextVersion(world, current, job)
  const decision = yield* decidePlacements(world, job.Namespace, job.ID, next, '')
  return {
    desired: Object.fromEntries([...decision.desired].filter(isPlanned)),
    failed: decision.failed.size === 0 ? null : Object.fromEntries(decision.failed),
  }
}

interface PlannedRegistration {
  /** Changes by name of the group. */
  readonly desired: Readonly<Record<string, DesiredUpdates>>
  /**
   * Metrics by name of the group, for groups that cannot be placed completely; null if every group
   * can be placed.
   */
  readonly failed: Readonly<Record<string, PlacementMetrics>> | null
}

/** Returns the job as its registration would store it, with version number and indexes. */
function nextVersion(world: World, current: Job | undefined, job: Job): Job {
  const index = lastIndex(world) + 1
  const changed = { ...job, ModifyIndex: index, JobModifyIndex: index }
  if (current === undefined) return { ...changed, CreateIndex: index }
  if (!isSpecChanged(current, job)) return current
  return { ...changed, Version: current.Version + 1, CreateIndex: current.CreateIndex }
}
