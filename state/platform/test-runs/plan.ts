import type { RunBlock, TestStatus } from './log-lines.ts'
import { unknownSuite } from './suite.ts'
import type { TestResults, TestRun } from './test-runs.ts'

/** Files and run blocks in the order of the log, with the planned status of each block. */
export interface LogPlan {
  readonly files: readonly string[]
  readonly blocks: readonly RunBlock[]
  readonly statuses: readonly TestStatus[]
}

/**
 * Returns the planned content of the log (behaviour/platform#log). If the counts of the outcome
 * differ from the number of run blocks, blocks are left out or added. Added blocks belong to the
 * last file or, if the files are unknown, to the first.
 *
 * @param placeholder file name to use if the files are unknown
 */
export function planLog(run: TestRun, placeholder: string): LogPlan {
  const { suite = unknownSuite, outcome, filters, test_directory } = run
  const placeholderFiles =
    filters.length > 0 ? [...new Set(filters)] : [`${test_directory}/${placeholder}`]
  const files = suite.files?.map(({ path }) => path) ?? placeholderFiles
  const statuses = outcome.status === 'errored' ? [] : plannedStatuses(run)
  const knownBlocks = (suite.files ?? []).flatMap(({ path: file, runs }) =>
    runs.map(({ name, place }): RunBlock => ({ file, name, place })),
  )
  const extraFile = suite.files === null ? files[0] : files.at(-1)
  const blocks = knownBlocks.slice(0, statuses.length)
  return {
    files,
    statuses,
    blocks: [...blocks, ...extraBlocks(extraFile, blocks, statuses.length)],
  }
}

/**
 * Returns made-up run blocks that bring the total number of blocks to `count`. Returns an empty
 * list if `file` is undefined.
 */
export function extraBlocks(
  file: string | undefined,
  existing: readonly RunBlock[],
  count: number,
): RunBlock[] {
  if (file === undefined) return []
  const blocks: RunBlock[] = []
  for (let number = existing.length + 1; number <= count; number += 1) {
    blocks.push({ file, name: `run_${number}`, place: null })
  }
  return blocks
}

function plannedStatuses({ outcome: { results, fails_first } }: TestRun): TestStatus[] {
  const statuses = statusesOf(results)
  return fails_first === true && results.failed > 0
    ? ['fail', ...subtract(statuses, ['fail'])]
    : statuses
}

/**
 * Returns the statuses that the log had not reported when the run ended: the rest of the plan or,
 * if the results differ from the plan, the results without the reported tests. Returns an empty
 * list if the run did not finish.
 */
export function unreportedStatuses(run: TestRun, reported: readonly TestStatus[]): TestStatus[] {
  const { outcome, results } = run
  if (results === null) return []
  const isAsPlanned =
    outcome.status === 'finished' &&
    Object.entries(outcome.results).every(
      ([name, count]) => results[name as keyof TestResults] === count,
    )
  return isAsPlanned
    ? plannedStatuses(run).slice(reported.length)
    : subtract(statusesOf(results), reported)
}

function statusesOf({ passed, failed, errored, skipped }: TestResults): TestStatus[] {
  const repeat = (status: TestStatus, count: number) => Array<TestStatus>(count).fill(status)
  return [
    ...repeat('pass', passed),
    ...repeat('fail', failed),
    ...repeat('error', errored),
    ...repeat('skip', skipped),
  ]
}

export function countResults(statuses: readonly TestStatus[]): TestResults {
  const count = (countedStatus: TestStatus) =>
    statuses.filter((status) => status === countedStatus).length
  return {
    passed: count('pass'),
    failed: count('fail'),
    errored: count('error'),
    skipped: count('skip'),
  }
}

function subtract(all: readonly TestStatus[], removed: readonly TestStatus[]): TestStatus[] {
  const remainingStatuses = [...all]
  for (const status of removed) {
    const index = remainingStatuses.indexOf(status)
    if (index >= 0) remainingStatuses.splice(index, 1)
  }
  return remainingStatuses
}

/**
 * Statuses, highest precedence first. The combined status of several tests is the first of these
 * statuses that any of the tests has.
 */
const severityOrder: readonly TestStatus[] = ['error', 'fail', 'pass', 'skip']

/** Returns the combined status of several tests; `pass` for an empty list. */
export function worstStatus(statuses: readonly TestStatus[]): TestStatus {
  return severityOrder.find((status) => statuses.includes(status)) ?? 'pass'
}
