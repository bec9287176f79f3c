import type { TransitionKind } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { allocationTransition } from './allocation-transitions.ts'
import { deploymentTransition } from './deployments/deployment-transitions.ts'
import { processCompletely } from './evaluations/processing.ts'
import { changeEvaluation } from './model/evaluations.ts'
import { refuse } from './model/messages.ts'
import type { Node } from './model/node-shapes.ts'
import type { Evaluation } from './model/placement-shapes.ts'
import { scheduleStep, stepNames } from './model/steps.ts'
import { evaluations, nodes } from './model/tables.ts'
import { applyNodeStateChange, type NodeStateChange } from './node-state-changes.ts'
import { allNodes } from './nodes/nodes.ts'
import { taskTransition } from './tasks/task-transitions.ts'
import { statusExtras, textExtra } from './tasks/transition-extras.ts'

/** The states that an evaluation can be pushed to. */
const reachableEvaluationTargets: ReadonlyMap<string, readonly string[]> = new Map([
  ['pending', ['complete', 'failed', 'canceled']],
  ['blocked', ['pending', 'complete', 'failed', 'canceled']],
])

/** The reference's text for an evaluation that failed. */
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
  if (to === 'complete') processCompletely(world, pending.ID)
  else scheduleStep(world, stepNames.evaluation, pending.ID, { option: 'evalDelay' })
}

/** Evaluations: `complete` processes one now, `pending` lets a blocked one try again. */
const evaluationTransition: TransitionKind = {
  kind: stepNames.evaluation,
  summary: 'Evaluations; unless a pace is set, evalDelay says how fast.',
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

/** Nodes, by their IDs or names. They never move by themselves. */
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

/** The things that can be pushed in the cluster (behaviour/program#control-plane). */
export const clusterTransitions: readonly TransitionKind[] = [
  evaluationTransition,
  allocationTransition,
  taskTransition,
  nodeTransition,
  deploymentTransition,
]
