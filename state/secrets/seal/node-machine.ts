import { defineMachine } from '../../kernel/machine.ts'
import { int, nullable, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { storeRekey } from '../rekey/rekey-machine.ts'

/** The state of a node at one moment (behaviour/secrets#api-health). */
export type NodeState = 'uninitialized' | 'sealed' | OpenNodeState

/** The states of an unsealed node. */
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
  /** Since when the node is the active one, in milliseconds since 1970; null while it is not. */
  active_since: nullable(int),
})

/** The world's one node, under the id that transitions know it by. */
export const nodes = defineTable({
  service: 'secrets',
  name: 'node',
  local: true,
  shape: nodeRowShape,
})

/** The id of the world's one node. */
export const nodeId = 'self'

const health = 'behaviour/secrets#api-health'
const endpoints = 'behaviour/secrets#system'
const enterprise = (world: World): boolean => optionsOf(world).edition === 'enterprise'

/**
 * Life of the node. There is no other node to take over, so one that steps down wins the next
 * election at once. Becoming a standby and back happens by hand only (behaviour/program#control-plane).
 */
export const nodeMachine = defineMachine<World>()({
  name: 'node',
  states: nodeStates,
  moves: [
    { on: 'initialize', from: 'uninitialized', to: 'sealed', spec: endpoints },
    { on: 'unseal', from: 'sealed', to: 'active', spec: endpoints },
    {
      on: 'seal',
      from: ['active', 'standby', 'performance-standby'],
      to: 'sealed',
      spec: endpoints,
    },
    { on: 'step-down', from: 'active', to: 'active', spec: endpoints },
    { on: 'win-election', from: ['standby', 'performance-standby'], to: 'active' },
    { on: 'stand-by', from: ['active', 'performance-standby'], to: 'standby', spec: health },
    {
      on: 'serve-reads',
      from: ['active', 'standby'],
      to: 'performance-standby',
      when: enterprise,
      spec: health,
    },
    {
      on: 'wipe',
      from: ['sealed', 'active', 'standby', 'performance-standby'],
      to: 'uninitialized',
    },
  ],
})

/** The events of a node. */
export type NodeEvent = (typeof nodeMachine.moves)[number]['on']

/** Returns what the node is now. */
export function nodeState(world: World): NodeState {
  return world.table(nodes).get(nodeId)?.state ?? 'uninitialized'
}

/** True once there is a root key, sealed or not. */
export function isInitialized(world: World): boolean {
  return nodeState(world) !== 'uninitialized'
}

/** Since when the node is active, in milliseconds since 1970; null while it is not. */
export function activeSince(world: World): number | null {
  return world.table(nodes).get(nodeId)?.active_since ?? null
}

/**
 * Moves the node on; refuses with `conflict` what its state does not allow. A rekey under way ends
 * with what the node was: only the active node knows of it, and forgets it when it seals or steps
 * down, as in the reference.
 */
export function transitionNode(world: World, event: NodeEvent): void {
  const state = nodeMachine.next(nodeState(world), event, world)
  const active_since = state === 'active' ? world.clock.now() : null
  world.write(() => {
    world.table(nodes).put(nodeId, { state, active_since })
    storeRekey(world, undefined)
  })
}
