import type { RunBlock, TestStatus } from './log-lines.ts'
import { unknownSuite } from './suite.ts'
import type { TestResults, TestRun } from './test-runs.ts'

/** What a log announces: files, their run blocks in order, and how those are to come out. */
export interface LogPlan {
  readonly files: readonly string[]
  readonly blocks: readonly RunBlock[]
  readonly statuses: readonly TestStatus[]
}

/**
 * Returns what a run's log tells of before it is over (behaviour/platform#log). Where
 * the counts are not as many as the run blocks, the counts win: blocks beyond them appear nowhere,
 * and missing ones are added to the last file.
 *
 * @param placeholder the name of a file in the test directory, where nothing is known of files
 */
export function planLog(run: TestRun, placeholder: string): LogPlan {
  const { suite = unknownSuite, outcome, filters, test_directory } = run
  const named = filters.length > 0 ? [...new Set(filters)] : [`${test_directory}/${placeholder}`]
  const files = suite.files?.map(({ path }) => path) ?? named
  const statuses = outcome.status === 'errored' ? [] : plannedStatuses(run)
  const knownBlocks = (suite.files ?? []).flatMap(({ path: file, runs }) =>
    runs.map(({ name, place }): RunBlock => ({ file, name, place })),
  )
  const extra = suite.files === null ? files[0] : files.at(-1)
  const blocks = knownBlocks.slice(0, statuses.length)
  return { files, statuses, blocks: [...blocks, ...extraBlocks(extra, blocks, statuses.length)] }
}

/** Run blocks that nobody wrote, up to so many in all; none where there is no file for them. */
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
 * Returns how the tests come out that have not been told of when a run is over: as planned, unless
 * it came to something else.
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

/** Counts tests by how they came out. */
export function countResults(statuses: readonly TestStatus[]): TestResults {
  const count = (counted: TestStatus) => statuses.filter((status) => status === counted).length
  return {
    passed: count('pass'),
    failed: count('fail'),
    errored: count('error'),
    skipped: count('skip'),
  }
}

function subtract(all: readonly TestStatus[], removed: readonly TestStatus[]): TestStatus[] {
  const leftover = [...all]
  for (const status of removed) {
    const index = leftover.indexOf(status)
    if (index >= 0) leftover.splice(index, 1)
  }
  return leftover
}

/** The order in which one of several is told of them all: the first that is there. */
const severityOrder: readonly TestStatus[] = ['error', 'fail', 'pass', 'skip']

/** The status of several tests together: of none, a pass. */
export function worstStatus(statuses: readonly TestStatus[]): TestStatus {
  return severityOrder.find((status) => statuses.includes(status)) ?? 'pass'
}
