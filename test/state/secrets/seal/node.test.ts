import { describe, expect, test } from 'vitest'
import { formatTimestamp } from '../../../../state/kernel/time.ts'
import type { TransitionKind } from '../../../../state/kernel/worlds/service.ts'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { mounts } from '../../../../state/secrets/mounts/mounts.ts'
import { leadership, nodeTransitions, stepDown } from '../../../../state/secrets/seal/node.ts'
import {
  type NodeEvent,
  type NodeState,
  nodeMachine,
  nodeState,
} from '../../../../state/secrets/seal/node-machine.ts'
import { initialRootToken, isSealed, unsealKeys } from '../../../../state/secrets/seal/seal.ts'
import { tokens } from '../../../../state/secrets/tokens/rows.ts'
import { testTime } from '../../../support/secrets/secrets.ts'
import { refusalOf, secretsWorld } from '../system-world.ts'

const events: readonly NodeEvent[] = [
  'initialize',
  'unseal',
  'seal',
  'step-down',
  'win-election',
  'stand-by',
  'serve-reads',
  'wipe',
]

/** The next state by state and event; a missing event is refused. */
const table: Readonly<Record<NodeState, Readonly<Partial<Record<NodeEvent, NodeState>>>>> = {
  uninitialized: { initialize: 'sealed' },
  sealed: { unseal: 'active', wipe: 'uninitialized' },
  active: {
    seal: 'sealed',
    'step-down': 'active',
    'stand-by': 'standby',
    'serve-reads': 'performance-standby',
    wipe: 'uninitialized',
  },
  standby: {
    seal: 'sealed',
    'win-election': 'active',
    'serve-reads': 'performance-standby',
    wipe: 'uninitialized',
  },
  'performance-standby': {
    seal: 'sealed',
    'win-election': 'active',
    'stand-by': 'standby',
    wipe: 'uninitialized',
  },
}

const transition = onlyTransition(nodeTransitions)

function onlyTransition([kind]: readonly TransitionKind[]): TransitionKind {
  if (kind === undefined) throw new Error('there is no transition of nodes')
  return kind
}

function forceTransition(world: World, to: string): void {
  transition.force(world, 'self', to, {})
}

const pairs = nodeMachine.states.flatMap((state) => events.map((event) => [state, event] as const))

describe('behaviour/secrets#api-health: the life of a node', () => {
  const world = secretsWorld()

  test.each(pairs)('a node that is %s and the event %s', (state, event) => {
    const next = table[state][event]
    if (next === undefined) {
      expect(refusalOf(() => nodeMachine.next(state, event, world))).toEqual({
        kind: 'conflict',
        message: `a node that is ${state} cannot ${event}`,
      })
    } else {
      expect(nodeMachine.next(state, event, world)).toBe(next)
    }
  })

  test('the community edition has no performance standbys', () => {
    const community = secretsWorld({ edition: 'community' })
    expect(nodeMachine.allows('active', 'serve-reads', community)).toBe(false)
    expect(nodeMachine.allows('standby', 'serve-reads', community)).toBe(false)
  })
})

describe('behaviour/program#control-plane: forced transitions of secrets.node', () => {
  const targets = transition.targets as readonly NodeState[]
  const forcedTransitions = targets.flatMap((from) => targets.map((to) => [from, to] as const))

  // choice/secrets#node-pushes
  test.each(forcedTransitions)('from %s to %s', (from, to) => {
    const world = secretsWorld()
    forceTransition(world, from)
    expect(nodeState(world)).toBe(from)
    forceTransition(world, to)
    expect(transition.items(world)).toEqual([{ id: 'self', state: to, to: targets }])
    expect(isSealed(world)).toBe(to === 'sealed' || to === 'uninitialized')
    expect(nodeState(world)).toBe(to)
  })

  // choice/secrets#push-uninitialized choice/secrets#uninitialized-mounts
  test('uninitialized deletes everything except the mount of the system endpoints', () => {
    const world = secretsWorld()
    forceTransition(world, 'uninitialized')
    expect(unsealKeys(world)).toEqual({ keys: [], threshold: 0 })
    expect(initialRootToken(world)).toBeUndefined()
    expect([...world.table(tokens).rows()]).toEqual([])
    expect(Array.from(world.table(mounts).rows(), ({ path }) => path)).toEqual(['sys/'])
    expect([...world.agenda.all()]).toEqual([])
  })

  // choice/secrets#push-initializes
  test.each([
    ['a world', true],
    ['a world that began that way', false],
  ])('%s is active after uninitialized: shares, mounts and root token', (_what, initialized) => {
    const sizes = { secretShares: 4, secretThreshold: 2 }
    const world = secretsWorld({ ...sizes, rootToken: 'sesame', initialized })
    forceTransition(world, 'uninitialized')
    forceTransition(world, 'active')
    expect(unsealKeys(world).keys).toHaveLength(4)
    expect(unsealKeys(world).threshold).toBe(2)
    expect(initialRootToken(world)).toBe('sesame')
    expect(world.table(tokens).get('sesame')?.policies).toEqual(['root'])
    expect(world.table(mounts).has('root/secret/')).toBe(true)
  })

  // choice/secrets#node-pushes
  test('unsealing by a forced transition keeps the data and the shares', () => {
    const world = secretsWorld()
    const before = unsealKeys(world)
    forceTransition(world, 'sealed')
    forceTransition(world, 'active')
    expect(unsealKeys(world)).toEqual(before)
  })

  // choice/secrets#node-pushes
  test('an unknown node, and a performance standby of the community edition, are refused', () => {
    const world = secretsWorld({ edition: 'community' })
    expect(refusalOf(() => transition.force(world, 'other', 'active', {}))).toEqual({
      kind: 'absent',
      message: 'there is no node "other", only "self"',
    })
    expect(refusalOf(() => forceTransition(world, 'performance-standby'))).toEqual({
      kind: 'conflict',
      message: 'the node cannot become performance-standby',
    })
    expect(transition.items(world)).toEqual([
      { id: 'self', state: 'active', to: ['active', 'standby', 'sealed', 'uninitialized'] },
    ])
  })
})

describe('behaviour/secrets#leader: leadership', () => {
  // choice/secrets#step-down
  test('a node that steps down is elected again at once', () => {
    const world = secretsWorld()
    world.advance(90_000)
    stepDown(world)
    expect(nodeState(world)).toBe('active')
    expect(leadership(world)).toEqual({
      ha_enabled: true,
      is_self: true,
      active_time: formatTimestamp(testTime + 90_000),
      performance_standby: false,
      performance_standby_last_remote_wal: 0,
      last_wal: world.store.index('secrets'),
    })
  })

  test('a standby has nothing to give up and does not lead', () => {
    const world = secretsWorld()
    forceTransition(world, 'performance-standby')
    stepDown(world)
    expect(leadership(world)).toEqual({
      ha_enabled: true,
      is_self: false,
      active_time: '0001-01-01T00:00:00Z',
      performance_standby: true,
      performance_standby_last_remote_wal: 0,
      last_wal: 0,
    })
  })

  test.each(['sealed', 'uninitialized'])('%s: the leader is unknown', (state) => {
    const world = secretsWorld()
    forceTransition(world, state)
    expect(refusalOf(() => leadership(world))).toEqual({
      kind: 'unavailable',
      message: 'Service is sealed',
    })
  })
})
