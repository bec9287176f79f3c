import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from '../messages.ts'
import { optionsOf } from '../options.ts'
import { variablesOf } from '../variables/variables.ts'
import type { TestSuite } from './suite.ts'
import type { RunVariable, TestOutcome, TestResults } from './test-runs.ts'

const zeroResults: TestResults = { passed: 0, failed: 0, errored: 0, skipped: 0 }

/**
 * Valid values of a run's `mock_result` and of `outcome` in a forced transition, with the outcome
 * of each for a number of run blocks (behaviour/platform#test-run-states).
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

/** Returns the number of run blocks in a suite, or one if the names are made up. */
export function blockCount({ files }: TestSuite): number {
  return files === null ? 1 : files.reduce((sum, { runs }) => sum + runs.length, 0)
}

/** Plan of a run, as its variables and options define it. */
interface RunPlan {
  readonly outcome: TestOutcome
  /** Duration in milliseconds; null if no variable sets it. */
  readonly wait_time: number | null
}

/**
 * Returns the plan of a new run. The counts in the options take precedence over the variable
 * `mock_result`; a variable of the run replaces the module's variable with the same key. The
 * default is `defaultOutcome` (behaviour/platform#test-run-states, Outcome).
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

/** Returns the outcome that the options configure, if any. */
function configuredOutcome(world: World): TestOutcome | undefined {
  const { testOutcome, testResults } = optionsOf(world)
  if (testResults === null || testOutcome === 'errored') return undefined
  return { status: 'finished', results: { ...zeroResults, ...testResults } }
}

/**
 * Returns the outcome of a run with this number of run blocks if no variable defines it: the status
 * in the options, with the counts in the options or else with all tests passed.
 */
export function defaultOutcome(world: World, blocks: number): TestOutcome {
  const { testOutcome, testResults } = optionsOf(world)
  return {
    status: testOutcome,
    results: { ...zeroResults, ...(testResults ?? { passed: blocks }) },
  }
}

/**
 * Parses the outcome that a forced transition gives in `results` or `outcome`, for a run with this
 * number of blocks. Returns undefined if it gives neither. Throws `invalid` if the value is
 * invalid.
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

/** Returns the text of a literal. Values are expressions, so a string may be quoted. */
export function unquote(value: string | undefined): string | undefined {
  return value === undefined ? undefined : value.trim().replace(/^"(.*)"$/, '$1')
}

/** Maximum wait in seconds: one day. */
const maxWaitSeconds = 86_400

/**
 * Parses `<n>s` to milliseconds, limited to one day (behaviour/platform#test-run-states). Returns
 * null for any other text.
 */
export function parseWaitTime(text: string | undefined): number | null {
  const [, seconds] = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(text ?? '') ?? []
  return seconds === undefined ? null : Math.ceil(Math.min(Number(seconds), maxWaitSeconds) * 1000)
}
