import { formatTimestamp } from '../../kernel/time.ts'
import type { World } from '../../kernel/world.ts'
import { jobKey } from '../keys.ts'
import { jobOf } from '../records/store.ts'
import type { Allocation } from './allocation-shapes.ts'
import { changeAllocation, zeroTime } from './allocations.ts'
import { type DrainEvent, drainMachine, drainState } from './drain-machine.ts'
import { nextToLeave } from './drain-order.ts'
import { createEvaluation } from './evaluations.ts'
import { allocationsOnNode } from './node-allocations.ts'
import { type NodeHappening, withEvent } from './node-events.ts'
import type { DrainStrategy, LastDrain, Node } from './node-shapes.ts'
import { writeNode } from './nodes.ts'
import { isTerminal } from './standing.ts'
import { cancelStep, scheduleStep, scheduleStepAt, stepNames } from './steps.ts'
import { nodes } from './tables.ts'

/** How a node is to be drained. */
export type DrainSpec = Pick<DrainStrategy, 'Deadline' | 'IgnoreSystemJobs'>

/** Who wanted it, and what they noted; what is empty stays as it was. */
export type DrainOrder = Partial<Pick<LastDrain, 'AccessorID' | 'Meta'>>

const happenings: Readonly<Record<DrainEvent, NodeHappening>> = {
  set: 'drainSet',
  update: 'drainUpdated',
  complete: 'drainComplete',
  cancel: 'drainDisabled',
}

/** The step of the agenda at which the time of a drain is over. */
const deadlineOf = (id: string) => `${id} deadline`

/**
 * Begins to drain a node, or goes on otherwise (behaviour/scheduler#node-endpoints): it takes
 * nothing new, and what is on it leaves step by step. Inside a transaction.
 */
export function startDrain(
  world: World,
  node: Node,
  { Deadline, IgnoreSystemJobs }: DrainSpec,
  order: DrainOrder = {},
): Node {
  const { ID, DrainStrategy: before } = node
  cancelStep(world, stepNames.drain, deadlineOf(ID))
  const due =
    Deadline > 0
      ? scheduleStep(world, stepNames.drain, deadlineOf(ID), { floored: Deadline })
      : undefined
  scheduleStep(world, stepNames.drain, ID, { option: 'evalDelay' })
  const strategy = {
    Deadline,
    IgnoreSystemJobs,
    ForceDeadline: due === undefined ? zeroTime : formatTimestamp(due),
    StartedAt: before?.StartedAt ?? formatTimestamp(world.clock.now()),
  }
  const change = { DrainStrategy: strategy, SchedulingEligibility: 'ineligible' }
  return moveDrain(world, node, before == null ? 'set' : 'update', { order, change })
}

/** A node is not drained any more. What was told to leave leaves. Inside a transaction. */
export function cancelDrain(world: World, node: Node, order: DrainOrder = {}): Node {
  return endDrain(world, node, 'cancel', { order })
}

interface DrainMove {
  readonly order?: DrainOrder
  readonly change?: Partial<Node>
  readonly details?: Readonly<Record<string, string>>
}

function endDrain(world: World, node: Node, event: DrainEvent, move: DrainMove): Node {
  forgetDrain(world, node.ID)
  return moveDrain(world, node, event, move)
}

/** No step of a node's draining is taken any more. Inside a transaction. */
export function forgetDrain(world: World, id: string): void {
  for (const step of [id, deadlineOf(id)]) cancelStep(world, stepNames.drain, step)
}

function moveDrain(
  world: World,
  node: Node,
  event: DrainEvent,
  { order, change, details }: DrainMove,
): Node {
  const at = formatTimestamp(world.clock.now())
  const Status = drainMachine.next(drainState(node), event, undefined)
  const before = event === 'set' ? null : node.LastDrain
  const LastDrain = { StartedAt: at, AccessorID: '', Meta: null, ...before, UpdatedAt: at, Status }
  return writeNode(world, {
    ...node,
    DrainStrategy: null,
    ...change,
    Drain: Status === 'draining',
    LastDrain: { ...LastDrain, ...order },
    Events: withEvent(world, node, happenings[event], details),
    StatusUpdatedAt: Math.floor(world.clock.now() / 1000),
  })
}

/** Has every node that is drained look at what is on it soon: something changed. Inside a transaction. */
export function drainsConcerned(world: World): void {
  for (const { ID } of world.table(nodes).index('draining').rows()) {
    scheduleStep(world, stepNames.drain, ID, { option: 'evalDelay' })
  }
}

/**
 * A step of a drain: tells what may leave by now to do so, and is done when nothing is left but system
 * jobs, which leave last; or its time is over, and all that is left leaves at once.
 *
 * @param id of the node, or `<node> deadline`
 */
export function drainStep(world: World, id: string): void {
  const [nodeId = '', isLate] = id.split(' ')
  const node = world.table(nodes).get(nodeId)
  const strategy = node?.DrainStrategy
  if (node === undefined || strategy == null) return
  if (isLate !== undefined || strategy.Deadline < 0) {
    finish(world, node, strategy, { deadline_reached: 'true' })
    return
  }
  const blocking = allocationsOnNode(world, nodeId).filter(({ JobType }) => JobType !== 'system')
  if (blocking.length === 0) {
    finish(world, node, strategy)
    return
  }
  const { leaving, again } = nextToLeave(world, blocking)
  moveOff(world, leaving)
  if (again !== undefined) scheduleStepAt(world, stepNames.drain, nodeId, again)
}

function finish(
  world: World,
  node: Node,
  { IgnoreSystemJobs }: DrainSpec,
  details?: Readonly<Record<string, string>>,
): void {
  const left = allocationsOnNode(world, node.ID)
  moveOff(
    world,
    left.filter(({ JobType }) => JobType !== 'system' || !IgnoreSystemJobs),
  )
  endDrain(world, node, 'complete', details === undefined ? {} : { details })
}

/**
 * Tells allocations to leave their nodes; the evaluation of each of their jobs finds them another place.
 * Inside a transaction.
 */
export function moveOff(world: World, allocations: readonly Allocation[]): void {
  const jobs = new Map<string, Allocation>()
  for (const allocation of allocations) {
    if (isTerminal(allocation) || allocation.DesiredTransition.Migrate === true) continue
    changeAllocation(world, allocation, {
      DesiredTransition: { ...allocation.DesiredTransition, Migrate: true },
    })
    jobs.set(jobKey(allocation.Namespace, allocation.JobID), allocation)
  }
  for (const { Namespace, JobID } of jobs.values()) {
    const job = jobOf(world, Namespace, JobID)
    if (job !== undefined) createEvaluation(world, { job, triggeredBy: 'node-drain' })
  }
}
