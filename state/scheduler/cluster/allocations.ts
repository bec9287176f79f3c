import type { World } from '../../kernel/world.ts'
import { nextIndex, touch } from '../indexes.ts'
import type { Job, TaskGroup } from '../job/job-shape.ts'
import { jobOf } from '../jobs/store.ts'
import { ofJobKey, ofJobPrefix } from '../keys.ts'
import { allocatedResources, totalResources } from './allocation-resources.ts'
import type { Allocation, AllocationStub, TaskState } from './allocation-shapes.ts'
import { toNanoseconds } from './evaluations.ts'
import { refreshJobStatus } from './job-status.ts'
import type { Node } from './node-shapes.ts'
import type { PlacementMetrics } from './placement-shapes.ts'
import { allocationCounted } from './summaries.ts'
import {
  allocations,
  countedAllocations,
  evaluationAllocations,
  jobAllocations,
  nodeAllocations,
  openAllocations,
  placedAllocations,
} from './tables.ts'
import { refuse } from './texts.ts'

/** An instant that was never set. */
export const noTime = '0001-01-01T00:00:00Z'

const endedStatuses = new Set(['complete', 'failed', 'lost'])

/** Whether an allocation has ended on its node. */
export function hasEnded({ ClientStatus }: Pick<Allocation, 'ClientStatus'>): boolean {
  return endedStatuses.has(ClientStatus)
}

/** Whether an allocation is terminal (3b-scheduler-decisions.md section 6, Status). */
export function isTerminal(allocation: Allocation): boolean {
  return allocation.DesiredStatus !== 'run' || hasEnded(allocation)
}

/** Jobs whose allocations are meant to end. */
const endingTypes = new Set(['batch', 'sysbatch'])

/**
 * Whether an allocation, as it stands, can say what its job still needs: it is not terminal, has done
 * the work of a batch job, or failed and was not replaced. Whatever was replaced counts no more.
 */
function isCounted(allocation: Allocation): boolean {
  if (!isTerminal(allocation)) return true
  const { ClientStatus, DesiredStatus, JobType, NextAllocation } = allocation
  if (DesiredStatus !== 'run' && (JobType !== 'batch' || NextAllocation !== '')) return false
  return (
    (ClientStatus === 'complete' && endingTypes.has(JobType)) ||
    (ClientStatus === 'failed' && NextAllocation === '')
  )
}

/**
 * Whether an allocation that is terminal is of an earlier job under the same ID, or of an earlier
 * version of a job that is meant to end: it has no say in what is wanted now, nor ever will.
 */
export function isOutdated(job: Job | undefined, allocation: Allocation): boolean {
  if (!isTerminal(allocation)) return false
  if (allocation.Job?.CreateIndex !== job?.CreateIndex) return true
  return endingTypes.has(allocation.JobType) && allocation.JobVersion < (job?.Version ?? 0)
}

/** What an allocation is made from. */
export interface AllocationSpec {
  readonly evaluationId: string
  readonly job: Job
  readonly group: TaskGroup
  readonly name: string
  readonly node: Node
  readonly metrics: PlacementMetrics
  readonly deploymentId: string
  readonly canary: boolean
  readonly previous: Allocation | undefined
  readonly rescheduleTracker: Allocation['RescheduleTracker']
}

/** Makes an allocation: no client has seen it yet. Inside a transaction. */
export function createAllocation(world: World, spec: AllocationSpec): Allocation {
  const now = toNanoseconds(world.clock.now())
  const { job, group, node } = spec
  const allocation: Allocation = {
    ID: world.ids.uuid(),
    EvalID: spec.evaluationId,
    Name: spec.name,
    Namespace: job.Namespace,
    NodeID: node.ID,
    NodeName: node.Name,
    PreviousAllocation: spec.previous?.ID ?? '',
    NextAllocation: '',
    RescheduleTracker: spec.rescheduleTracker,
    JobID: job.ID,
    JobType: job.Type,
    JobVersion: job.Version,
    TaskGroup: group.Name,
    DesiredStatus: 'run',
    DesiredDescription: '',
    DesiredTransition: { Migrate: null, Reschedule: null, ForceReschedule: null },
    ClientStatus: 'pending',
    ClientDescription: '',
    DeploymentStatus: spec.canary
      ? { Healthy: null, Timestamp: noTime, Canary: true, ModifyIndex: 0 }
      : null,
    TaskStates: null,
    FollowupEvalID: '',
    PreemptedAllocations: null,
    PreemptedByAllocation: '',
    CreateIndex: nextIndex(world),
    ModifyIndex: nextIndex(world),
    CreateTime: now,
    ModifyTime: now,
    Job: job,
    DeploymentID: spec.deploymentId,
    AllocatedResources: allocatedResources(world, group),
    Resources: totalResources(group),
    Metrics: spec.metrics,
    AllocModifyIndex: nextIndex(world),
  }
  const { ID, Namespace, JobID } = allocation
  world.table(jobAllocations).put(ofJobKey(Namespace, JobID, ID), { id: ID })
  world.table(evaluationAllocations).put(`${allocation.EvalID} ${ID}`, { id: ID })
  world.table(placedAllocations).put(`${node.ID} ${ID}`, { id: ID })
  return putAllocation(world, undefined, allocation)
}

/** Writes an allocation's row and what hangs on it: pointers, counters, the job's status. */
function putAllocation(
  world: World,
  before: Allocation | undefined,
  after: Allocation,
): Allocation {
  const { ID, Namespace, JobID, NodeID } = after
  world.table(allocations).put(ID, after)
  const open = world.table(openAllocations)
  const key = ofJobKey(Namespace, JobID, ID)
  if (!isTerminal(after)) open.put(key, { id: ID })
  else open.delete(key)
  const counted = world.table(countedAllocations)
  if (isCounted(after)) counted.put(key, { id: ID })
  else counted.delete(key)
  const onNode = world.table(nodeAllocations)
  if (hasEnded(after)) onNode.delete(`${NodeID} ${ID}`)
  else if (before === undefined || hasEnded(before)) onNode.put(`${NodeID} ${ID}`, { id: ID })
  touch(world, 'allocations')
  allocationCounted(world, before, after)
  refreshJobStatus(world, Namespace, JobID)
  return after
}

/** Changes an allocation. Inside a transaction. */
export function changeAllocation(
  world: World,
  before: Allocation,
  change: Partial<Allocation>,
): Allocation {
  return putAllocation(world, before, {
    ...before,
    ...change,
    ModifyIndex: nextIndex(world),
    ModifyTime: toNanoseconds(world.clock.now()),
  })
}

/** A client status with its description (section 7, Allocation and tasks). */
const descriptions: Readonly<Record<ClientStatus, string>> = {
  pending: 'No tasks have started',
  running: 'Tasks are running',
  complete: 'All tasks have completed',
  failed: 'Failed tasks',
}

export type ClientStatus = 'pending' | 'running' | 'complete' | 'failed'

/** What tasks make of their allocation: failed if any failed, else running, else pending, else complete. */
export function clientStatusOf(states: Iterable<TaskState>): ClientStatus {
  const all = [...states]
  if (all.some(({ State, Failed }) => State === 'dead' && Failed)) return 'failed'
  if (all.some(({ State }) => State === 'running')) return 'running'
  return all.some(({ State }) => State === 'pending') ? 'pending' : 'complete'
}

/** The members of an allocation that say how its tasks are. */
export function clientReport(
  states: Readonly<Record<string, TaskState>>,
): Pick<Allocation, 'TaskStates' | 'ClientStatus' | 'ClientDescription'> {
  const ClientStatus = clientStatusOf(Object.values(states))
  return { TaskStates: states, ClientStatus, ClientDescription: descriptions[ClientStatus] }
}

/** An allocation; undefined for an unknown one. */
export function allocationOf(world: World, id: string): Allocation | undefined {
  return world.table(allocations).get(id)
}

/** An allocation. Refuses an unknown one (404). */
export function allocationWithId(world: World, id: string): Allocation {
  const found = allocationOf(world, id)
  if (found === undefined) throw refuse('alloc-not-found')
  return found
}

/** The allocations that a table of pointers names below a prefix. */
function pointed(world: World, table: typeof jobAllocations, prefix: string): Allocation[] {
  return Array.from(world.table(table).rows(prefix)).flatMap(({ id }) => {
    const allocation = allocationOf(world, id)
    return allocation === undefined ? [] : [allocation]
  })
}

/** Every allocation under a job's ID, earlier jobs' too, in order of ID. */
export function allAllocationsOf(world: World, namespace: string, id: string): Allocation[] {
  return pointed(world, jobAllocations, ofJobPrefix(namespace, id))
}

/**
 * A job's allocations as the API lists them, in order of ID: without `all` only those of the job that
 * has the ID now; all of them when there is none (section 2, allocations).
 */
export function allocationsOf(
  world: World,
  namespace: string,
  id: string,
  all: boolean,
): Allocation[] {
  const found = allAllocationsOf(world, namespace, id)
  const job = jobOf(world, namespace, id)
  if (all || job === undefined) return found
  return found.filter((allocation) => allocation.Job?.CreateIndex === job.CreateIndex)
}

/** A job's allocations that are not terminal, in order of ID. */
export function openAllocationsOf(world: World, namespace: string, id: string): Allocation[] {
  return pointed(world, openAllocations, ofJobPrefix(namespace, id))
}

/**
 * A job's allocations that say what it still needs, in order of ID. Few, however often a job failed.
 */
export function countedAllocationsOf(world: World, namespace: string, id: string): Allocation[] {
  return pointed(world, countedAllocations, ofJobPrefix(namespace, id))
}

/** Lets a job's allocations that are outdated count no more. Inside a transaction. */
export function discountOutdated(
  world: World,
  namespace: string,
  id: string,
  job: Job | undefined,
): void {
  for (const allocation of countedAllocationsOf(world, namespace, id)) {
    if (!isOutdated(job, allocation)) continue
    world.table(countedAllocations).delete(ofJobKey(namespace, id, allocation.ID))
  }
}

/** The allocations that an evaluation made, in order of ID. */
export function allocationsOfEvaluation(world: World, id: string): Allocation[] {
  return pointed(world, evaluationAllocations, `${id} `)
}

/** The allocations that have not ended on a node, in order of ID. */
export function allocationsOnNode(world: World, id: string): Allocation[] {
  return pointed(world, nodeAllocations, `${id} `)
}

/** The allocations that were ever placed on a node, in order of ID. */
export function allAllocationsOnNode(world: World, id: string): Allocation[] {
  return pointed(world, placedAllocations, `${id} `)
}

/** Every allocation in order of ID. */
export function allAllocations(world: World): Allocation[] {
  return [...world.table(allocations).rows()]
}

/** An allocation as lists show it. */
export function allocationStub(allocation: Allocation): AllocationStub {
  const {
    Job: _job,
    DeploymentID: _deployment,
    AllocatedResources: _allocated,
    Resources: _resources,
    Metrics: _metrics,
    AllocModifyIndex: _index,
    NodeTerminal: _terminal,
    ...stub
  } = allocation
  return stub
}
