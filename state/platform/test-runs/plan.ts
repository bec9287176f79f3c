import type { Block, TestStatus } from './log-lines.ts'
import { unknownSuite } from './suite.ts'
import type { TestResults, TestRun } from './test-runs.ts'

/** What a log announces: files, their run blocks in order, and how those are to come out. */
export interface Announced {
  readonly files: readonly string[]
  readonly blocks: readonly Block[]
  readonly statuses: readonly TestStatus[]
}

/**
 * Returns what a run's log tells of before it is over (behaviour/platform#log). Where
 * the counts are not as many as the run blocks, the counts win: blocks beyond them appear nowhere,
 * and missing ones are added to the last file.
 *
 * @param placeholder the name of a file in the test directory, where nothing is known of files
 */
export function announced(run: TestRun, placeholder: string): Announced {
  const { suite = unknownSuite, outcome, filters, test_directory } = run
  const named = filters.length > 0 ? [...new Set(filters)] : [`${test_directory}/${placeholder}`]
  const files = suite.files?.map(({ path }) => path) ?? named
  const statuses = outcome.status === 'errored' ? [] : plannedStatuses(run)
  const known = (suite.files ?? []).flatMap(({ path: file, runs }) =>
    runs.map(({ name, place }): Block => ({ file, name, place })),
  )
  const extra = suite.files === null ? files[0] : files.at(-1)
  const blocks = known.slice(0, statuses.length)
  return { files, statuses, blocks: [...blocks, ...extraBlocks(extra, blocks, statuses.length)] }
}

/** Run blocks that nobody wrote, up to so many in all; none where there is no file for them. */
export function extraBlocks(
  file: string | undefined,
  before: readonly Block[],
  count: number,
): Block[] {
  if (file === undefined) return []
  const blocks: Block[] = []
  for (let number = before.length + 1; number <= count; number += 1) {
    blocks.push({ file, name: `run_${number}`, place: null })
  }
  return blocks
}

function plannedStatuses({ outcome: { results, fails_first } }: TestRun): TestStatus[] {
  const statuses = statusesOf(results)
  return fails_first === true && results.failed > 0
    ? ['fail', ...without(statuses, ['fail'])]
    : statuses
}

/**
 * Returns how the tests come out that have not been told of when a run is over: as planned, unless
 * it came to something else.
 */
export function remaining(run: TestRun, told: readonly TestStatus[]): TestStatus[] {
  const { outcome, results } = run
  if (results === null) return []
  const isAsPlanned =
    outcome.status === 'finished' &&
    Object.entries(outcome.results).every(
      ([name, count]) => results[name as keyof TestResults] === count,
    )
  return isAsPlanned ? plannedStatuses(run).slice(told.length) : without(statusesOf(results), told)
}

function statusesOf({ passed, failed, errored, skipped }: TestResults): TestStatus[] {
  const times = (status: TestStatus, count: number) => Array<TestStatus>(count).fill(status)
  return [
    ...times('pass', passed),
    ...times('fail', failed),
    ...times('error', errored),
    ...times('skip', skipped),
  ]
}

/** Counts tests by how they came out. */
export function countOf(statuses: readonly TestStatus[]): TestResults {
  const count = (wanted: TestStatus) => statuses.filter((status) => status === wanted).length
  return {
    passed: count('pass'),
    failed: count('fail'),
    errored: count('error'),
    skipped: count('skip'),
  }
}

function without(all: readonly TestStatus[], taken: readonly TestStatus[]): TestStatus[] {
  const rest = [...all]
  for (const status of taken) {
    const index = rest.indexOf(status)
    if (index >= 0) rest.splice(index, 1)
  }
  return rest
}

/** The order in which one of several is told of them all: the first that is there. */
const order: readonly TestStatus[] = ['error', 'fail', 'pass', 'skip']

/** The status of several tests together: of none, a pass. */
export function worstOf(statuses: readonly TestStatus[]): TestStatus {
  return order.find((status) => statuses.includes(status)) ?? 'pass'
}
