import {
  abstractEntry,
  diagnosticEntry,
  fileEntry,
  interruptEntry,
  leftoverEntry,
  runEntry,
  secondInterruptEntry,
  summaryEntry,
  type TestStatus,
  type Tool,
  versionEntry,
} from './log-lines.ts'
import { LogWriter } from './log-writer.ts'
import {
  countResults,
  extraBlocks,
  type LogPlan,
  planLog,
  unreportedStatuses,
  worstStatus,
} from './plan.ts'
import type { TestRun } from './test-runs.ts'

/** First byte of a log (behaviour/platform#log). */
const startOfText = '\u0002'
/** Last byte of a log after the end of the run. */
const endOfText = '\u0003'

/** Milliseconds between the progress lines of a run block. */
const progressInterval = 2_000
/** Maximum number of progress lines of a run block. */
const maxProgressLines = 1_800

/** Names in a log that depend on the dialect. */
interface LogNames extends Tool {
  /** Name for a test file if the real names are unknown. */
  readonly placeholder: string
}

/**
 * Returns the log of a test run up to the instant `now`. Before the run starts, the log is empty.
 * Otherwise the log begins with a start mark, and the log of an ended run also ends with an end
 * mark. Written lines never change later, even if the actual result differs from the planned
 * result. The log of a run that was canceled before its start contains only the two marks.
 */
export function testRunLog(run: TestRun, now: number, names: LogNames): string {
  const { started_at: started } = run.reached
  const end = endOf(run)
  if (started === undefined) return end === undefined ? '' : startOfText + endOfText
  const cancelRequestedAt = run.cancel_asked_at
  const endAt = Math.min(now, end ?? now)
  const plan = planLog(run, names.placeholder)
  const writer = new LogWriter(names, plan)
  writer.write(versionEntry(names), started)
  if (run.outcome.status === 'finished') {
    writeAnnouncement(writer, run, plan, started)
    writePlannedBlocks(writer, run, plan, Math.min(endAt, cancelRequestedAt ?? endAt))
  }
  if (cancelRequestedAt !== null) writer.write(interruptEntry(names), cancelRequestedAt)
  if (cancelRequestedAt !== null) writeProgress(writer, run, plan, cancelRequestedAt, endAt)
  if (end === undefined) return startOfText + writer.text
  writeEnd(writer, run, end, names)
  return startOfText + writer.text + endOfText
}

function endOf({ reached }: TestRun): number | undefined {
  return reached.finished_at ?? reached.errored_at ?? reached.canceled_at
}

function writeAnnouncement(
  writer: LogWriter,
  { suite }: TestRun,
  { files, blocks }: LogPlan,
  at: number,
): void {
  const missing = suite?.missing_directory ?? null
  if (missing !== null) {
    const summary = 'Test directory does not exist'
    const detail = `Requested test directory ${missing} does not exist.`
    writer.write(diagnosticEntry({ severity: 'warning', summary, detail }), at)
  }
  writer.write(abstractEntry(files, blocks), at)
}

/**
 * Returns the duration of a run block in milliseconds. All blocks that are not skipped have an
 * equal share of the running time.
 */
function blockDuration({ running_time }: TestRun, { statuses }: LogPlan): number {
  const count = statuses.filter((status) => status !== 'skip').length
  return (running_time ?? 0) / Math.max(1, count)
}

/**
 * Writes the lines of the planned run blocks up to an instant. Does not end the last block that is
 * not skipped, because that block runs until the end of the run.
 */
function writePlannedBlocks(writer: LogWriter, run: TestRun, plan: LogPlan, endAt: number): void {
  const { started_at: started = 0 } = run.reached
  const duration = blockDuration(run, plan)
  const last = plan.statuses.findLastIndex((status) => status !== 'skip')
  let number = 0
  for (const [index, block] of plan.blocks.entries()) {
    if (index > last) return
    const at = started + Math.floor(duration * number)
    const status = plan.statuses[index] ?? 'skip'
    if (status === 'skip') {
      writer.endBlock(block, status, at)
      continue
    }
    number += 1
    writer.beginBlock(block, at)
    const endsAt = started + Math.floor(duration * number)
    const isKnown = index < last && endsAt <= endAt
    writeProgress(writer, run, plan, at, isKnown ? endsAt : endAt)
    if (!isKnown) return
    writer.endBlock(block, status, endsAt)
  }
}

/**
 * Writes the progress lines of the current run block that are due after one instant and up to
 * another. Omits the line that would be due at the planned end of the block.
 */
function writeProgress(
  writer: LogWriter,
  run: TestRun,
  plan: LogPlan,
  after: number,
  endAt: number,
): void {
  const { runningBlock } = writer
  if (runningBlock === undefined) return
  const { block, since } = runningBlock
  const duration = blockDuration(run, plan)
  const first = Math.floor((after - since) / progressInterval) + 1
  for (
    let count = first;
    count <= maxProgressLines && since + progressInterval * count <= endAt;
    count += 1
  ) {
    const elapsed = progressInterval * count
    if (elapsed !== Math.floor(duration))
      writer.write(runEntry(block, { elapsed }), since + elapsed)
  }
}

/**
 * Writes the last lines of an ended run. Force-canceled runs, errored runs and all other runs have
 * different last lines. Writes nothing for a gracefully canceled run whose planned outcome is
 * `errored`.
 */
function writeEnd(writer: LogWriter, run: TestRun, at: number, names: LogNames): void {
  if (run.reached.force_canceled_at !== undefined) {
    writer.write(secondInterruptEntry, at)
    writeInterrupted(writer, run, at, names)
  } else if (run.status === 'errored') {
    const detail = 'The outcome of this test run was set to error.'
    writer.write(diagnosticEntry({ summary: 'Test run errored', detail }), at)
  } else if (run.status === 'finished' || run.outcome.status === 'finished') {
    writeRemaining(writer, run, at, names)
  }
}

/** Writes the last lines of a force-canceled run, which has neither teardown nor summary. */
function writeInterrupted(writer: LogWriter, run: TestRun, at: number, tool: Tool): void {
  const { runningBlock } = writer
  if (runningBlock === undefined) return
  const { block } = runningBlock
  const planned = run.suite?.planned ?? []
  if (planned.length > 0) writer.write(leftoverEntry(tool, block, planned), at)
  const summary = 'Test interrupted'
  const detail =
    'The test operation could not be completed due to an interrupt signal. Please read the remaining diagnostics carefully for any sign of failed state cleanup or dangling resources.'
  writer.write(runEntry(block, { status: 'error' }), at)
  writer.write(diagnosticEntry({ summary, detail }, block), at)
  writer.write(fileEntry(block.file, 'complete', 'error'), at)
}

/**
 * Writes the lines of the run blocks that have not ended, the end lines of files, and the summary.
 */
function writeRemaining(writer: LogWriter, run: TestRun, at: number, names: LogNames): void {
  const { results } = run
  const isAnnouncedLate = run.outcome.status === 'errored' && results !== null
  const plan = planLog(
    isAnnouncedLate ? { ...run, outcome: { status: 'finished', results } } : run,
    names.placeholder,
  )
  if (isAnnouncedLate) writeAnnouncement(writer, run, plan, at)
  const { reportedStatuses, runningBlock } = writer
  const missingStatuses = remainingStatuses(run, plan, reportedStatuses, runningBlock !== undefined)
  const extraFile = run.suite?.files == null ? plan.files[0] : plan.files.at(-1)
  const blocks = [
    ...plan.blocks,
    ...extraBlocks(extraFile, plan.blocks, reportedStatuses.length + missingStatuses.length),
  ].slice(reportedStatuses.length)
  for (const [index, block] of blocks.entries()) {
    const status = missingStatuses[index]
    if (status === undefined) break
    const isRunning = runningBlock !== undefined && index === 0
    if (!isRunning && status !== 'skip') writer.beginBlock(block, at)
    writer.endBlock(block, status, at)
  }
  writer.endFiles(at)
  const counts = results ?? countResults(writer.reportedStatuses)
  writer.write(summaryEntry(statusOf(counts), counts), at)
}

function remainingStatuses(
  run: TestRun,
  plan: LogPlan,
  reported: readonly TestStatus[],
  isRunning: boolean,
): readonly TestStatus[] {
  if (run.results === null) {
    const planned = plan.statuses.slice(reported.length, plan.blocks.length)
    return planned.map((status, index) => (isRunning && index === 0 ? status : 'skip'))
  }
  const missingStatuses = unreportedStatuses(run, reported)
  return isRunning && missingStatuses.length === 0 ? ['skip'] : missingStatuses
}

function statusOf(counts: ReturnType<typeof countResults>): TestStatus {
  const { passed, failed, errored, skipped } = counts
  return worstStatus([
    ...(errored > 0 ? (['error'] as const) : []),
    ...(failed > 0 ? (['fail'] as const) : []),
    ...(passed > 0 ? (['pass'] as const) : []),
    ...(skipped > 0 ? (['skip'] as const) : []),
  ])
}
