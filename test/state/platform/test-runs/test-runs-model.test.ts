import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { createTestRun } from '../../../../state/platform/test-runs/creation.ts'
import { testRunLog } from '../../../../state/platform/test-runs/log.ts'
import {
  isUsedByTestRun,
  testRunsOf,
  testRunWithId,
} from '../../../../state/platform/test-runs/test-runs.ts'
import {
  cancelTestRun,
  forceCancelTestRun,
  testRunKind,
} from '../../../../state/platform/test-runs/timing.ts'
import { firstModule, kindOf, platformWorld, refusalOf } from '../platform-world.ts'

type End = 'finished' | 'errored' | 'canceled'

/** A run in the model, whose state follows from the times at which it starts and ends. */
interface ModelRun {
  readonly id: string
  readonly version: string
  readonly length: number
  /** Null while the run is held. */
  queuedAt: number | null
  /** Infinity if the run never starts. */
  startAt: number
  endAt: number
  end: End
  cancelRequestedAt: number | null
  forced: boolean
  planned: 'finished' | 'errored'
  failed: number
  log: string
}

type Command =
  | { kind: 'create'; wait: number | null; result: 'pass' | 'fail' | 'error' | null }
  | { kind: 'cancel' | 'force-cancel'; run: number }
  | { kind: 'push'; run: number; to: 'queued' | 'running' | End; failed: number | null }
  | { kind: 'advance'; by: number }

const run = fc.nat(5)
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      wait: fc.option(fc.nat(4)),
      result: fc.option(fc.constantFrom('pass', 'fail', 'error')),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constantFrom('cancel', 'force-cancel'), run }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('push' as const),
      run,
      to: fc.constantFrom('queued', 'running', 'finished', 'errored', 'canceled'),
      failed: fc.option(fc.nat(3)),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('advance' as const),
      by: fc.oneof(
        fc.constantFrom(0, 1, 249, 250, 251, 1_499, 1_500, 1_750, 2_000, 2_250),
        fc.nat(5_000),
      ),
    }),
  },
)

type State = 'pending' | 'queued' | 'running' | End

function stateOf({ queuedAt, startAt, endAt, end }: ModelRun, now: number): State {
  if (now >= endAt) return end
  if (queuedAt === null) return 'pending'
  return now >= startAt ? 'running' : 'queued'
}

/** Model of runs as the decisions describe them, next to a world that has to agree with it. */
class Model {
  readonly #world: World
  readonly #options: { readonly cancelQueued: boolean; readonly holdTestRuns: boolean }
  readonly #runs: ModelRun[] = []

  constructor(options: { readonly cancelQueued: boolean; readonly holdTestRuns: boolean }) {
    this.#options = options
    this.#world = platformWorld(options)
  }

  do(command: Command): void {
    if (command.kind === 'create') this.#create(command)
    else if (command.kind === 'advance') this.#world.advance(command.by)
    else {
      const chosen = this.#runs[command.run]
      if (chosen === undefined) return
      const expected =
        command.kind === 'push'
          ? this.#forceTransition(chosen, command)
          : this.#stop(chosen, command.kind)
      expect(refusalOf(() => this.#applyToWorld(chosen, command))?.kind).toBe(expected)
    }
    // Due jobs run at once, as they do before each request.
    this.#world.runDueJobs()
    this.#compare()
  }

  #create({ wait, result }: Command & { kind: 'create' }): void {
    const variables = [
      ...(wait === null ? [] : [{ key: 'wait_time', value: `${wait}s` }]),
      ...(result === null ? [] : [{ key: 'mock_result', value: result }]),
    ]
    const now = this.#world.clock.now()
    const origin = { user: 'user-x', source: 'ent-api' } as const
    const module = firstModule(this.#world)
    const made = createTestRun(this.#world, module, { variables }, origin)
    const length = wait === null ? 2_000 : wait * 1_000
    const held = this.#options.holdTestRuns
    const startAt = held ? Number.POSITIVE_INFINITY : now + 250
    const planned = result === 'error' ? 'errored' : 'finished'
    this.#runs.push({
      id: made.id,
      version: made.configuration_version,
      length,
      queuedAt: held ? null : now,
      startAt,
      endAt: startAt + length,
      end: planned,
      cancelRequestedAt: null,
      forced: false,
      planned,
      failed: result === 'fail' ? 1 : 0,
      log: '',
    })
  }

  /** Stops a run. Returns the kind of the expected refusal, if any. */
  #stop(chosen: ModelRun, kind: 'cancel' | 'force-cancel'): string | undefined {
    const now = this.#world.clock.now()
    const state = stateOf(chosen, now)
    if (state === 'running') {
      if (kind === 'force-cancel') {
        if (chosen.cancelRequestedAt === null) return 'conflict'
        chosen.endAt = now
        chosen.forced = true
      } else if (chosen.cancelRequestedAt === null) {
        chosen.cancelRequestedAt = now
        chosen.endAt = now + 1_500
        chosen.end = 'canceled'
      }
      return undefined
    }
    const early = state === 'pending' || state === 'queued'
    if (kind === 'force-cancel' || !early || !this.#options.cancelQueued) return 'conflict'
    this.#endUnstarted(chosen, now)
    return undefined
  }

  #endUnstarted(chosen: ModelRun, now: number): void {
    chosen.startAt = Number.POSITIVE_INFINITY
    chosen.endAt = now
    chosen.end = 'canceled'
  }

  #forceTransition(
    chosen: ModelRun,
    { to, failed }: Command & { kind: 'push' },
  ): string | undefined {
    const now = this.#world.clock.now()
    const order: readonly State[] = ['pending', 'queued', 'running', to]
    const state = stateOf(chosen, now)
    const isOver = !order.slice(0, 3).includes(state)
    if (isOver || order.indexOf(to) <= order.indexOf(state)) return 'conflict'
    if (failed !== null && (to === 'errored' || to === 'canceled')) return 'invalid'
    if (failed !== null) {
      chosen.failed = failed
      chosen.planned = 'finished'
    }
    if (to === 'canceled') {
      if (state === 'running') {
        chosen.cancelRequestedAt = chosen.cancelRequestedAt ?? now
        chosen.endAt = now
        chosen.end = 'canceled'
      } else this.#endUnstarted(chosen, now)
      return undefined
    }
    chosen.queuedAt = chosen.queuedAt ?? now
    if (to === 'queued') chosen.startAt = now + 250
    else if (state !== 'running') chosen.startAt = now
    chosen.endAt = to === 'queued' || to === 'running' ? chosen.startAt + chosen.length : now
    chosen.end = to === 'queued' || to === 'running' ? chosen.planned : to
    // A run with the planned outcome errored finishes with the default results.
    if (to === 'finished' && chosen.planned === 'errored') chosen.failed = 0
    return undefined
  }

  #applyToWorld({ id }: ModelRun, command: Command): void {
    const row = testRunWithId(this.#world, id)
    if (row === undefined) throw new Error('a run is gone')
    if (command.kind === 'cancel') cancelTestRun(this.#world, row)
    if (command.kind === 'force-cancel') forceCancelTestRun(this.#world, row)
    if (command.kind === 'push') {
      const extra = command.failed === null ? {} : { results: { failed: command.failed } }
      kindOf(this.#world, testRunKind).force(this.#world, id, command.to, extra)
    }
  }

  #compare(): void {
    const now = this.#world.clock.now()
    const listed = testRunsOf(this.#world, firstModule(this.#world).id)
    expect(listed.length).toBe(this.#runs.length)
    const newestFirst = this.#runs.map(({ id }) => id).reverse()
    expect(listed.slice(0, 100).map(({ id }) => id)).toEqual(newestFirst)
    expect(listed.slice(1, 3).map(({ id }) => id)).toEqual(newestFirst.slice(1, 3))
    for (const one of this.#runs) this.#compareRun(one, now)
    const open = this.#runs.filter((one) => now < one.endAt)
    const moving = open.filter(({ queuedAt }) => queuedAt !== null)
    const scheduledJobs = new Map(Array.from(this.#world.agenda.all(), ({ id, at }) => [id, at]))
    const due = moving.map((one): [string, number] => [
      one.id,
      now < one.startAt ? one.startAt : one.endAt,
    ])
    expect(scheduledJobs).toEqual(new Map(due))
    for (const { version } of this.#runs) {
      const used = open.some((one) => one.version === version)
      expect(isUsedByTestRun(this.#world, version)).toBe(used)
    }
  }

  #compareRun(one: ModelRun, now: number): void {
    const row = testRunWithId(this.#world, one.id)
    if (row === undefined) throw new Error('a run is gone')
    const state = stateOf(one, now)
    const { queuedAt, startAt, endAt, forced } = one
    const isOver = now >= endAt
    const ended = isOver ? { [`${one.end}_at`]: endAt } : {}
    expect(row.status).toBe(state)
    expect(row.reached).toEqual({
      ...(queuedAt === null ? {} : { queued_at: queuedAt }),
      ...(now >= startAt ? { started_at: startAt } : {}),
      ...ended,
      ...(forced ? { force_canceled_at: endAt } : {}),
    })
    expect(row.cancel_asked_at).toBe(one.cancelRequestedAt)
    expect(row.results?.failed).toBe(state === 'finished' ? one.failed : undefined)
    // A run that is canceled before it starts also has a log, which consists of the two marks
    // (behaviour/platform#test-run-states).
    const hasLog = isOver || now >= startAt
    expect(row.log === null).toBe(!hasLog)
    const log = testRunLog(row, now, {
      product: 'infra',
      version: '1.9.8',
      placeholder: 'main.test.hcl',
    })
    expect(log.startsWith(one.log)).toBe(true)
    expect(log === '').toBe(!hasLog)
    expect(log.endsWith('\u0003')).toBe(isOver)
    if (isOver && now < startAt) expect(log).toBe('\u0002\u0003')
    one.log = log
  }
}

describe('behaviour/platform#test-run-states to behaviour/platform#log: runs against a model', () => {
  test.each([
    { cancelQueued: false, holdTestRuns: false },
    { cancelQueued: true, holdTestRuns: false },
    { cancelQueued: false, holdTestRuns: true },
    { cancelQueued: true, holdTestRuns: true },
  ])('any sequence of calls, forced transitions and waits, %j', (options) => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 30 }), (commands) => {
        const model = new Model(options)
        for (const one of commands) model.do(one)
      }),
      { numRuns: 200 },
    )
  })
})
