import { runParts } from '../../kernel/parts.ts'
import type { TransitionKind } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { findJob } from '../records/store.ts'
import { findAllocation } from './allocations/allocations.ts'
import { deploymentTransition } from './deployments/deployment-transitions.ts'
import { recordHealth } from './deployments/health.ts'
import { processCompletely } from './evaluations/processing.ts'
import type { Allocation } from './model/allocation-shapes.ts'
import { hasEnded } from './model/allocation-status.ts'
import { isActiveDeployment } from './model/deployment-machine.ts'
import { changeEvaluation, createEvaluation, hasPendingEvaluation } from './model/evaluations.ts'
import { refuse } from './model/messages.ts'
import type { Node } from './model/node-shapes.ts'
import type { Evaluation } from './model/placement-shapes.ts'
import { scheduleStep, stepNames } from './model/steps.ts'
import { allocations, deployments, evaluations, nodes } from './model/tables.ts'
import { applyNodeStateChange, type NodeStateChange } from './node-writes.ts'
import { allNodes } from './nodes/nodes.ts'
import { taskNames } from './placement/feasibility.ts'
import { markLost, markUnknown, reconnect } from './tasks/disconnection.ts'
import { stopAllocation } from './tasks/stopping.ts'
import { findTaskInstance } from './tasks/task-instances.ts'
import { exitTask, killTask } from './tasks/task-runtime.ts'
import {
  advanceTask,
  exitExtras,
  exitFromExtras,
  statusExtras,
  type TransitionExtras,
  taskTransition,
  textExtra,
} from './tasks/task-transitions.ts'

const targets = [
  'running',
  'complete',
  'failed',
  'lost',
  'unknown',
  'stop',
  'healthy',
  'unhealthy',
] as const

type AllocationTarget = (typeof targets)[number]

function reachableTargets(world: World, allocation: Allocation): readonly AllocationTarget[] {
  const { ClientStatus, DesiredStatus, DeploymentID } = allocation
  if (hasEnded(allocation)) return []
  const deployment = world.table(deployments).get(DeploymentID)
  const isWatched = deployment !== undefined && isActiveDeployment(deployment)
  return [
    ...(ClientStatus === 'running' ? [] : (['running'] as const)),
    'complete',
    'failed',
    'lost',
    ...(ClientStatus === 'unknown' ? [] : (['unknown'] as const)),
    ...(DesiredStatus === 'run' ? (['stop'] as const) : []),
    ...(isWatched ? (['healthy', 'unhealthy'] as const) : []),
  ]
}

/** The effect of each forced transition on an allocation. Must run inside a transaction. */
const forcedTransitions: Readonly<
  Record<AllocationTarget, (world: World, allocation: Allocation, extras: TransitionExtras) => void>
> = {
  running: (world, allocation) => {
    if (allocation.ClientStatus === 'unknown') reconnect(world, allocation)
    for (const task of taskNames(allocation)) {
      if (findTaskInstance(world, allocation.ID, task)?.runtime.waiting === false) {
        advanceTask(world, allocation.ID, task, 'running')
      }
    }
  },
  complete: (world, allocation, extras) => {
    for (const task of taskNames(allocation)) endTask(world, allocation, task, extras)
  },
  failed: (world, allocation, extras) => {
    const [first = ''] = taskNames(allocation)
    const runningTask = taskNames(allocation).find(
      (task) => findTaskInstance(world, allocation.ID, task)?.runtime.phase === 'running',
    )
    const instance = advanceTask(world, allocation.ID, runningTask ?? first, 'running')
    if (instance !== undefined) exitTask(world, instance, exitFromExtras(extras, 1), true)
  },
  lost: (world, allocation) => {
    markLost(world, allocation)
    const { Namespace, JobID, NodeID } = allocation
    const job = findJob(world, Namespace, JobID)
    if (job === undefined || hasPendingEvaluation(world, Namespace, JobID, 'node-update')) return
    createEvaluation(world, { job, triggeredBy: 'node-update', nodeId: NodeID })
  },
  unknown: (world, allocation) => markUnknown(world, [allocation]),
  stop: (world, { ID }) => {
    stopAllocation(world, ID)
  },
  healthy: (world, allocation) => recordHealth(world, allocation, true),
  unhealthy: (world, allocation) => recordHealth(world, allocation, false),
}

/**
 * Ends a running or stopping task with exit code 0. A task that has no process is killed instead.
 */
function endTask(world: World, { ID }: Allocation, task: string, extras: TransitionExtras): void {
  const instance = findTaskInstance(world, ID, task)
  if (instance === undefined) return
  const { phase } = instance.runtime
  if (phase === 'running' || phase === 'killing') {
    exitTask(world, instance, { ...exitFromExtras(extras, 0), exitCode: 0, signal: 0 }, true)
  } else killTask(world, instance)
}

/**
 * Transition kind for allocations in `/_mock/transitions` (behaviour/program#control-plane). The
 * timing decides when the health of an allocation is determined: at once, after the times that its
 * job specifies, or only by request. The target `failed` also accepts `exitCode`, `signal`,
 * `message` and `oomKilled`.
 */
const allocationTransition: TransitionKind = {
  kind: stepNames.health,
  summary: 'Allocations; with the timing immediate, those of a deployment are healthy at once.',
  targets,
  takes: { failed: exitExtras(1) },
  timing: { after: '10s' },
  items: (world) =>
    Array.from(world.table(allocations).index('onNode').rows())
      .sort((a, b) => (a.ID < b.ID ? -1 : 1))
      .map((allocation) => ({
        id: allocation.ID,
        state: allocation.ClientStatus,
        to: reachableTargets(world, allocation),
      })),
  force(world, id, to, extras) {
    const allocation = findAllocation(world, id)
    if (allocation === undefined) throw refuse('push-allocation-unknown', { id })
    const target = reachableTargets(world, allocation).find((name) => name === to)
    if (target === undefined) {
      const { ClientStatus } = allocation
      throw refuse('push-impossible', { what: 'an allocation', state: ClientStatus, to })
    }
    world.write(() => forcedTransitions[target](world, allocation, extras))
  },
}

/** Targets to which a forced transition can move an evaluation, by the evaluation's status. */
const reachableEvaluationTargets: ReadonlyMap<string, readonly string[]> = new Map([
  ['pending', ['complete', 'failed', 'canceled']],
  ['blocked', ['pending', 'complete', 'failed', 'canceled']],
])

/** Default `StatusDescription` of a failed evaluation. The reference always uses this text. */
const failedDescription = 'maximum attempts reached (5)'

function forceEvaluationTransition(
  world: World,
  evaluation: Evaluation,
  to: string,
  description: string,
): void {
  if (to === 'failed' || to === 'canceled') {
    changeEvaluation(world, evaluation, { Status: to, StatusDescription: description })
    return
  }
  const pending = changeEvaluation(world, evaluation, { Status: 'pending' })
  if (to === 'complete') runParts(processCompletely(world, pending.ID))
  else scheduleStep(world, stepNames.evaluation, pending.ID, { option: 'evalDelay' })
}

/**
 * Transition kind for evaluations in `/_mock/transitions`. The target `complete` processes an
 * evaluation now; `pending` unblocks a blocked evaluation.
 */
const evaluationTransition: TransitionKind = {
  kind: stepNames.evaluation,
  summary: 'Evaluations; without a timing of their own, evalDelay says how fast.',
  targets: ['pending', 'complete', 'failed', 'canceled'],
  takes: { failed: statusExtras, canceled: statusExtras },
  timing: { after: '50ms' },
  items: (world) =>
    Array.from(world.table(evaluations).index('open').rows())
      .sort((a, b) => (a.ID < b.ID ? -1 : 1))
      .map(({ ID, Status }) => ({
        id: ID,
        state: Status,
        to: reachableEvaluationTargets.get(Status) ?? [],
      })),
  force(world, id, to, extras) {
    const evaluation = world.table(evaluations).get(id)
    if (evaluation === undefined) throw refuse('push-evaluation-unknown', { id })
    if (!reachableEvaluationTargets.get(evaluation.Status)?.includes(to)) {
      const { Status } = evaluation
      throw refuse('push-impossible', { what: 'an evaluation', state: Status, to })
    }
    const description = textExtra(extras, 'description', to === 'failed' ? failedDescription : '')
    world.write(() => forceEvaluationTransition(world, evaluation, to, description))
  },
}

const nodeStateChanges: readonly NodeStateChange[] = [
  'ready',
  'down',
  'disconnected',
  'ineligible',
  'eligible',
  'drained',
]

function nodeTransitionState({ Status, SchedulingEligibility, Drain }: Node): string {
  if (Status !== 'ready') return Status
  if (Drain) return 'draining'
  return SchedulingEligibility === 'ineligible' ? 'ineligible' : 'ready'
}

const reachableNodeTargets: ReadonlyMap<string, readonly NodeStateChange[]> = new Map<
  string,
  NodeStateChange[]
>([
  ['ready', ['down', 'disconnected', 'ineligible', 'drained']],
  ['ineligible', ['ready', 'down', 'disconnected', 'eligible', 'drained']],
  ['draining', ['ready', 'down', 'disconnected', 'eligible']],
  ['down', ['ready']],
  ['disconnected', ['ready', 'down']],
  ['initializing', ['ready', 'down']],
])

/**
 * Transition kind for nodes in `/_mock/transitions`. Requests name a node by ID or name. The kind
 * has no timing, because nodes change only on request, except at the end of a drain.
 */
const nodeTransition: TransitionKind = {
  kind: 'scheduler.node',
  summary: 'Nodes, by ID or name: lose them, drain them, take them back.',
  targets: nodeStateChanges,
  items: (world) =>
    allNodes(world).map((node) => ({
      id: node.ID,
      state: nodeTransitionState(node),
      to: reachableNodeTargets.get(nodeTransitionState(node)) ?? [],
    })),
  force(world, id, to) {
    const node = world.table(nodes).get(id) ?? allNodes(world).find(({ Name }) => Name === id)
    if (node === undefined) throw refuse('push-node-unknown', { id })
    const state = nodeTransitionState(node)
    const event = reachableNodeTargets.get(state)?.find((name) => name === to)
    if (event === undefined) {
      throw refuse('push-impossible', { what: 'a node', state, to })
    }
    world.write(() => applyNodeStateChange(world, node, event))
  },
}

/**
 * The kinds of transitions that the control plane offers for the cluster
 * (behaviour/program#control-plane).
 */
export const clusterTransitions: readonly TransitionKind[] = [
  evaluationTransition,
  allocationTransition,
  taskTransition,
  nodeTransition,
  deploymentTransition,
]
