import { appendAll, greatest, least } from '../../../kernel/lists.ts'
import { defineMachine } from '../../../kernel/machine.ts'
import { formatTimestamp, parseTimestamp } from '../../../kernel/time.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import type { TaskGroup } from '../../job/job-shape.ts'
import { jobItemKey, jobKey } from '../../keys.ts'
import { findJob } from '../../records/store.ts'
import { changeAllocation, nonTerminalAllocationsOf } from '../allocations/allocations.ts'
import type { Allocation } from '../model/allocation-shapes.ts'
import { isTerminal } from '../model/allocation-status.ts'
import { createEvaluation } from '../model/evaluations.ts'
import type { DrainStrategy, LastDrain, Node } from '../model/node-shapes.ts'
import {
  cancelStep,
  scaledInterval,
  scheduleStep,
  scheduleStepAt,
  stepNames,
} from '../model/steps.ts'
import { allocationsOnNode, nodes } from '../model/tables.ts'
import { type NodeEventName, withEvent, writeNode } from './nodes.ts'

const spec = 'behaviour/scheduler#node-endpoints'

/** State machine of node drains. The state is `never` before the first drain. */
export const drainMachine = defineMachine()({
  name: 'drain',
  states: ['never', 'draining', 'complete', 'canceled'],
  moves: [
    { on: 'set', from: ['never', 'complete', 'canceled'], to: 'draining', spec },
    { on: 'update', from: 'draining', to: 'draining', spec },
    { on: 'complete', from: 'draining', to: 'complete', spec },
    { on: 'cancel', from: 'draining', to: 'canceled', spec },
  ],
})

type DrainState = (typeof drainMachine.states)[number]

type DrainEvent = (typeof drainMachine.moves)[number]['on']

export function drainStateOf({ DrainStrategy, LastDrain }: Node): DrainState {
  if (DrainStrategy != null) return 'draining'
  return LastDrain?.Status === 'complete' || LastDrain?.Status === 'canceled'
    ? LastDrain.Status
    : 'never'
}

/** Allocations that leave a draining node now, and the time of the next check. */
interface MigrationBatch {
  readonly migrations: readonly Allocation[]
  /**
   * Time of the next check, in milliseconds since 1970, unless a change causes an earlier check.
   * Undefined if no check is needed.
   */
  readonly recheckAt: number | undefined
}

const noMigrations: MigrationBatch = { migrations: [], recheckAt: undefined }

type Migrate = NonNullable<TaskGroup['Migrate']>

/**
 * Selects the allocations that leave a draining node now (behaviour/scheduler#node-endpoints). A
 * service group keeps at least `Count - Migrate.MaxParallel` healthy allocations, unless it has
 * fewer already. Batch jobs may run to completion.
 * @param remainingAllocations allocations on the node that have not ended
 */
function nextMigrations(world: World, remainingAllocations: readonly Allocation[]): MigrationBatch {
  const groups = new Map<string, Allocation[]>()
  for (const allocation of remainingAllocations) {
    if (allocation.JobType !== 'service' || !isStaying(allocation)) continue
    const { Namespace, JobID, TaskGroup } = allocation
    const key = jobItemKey(Namespace, JobID, TaskGroup)
    groups.set(key, [...(groups.get(key) ?? []), allocation])
  }
  const migrations: Allocation[] = []
  const allRecheckTimes: number[] = []
  for (const candidates of groups.values()) {
    const { groupMigrations, recheckTimes } = nextGroupMigrations(world, candidates)
    appendAll(migrations, groupMigrations)
    appendAll(allRecheckTimes, recheckTimes)
  }
  return {
    migrations,
    recheckAt: allRecheckTimes.length === 0 ? undefined : least(allRecheckTimes),
  }
}

function isStaying(allocation: Allocation): boolean {
  return allocation.DesiredStatus === 'run' && !isMigrating(allocation)
}

/**
 * Selects the allocations of one group that leave the node now, and returns the times at which more
 * may leave, in milliseconds since 1970.
 *
 * @param candidates allocations of the group on the node; not empty
 */
function nextGroupMigrations(world: World, candidates: readonly Allocation[]) {
  const [{ Namespace, JobID, TaskGroup }] = candidates as [Allocation, ...Allocation[]]
  const group = findJob(world, Namespace, JobID)?.TaskGroups?.find(({ Name }) => Name === TaskGroup)
  // Allocations of a group that no longer exists are stopped by the next evaluation instead.
  if (group?.Migrate == null) return { groupMigrations: [], recheckTimes: [] }
  const { Migrate, Count } = group
  const now = world.clock.now()
  const healthTimes = nonTerminalAllocationsOf(world, Namespace, JobID)
    .filter((one) => one.TaskGroup === TaskGroup && isStaying(one))
    .map((one) => healthKnownAt(world, one, Migrate))
  const healthy = healthTimes.filter((at) => at <= now).length
  const allowed = Math.max(0, healthy - (Number(Count) - Number(Migrate.MaxParallel)))
  return {
    groupMigrations: candidates.slice(0, allowed),
    recheckTimes: allowed < candidates.length ? healthTimes.filter((at) => at > now) : [],
  }
}

/**
 * Returns the time at which the health of an allocation will be known, in milliseconds since 1970.
 * Returns 0 if the health is known already.
 */
function healthKnownAt(world: World, allocation: Allocation, migrateBlock: Migrate): number {
  const { ClientStatus, CreateTime, DeploymentStatus, TaskStates } = allocation
  if (DeploymentStatus?.Healthy != null) return 0
  const deadline = CreateTime / 1_000_000 + scaledInterval(world, migrateBlock.HealthyDeadline)
  if (ClientStatus !== 'running') return deadline
  const started = Object.values(TaskStates ?? {}).map(
    ({ StartedAt }) => parseTimestamp(StartedAt ?? '') ?? 0,
  )
  return Math.min(deadline, greatest(started) + scaledInterval(world, migrateBlock.MinHealthyTime))
}

export type DrainSpec = Pick<DrainStrategy, 'Deadline' | 'IgnoreSystemJobs'>

/**
 * Caller (`AccessorID`) and metadata of a drain request. If a member is left out, a request that
 * changes or ends a drain keeps the member's earlier value, and a request that starts a drain
 * stores an empty value.
 */
export type DrainAuthor = Partial<Pick<LastDrain, 'AccessorID' | 'Meta'>>

const eventNames: Readonly<Record<DrainEvent, NodeEventName>> = {
  set: 'drainSet',
  update: 'drainUpdated',
  complete: 'drainComplete',
  cancel: 'drainDisabled',
}

const deadlineStepId = (id: string) => `${id} deadline`

/**
 * Starts or changes the drain of a node (behaviour/scheduler#node-endpoints). The node accepts no
 * new allocations, and its allocations leave step by step. Must run inside a transaction.
 */
export function startDrain(
  world: World,
  node: Node,
  { Deadline, IgnoreSystemJobs }: DrainSpec,
  author: DrainAuthor = {},
): Node {
  const { ID, DrainStrategy: before } = node
  cancelStep(world, stepNames.drain, deadlineStepId(ID))
  const due =
    Deadline > 0
      ? scheduleStep(world, stepNames.drain, deadlineStepId(ID), { unskippable: Deadline })
      : undefined
  scheduleStep(world, stepNames.drain, ID, { option: 'evalDelay' })
  const drainStrategy = {
    Deadline,
    IgnoreSystemJobs,
    ForceDeadline: due === undefined ? null : formatTimestamp(due),
    StartedAt: before?.StartedAt ?? formatTimestamp(world.clock.now()),
  }
  const change = { DrainStrategy: drainStrategy, SchedulingEligibility: 'ineligible' }
  return changeDrain(world, node, before == null ? 'set' : 'update', { author, change })
}

/**
 * Ends the drain of a node. Allocations that were asked to leave still leave. Must run inside a
 * transaction.
 */
export function cancelDrain(world: World, node: Node, author: DrainAuthor = {}): Node {
  return endDrain(world, node, 'cancel', { author })
}

interface DrainChange {
  readonly author?: DrainAuthor
  readonly change?: Partial<Node>
  readonly details?: Readonly<Record<string, string>>
}

function endDrain(world: World, node: Node, event: DrainEvent, drainChange: DrainChange): Node {
  cancelDrainSteps(world, node.ID)
  return changeDrain(world, node, event, drainChange)
}

export function cancelDrainSteps(world: World, id: string): void {
  for (const step of [id, deadlineStepId(id)]) cancelStep(world, stepNames.drain, step)
}

function changeDrain(
  world: World,
  node: Node,
  event: DrainEvent,
  { author, change, details }: DrainChange,
): Node {
  const at = formatTimestamp(world.clock.now())
  const Status = drainMachine.next(drainStateOf(node), event, undefined)
  const before = event === 'set' ? null : node.LastDrain
  const LastDrain = { StartedAt: at, AccessorID: '', Meta: null, ...before, UpdatedAt: at, Status }
  return writeNode(world, {
    ...node,
    DrainStrategy: null,
    ...change,
    Drain: Status === 'draining',
    LastDrain: { ...LastDrain, ...author },
    Events: withEvent(world, node, eventNames[event], details),
    StatusUpdatedAt: Math.floor(world.clock.now() / 1000),
  })
}

/**
 * Schedules a check of every draining node, because a change may allow more allocations to leave.
 * Must run inside a transaction.
 */
export function recheckDrains(world: World): void {
  for (const { ID } of world.table(nodes).index('draining').rows()) {
    scheduleStep(world, stepNames.drain, ID, { option: 'evalDelay' })
  }
}

/**
 * Requests the migration of every allocation that may leave now. Completes the drain when only
 * allocations of system jobs are left, at the deadline, or at once if `Deadline` is negative. When
 * the drain completes, all remaining allocations are asked to leave, except allocations of system
 * jobs if the drain ignores system jobs. Must run inside a transaction.
 *
 * @param id the node's ID, or `<node> deadline`
 */
export function drainStep(world: World, id: string): void {
  const [nodeId = '', deadlineSuffix] = id.split(' ')
  const node = world.table(nodes).get(nodeId)
  const drainStrategy = node?.DrainStrategy
  if (node === undefined || drainStrategy == null) return
  const isForced = drainStrategy.Deadline < 0
  const remainingAllocations = allocationsOnNode(world, nodeId).filter(
    ({ JobType }) => JobType !== 'system',
  )
  const isOver = deadlineSuffix !== undefined || remainingAllocations.length === 0
  const { migrations, recheckAt } = isOver
    ? noMigrations
    : nextMigrations(world, remainingAllocations)
  requestMigration(world, migrations)
  if (isOver || isForced) {
    // In the reference, the watcher of deadlines ends a forced drain as well, so the event reports
    // that the deadline was reached.
    const isReached = isForced || deadlineSuffix !== undefined
    completeDrain(world, node, drainStrategy, isReached ? { deadline_reached: 'true' } : undefined)
    return
  }
  if (recheckAt !== undefined) scheduleStepAt(world, stepNames.drain, nodeId, recheckAt)
}

function completeDrain(
  world: World,
  node: Node,
  { IgnoreSystemJobs }: DrainSpec,
  details?: Readonly<Record<string, string>>,
): void {
  const leavingAllocations = allocationsOnNode(world, node.ID).filter(
    (allocation) =>
      !isTerminal(allocation) && (allocation.JobType !== 'system' || !IgnoreSystemJobs),
  )
  markMigrating(world, leavingAllocations)
  evaluateJobsOf(world, leavingAllocations)
  endDrain(world, node, 'complete', details === undefined ? {} : { details })
}

/**
 * Asks allocations to leave their nodes, and creates an evaluation for each of their jobs to place
 * replacements. Must run inside a transaction.
 */
export function requestMigration(world: World, allocations: readonly Allocation[]): void {
  const staying = allocations.filter(
    (allocation) => !isTerminal(allocation) && !isMigrating(allocation),
  )
  markMigrating(world, staying)
  evaluateJobsOf(world, staying)
}

function isMigrating({ DesiredTransition }: Allocation): boolean {
  return DesiredTransition.Migrate === true
}

function markMigrating(world: World, allocations: readonly Allocation[]): void {
  for (const allocation of allocations) {
    if (isMigrating(allocation)) continue
    changeAllocation(world, allocation, {
      DesiredTransition: { ...allocation.DesiredTransition, Migrate: true },
    })
  }
}

function evaluateJobsOf(world: World, allocations: readonly Allocation[]): void {
  const jobs = new Map(
    allocations.map((each) => [jobKey(each.Namespace, each.JobID), each] as const),
  )
  for (const { Namespace, JobID } of jobs.values()) {
    const job = findJob(world, Namespace, JobID)
    if (job !== undefined) createEvaluation(world, { job, triggeredBy: 'node-drain' })
  }
}
