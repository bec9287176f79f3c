import type { TransitionKind } from '../../kernel/service.ts'
import { uint, word } from '../../kernel/shape/kinds.ts'
import { described, optional, struct } from '../../kernel/shape/members.ts'
import type { World } from '../../kernel/world.ts'
import { refuse } from '../texts.ts'
import { blocksOf, outcomeIn, usualOutcome } from './outcome.ts'
import { moveTestRun, testRunKind } from './pace.ts'
import { unknownSuite } from './suite.ts'
import type { TestRunEvent, TestRunStatus } from './test-run-machine.ts'
import { putTestRun, type TestOutcome, type TestRun, testRuns, testRunWithId } from './test-runs.ts'

const targets = ['queued', 'running', 'finished', 'errored', 'canceled'] as const

type Target = (typeof targets)[number]

/** The states that a push can still lead to. */
const ahead: Readonly<Record<TestRunStatus, readonly Target[]>> = {
  pending: targets,
  queued: ['running', 'finished', 'errored', 'canceled'],
  running: ['finished', 'errored', 'canceled'],
  finished: [],
  errored: [],
  canceled: [],
}

/** The events that lead from where a run stands to a state that is ahead. */
function eventsTo({ status, cancel_asked_at }: TestRun, to: Target): readonly TestRunEvent[] {
  if (to === 'canceled') {
    if (status !== 'running') return ['cancel']
    return cancel_asked_at === null ? ['cancel', 'stop'] : ['stop']
  }
  const events: TestRunEvent[] = []
  if (status === 'pending') events.push('queue')
  if (to !== 'queued' && status !== 'running') events.push('start')
  if (to === 'finished') events.push('finish')
  if (to === 'errored') events.push('fail')
  return events
}

/** What a push can say about the outcome. */
function outcomeGiven(...words: readonly string[]) {
  const counts = struct({
    passed: optional(uint),
    failed: optional(uint),
    errored: optional(uint),
    skipped: optional(uint),
  })
  return struct({
    outcome: optional(described(word(...words), 'What comes of the run; default: as planned')),
    results: optional(described(counts, 'How many tests end how, instead of an outcome')),
  })
}

/**
 * Returns what a push makes the outcome: what it says, else what was planned, as far as that fits.
 */
function outcomeOf(
  world: World,
  { outcome, suite = unknownSuite }: TestRun,
  to: Target,
  extra: Readonly<Record<string, unknown>>,
): TestOutcome {
  const blocks = blocksOf(suite)
  const requested = outcomeIn(extra, blocks)
  const contradicts =
    to === 'finished' ? requested?.status === 'errored' : to === 'errored' || to === 'canceled'
  if (requested !== undefined && contradicts) {
    throw refuse('outcome-unfit', { status: to })
  }
  if (requested !== undefined) return requested
  if (to !== 'finished' || outcome.status === 'finished') return outcome
  return { ...usualOutcome(world, blocks), status: 'finished' }
}

/**
 * Test runs for `/_mock/transitions` (behaviour/program#control-plane). A push takes the moves that lead there,
 * also those that callers of the API are refused. Beside `to` it can say `results` (`passed`,
 * `failed`, `errored`, `skipped`, 0 unless given) or `outcome` (`pass`, `fail`, `error`): what the run
 * finishes with, now or later.
 */
export const testRunTransition: TransitionKind = {
  kind: testRunKind,
  summary: 'Test runs; unless a pace is set, queuedTime, runningTime and stopTime say how fast.',
  targets,
  takes: {
    queued: outcomeGiven('pass', 'fail', 'error'),
    running: outcomeGiven('pass', 'fail', 'error'),
    finished: outcomeGiven('pass', 'fail'),
  },
  timing: { after: '2s' },
  items: (world) =>
    Array.from(world.table(testRuns).index('byId').rows(), ({ id, status }) => ({
      id,
      state: status,
      to: ahead[status],
    })),
  force(world, id, to, extra) {
    const run = testRunWithId(world, id)
    if (run === undefined) throw refuse('no-run-to-push', { id })
    const target = ahead[run.status].find((name) => name === to)
    if (target === undefined)
      throw refuse('run-push-impossible', { status: run.status, target: to })
    const outcome = outcomeOf(world, run, target, extra)
    world.write(() => {
      // What a log has announced stands, also where something else comes of the run.
      let moved = run.status === 'running' ? run : putTestRun(world, { ...run, outcome })
      for (const event of eventsTo(run, target)) {
        moved = moveTestRun(world, moved, event, {
          cancelQueued: true,
          results: outcome.results,
        })
      }
    })
  },
}
