import type { World } from '../../../kernel/worlds/world.ts'
import { nextIndex } from '../../indexes.ts'
import type { Job, TaskGroup } from '../../job/job-shape.ts'
import { jobItemPrefix } from '../../keys.ts'
import { findJob } from '../../records/store.ts'
import type { Allocation, AllocationStub, TaskState } from '../model/allocation-shapes.ts'
import { remainingRange } from '../model/allocation-status.ts'
import { toNanoseconds } from '../model/evaluations.ts'
import { countAllocation } from '../model/job-summaries.ts'
import { refuse } from '../model/messages.ts'
import type { Node } from '../model/node-shapes.ts'
import type { PlacementMetrics } from '../model/placement-shapes.ts'
import { allocations } from '../model/tables.ts'
import { allocatedResources } from './allocation-resources.ts'

/** An instant that was never set. */
export const zeroTime = '0001-01-01T00:00:00Z'

/** The parts that an allocation is made from. */
interface AllocationSpec {
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
      ? { Healthy: null, Timestamp: zeroTime, Canary: true, ModifyIndex: 0 }
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
    AllocatedResources: allocatedResources(world, group, node),
    NetworkStatus: null,
    Metrics: spec.metrics,
    AllocModifyIndex: nextIndex(world),
  }
  return putAllocation(world, undefined, allocation)
}

/** Writes an allocation's row and what depends on it: counters. */
function putAllocation(
  world: World,
  before: Allocation | undefined,
  after: Allocation,
): Allocation {
  world.table(allocations).put(after.ID, after)
  countAllocation(world, before, after)
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

/** A client status with its description (behaviour/scheduler#allocations). */
const clientDescriptions: Readonly<Record<ClientStatus, string>> = {
  pending: 'No tasks have started',
  running: 'Tasks are running',
  complete: 'All tasks have completed',
  failed: 'Failed tasks',
}

type ClientStatus = 'pending' | 'running' | 'complete' | 'failed'

/**
 * Returns what tasks make of their allocation: failed if any failed, else running, else pending,
 * else complete.
 */
function clientStatusOfTasks(states: Iterable<TaskState>): ClientStatus {
  const all = [...states]
  if (all.some(({ State, Failed }) => State === 'dead' && Failed)) return 'failed'
  if (all.some(({ State }) => State === 'running')) return 'running'
  return all.some(({ State }) => State === 'pending') ? 'pending' : 'complete'
}

/** The members of an allocation that say how its tasks are. */
export function clientStatusFields(
  states: Readonly<Record<string, TaskState>>,
): Pick<Allocation, 'TaskStates' | 'ClientStatus' | 'ClientDescription'> {
  const ClientStatus = clientStatusOfTasks(Object.values(states))
  return { TaskStates: states, ClientStatus, ClientDescription: clientDescriptions[ClientStatus] }
}

/** An allocation; undefined for an unknown one. */
export function findAllocation(world: World, id: string): Allocation | undefined {
  return world.table(allocations).get(id)
}

/** An allocation. Refuses an unknown one (404). */
export function requireAllocation(world: World, id: string): Allocation {
  const found = findAllocation(world, id)
  if (found === undefined) throw refuse('alloc-not-found')
  return found
}

/** Every allocation under a job's ID, earlier jobs' too, in order of ID. */
export function allAllocationsOf(world: World, namespace: string, id: string): Allocation[] {
  return [...world.table(allocations).index('byJob').rows(jobItemPrefix(namespace, id))]
}

/**
 * A job's allocations as the API lists them, in order of ID: without `all` only those of the job that
 * has the ID now; all of them when there is none (behaviour/scheduler#jobs, allocations).
 */
export function allocationsOf(
  world: World,
  namespace: string,
  id: string,
  all: boolean,
): Allocation[] {
  const found = allAllocationsOf(world, namespace, id)
  const job = findJob(world, namespace, id)
  if (all || job === undefined) return found
  return found.filter((allocation) => allocation.Job?.CreateIndex === job.CreateIndex)
}

/** A job's allocations that are not terminal, in order of ID. */
export function nonTerminalAllocationsOf(
  world: World,
  namespace: string,
  id: string,
): Allocation[] {
  return [...world.table(allocations).index('open').rows(jobItemPrefix(namespace, id))]
}

/**
 * The allocations under a job's ID that say what it still needs, in order of ID. Few, however often a job
 * failed or was launched.
 *
 * @param job as it has to be; undefined when it is gone
 */
export function relevantAllocationsOf(
  world: World,
  namespace: string,
  id: string,
  job: Job | undefined,
): Allocation[] {
  const nonTerminal = nonTerminalAllocationsOf(world, namespace, id)
  if (job === undefined) return nonTerminal
  const { prefix, from } = remainingRange(job)
  const remaining = world.table(allocations).index('remaining').entries(prefix, from)
  const found = Array.from(remaining, ([, allocation]) => allocation)
  return found.length === 0
    ? nonTerminal
    : [...nonTerminal, ...found].sort((a, b) => (a.ID < b.ID ? -1 : 1))
}

/** The allocations that an evaluation made, or was the last to change, in order of ID. */
export function allocationsOfEvaluation(world: World, id: string): Allocation[] {
  return [...world.table(allocations).index('byEvaluation').rows(`${id} `)]
}

/** Every allocation in order of ID. */
export function allAllocations(world: World): Allocation[] {
  return [...world.table(allocations).rows()]
}

/** The same with what it was given. */
export function allocationStubWithResources(allocation: Allocation): AllocationStub {
  return { ...allocationStub(allocation), AllocatedResources: allocation.AllocatedResources }
}

/** An allocation as lists show it. */
export function allocationStub(allocation: Allocation): AllocationStub {
  const {
    Job: _job,
    DeploymentID: _deployment,
    AllocatedResources: _allocated,
    NetworkStatus: _network,
    Metrics: _metrics,
    AllocModifyIndex: _index,
    NodeTerminal: _terminal,
    ...listed
  } = allocation
  return listed
}
