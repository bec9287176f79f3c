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

/** The changes that an evaluation makes, or would make. */
export interface PlacementDecision extends Omit<ReconcilePlan, 'placements'> {
  readonly placed: readonly AssignedPlacement[]
  /** Failed allocations that could not be rescheduled because no node was feasible. */
  readonly unplaced: readonly Allocation[]
  /** Metrics of the groups that could not be placed in full. */
  readonly failed: ReadonlyMap<string, PlacementMetrics>
  /** Nodes that are too full for a system job; undefined for other jobs. */
  readonly fullNodes: ReadonlySet<string> | undefined
  /** Classes of nodes for which a blocked evaluation waits; undefined if nothing has failed. */
  readonly classEligibility: ClassEligibility | undefined
  /**
   * The number of unplaced allocations by group. A stopped job also has an entry for each group.
   */
  readonly queued: ReadonlyMap<string, number>
}

/** Returns the condition of a node, on which the treatment of its allocations depends. */
function nodeConditionOf(world: World, nodeId: string): NodeCondition {
  const node = world.table(nodes).get(nodeId)
  if (node === undefined || node.Status === 'down') return 'down'
  if (node.Status === 'disconnected') return 'disconnected'
  return isReady(node) ? 'fine' : 'closed'
}

/**
 * Returns a function that finds the newest terminal allocation of a name. The first call of that
 * function reads the allocations.
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

/** Returns the newest deployment of a version of a job. */
function deploymentOfVersion(world: World, job: Job): Deployment | undefined {
  const newest = latestDeployment(world, job.Namespace, job.ID)
  const isOfVersion =
    newest?.JobCreateIndex === job.CreateIndex && newest.JobVersion === job.Version
  return isOfVersion ? newest : undefined
}

/**
 * Computes the changes that bring the cluster in line with a job, with pauses between groups and
 * placements. Writes nothing.
 *
 * @param job the desired job; undefined if it was purged
 */
export function* decide(
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
  const staying = allocations.filter((allocation) => !isTerminal(allocation))
  const placer = job === undefined ? undefined : new Placer(world, job, staying, lastIndex(world))
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
    const { group, previous, replaces, count: times = 1 } = placement
    const before = failed.get(group.Name)
    // If one allocation of a group does not fit, further ones do not either, except on another
    // given node.
    const isKnownToFail = before !== undefined && placement.nodeId === undefined
    if (replaces !== undefined) placer?.release(replaces)
    const result = isKnownToFail ? undefined : placer?.place(group, nodeSelection(placement))
    if (result?.node !== undefined) {
      placed.push({ node: result.node, metrics: result.metrics, ...placement })
      if (times === 1) continue
    }
    const left = result?.node === undefined ? times : times - 1
    if (replaces !== undefined) placer?.restore(replaces)
    if (placement.nodeId !== undefined) {
      // A node that is full counts as exhausted. For a system job, a node that was filtered out for
      // another reason is skipped.
      if (result?.metrics.NodesExhausted === 0) continue
      fullNodes.add(placement.nodeId)
    }
    queued.set(group.Name, (queued.get(group.Name) ?? 0) + left)
    const metrics = before ?? result?.metrics
    if (metrics !== undefined) {
      const additional = before === undefined ? left - 1 : left
      const CoalescedFailures = metrics.CoalescedFailures + additional
      failed.set(group.Name, { ...metrics, CoalescedFailures })
    }
    if (placement.rescheduled && previous !== undefined) {
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

function nodeSelection({ rescheduled, previous, nodeId }: Placement) {
  return {
    ...(rescheduled && previous !== undefined ? { avoidNode: previous.NodeID } : {}),
    ...(nodeId === undefined ? {} : { onlyNode: nodeId }),
  }
}

/**
 * Records a failure for each group of a system job that fits on no existing node, although nothing
 * is queued or blocked. Records nothing if there are no candidate nodes
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
 * Returns the changes that registering a job would make (behaviour/scheduler#plan), with pauses
 * between groups. Writes nothing.
 */
export function* planRegistration(world: World, job: Job): InParts<PlannedRegistration> {
  // As in the reference, the plan of a system job leaves out groups without changes.
  const isPlanned = ([, updates]: readonly [string, DesiredUpdates]) =>
    !isSystemJob(job) || Object.values(updates).some((count) => count > 0)
  const current = findJob(world, job.Namespace, job.ID)
  const next = nextVersion(world, current, job)
  const decision = yield* decide(world, job.Namespace, job.ID, next, '')
  return {
    desired: Object.fromEntries([...decision.desired].filter(isPlanned)),
    failed: decision.failed.size === 0 ? null : Object.fromEntries(decision.failed),
  }
}

/** The changes that registering a job would make. */
interface PlannedRegistration {
  /** Changes of each group. */
  readonly desired: Readonly<Record<string, DesiredUpdates>>
  /** Metrics of the groups that could not be placed; null if all groups can be placed. */
  readonly failed: Readonly<Record<string, PlacementMetrics>> | null
}

/** Returns the version that the job would have after its registration. */
function nextVersion(world: World, current: Job | undefined, job: Job): Job {
  const index = lastIndex(world) + 1
  const changed = { ...job, ModifyIndex: index, JobModifyIndex: index }
  if (current === undefined) return { ...changed, CreateIndex: index }
  if (!isSpecChanged(current, job)) return current
  return { ...changed, Version: current.Version + 1, CreateIndex: current.CreateIndex }
}
