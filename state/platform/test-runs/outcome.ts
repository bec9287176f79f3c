import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from '../messages.ts'
import { variablesOf } from '../modules/variables.ts'
import { optionsOf } from '../options.ts'
import type { TestSuite } from './suite.ts'
import type { RunVariable, TestOutcome, TestResults } from './test-runs.ts'

const zeroResults: TestResults = { passed: 0, failed: 0, errored: 0, skipped: 0 }

/**
 * Says what `mock_result` of a run, or `outcome` of a push, can say, and what it makes of so many run
 * blocks (behaviour/platform#test-run-states).
 */
const outcomes: ReadonlyMap<unknown, (blocks: number) => TestOutcome> = new Map<
  unknown,
  (blocks: number) => TestOutcome
>([
  ['pass', (blocks) => ({ status: 'finished', results: { ...zeroResults, passed: blocks } })],
  [
    'fail',
    (blocks) => {
      const failed = Math.min(1, blocks)
      const results = { ...zeroResults, passed: blocks - failed, failed }
      return { status: 'finished', results, fails_first: true }
    },
  ],
  ['error', () => ({ status: 'errored', results: zeroResults })],
])

/** Returns how many run blocks an outcome is about; where names are made up, one. */
export function blockCount({ files }: TestSuite): number {
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
  runVariables: readonly RunVariable[],
  suite: TestSuite,
): RunPlan {
  const values = new Map(
    [...variablesOf(world, module), ...runVariables].map(({ key, value }) => [key, value]),
  )
  const blocks = blockCount(suite)
  const named =
    configuredOutcome(world) ?? outcomes.get(unquote(values.get('mock_result')))?.(blocks)
  return {
    outcome: named ?? defaultOutcome(world, blocks),
    wait_time: parseWaitTime(unquote(values.get('wait_time'))),
  }
}

/** Returns the counts that the options say, where they do. */
function configuredOutcome(world: World): TestOutcome | undefined {
  const { testOutcome, testResults } = optionsOf(world)
  if (testResults === null || testOutcome === 'errored') return undefined
  return { status: 'finished', results: { ...zeroResults, ...testResults } }
}

/** Returns what comes of runs that nobody decides about, which have so many run blocks. */
export function defaultOutcome(world: World, blocks: number): TestOutcome {
  const { testOutcome, testResults } = optionsOf(world)
  return {
    status: testOutcome,
    results: { ...zeroResults, ...(testResults ?? { passed: blocks }) },
  }
}

/**
 * Returns what a push by hand says about the outcome with `results` or `outcome` beside its target,
 * of a run that has so many blocks;
 * undefined when it says nothing. Refuses what is neither with `invalid`.
 */
export function parseOutcome(
  details: Readonly<Record<string, unknown>>,
  blocks: number,
): TestOutcome | undefined {
  const { results, outcome } = details
  if (results !== undefined) return { status: 'finished', results: readResults(results) }
  if (outcome === undefined) return undefined
  const named = outcomes.get(outcome)
  if (named === undefined) {
    throw refuse('outcome-unknown', { names: [...outcomes.keys()].join(', ') })
  }
  return named(blocks)
}

function readResults(input: unknown): TestResults {
  const refusal = () => refuse('results-wrong', { names: Object.keys(zeroResults).join(', ') })
  if (typeof input !== 'object' || input === null || Array.isArray(input)) throw refusal()
  for (const [name, count] of Object.entries(input)) {
    if (!Object.hasOwn(zeroResults, name) || !Number.isSafeInteger(count) || count < 0)
      throw refusal()
  }
  return { ...zeroResults, ...input }
}

/** A literal's text: values are expressions, so texts may stand in quotes or not. */
function unquote(value: string | undefined): string | undefined {
  return value === undefined ? undefined : value.trim().replace(/^"(.*)"$/, '$1')
}

/** The longest wait that counts, in seconds: a day. */
const maxWaitSeconds = 86_400

/** `<n>s` in milliseconds (behaviour/platform#test-run-states); null for anything else. */
function parseWaitTime(text: string | undefined): number | null {
  const [, seconds] = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(text ?? '') ?? []
  return seconds === undefined ? null : Math.ceil(Math.min(Number(seconds), maxWaitSeconds) * 1000)
}
