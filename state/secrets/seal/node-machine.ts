import { defineMachine } from '../../kernel/machine.ts'
import { int, nullable, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { storeRekey } from '../rekey/rekey-machine.ts'
import { secretsTable } from '../table.ts'

/** State of a node (behaviour/secrets#api-health). */
export type NodeState = 'uninitialized' | 'sealed' | OpenNodeState

export type OpenNodeState = 'active' | 'standby' | 'performance-standby'

const nodeStates = [
  'uninitialized',
  'sealed',
  'active',
  'standby',
  'performance-standby',
] as const satisfies readonly NodeState[]

const nodeRowShape = struct({
  state: word(...nodeStates),
  /**
   * Time at which the node became active, in milliseconds since 1970; null while it is not active.
   */
  active_since: nullable(int),
})

/** The node, in a single row, because a world has only one node. */
export const nodes = secretsTable('node', nodeRowShape, { secrets: 'none', local: true })

export const nodeId = 'self'

const healthSpec = 'behaviour/secrets#api-health'
const systemSpec = 'behaviour/secrets#system'
const isEnterprise = (world: World): boolean => optionsOf(world).edition === 'enterprise'

/**
 * State machine of the node. A node that steps down wins the next election immediately, because
 * there is no other node. Only a forced transition makes the node a standby, or makes a standby
 * active (behaviour/program#control-plane).
 */
export const nodeMachine = defineMachine<World>()({
  name: 'node',
  states: nodeStates,
  moves: [
    { on: 'initialize', from: 'uninitialized', to: 'sealed', spec: systemSpec },
    { on: 'unseal', from: 'sealed', to: 'active', spec: systemSpec },
    {
      on: 'seal',
      from: ['active', 'standby', 'performance-standby'],
      to: 'sealed',
      spec: systemSpec,
    },
    { on: 'step-down', from: 'active', to: 'active', spec: systemSpec },
    { on: 'win-election', from: ['standby', 'performance-standby'], to: 'active' },
    { on: 'stand-by', from: ['active', 'performance-standby'], to: 'standby', spec: healthSpec },
    {
      on: 'serve-reads',
      from: ['active', 'standby'],
      to: 'performance-standby',
      when: isEnterprise,
      spec: healthSpec,
    },
    {
      on: 'wipe',
      from: ['sealed', 'active', 'standby', 'performance-standby'],
      to: 'uninitialized',
    },
  ],
})

export type NodeEvent = (typeof nodeMachine.moves)[number]['on']

/** Returns the state of the node, which is `uninitialized` while there is no row. */
export function nodeState(world: World): NodeState {
  return world.table(nodes).get(nodeId)?.state ?? 'uninitialized'
}

/** Returns whether the cluster has a root key. A sealed cluster has a root key. */
export function isInitialized(world: World): boolean {
  return nodeState(world) !== 'uninitialized'
}

/** Returns when the node became active, in milliseconds since 1970; null while it is not active. */
export function activeSince(world: World): number | null {
  return world.table(nodes).get(nodeId)?.active_since ?? null
}

/**
 * Applies an event to the node. Throws a `conflict` refusal for an event that the node's state does
 * not allow. Also cancels a rekey in progress, because in the reference the rekey exists only on
 * the active node.
 */
export function transitionNode(world: World, event: NodeEvent): void {
  const state = nodeMachine.next(nodeState(world), event, world)
  const active_since = state === 'active' ? world.clock.now() : null
  world.write(() => {
    world.table(nodes).put(nodeId, { state, active_since })
    storeRekey(world, undefined)
  })
}
