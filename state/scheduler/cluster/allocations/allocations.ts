import type { World } from '../../../kernel/worlds/world.ts'
import { nextIndex } from '../../indexes.ts'
import type { Job, TaskGroup } from '../../job/job-shape.ts'
import { jobItemPrefix } from '../../keys.ts'
import { findJob } from '../../records/store.ts'
import type { Allocation, AllocationStub, TaskState } from '../model/allocation-shapes.ts'
import { relevantTerminalRange } from '../model/allocation-status.ts'
import { toNanoseconds } from '../model/evaluations.ts'
import { countAllocation } from '../model/job-summaries.ts'
import { refuse } from '../model/messages.ts'
import type { Node } from '../model/node-shapes.ts'
import type { PlacementMetrics } from '../model/placement-shapes.ts'
import { allocations } from '../model/tables.ts'
import { allocatedResources } from './allocation-resources.ts'

interface AllocationSpec {
  readonly evaluationId: string
  readonly job: Job
  readonly group: TaskGroup
  readonly name: string
  readonly node: Node
  readonly metrics: PlacementMetrics
  readonly deploymentId: string
  readonly isCanary: boolean
  readonly previous: Allocation | undefined
  readonly rescheduleTracker: Allocation['RescheduleTracker']
}

/**
 * Creates an allocation with the status `pending`. The caller must pass the new allocation to
 * `countNewAllocations`, together with the other new allocations of the evaluation. Must run inside
 * a transaction.
 */
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
    DesiredTransition: {
      Migrate: null,
      Reschedule: null,
      ForceReschedule: null,
      NoShutdownDelay: null,
    },
    ClientStatus: 'pending',
    ClientDescription: '',
    DeploymentStatus: spec.isCanary
      ? { Healthy: null, Timestamp: null, Canary: true, ModifyIndex: 0 }
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
  world.table(allocations).put(allocation.ID, allocation)
  return allocation
}

/** Updates an allocation and the summary of its job. Must run inside a transaction. */
export function changeAllocation(world: World, before: Allocation, change: Partial<Allocation>) {
  const after: Allocation = {
    ...before,
    ...change,
    ModifyIndex: nextIndex(world),
    ModifyTime: toNanoseconds(world.clock.now()),
  }
  world.table(allocations).put(after.ID, after)
  countAllocation(world, before, after)
  return after
}

/** The `ClientDescription` for each client status (behaviour/scheduler#allocations). */
const clientDescriptions: Readonly<Record<ClientStatus, string>> = {
  pending: 'No tasks have started',
  running: 'Tasks are running',
  complete: 'All tasks have completed',
  failed: 'Failed tasks',
}

type ClientStatus = 'pending' | 'running' | 'complete' | 'failed'

/**
 * Derives the client status from the tasks: `failed` if any task failed, otherwise `running` if any
 * task is running, otherwise `pending` if any task is pending, otherwise `complete`.
 */
function clientStatusOfTasks(states: Iterable<TaskState>): ClientStatus {
  const all = [...states]
  if (all.some(({ State, Failed }) => State === 'dead' && Failed)) return 'failed'
  if (all.some(({ State }) => State === 'running')) return 'running'
  return all.some(({ State }) => State === 'pending') ? 'pending' : 'complete'
}

/** Derives those members of an allocation that depend on the states of its tasks. */
export function clientStatusFields(
  states: Readonly<Record<string, TaskState>>,
): Pick<Allocation, 'TaskStates' | 'ClientStatus' | 'ClientDescription'> {
  const ClientStatus = clientStatusOfTasks(Object.values(states))
  return { TaskStates: states, ClientStatus, ClientDescription: clientDescriptions[ClientStatus] }
}

export function findAllocation(world: World, id: string): Allocation | undefined {
  return world.table(allocations).get(id)
}

/**
 * Returns the allocation with this ID.
 * @throws Refusal 404 if no allocation has the ID
 */
export function requireAllocation(world: World, id: string): Allocation {
  const found = findAllocation(world, id)
  if (found === undefined) throw refuse('alloc-not-found')
  return found
}

/**
 * Returns all allocations with a job's ID, including those of earlier jobs with the ID, ordered by
 * ID.
 */
export function allAllocationsOf(world: World, namespace: string, id: string): Allocation[] {
  return [...world.table(allocations).index('byJob').rows(jobItemPrefix(namespace, id))]
}

/**
 * Returns a job's allocations, ordered by ID (behaviour/scheduler#jobs, allocations). Unless
 * `includesEarlierJobs` is true, leaves out allocations of earlier jobs with the same ID. If the
 * job no longer exists, returns all allocations with the job ID.
 */
export function allocationsOf(
  world: World,
  namespace: string,
  id: string,
  includesEarlierJobs: boolean,
) {
  const found = allAllocationsOf(world, namespace, id)
  const job = findJob(world, namespace, id)
  if (includesEarlierJobs || job === undefined) return found
  return found.filter((allocation) => allocation.Job?.CreateIndex === job.CreateIndex)
}

/** Returns a job's allocations that are not terminal, ordered by ID. */
export function nonTerminalAllocationsOf(world: World, namespace: string, id: string) {
  return [...world.table(allocations).index('open').rows(jobItemPrefix(namespace, id))]
}

/**
 * Returns the allocations with a job's ID that an evaluation has to consider, ordered by ID. Leaves
 * out the terminal allocations that `isRelevantTerminal` rejects, so that the list stays short even
 * after many failures or launches of the job.
 * @param job the desired job; undefined if it was purged
 */
export function relevantAllocationsOf(
  world: World,
  namespace: string,
  id: string,
  job: Job | undefined,
): Allocation[] {
  const nonTerminalAllocations = nonTerminalAllocationsOf(world, namespace, id)
  if (job === undefined) return nonTerminalAllocations
  const { prefix, from } = relevantTerminalRange(job)
  const remaining = world.table(allocations).index('relevantTerminal').entries(prefix, from)
  const found = Array.from(remaining, ([, allocation]) => allocation)
  return found.length === 0
    ? nonTerminalAllocations
    : [...nonTerminalAllocations, ...found].sort((a, b) => (a.ID < b.ID ? -1 : 1))
}

/**
 * Returns the allocations that an evaluation created or was the last to update in place, ordered by
 * ID.
 */
export function allocationsOfEvaluation(world: World, id: string): Allocation[] {
  return [...world.table(allocations).index('byEvaluation').rows(`${id} `)]
}

export function allAllocations(world: World): Allocation[] {
  return [...world.table(allocations).rows()]
}

/**
 * Returns the list stub of an allocation with its resources, for lists whose request asks for
 * resources.
 */
export function allocationStubWithResources(allocation: Allocation): AllocationStub {
  return { ...allocationStub(allocation), AllocatedResources: allocation.AllocatedResources }
}

/** Converts an allocation to its list stub, without members that are large or internal. */
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
