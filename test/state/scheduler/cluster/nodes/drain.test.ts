import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { evaluations } from '../../../../../state/scheduler/cluster/model/tables.ts'
import { setEligibility, updateDrain } from '../../../../../state/scheduler/cluster/node-writes.ts'
import {
  drainMachine,
  drainStateOf,
} from '../../../../../state/scheduler/cluster/nodes/node-drain.ts'
import { requireNode } from '../../../../../state/scheduler/cluster/nodes/nodes.ts'
import { clusterWorld, nodeId, register } from '../../../../support/scheduler/scheduler-cluster.ts'
import { storedGroup, storedServiceJob } from '../../../../support/scheduler/scheduler-jobs.ts'

const section = 'behaviour/scheduler#node-endpoints'

describe(`a drain, every state and event (${section})`, () => {
  test.each([
    ['never', ['draining', '-', '-', '-']],
    ['draining', ['-', 'draining', 'complete', 'canceled']],
    ['complete', ['draining', '-', '-', '-']],
    ['canceled', ['draining', '-', '-', '-']],
  ] as const)('%s', (state, expected) => {
    const reached = (['set', 'update', 'complete', 'cancel'] as const).map((event) =>
      drainMachine.allows(state, event, undefined)
        ? drainMachine.next(state, event, undefined)
        : '-',
    )
    expect(reached).toEqual(expected)
  })

  test('after any change of a node, the members about its drain are consistent', () => {
    const spec = fc.record({
      Deadline: fc.constantFrom(-1, 0, 30e9),
      IgnoreSystemJobs: fc.boolean(),
    })
    const act = fc.oneof(
      fc.record({ do: fc.constant('drain' as const), spec }),
      fc.record({ do: fc.constant('rest' as const), markEligible: fc.boolean() }),
      fc.record({ do: fc.constant('open' as const) }),
      fc.record({ do: fc.constant('wait' as const), by: fc.constantFrom(10, 1000, 40_000) }),
    )
    fc.assert(
      fc.property(fc.array(act, { maxLength: 12 }), (acts) => {
        const world = clusterWorld({ nodes: [{ name: 'a' }, { name: 'b' }] })
        const groups = [{ ...storedGroup(), Count: 3, Update: null }]
        register(world, { ...storedServiceJob(), TaskGroups: groups })
        world.advance(15_000)
        const id = nodeId(world, 'a')
        for (const one of acts) {
          const before = drainStateOf(requireNode(world, id))
          const order = {}
          if (one.do === 'drain') {
            updateDrain(world, id, { spec: one.spec, markEligible: false, author: order })
            expect(drainStateOf(requireNode(world, id))).toBe('draining')
          } else if (one.do === 'rest') {
            updateDrain(world, id, {
              spec: undefined,
              markEligible: one.markEligible,
              author: order,
            })
            expect(drainStateOf(requireNode(world, id))).toBe(
              before === 'draining' ? 'canceled' : before,
            )
          } else if (one.do === 'wait') {
            world.advance(one.by)
            const after = drainStateOf(requireNode(world, id))
            expect(before === 'draining' ? ['draining', 'complete'] : [before]).toContain(after)
          } else if (before === 'draining') {
            expect(() => setEligibility(world, id, 'eligible', () => {})).toThrow(
              'while it is draining',
            )
          } else setEligibility(world, id, 'eligible', () => {})
          const node = requireNode(world, id)
          const isDraining = drainStateOf(node) === 'draining'
          expect([node.Drain, node.DrainStrategy != null]).toEqual([isDraining, isDraining])
          if (isDraining) expect(node.SchedulingEligibility).toBe('ineligible')
          expect(node.LastDrain?.Status ?? 'never').toBe(drainStateOf(node))
          expect(node.Events?.length).toBeLessThanOrEqual(10)
        }
      }),
      { numRuns: 60 },
    )
  })
})

describe(`the evaluations of a drain (${section})`, () => {
  test.each([
    ['a forced one evaluates a service for its migration and at its deadline', 'service', -1, 2],
    ['a forced one evaluates a system job at its deadline', 'system', -1, 1],
    ['one without a deadline evaluates a service for its migration', 'service', 0, 1],
  ] as const)('%s', (_title, Type, Deadline, count) => {
    const world = clusterWorld({ nodes: [{ name: 'a' }] })
    const TaskGroups = [{ ...storedGroup(), Update: null }]
    register(world, { ...storedServiceJob(), Type, TaskGroups })
    world.advance(15_000)
    const spec = { Deadline, IgnoreSystemJobs: false }
    updateDrain(world, nodeId(world, 'a'), { spec, markEligible: false, author: {} })
    world.advance(1_000)
    const ofDrain = [...world.table(evaluations).rows()].filter(
      ({ TriggeredBy }) => TriggeredBy === 'node-drain',
    )
    expect(ofDrain).toHaveLength(count)
  })
})
