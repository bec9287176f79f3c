import { uint, word } from '../../kernel/shape/kinds.ts'
import { described, optional, struct } from '../../kernel/shape/members.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { forcedTransition } from '../forced-transitions.ts'
import { refuse } from '../messages.ts'
import { blockCount, defaultOutcome, parseOutcome } from './outcome.ts'
import { unknownSuite } from './suite.ts'
import type { TestRunEvent, TestRunStatus } from './test-run-machine.ts'
import { putTestRun, type TestOutcome, type TestRun, testRuns } from './test-runs.ts'
import { applyTestRunEvent, testRunKind } from './timing.ts'

const targets = ['queued', 'running', 'finished', 'errored', 'canceled'] as const

type Target = (typeof targets)[number]

/** Targets of forced transitions that are reachable from each status. */
const targetsByStatus: Readonly<Record<TestRunStatus, readonly Target[]>> = {
  pending: targets,
  queued: ['running', 'finished', 'errored', 'canceled'],
  running: ['finished', 'errored', 'canceled'],
  finished: [],
  errored: [],
  canceled: [],
}

/** Returns the events that lead from the status of a run to a target. */
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

/** Returns the shape of the parameters that set an outcome. `words` are the allowed outcomes. */
function outcomeParameters(...words: readonly string[]) {
  const counts = struct({
    passed: optional(uint),
    failed: optional(uint),
    errored: optional(uint),
    skipped: optional(uint),
  })
  return struct({
    outcome: optional(
      described(word(...words), 'Outcome of the run; the planned outcome if left out'),
    ),
    results: optional(described(counts, 'Number of tests by result, instead of an outcome')),
  })
}

/**
 * Returns the outcome of a run after a forced transition: the requested outcome or, without a
 * request, the planned outcome. If the run is forced to finish but was planned to fail, returns the
 * default outcome with the status `finished`. Throws `outcome-unfit` if the requested outcome
 * contradicts the target, and throws like `parseOutcome` for an invalid outcome.
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
 * Transition of test runs, which `/_mock/transitions` can force (behaviour/program#control-plane).
 * A forced transition applies all events on the way to its target, even events that clients cannot
 * trigger. The request can set the outcome of the run: `results` is the number of tests by result,
 * and `outcome` is `pass`, `fail` or `error`.
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
  reachableTargets: (_world, { status }) => targetsByStatus[status],
  move(world, run, target, details) {
    const outcome = outcomeAfterForcing(world, run, target, details)
    world.write(() => {
      // While a test run is running, its planned outcome is not replaced, because the log has
      // already shown that outcome.
      let updated = run.status === 'running' ? run : putTestRun(world, { ...run, outcome })
      for (const event of eventsTo(run, target)) {
        updated = applyTestRunEvent(world, updated, event, {
          mayCancelQueued: true,
          results: outcome.results,
        })
      }
    })
  },
})
