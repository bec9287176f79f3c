import { describe, expect, test } from 'vitest'
import {
  addRunOutcomeRule,
  removeRunOutcomeRules,
  runOutcomeRules,
} from '../../../../state/platform/runs/outcome-rules.ts'
import { runKind } from '../../../../state/platform/runs/run-machine.ts'
import { kindOf, refusalOf, setTiming } from '../platform-world.ts'
import { runWorld } from './run-world.ts'

/** Returns a world whose runs move by forced transitions only, and a function that forces one. */
function held() {
  const server = runWorld()
  setTiming(server.world, runKind, 'manual')
  const kind = kindOf(server.world, runKind)
  const run = server.create()
  return {
    ...server,
    run,
    kind,
    force: (to: string, outcome?: object) =>
      kind.force(server.world, run.id, to, outcome === undefined ? {} : { outcome }),
    now: () => server.read(run),
  }
}

describe('behaviour/program#control-plane: forced transitions of kind platform.run', () => {
  test.each([
    ['fetching', 'fetching'],
    ['queuing', 'queuing'],
    ['plan_queued', 'plan_queued'],
    ['planning', 'planning'],
    ['pause', 'planned'],
    ['confirmed', 'confirmed'],
    ['queuing_apply', 'queuing_apply'],
    ['applying', 'applying'],
    ['applied', 'applied'],
    ['errored', 'errored'],
    ['canceled', 'canceled'],
    ['discarded', 'discarded'],
  ])('%s is reached from pending, through the statuses in between', (to, status) => {
    const { force, now, world } = held()
    force(to)
    world.advance(60_000)
    world.runDueJobs()
    expect(now().status).toBe(status)
  })

  test('an outcome that is given decides how the run ends', () => {
    const { force, now, world } = held()
    force('planned', { changes: false })
    expect(now().has_changes).toBe(false)
    setTiming(world, runKind, 'immediate')
    force('planned_and_finished')
    expect(now().status).toBe('planned_and_finished')
  })

  test('a status that is not ahead is refused, and so is an unknown run', () => {
    const { force, now, world, kind, run } = held()
    force('planned')
    expect(refusalOf(() => force('planning'))?.kind).toBe('conflict')
    expect(refusalOf(() => kind.force(world, 'run-x', 'planned', {}))?.kind).toBe('absent')
    force('applied')
    expect(now().status).toBe('applied')
    expect(kind.items(world)).toEqual([{ id: run.id, state: 'applied', to: [] }])
    expect(refusalOf(() => force('canceled'))?.kind).toBe('conflict')
  })
})

describe('behaviour/platform#run-outcomes: rules', () => {
  test('the first rule that matches is used, as often as it says', () => {
    const { world, create, read } = runWorld({ runOutcome: { changes: false } })
    addRunOutcomeRule(world, { match: { workspace: 'other*' }, plan: 'errored' })
    addRunOutcomeRule(world, { match: { message: '*twice*' }, times: 2, plan: 'errored' })
    const all = addRunOutcomeRule(world, { match: { operation: 'plan_only' }, changes: { add: 3 } })
    const statuses = ['once', 'twice', 'or twice', 'twice at most'].map((message) => {
      const run = create({ message, plan_only: true })
      world.advance(60_000)
      world.runDueJobs()
      return [read(run).status, read(run).plan.counts?.add]
    })
    expect(statuses).toEqual([
      ['planned_and_finished', 3],
      ['errored', undefined],
      ['errored', undefined],
      ['planned_and_finished', 3],
    ])
    removeRunOutcomeRules(world, all)
    expect(refusalOf(() => removeRunOutcomeRules(world, all))?.kind).toBe('absent')
    const run = create({ plan_only: true })
    world.advance(60_000)
    world.runDueJobs()
    expect(read(run).plan.counts?.add).toBe(0)
    removeRunOutcomeRules(world)
    expect([...world.table(runOutcomeRules).rows()]).toEqual([])
  })
})
