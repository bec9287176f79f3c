import { formatTimestamp } from '../../kernel/time.ts'
import type { World } from '../../kernel/world.ts'
import { isLauncher, jobOf } from '../records/store.ts'
import { jobs } from '../records/tables.ts'
import { changeAllocation } from './allocations.ts'
import { reconnect } from './disconnection.ts'
import { createEvaluation, isAwaited, unblockEvaluations } from './evaluations.ts'
import { allocationsOnNode } from './node-allocations.ts'
import { finishDrain } from './node-drain.ts'
import type { Node } from './node-shapes.ts'
import { writeNode } from './nodes.ts'
import { pauseTasks } from './task-actors.ts'
import { resumeTasks } from './task-life.ts'

/** The events of a node. */
export type NodeEvent = 'down' | 'ready' | 'disconnected' | 'ineligible' | 'eligible' | 'drained'

function changeOf(world: World, _node: Node, event: NodeEvent): Partial<Node> {
  const at = formatTimestamp(world.clock.now())
  switch (event) {
    case 'down':
    case 'disconnected':
      return { Status: event, StatusUpdatedAt: Math.floor(world.clock.now() / 1000) }
    case 'ready':
      return {
        Status: 'ready',
        Drain: false,
        SchedulingEligibility: 'eligible',
        StatusUpdatedAt: Math.floor(world.clock.now() / 1000),
      }
    case 'ineligible':
      return { SchedulingEligibility: 'ineligible' }
    case 'eligible':
      return { SchedulingEligibility: 'eligible', Drain: false }
    case 'drained':
      return {
        Drain: true,
        SchedulingEligibility: 'ineligible',
        LastDrain: { StartedAt: at, UpdatedAt: at, Status: 'draining', AccessorID: '', Meta: null },
      }
  }
}

/**
 * Something happens to a node: what was on it is placed anew, and what waits for room may find some
 * (3b-scheduler-decisions.md section 7, Evaluation: node-update). Inside a transaction.
 */
export function changeNode(world: World, node: Node, event: NodeEvent): Node {
  const changed = finishDrain(world, writeNode(world, { ...node, ...changeOf(world, node, event) }))
  const concerned = new Set<string>()
  for (const allocation of allocationsOnNode(world, node.ID)) {
    concerned.add(`${allocation.Namespace} ${allocation.JobID}`)
    if (event === 'drained') {
      changeAllocation(world, allocation, {
        DesiredTransition: { ...allocation.DesiredTransition, Migrate: true },
      })
    } else if (event === 'down' || event === 'disconnected') pauseTasks(world, allocation)
    else if (allocation.ClientStatus === 'unknown') {
      if (event === 'ready') reconnect(world, allocation)
    } else if (node.Status !== 'ready') resumeTasks(world, allocation)
  }
  if (event === 'ready' || event === 'eligible') {
    unblockEvaluations(world)
    // All jobs are looked at, but only as often as a node comes back.
    for (const [key, job] of world.table(jobs).entries()) {
      if (isSystem(job.Type) && !job.Stop && !isLauncher(job)) concerned.add(key)
    }
  }
  if (event !== 'ineligible') for (const key of concerned) evaluate(world, key, changed)
  return changed
}

function isSystem(type: string): boolean {
  return type === 'system' || type === 'sysbatch'
}

function evaluate(world: World, key: string, node: Node): void {
  const blank = key.indexOf(' ')
  const namespace = key.slice(0, blank)
  const job = jobOf(world, namespace, key.slice(blank + 1))
  if (job === undefined || isAwaited(world, namespace, job.ID, 'node-update')) return
  createEvaluation(world, {
    job,
    triggeredBy: 'node-update',
    nodeId: node.ID,
    nodeModifyIndex: node.ModifyIndex,
  })
}
