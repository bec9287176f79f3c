import {
  abstractEntry,
  diagnosticEntry,
  fileEntry,
  interruptEntry,
  leftBehindEntry,
  runEntry,
  secondInterruptEntry,
  summaryEntry,
  type TestStatus,
  type Tool,
  versionEntry,
} from './log-lines.ts'
import { type Announced, announced, countOf, extraBlocks, remaining, worstOf } from './plan.ts'
import { Teller } from './teller.ts'
import type { TestRun } from './test-runs.ts'

/** The first and, once the run is over, the last byte of a log (behaviour/platform#log). */
const startMark = '\u0002'
const endMark = '\u0003'

/** How often a block that is under way is told of, in milliseconds, and how often at most. */
const tick = 2_000
const mostTicks = 1_800

/** What a log calls things. */
interface LogWords extends Tool {
  /** The name of the file that tests are told of where nobody knows files. */
  readonly placeholder: string
}

/**
 * Returns what a run has logged by an instant, both marks included; nothing before it runs. The
 * text is made from the run alone and only ever grows: what a run was to come to shows until it is
 * over, what it came to afterwards, and a test that was told of is not taken back. One that was
 * canceled before it ran has the marks alone.
 */
export function testRunLog(run: TestRun, now: number, words: LogWords): string {
  const { started_at: started } = run.reached
  const end = endOf(run)
  if (started === undefined) return end === undefined ? '' : startMark + endMark
  const asked = run.cancel_asked_at
  const until = Math.min(now, end ?? now)
  const plan = announced(run, words.placeholder)
  const teller = new Teller(words, plan)
  teller.write(versionEntry(words), started)
  if (run.outcome.status === 'finished') {
    announce(teller, run, plan, started)
    tellPlanned(teller, run, plan, Math.min(until, asked ?? until))
  }
  if (asked !== null) teller.write(interruptEntry(words), asked)
  if (asked !== null) tellTicks(teller, run, plan, asked, until)
  if (end === undefined) return startMark + teller.text
  tellEnd(teller, run, end, words)
  return startMark + teller.text + endMark
}

function endOf({ reached }: TestRun): number | undefined {
  return reached.finished_at ?? reached.errored_at ?? reached.canceled_at
}

function announce(
  teller: Teller,
  { suite }: TestRun,
  { files, blocks }: Announced,
  at: number,
): void {
  const missing = suite?.missing_directory ?? null
  if (missing !== null) {
    const summary = 'Test directory does not exist'
    const detail = `Requested test directory ${missing} does not exist.`
    teller.write(diagnosticEntry({ severity: 'warning', summary, detail }), at)
  }
  teller.write(abstractEntry(files, blocks), at)
}

/** Returns how long each block runs: they share the running time of the whole. */
function shareOf({ running_time }: TestRun, { statuses }: Announced): number {
  const count = statuses.filter((status) => status !== 'skip').length
  return (running_time ?? 0) / Math.max(1, count)
}

/**
 * Tells of blocks as they are planned, one after the other. How the last one ends is only known when
 * the run is over.
 */
function tellPlanned(teller: Teller, run: TestRun, plan: Announced, until: number): void {
  const { started_at: started = 0 } = run.reached
  const share = shareOf(run, plan)
  const last = plan.statuses.findLastIndex((status) => status !== 'skip')
  let number = 0
  for (const [index, block] of plan.blocks.entries()) {
    if (index > last) return
    const at = started + Math.floor(share * number)
    const status = plan.statuses[index] ?? 'skip'
    if (status === 'skip') {
      teller.end(block, status, at)
      continue
    }
    number += 1
    teller.begin(block, at)
    const ends = started + Math.floor(share * number)
    const isKnown = index < last && ends <= until
    tellTicks(teller, run, plan, at, isKnown ? ends : until)
    if (!isKnown) return
    teller.end(block, status, ends)
  }
}

/**
 * Tells, after one instant and up to another, that a block is still under way; not at the instant
 * at which it is planned to end.
 */
function tellTicks(
  teller: Teller,
  run: TestRun,
  plan: Announced,
  after: number,
  until: number,
): void {
  const { underWay } = teller
  if (underWay === undefined) return
  const { block, since } = underWay
  const share = shareOf(run, plan)
  const first = Math.floor((after - since) / tick) + 1
  for (let count = first; count <= mostTicks && since + tick * count <= until; count += 1) {
    const elapsed = tick * count
    if (elapsed !== Math.floor(share)) teller.write(runEntry(block, { elapsed }), since + elapsed)
  }
}

/** Tells how a run ended that is over. */
function tellEnd(teller: Teller, run: TestRun, at: number, words: LogWords): void {
  if (run.reached.force_canceled_at !== undefined) {
    teller.write(secondInterruptEntry, at)
    tellInterrupted(teller, run, at, words)
  } else if (run.status === 'errored') {
    const detail = 'The outcome of this test run was set to error.'
    teller.write(diagnosticEntry({ summary: 'Test run errored', detail }), at)
  } else if (run.status === 'finished' || run.outcome.status === 'finished') {
    tellRest(teller, run, at, words)
  }
}

/** Nothing is torn down and nothing summed up when a run is forced to end. */
function tellInterrupted(teller: Teller, run: TestRun, at: number, tool: Tool): void {
  const { underWay } = teller
  if (underWay === undefined) return
  const { block } = underWay
  const planned = run.suite?.planned ?? []
  if (planned.length > 0) teller.write(leftBehindEntry(tool, block, planned), at)
  const summary = 'Test interrupted'
  const detail =
    'The test operation could not be completed due to an interrupt signal. Please read the remaining diagnostics carefully for any sign of failed state cleanup or dangling resources.'
  teller.write(runEntry(block, { status: 'error' }), at)
  teller.write(diagnosticEntry({ summary, detail }, block), at)
  teller.write(fileEntry(block.file, 'complete', 'error'), at)
}

/** Tells of the tests that have not ended, then of the files and the sum. */
function tellRest(teller: Teller, run: TestRun, at: number, words: LogWords): void {
  const { results } = run
  const isLate = run.outcome.status === 'errored' && results !== null
  const plan = announced(
    isLate ? { ...run, outcome: { status: 'finished', results } } : run,
    words.placeholder,
  )
  if (isLate) announce(teller, run, plan, at)
  const { told, underWay } = teller
  const rest = restOf(run, plan, told, underWay !== undefined)
  const files = run.suite?.files == null ? plan.files[0] : plan.files.at(-1)
  const blocks = [
    ...plan.blocks,
    ...extraBlocks(files, plan.blocks, told.length + rest.length),
  ].slice(told.length)
  for (const [index, block] of blocks.entries()) {
    const status = rest[index]
    if (status === undefined) break
    const isUnderWay = underWay !== undefined && index === 0
    if (!isUnderWay && status !== 'skip') teller.begin(block, at)
    teller.end(block, status, at)
  }
  teller.endFiles(at)
  const counts = results ?? countOf(teller.told)
  teller.write(summaryEntry(statusOf(counts), counts), at)
}

function restOf(
  run: TestRun,
  plan: Announced,
  told: readonly TestStatus[],
  isUnderWay: boolean,
): readonly TestStatus[] {
  if (run.results === null) {
    const planned = plan.statuses.slice(told.length, plan.blocks.length)
    return planned.map((status, index) => (isUnderWay && index === 0 ? status : 'skip'))
  }
  const rest = remaining(run, told)
  return isUnderWay && rest.length === 0 ? ['skip'] : rest
}

function statusOf(counts: ReturnType<typeof countOf>): TestStatus {
  const { passed, failed, errored, skipped } = counts
  return worstOf([
    ...(errored > 0 ? (['error'] as const) : []),
    ...(failed > 0 ? (['fail'] as const) : []),
    ...(passed > 0 ? (['pass'] as const) : []),
    ...(skipped > 0 ? (['skip'] as const) : []),
  ])
}
