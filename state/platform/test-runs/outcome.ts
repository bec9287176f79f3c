import type { World } from '../../kernel/world.ts'
import { variablesOf } from '../modules/variables.ts'
import { optionsOf } from '../options.ts'
import { refuse } from '../texts.ts'
import type { TestSuite } from './suite.ts'
import type { RunVariable, TestOutcome, TestResults } from './test-runs.ts'

const none: TestResults = { passed: 0, failed: 0, errored: 0, skipped: 0 }

/**
 * Says what `mock_result` of a run, or `outcome` of a push, can say, and what it makes of so many run
 * blocks (behaviour/platform#test-run-states).
 */
const outcomes: ReadonlyMap<unknown, (blocks: number) => TestOutcome> = new Map<
  unknown,
  (blocks: number) => TestOutcome
>([
  ['pass', (blocks) => ({ status: 'finished', results: { ...none, passed: blocks } })],
  [
    'fail',
    (blocks) => {
      const failed = Math.min(1, blocks)
      const results = { ...none, passed: blocks - failed, failed }
      return { status: 'finished', results, fails_first: true }
    },
  ],
  ['error', () => ({ status: 'errored', results: none })],
])

/** Returns how many run blocks an outcome is about; where names are made up, one. */
export function blocksOf({ files }: TestSuite): number {
  return files === null ? 1 : files.reduce((sum, { runs }) => sum + runs.length, 0)
}

/** The plan that the variables and options of a run make for it. */
interface RunPlan {
  readonly outcome: TestOutcome
  /** In milliseconds; null when no variable says. */
  readonly wait_time: number | null
}

/**
 * Returns how a new run is to go: by the counts of the options, else by its variables over those of
 * its module, else all pass (behaviour/platform#test-run-states, Outcome).
 */
export function planOf(
  world: World,
  module: string,
  own: readonly RunVariable[],
  suite: TestSuite,
): RunPlan {
  const values = new Map(
    [...variablesOf(world, module), ...own].map(({ key, value }) => [key, value]),
  )
  const blocks = blocksOf(suite)
  const named = hookedOutcome(world) ?? outcomes.get(literal(values.get('mock_result')))?.(blocks)
  return {
    outcome: named ?? usualOutcome(world, blocks),
    wait_time: waitTime(literal(values.get('wait_time'))),
  }
}

/** Returns the counts that the options say, where they do. */
function hookedOutcome(world: World): TestOutcome | undefined {
  const { testOutcome, testResults } = optionsOf(world)
  if (testResults === null || testOutcome === 'errored') return undefined
  return { status: 'finished', results: { ...none, ...testResults } }
}

/** Returns what comes of runs that nobody decides about, which have so many run blocks. */
export function usualOutcome(world: World, blocks: number): TestOutcome {
  const { testOutcome, testResults } = optionsOf(world)
  return { status: testOutcome, results: { ...none, ...(testResults ?? { passed: blocks }) } }
}

/**
 * Returns what a push by hand says about the outcome with `results` or `outcome` beside its target,
 * of a run that has so many blocks;
 * undefined when it says nothing. Refuses what is neither with `invalid`.
 */
export function outcomeIn(
  extra: Readonly<Record<string, unknown>>,
  blocks: number,
): TestOutcome | undefined {
  const { results, outcome } = extra
  if (results !== undefined) return { status: 'finished', results: readResults(results) }
  if (outcome === undefined) return undefined
  const named = outcomes.get(outcome)
  if (named === undefined) {
    throw refuse('outcome-unknown', { names: [...outcomes.keys()].join(', ') })
  }
  return named(blocks)
}

function readResults(sent: unknown): TestResults {
  const wrong = () => refuse('results-wrong', { names: Object.keys(none).join(', ') })
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) throw wrong()
  for (const [name, count] of Object.entries(sent)) {
    if (!Object.hasOwn(none, name) || !Number.isSafeInteger(count) || count < 0) throw wrong()
  }
  return { ...none, ...sent }
}

/** A literal's text: values are expressions, so texts may stand in quotes or not. */
function literal(value: string | undefined): string | undefined {
  return value === undefined ? undefined : value.trim().replace(/^"(.*)"$/, '$1')
}

/** The longest wait that counts, in seconds: a day. */
const longestWait = 86_400

/** `<n>s` in milliseconds (behaviour/platform#test-run-states); null for anything else. */
function waitTime(text: string | undefined): number | null {
  const [, seconds] = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(text ?? '') ?? []
  return seconds === undefined ? null : Math.ceil(Math.min(Number(seconds), longestWait) * 1000)
}
