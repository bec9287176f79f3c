import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from '../messages.ts'
import { optionsOf } from '../options.ts'
import { variablesOf } from '../variables/variables.ts'
import type { TestSuite } from './suite.ts'
import type { TestOutcome, TestResults, TestRunVariable } from './test-runs.ts'

const zeroResults: TestResults = { passed: 0, failed: 0, errored: 0, skipped: 0 }

/**
 * Outcomes by name. The name is the value of the variable `mock_result`, or of the parameter
 * `outcome` of a forced transition. Each outcome is a function of the number of run blocks
 * (behaviour/platform#test-run-states).
 */
const outcomeByName: ReadonlyMap<unknown, (blocks: number) => TestOutcome> = new Map<
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

/** Returns the number of run blocks in a suite; 1 if the contents are unknown. */
export function blockCount({ files }: TestSuite): number {
  return files === null ? 1 : files.reduce((sum, { runs }) => sum + runs.length, 0)
}

/** Planned outcome and duration of a test run. */
interface TestRunPlan {
  readonly outcome: TestOutcome
  /** Running time in milliseconds; null if no variable sets it. */
  readonly wait_time: number | null
}

/**
 * Returns the plan of a new test run (behaviour/platform#test-run-states). Counts in the option
 * `testResults` take precedence over the variable `mock_result`. If neither determines the outcome,
 * `defaultOutcome` applies. Variables of the run override variables of the module.
 */
export function testRunPlanOf(
  world: World,
  module: string,
  runVariables: readonly TestRunVariable[],
  suite: TestSuite,
): TestRunPlan {
  const values = new Map(
    [...variablesOf(world, module), ...runVariables].map(({ key, value }) => [key, value]),
  )
  const blocks = blockCount(suite)
  const named =
    configuredOutcome(world) ?? outcomeByName.get(unquote(values.get('mock_result')))?.(blocks)
  return {
    outcome: named ?? defaultOutcome(world, blocks),
    wait_time: parseWaitTime(unquote(values.get('wait_time'))),
  }
}

/**
 * Returns a finished outcome with the test counts in the option `testResults`. Returns undefined if
 * this option is not set, or if the option `testOutcome` is `errored`.
 */
function configuredOutcome(world: World): TestOutcome | undefined {
  const { testOutcome, testResults } = optionsOf(world)
  if (testResults === null || testOutcome === 'errored') return undefined
  return { status: 'finished', results: { ...zeroResults, ...testResults } }
}

/**
 * Returns the outcome for a run whose variables set no outcome: the status in the option
 * `testOutcome` and the counts in the option `testResults`. Without `testResults`, all run blocks
 * pass.
 */
export function defaultOutcome(world: World, blocks: number): TestOutcome {
  const { testOutcome, testResults } = optionsOf(world)
  return {
    status: testOutcome,
    results: { ...zeroResults, ...(testResults ?? { passed: blocks }) },
  }
}

/**
 * Parses `results` or `outcome` of a forced transition. Returns undefined if both are missing.
 * Throws `results-wrong` or `outcome-unknown` for an invalid value.
 */
export function parseOutcome(
  details: Readonly<Record<string, unknown>>,
  blocks: number,
): TestOutcome | undefined {
  const { results, outcome } = details
  if (results !== undefined) return { status: 'finished', results: parseResults(results) }
  if (outcome === undefined) return undefined
  const named = outcomeByName.get(outcome)
  if (named === undefined) {
    throw refuse('outcome-unknown', { names: [...outcomeByName.keys()].join(', ') })
  }
  return named(blocks)
}

function parseResults(input: unknown): TestResults {
  const refusal = () => refuse('results-wrong', { names: Object.keys(zeroResults).join(', ') })
  if (typeof input !== 'object' || input === null || Array.isArray(input)) throw refusal()
  for (const [name, count] of Object.entries(input)) {
    if (!Object.hasOwn(zeroResults, name) || !Number.isSafeInteger(count) || count < 0)
      throw refusal()
  }
  return { ...zeroResults, ...input }
}

/**
 * Returns a string literal without its quotes and the whitespace around it. Values of variables are
 * expressions, so strings may be quoted.
 */
export function unquote(value: string | undefined): string | undefined {
  return value === undefined ? undefined : value.trim().replace(/^"(.*)"$/, '$1')
}

/** Maximum value of `wait_time` in seconds: one day. */
const maxWaitSeconds = 86_400

/**
 * Parses a text like `2.5s` and returns milliseconds, at most one day
 * (behaviour/platform#test-run-states). Returns null for any other text.
 */
export function parseWaitTime(text: string | undefined): number | null {
  const [, seconds] = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(text ?? '') ?? []
  return seconds === undefined ? null : Math.ceil(Math.min(Number(seconds), maxWaitSeconds) * 1000)
}
