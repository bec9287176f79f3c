import { attributeTime } from '../timestamps.ts'
import type { TestResults, TestRun } from './test-runs.ts'

/** Describes how one test came out. */
type TestStatus = 'pass' | 'fail' | 'error' | 'skip'

/** The first and, once the run is over, the last byte of a log (2-platform-decisions.md section 2.5). */
const startMark = '\u0002'
const endMark = '\u0003'

/** Describes what a log line says, beside what all lines have. */
interface Entry {
  readonly type: 'test_abstract' | 'test_file' | 'test_run' | 'test_interrupt' | 'test_summary'
  readonly message: string
  readonly content: object
}

/** An entry that is written while tests run. */
interface Step {
  readonly at: number
  readonly entry: Entry
  /** Present where a test ends. */
  readonly ended?: TestStatus
}

/**
 * Returns what a run has logged by an instant, both marks included; nothing before it runs. The
 * text is made from the run alone and only ever grows: what a run was to come to shows until it is
 * over, what it came to afterwards, and a test that was told of is not taken back.
 *
 * @param product what the lines call the program that runs the tests, in lower case
 */
export function testRunLog(run: TestRun, now: number, product: string): string {
  const started = run.reached.started_at
  if (started === undefined) return ''
  const write = ({ at, entry }: Step) => line(entry, at, product)
  const steps = stepsUntil(
    run,
    started,
    Math.min(now, run.cancel_asked_at ?? now, endOf(run) ?? now),
  )
  const interrupted = run.cancel_asked_at
  const end = endOf(run)
  const version = `${product.charAt(0).toUpperCase()}${product.slice(1)} v1.9.8\n`
  return [
    startMark,
    version,
    ...steps.map(write),
    ...(interrupted === null ? [] : [write({ at: interrupted, entry: interruption })]),
    ...(end === undefined
      ? []
      : [...lastEntries(run, steps).map((entry) => write({ at: end, entry })), endMark]),
  ].join('')
}

function endOf({ reached }: TestRun): number | undefined {
  return reached.finished_at ?? reached.errored_at ?? reached.canceled_at
}

/** The files whose tests run; all tests are told of the first. */
function filesOf({ filters, test_directory }: TestRun): readonly [string, ...string[]] {
  const [first, ...others] = filters
  return first === undefined ? [`${test_directory}/main.test.hcl`] : [first, ...others]
}

/**
 * Returns what is written while tests run: they are spread over the running time, one after the
 * other.
 */
function stepsUntil(run: TestRun, started: number, until: number): readonly Step[] {
  const [file, ...others] = filesOf(run)
  const planned = run.outcome.status === 'errored' ? [] : statusesOf(run.outcome.results)
  const names = planned.map((_, index) => nameOf(index))
  const share = (run.running_time ?? 0) / Math.max(1, planned.length)
  const steps: Step[] = [
    { at: started, entry: abstract(file, names, others) },
    { at: started, entry: fileEntry(file, 'starting', 'in progress') },
  ]
  for (const [index, status] of planned.entries()) {
    const at = started + Math.floor(share * index)
    steps.push({ at, entry: testEntry(file, nameOf(index)) })
    // How the last one ends is only known when the run is over.
    if (index === planned.length - 1) break
    const ends = started + Math.floor(share * (index + 1))
    steps.push({ at: ends, entry: testEntry(file, nameOf(index), status), ended: status })
  }
  return steps.filter(({ at }) => at <= until)
}

/** Returns what is written when a run is over: tests that have not been told of, then the sum. */
function lastEntries(run: TestRun, steps: readonly Step[]): readonly Entry[] {
  if (run.reached.force_canceled_at !== undefined) return []
  const [file] = filesOf(run)
  const told = steps.flatMap(({ ended }) => ended ?? [])
  const begun = steps.filter(({ entry }) => entry.type === 'test_run').length - told.length
  const rest = run.results === null ? [] : without(statusesOf(run.results), told)
  if (run.results === null && begun > told.length) {
    rest.push(run.status === 'errored' ? 'error' : 'skip')
  }
  const entries = rest.flatMap((status, index) => {
    const name = nameOf(told.length + index)
    const ended = testEntry(file, name, status)
    return told.length + index < begun ? [ended] : [testEntry(file, name), ended]
  })
  const results = run.results ?? countOf([...told, ...rest])
  const status = run.status === 'finished' ? worst(results) : 'error'
  return [
    ...entries,
    fileEntry(file, 'teardown', 'tearing down'),
    fileEntry(file, 'complete', status, status),
    summary(results, status),
  ]
}

const nameOf = (index: number): string => `run_${index + 1}`

function statusesOf({ passed, failed, errored, skipped }: TestResults): TestStatus[] {
  const times = (status: TestStatus, count: number) => Array<TestStatus>(count).fill(status)
  return [
    ...times('pass', passed),
    ...times('fail', failed),
    ...times('error', errored),
    ...times('skip', skipped),
  ]
}

function countOf(statuses: readonly TestStatus[]): TestResults {
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

function worst({ failed, errored }: TestResults): TestStatus {
  if (errored > 0) return 'error'
  return failed > 0 ? 'fail' : 'pass'
}

function abstract(file: string, names: readonly string[], others: readonly string[]): Entry {
  const files = 1 + others.length
  const found = `${files} ${files === 1 ? 'file' : 'files'}`
  const blocks = `${names.length} run ${names.length === 1 ? 'block' : 'blocks'}`
  return {
    type: 'test_abstract',
    message: `Found ${found} and ${blocks}`,
    content: Object.fromEntries([[file, names], ...others.map((other) => [other, []])]),
  }
}

function fileEntry(path: string, progress: string, word: string, status?: TestStatus): Entry {
  return {
    type: 'test_file',
    message: `${path}... ${word}`,
    content: { path, progress, ...(status === undefined ? {} : { status }) },
  }
}

function testEntry(path: string, run: string, status?: TestStatus): Entry {
  const progress =
    status === undefined ? { progress: 'starting' } : { progress: 'complete', status }
  return {
    type: 'test_run',
    message: `  "${run}"... ${status ?? 'in progress'}`,
    content: { path, run, ...progress },
  }
}

const interruption: Entry = {
  type: 'test_interrupt',
  message: 'Interrupt received. The tests stop and tear down what they made.',
  content: {},
}

function summary(results: TestResults, status: TestStatus): Entry {
  const { passed, failed, errored, skipped } = results
  const skips = skipped === 0 ? '' : `, ${skipped} skipped`
  const verdict = status === 'pass' ? 'Success!' : 'Failure!'
  return {
    type: 'test_summary',
    message: `${verdict} ${passed} passed, ${failed + errored} failed${skips}.`,
    content: { status, ...results },
  }
}

function line({ type, message, content }: Entry, at: number, product: string): string {
  const members = {
    '@level': 'info',
    '@message': message,
    '@module': `${product}.ui`,
    '@timestamp': attributeTime(at),
    [type]: content,
    type,
  }
  return `${JSON.stringify(members)}\n`
}
