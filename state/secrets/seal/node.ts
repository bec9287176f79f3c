import { formatTimestamp } from '../../kernel/time.ts'
import type { TransitionKind } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { seedMounts } from '../mounts/start-mounts.ts'
import { isDevelopmentServer, optionsOf } from '../options.ts'
import { lastWal } from './health.ts'
import { refuse } from './messages.ts'
import {
  activeSince,
  type NodeState,
  nodeId,
  nodeState,
  type OpenNodeState,
  transitionNode,
} from './node-machine.ts'
import { initializeFromOptions, isSealed, seal, unseal } from './seal.ts'

/**
 * Gives up leadership and regains it immediately, because there is no other node: `active_time` is
 * set to the current time, and a rekey in progress is canceled. Does nothing on a development
 * server or on a node that is not active.
 */
export function stepDown(world: World): void {
  if (isDevelopmentServer(world)) return
  if (nodeState(world) === 'active') transitionNode(world, 'step-down')
}

/** Data of `sys/leader`, without the addresses. */
export interface Leadership {
  readonly ha_enabled: boolean
  readonly is_self: boolean
  readonly active_time: string
  readonly performance_standby: boolean
  readonly performance_standby_last_remote_wal: number
  readonly last_wal: number
}

/** Returns the data of `sys/leader`. Throws an `unavailable` refusal while sealed. */
export function leadership(world: World): Leadership {
  if (isSealed(world)) throw refuse('sealed')
  const ha_enabled = !isDevelopmentServer(world)
  // There is no other node, so a node that is not active has no leader.
  const since = ha_enabled ? activeSince(world) : null
  return {
    ha_enabled,
    is_self: since !== null,
    // Go's zero time means "never".
    active_time: since === null ? '0001-01-01T00:00:00Z' : formatTimestamp(since),
    performance_standby: nodeState(world) === 'performance-standby',
    performance_standby_last_remote_wal: 0,
    last_wal: lastWal(world),
  }
}

/**
 * Resets the service to its state before the first initialization: deletes all data and pending
 * jobs. Options, timings and the clock stay.
 */
function wipeService(world: World): void {
  world.write(() => {
    transitionNode(world, 'wipe')
    for (const table of world.store.tables.values()) {
      if (table.definition.service === 'secrets') table.deleteAll('')
    }
    for (const { job, id } of [...world.agenda.all()]) {
      if (job.startsWith('secrets.')) world.agenda.cancel(job, id)
    }
    seedMounts(world)
  })
}

const targets = ['active', 'standby', 'performance-standby', 'sealed', 'uninitialized'] as const

type Step = (world: World) => void

/** Steps that move an unsealed node to another unsealed state, by the new state. */
const openTransitions: Readonly<Record<OpenNodeState, Step>> = {
  active: (world) => transitionNode(world, 'win-election'),
  standby: (world) => transitionNode(world, 'stand-by'),
  'performance-standby': (world) => transitionNode(world, 'serve-reads'),
}

/**
 * Returns the steps from one state to another. A forced transition needs no shares and no token. If
 * the transition initializes the node, the world's options determine the numbers of shares and the
 * root token.
 */
function stepsBetween(from: NodeState, to: NodeState): readonly Step[] {
  if (from === to) return []
  if (to === 'uninitialized') return [wipeService]
  if (from === 'uninitialized') return [initializeFromOptions, ...stepsBetween('sealed', to)]
  if (to === 'sealed') return [seal]
  if (from === 'sealed') return [unseal, ...stepsBetween('active', to)]
  return [openTransitions[to]]
}

/**
 * Returns the states that a forced transition can reach. Community nodes cannot become performance
 * standbys, and development servers cannot become standbys.
 */
function reachableStates(world: World): readonly (typeof targets)[number][] {
  if (isDevelopmentServer(world)) return ['active', 'sealed', 'uninitialized']
  const isEnterprise = optionsOf(world).edition === 'enterprise'
  return targets.filter((target) => isEnterprise || target !== 'performance-standby')
}

/**
 * The node in `/_mock/transitions` (behaviour/program#control-plane). Forcing the current state
 * does nothing.
 */
export const nodeTransitions: readonly TransitionKind[] = [
  {
    kind: 'secrets.node',
    summary: 'The secrets node: active, a standby, sealed or not initialised.',
    targets,
    items: (world) => [{ id: nodeId, state: nodeState(world), to: reachableStates(world) }],
    force(world, id, to) {
      if (id !== nodeId) throw refuse('node-unknown', { id, nodeId })
      const target = reachableStates(world).find((name) => name === to)
      if (target === undefined) throw refuse('node-move-impossible', { to })
      world.write(() => {
        for (const step of stepsBetween(nodeState(world), target)) step(world)
      })
    },
  },
]
