import { World as KernelWorld, type World } from '../../../state/kernel/worlds/world.ts'
import { allocationsOf } from '../../../state/scheduler/cluster/allocations/allocations.ts'
import { clusterTransitions } from '../../../state/scheduler/cluster/cluster-transitions.ts'
import type {
  Allocation,
  TaskEvent,
  TaskState,
} from '../../../state/scheduler/cluster/model/allocation-shapes.ts'
import {
  createEvaluation,
  evaluationsOf,
} from '../../../state/scheduler/cluster/model/evaluations.ts'
import { ensureSummary } from '../../../state/scheduler/cluster/model/job-summaries.ts'
import type { Evaluation } from '../../../state/scheduler/cluster/model/placement-shapes.ts'
import { nodes } from '../../../state/scheduler/cluster/model/tables.ts'
import { seedNodePools } from '../../../state/scheduler/cluster/nodes/node-pools.ts'
import {
  type NodeSettings,
  putNode,
  seedNodes,
} from '../../../state/scheduler/cluster/nodes/nodes.ts'
import { clusterAgendaJobs } from '../../../state/scheduler/cluster/step-runner.ts'
import { schedulerName } from '../../../state/scheduler/indexes.ts'
import type { Job } from '../../../state/scheduler/job/job-shape.ts'
import type { SchedulerOptions } from '../../../state/scheduler/options.ts'
import type { GroupCounters } from '../../../state/scheduler/records/shapes.ts'
import { findJob, summaryOf, upsertJob } from '../../../state/scheduler/records/store.ts'
import { schedulerService } from '../../../state/scheduler/service.ts'
import { start } from '../kernel.ts'

/** Scheduler service with its cluster only. */
const clusterService = {
  ...schedulerService,
  jobs: clusterAgendaJobs,
  transitions: clusterTransitions,
  fixtures: {},
  seed: (world: World) => {
    world.store.setIndex(schedulerName, 9)
    seedNodePools(world)
    seedNodes(world)
  },
  load: () => {},
}

interface ClusterSettings {
  readonly options?: Partial<SchedulerOptions>
  /** Nodes instead of the default ones. */
  readonly nodes?: readonly NodeSettings[]
}

/** Returns a world with a cluster and a frozen clock; errors of jobs of the agenda are thrown. */
export function clusterWorld({ options = {}, nodes: own }: ClusterSettings = {}): World {
  const world = new KernelWorld({
    id: 'default',
    services: [clusterService],
    seed: 'test',
    clock: { mode: 'frozen', at: start },
    freezeRows: true,
    options: { scheduler: options },
    onError: (error) => {
      throw error
    },
  })
  if (own !== undefined) {
    world.write(() => {
      world.table(nodes).deleteAll('')
      for (const settings of own) putNode(world, settings)
    })
  }
  return world
}

/**
 * Stores a job with its summary and creates its evaluation, without the API's checks. Returns the
 * job as it is stored.
 */
export function register(world: World, job: Job): Job {
  const written = world.write(() => {
    const stored = upsertJob(world, { ...job, Stable: false })
    ensureSummary(world, stored)
    createEvaluation(world, { job: stored, triggeredBy: 'job-register' })
    return stored
  })
  return findJob(world, job.Namespace, job.ID) ?? written
}

/** Returns the job as it is stored. Throws if there is no such job. */
export function currentJob(world: World, id = 'example'): Job {
  const job = findJob(world, 'default', id)
  if (job === undefined) throw new Error(`no job ${id}`)
  return job
}

/** Returns the allocations of a job in order of creation and name. */
export function allocs(world: World, id = 'example'): Allocation[] {
  return allocationsOf(world, 'default', id, true).sort(
    (a, b) => a.CreateIndex - b.CreateIndex || (a.Name < b.Name ? -1 : 1),
  )
}

/**
 * Returns the allocation of a job at a position, the first by default. Throws if the job has no
 * allocation at the position.
 */
export function alloc(world: World, position = 0, id = 'example'): Allocation {
  const found = allocs(world, id)[position]
  if (found === undefined) throw new Error(`no allocation ${position} of ${id}`)
  return found
}

export function taskOf(allocation: Allocation, task = 'redis'): TaskState {
  const state = allocation.TaskStates?.[task]
  if (state === undefined) throw new Error(`no state of ${task}`)
  return state
}

/** Returns the messages of a task's events. Throws if the allocation has no state of the task. */
export function messages(allocation: Allocation, task = 'redis'): string[] {
  return (taskOf(allocation, task).Events ?? []).map(({ DisplayMessage }) => DisplayMessage)
}

/** Returns the types of a task's events. Throws if the allocation has no state of the task. */
export function eventsOf(allocation: Allocation, task = 'redis'): string[] {
  return (taskOf(allocation, task).Events ?? []).map(({ Type }) => Type)
}

/** Returns the name, job version, desired status and client status of each allocation. */
export function allocationOverview(world: World, id = 'example'): string[] {
  return allocs(world, id).map(
    ({ Name, ClientStatus, DesiredStatus, JobVersion }) =>
      `${Name} v${JobVersion} ${DesiredStatus}/${ClientStatus}`,
  )
}

/** Returns the evaluations of a job, oldest first. */
export function evals(world: World, id = 'example'): Evaluation[] {
  return evaluationsOf(world, 'default', id).sort((a, b) => a.CreateIndex - b.CreateIndex)
}

/** Returns the trigger and the status of each evaluation of a job, oldest first. */
export function evalOverview(world: World, id = 'example'): string[] {
  return evals(world, id).map(({ TriggeredBy, Status }) => `${TriggeredBy} ${Status}`)
}

/** Returns the counters of a group that are not 0. */
export function counters(world: World, group = 'cache', id = 'example'): Partial<GroupCounters> {
  const found = summaryOf(world, 'default', id)?.Summary?.[group] ?? {}
  return Object.fromEntries(Object.entries(found).filter(([, count]) => count !== 0))
}

export function forceTransition(
  world: World,
  kind: string,
  id: string,
  to: string,
  extras: Readonly<Record<string, unknown>> = {},
): void {
  world.transitions.get(kind)?.force(world, id, to, extras)
}

/** Returns the id of the node with a name. Throws if there is no such node. */
export function nodeId(world: World, name: string): string {
  const node = [...world.table(nodes).rows()].find(({ Name }) => Name === name)
  if (node === undefined) throw new Error(`no node ${name}`)
  return node.ID
}

/** Returns a task state with the given `State` and otherwise empty members. */
export function taskState(State: string): TaskState {
  return {
    State,
    Failed: false,
    Restarts: 0,
    LastRestart: null,
    StartedAt: null,
    FinishedAt: null,
    Events: null,
  }
}

/** Returns an event with all members; omitted ones are empty. */
export function event(Type: string, Time: number, change: Partial<TaskEvent> = {}): TaskEvent {
  return {
    Type,
    Time,
    FailsTask: false,
    RestartReason: '',
    SetupError: '',
    DriverError: '',
    ExitCode: 0,
    Signal: 0,
    Message: '',
    KillTimeout: 0,
    KillError: '',
    KillReason: '',
    StartDelay: 0,
    DownloadError: '',
    ValidationError: '',
    DiskLimit: 0,
    FailedSibling: '',
    SecretsError: '',
    TaskSignalReason: '',
    TaskSignal: '',
    DriverMessage: '',
    GenericSource: '',
    DisplayMessage: '',
    Details: {},
    ...change,
  }
}
