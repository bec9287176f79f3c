import { quoteGo } from '../../go/text.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { nextIndex } from '../indexes.ts'
import { findJob } from '../records/store.ts'
import { evaluateNode } from './evaluations/node-evaluations.ts'
import { unblockEvaluations } from './model/evaluations.ts'
import { refuse } from './model/messages.ts'
import type { Node } from './model/node-shapes.ts'
import type { Evaluation } from './model/placement-shapes.ts'
import { allocationsOnNode, nodes } from './model/tables.ts'
import {
  cancelDrain,
  cancelDrainSteps,
  type DrainAuthor,
  type DrainSpec,
  drainStep,
  requestMigration,
  startDrain,
} from './nodes/node-drain.ts'
import { withEvent, writeNode } from './nodes/nodes.ts'
import { markLost, reconnect } from './tasks/disconnection.ts'
import { pauseTasks } from './tasks/task-instances.ts'
import { resumeTasks } from './tasks/task-runtime.ts'

/** Events that change a node's status or eligibility. */
export type NodeStateChange =
  | 'down'
  | 'ready'
  | 'disconnected'
  | 'ineligible'
  | 'eligible'
  | 'drained'

const unreachableStatuses: ReadonlySet<string> = new Set(['down', 'disconnected'])

function stateChangeFields(world: World, node: Node, change: Exclude<NodeStateChange, 'drained'>) {
  const StatusUpdatedAt = Math.floor(world.clock.now() / 1000)
  switch (change) {
    case 'down':
    case 'disconnected':
      return {
        Status: change,
        StatusUpdatedAt,
        ...(unreachableStatuses.has(node.Status)
          ? {}
          : {
              Events: withEvent(world, node, 'missed'),
              LastMissedHeartbeatIndex: nextIndex(world),
            }),
      }
    case 'ready':
      return {
        Status: 'ready',
        Drain: false,
        SchedulingEligibility: 'eligible',
        StatusUpdatedAt,
        LastMissedHeartbeatIndex: 0,
        ...(unreachableStatuses.has(node.Status) ? { Events: withEvent(world, node, 'back') } : {}),
      }
    case 'ineligible':
      return {
        SchedulingEligibility: 'ineligible',
        StatusUpdatedAt,
        Events: withEvent(world, node, 'ineligible'),
      }
    case 'eligible':
      return {
        SchedulingEligibility: 'eligible',
        Drain: false,
        StatusUpdatedAt,
        Events: withEvent(world, node, 'eligible'),
      }
  }
}

/**
 * Applies a state change to a node and returns the node (behaviour/scheduler#node-endpoints). The
 * change `drained` starts a drain. `down` and `disconnected` pause the tasks on the node; the other
 * changes resume the tasks if the node was not ready before. After `ready` and `eligible`, blocked
 * evaluations are retried. After every change except `drained` and `ineligible`, the node's jobs
 * are evaluated. Must run inside a transaction.
 */
export function applyNodeStateChange(world: World, node: Node, change: NodeStateChange): Node {
  if (change === 'drained') return drainAtOnce(world, node)
  const endsDrain = node.DrainStrategy != null && (change === 'ready' || change === 'eligible')
  const before = endsDrain ? cancelDrain(world, node) : node
  const changed = writeNode(world, { ...before, ...stateChangeFields(world, before, change) })
  for (const allocation of allocationsOnNode(world, node.ID)) {
    if (unreachableStatuses.has(change)) pauseTasks(world, allocation)
    else if (allocation.ClientStatus === 'unknown') {
      if (change === 'ready') reconnect(world, allocation)
    } else if (node.Status !== 'ready') resumeTasks(world, allocation)
  }
  if (change === 'ready' || change === 'eligible') unblockEvaluations(world)
  if (change !== 'ineligible') evaluateNode(world, changed, { evenIfPending: false })
  return changed
}

/** Drains a node without the limits of migrate blocks: all allocations migrate at the same time. */
function drainAtOnce(world: World, node: Node): Node {
  const draining = startDrain(world, node, { Deadline: 0, IgnoreSystemJobs: false })
  const remainingAllocations = allocationsOnNode(world, node.ID)
  requestMigration(world, remainingAllocations)
  if (remainingAllocations.length === 0) drainStep(world, node.ID)
  return draining
}

/**
 * Result of a write to a node, from which the reply is built (behaviour/scheduler#node-endpoints).
 */
export interface NodeWriteResult {
  /** Index of the write; 0 if nothing was written. */
  readonly index: number
  /** The evaluations that the write created. */
  readonly evaluations: readonly Evaluation[]
}

/**
 * Returns the node with this ID.
 * @throws Refusal 500 if no node has the ID
 */
function requireNodeForWrite(world: World, id: string): Node {
  const node = world.table(nodes).get(id)
  if (node === undefined) throw refuse('node-unknown')
  return node
}

/**
 * Sets whether a node accepts new allocations. If the node becomes eligible, retries blocked
 * evaluations and evaluates the node's jobs. Writes nothing if the eligibility does not change.
 *
 * @param checkId throws a refusal for an invalid ID; called after the eligibility was validated
 * @throws Refusal 500 for an invalid value, an unknown node, and a draining node that would become
 *   eligible
 */
export function setEligibility(
  world: World,
  id: string,
  eligibility: string,
  checkId: (id: string) => void,
): NodeWriteResult {
  if (eligibility !== 'eligible' && eligibility !== 'ineligible') {
    throw refuse('eligibility-invalid', { eligibility: quoteGo(eligibility) })
  }
  checkId(id)
  const node = requireNodeForWrite(world, id)
  const isEligible = eligibility === 'eligible'
  if (isEligible && node.DrainStrategy != null) throw refuse('eligibility-draining')
  if (node.SchedulingEligibility === eligibility) return { index: 0, evaluations: [] }
  return world.write(() => {
    const changed = writeNode(world, {
      ...node,
      SchedulingEligibility: eligibility,
      StatusUpdatedAt: Math.floor(world.clock.now() / 1000),
      Events: withEvent(world, node, eligibility),
    })
    return {
      index: changed.ModifyIndex,
      evaluations: isEligible ? evaluateEligibleNode(world, changed) : [],
    }
  })
}

/** Retries blocked evaluations and evaluates the jobs of a node that has become eligible. */
function evaluateEligibleNode(world: World, node: Node): readonly Evaluation[] {
  unblockEvaluations(world)
  return evaluateNode(world, node, { evenIfPending: true })
}

interface DrainUpdate {
  /** Settings of the drain; undefined to end the current drain. */
  readonly spec: DrainSpec | undefined
  /** True if a request that ends a drain makes the node eligible as well. */
  readonly markEligible: boolean
  readonly author: DrainAuthor
}

/**
 * Starts, changes or ends the drain of a node. If the node becomes eligible, retries blocked
 * evaluations and evaluates the node's jobs.
 *
 * @throws Refusal 500 if no node has the ID
 */
export function updateDrain(
  world: World,
  id: string,
  { spec, markEligible, author }: DrainUpdate,
): NodeWriteResult {
  const node = requireNodeForWrite(world, id)
  return world.write(() => {
    if (spec !== undefined) {
      return { index: startDrain(world, node, spec, author).ModifyIndex, evaluations: [] }
    }
    const undrainedNode = node.DrainStrategy == null ? node : cancelDrain(world, node, author)
    const becomesEligible = markEligible && node.SchedulingEligibility === 'ineligible'
    const changed = writeNode(world, {
      ...undrainedNode,
      StatusUpdatedAt: Math.floor(world.clock.now() / 1000),
      ...(becomesEligible ? { SchedulingEligibility: 'eligible' } : {}),
    })
    return {
      index: changed.ModifyIndex,
      evaluations: becomesEligible ? evaluateEligibleNode(world, changed) : [],
    }
  })
}

/**
 * Creates an evaluation for each job of a node. If the node has no jobs, the result has the index
 * 0.
 *
 * @throws Refusal 500 if no node has the ID
 */
export function forceEvaluation(
  world: World,
  id: string,
): NodeWriteResult & { readonly node: Node } {
  const node = requireNodeForWrite(world, id)
  return world.write(() => {
    const evaluations = evaluateNode(world, node, { evenIfPending: true })
    return { node, evaluations, index: evaluations.length === 0 ? 0 : nextIndex(world) }
  })
}

/**
 * Deletes a node and evaluates its jobs. The allocations on the node become lost, at once or when
 * the evaluations are processed.
 *
 * @throws Refusal 500 if no node has the ID
 */
export function purgeNode(world: World, id: string): NodeWriteResult {
  const node = requireNodeForWrite(world, id)
  return world.write(() => {
    cancelDrainSteps(world, id)
    world.table(nodes).delete(id)
    for (const allocation of allocationsOnNode(world, id)) {
      const job = findJob(world, allocation.Namespace, allocation.JobID)
      // No evaluation marks the allocation as lost if its job does not exist or if it is stopping
      // already.
      if (job === undefined || allocation.DesiredStatus !== 'run') markLost(world, allocation)
      else pauseTasks(world, allocation)
    }
    const index = nextIndex(world)
    const removed = { ...node, ModifyIndex: index }
    return { index, evaluations: evaluateNode(world, removed, { evenIfPending: true }) }
  })
}
