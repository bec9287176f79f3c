import { uint, word } from '../../kernel/shape/kinds.ts'
import { described, optional, struct } from '../../kernel/shape/members.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { forcedTransition } from '../forced-transitions.ts'
import { refuse } from '../messages.ts'
import { blockCount, defaultOutcome, parseOutcome } from './outcome.ts'
import { unknownSuite } from './suite.ts'
import type { TestRunEvent, TestRunStatus } from './test-run-machine.ts'
import { putTestRun, type TestOutcome, type TestRun, testRuns } from './test-runs.ts'
import { applyRunEvent, testRunKind } from './timing.ts'

const targets = ['queued', 'running', 'finished', 'errored', 'canceled'] as const

type Target = (typeof targets)[number]

/** States that a forced transition can still reach. */
const reachableTargets: Readonly<Record<TestRunStatus, readonly Target[]>> = {
  pending: targets,
  queued: ['running', 'finished', 'errored', 'canceled'],
  running: ['finished', 'errored', 'canceled'],
  finished: [],
  errored: [],
  canceled: [],
}

/** Returns the events that lead from a run's state to a later state. */
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

/** Returns the parameters for the outcome in a forced transition. */
function outcomeParameters(...words: readonly string[]) {
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
 * Returns the outcome after a forced transition: the requested outcome, otherwise the planned one.
 * If the target is `finished` but the plan is an error, the default outcome is returned. Refuses a
 * requested outcome that contradicts the target.
 */
function outcomeAfterForcing(
  world: World,
  { outcome, suite = unknownSuite }: TestRun,
  to: Target,
  details: Readonly<Record<string, unknown>>,
): TestOutcome {
  const blocks = blockCount(suite)
  const requested = parseOutcome(details, blocks)
  const isContradiction =
    to === 'finished' ? requested?.status === 'errored' : to === 'errored' || to === 'canceled'
  if (requested !== undefined && isContradiction) {
    throw refuse('outcome-unfit', { status: to })
  }
  if (requested !== undefined) return requested
  if (to !== 'finished' || outcome.status === 'finished') return outcome
  return { ...defaultOutcome(world, blocks), status: 'finished' }
}

/**
 * Test runs for `/_mock/transitions` (behaviour/program#control-plane). A forced transition applies
 * the events that lead to its target, including events that clients of the API cannot trigger. In
 * addition to `to`, it accepts the result with which the run finishes, now or later: `results`
 * (`passed`, `failed`, `errored`, `skipped`; 0 by default) or `outcome` (`pass`, `fail`, `error`).
 */
export const testRunTransition = forcedTransition({
  subject: 'run',
  table: testRuns,
  kind: testRunKind,
  summary: 'Test runs; unless a pace is set, queuedTime, runningTime and stopTime say how fast.',
  targets,
  takes: {
    queued: outcomeParameters('pass', 'fail', 'error'),
    running: outcomeParameters('pass', 'fail', 'error'),
    finished: outcomeParameters('pass', 'fail'),
  },
  timing: { after: '2s' },
  ahead: (_world, { status }) => reachableTargets[status],
  move(world, run, target, details) {
    const outcome = outcomeAfterForcing(world, run, target, details)
    world.write(() => {
      // Tests that a log has already announced stay in it, even if the run ends otherwise.
      let updated = run.status === 'running' ? run : putTestRun(world, { ...run, outcome })
      for (const event of eventsTo(run, target)) {
        updated = applyRunEvent(world, updated, event, {
          cancelQueued: true,
          results: outcome.results,
        })
      }
    })
  },
})
