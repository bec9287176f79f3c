import type { RunBlock, TestStatus } from './log-lines.ts'
import { unknownSuite } from './suite.ts'
import type { TestResults, TestRun } from './test-runs.ts'

/** Announced content of a log: files, their run blocks in order, and the planned statuses. */
export interface LogPlan {
  readonly files: readonly string[]
  readonly blocks: readonly RunBlock[]
  readonly statuses: readonly TestStatus[]
}

/**
 * Returns the planned log of a run (behaviour/platform#log). If the counts differ from the number
 * of run blocks, the counts take precedence: excess blocks are left out, and missing ones are added
 * to the last file.
 *
 * @param placeholder name of a file in the test directory, used if the files are unknown
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

/**
 * Returns made-up run blocks that fill a list up to a total; empty if there is no file for them.
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
 * Returns the statuses of the tests that were not reported when a run ended: the planned ones,
 * unless the run had another outcome.
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

/** Counts tests by status. */
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

/** Statuses by precedence: the first one present becomes the status of a group of tests. */
const severityOrder: readonly TestStatus[] = ['error', 'fail', 'pass', 'skip']

/** Returns the combined status of several tests; a pass if there are none. */
export function worstStatus(statuses: readonly TestStatus[]): TestStatus {
  return severityOrder.find((status) => statuses.includes(status)) ?? 'pass'
}
