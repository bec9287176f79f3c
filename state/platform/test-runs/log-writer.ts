import {
  diagnosticEntry,
  fileEntry,
  formatLine,
  type LogEntry,
  type RunBlock,
  runEntry,
  type TestStatus,
  type Tool,
} from './log-lines.ts'
import { type LogPlan, worstStatus } from './plan.ts'

/** The current run block and the time in milliseconds at which it started. */
interface RunningBlock {
  readonly block: RunBlock
  readonly since: number
}

/** Diagnostics of run blocks that end with `fail` or `error` (behaviour/platform#log). */
const diagnosticByStatus = {
  fail: {
    summary: 'Test assertion failed',
    detail: 'The outcome of this test was set to fail.',
  },
  error: { summary: 'Test run failed', detail: 'The outcome of this test was set to error.' },
} as const

/**
 * Log writer that adds the start and end lines of a file around the lines of its run blocks. Files
 * follow one another in the order of the plan.
 */
export class LogWriter {
  readonly #tool: Tool
  readonly #files: readonly string[]
  readonly #lines: string[] = []
  readonly #statuses: { readonly file: string; readonly status: TestStatus }[] = []
  /** Number of files whose start line was written. The last of these files may still be open. */
  #startedFiles = 0
  #isFileOpen = false
  #runningBlock: RunningBlock | undefined

  constructor(tool: Tool, { files }: Pick<LogPlan, 'files'>) {
    this.#tool = tool
    this.#files = files
  }

  /** Statuses of the run blocks that have ended. */
  get reportedStatuses(): readonly TestStatus[] {
    return this.#statuses.map(({ status }) => status)
  }

  get runningBlock(): RunningBlock | undefined {
    return this.#runningBlock
  }

  get text(): string {
    return this.#lines.join('')
  }

  write(entry: LogEntry, at: number): void {
    this.#lines.push(formatLine(entry, at, this.#tool))
  }

  /**
   * Writes the start line of a run block. If the file of the block is not open, first ends the open
   * file and starts the next files, up to the file of the block.
   */
  beginBlock(block: RunBlock, at: number): void {
    this.#openFile(block.file, at)
    this.write(runEntry(block, { elapsed: 0 }), at)
    this.#runningBlock = { block, since: at }
  }

  /**
   * Writes the end line of a run block, and a diagnostic if the status is `fail` or `error`. A
   * skipped block has no start line.
   */
  endBlock(block: RunBlock, status: TestStatus, at: number): void {
    this.#openFile(block.file, at)
    this.write(runEntry(block, { status }), at)
    if (status === 'fail' || status === 'error') {
      this.write(diagnosticEntry(diagnosticByStatus[status], block), at)
    }
    this.#statuses.push({ file: block.file, status })
    this.#runningBlock = undefined
  }

  /**
   * Writes the end lines of the current test file, if a file is open, and the start and end lines
   * of each test file that has not started.
   */
  endFiles(at: number): void {
    this.#closeFile(at)
    while (this.#startedFiles < this.#files.length) {
      this.#openNextFile(at)
      this.#closeFile(at)
    }
  }

  #openFile(path: string, at: number): void {
    while (
      this.#files[this.#startedFiles - 1] !== path &&
      this.#startedFiles < this.#files.length
    ) {
      this.#closeFile(at)
      this.#openNextFile(at)
    }
  }

  #openNextFile(at: number): void {
    const path = this.#files[this.#startedFiles] ?? ''
    this.#startedFiles += 1
    this.#isFileOpen = true
    this.write(fileEntry(path, 'starting'), at)
  }

  /**
   * Writes the end lines of the current test file, if a file is open. A file without an ended run
   * block gets no teardown entry.
   */
  #closeFile(at: number): void {
    const path = this.#files[this.#startedFiles - 1]
    if (!this.#isFileOpen || path === undefined) return
    this.#isFileOpen = false
    const statuses = this.#statuses.filter(({ file }) => file === path)
    if (statuses.length > 0) this.write(fileEntry(path, 'teardown'), at)
    const status = worstStatus(statuses.map((one) => one.status))
    this.write(fileEntry(path, 'complete', status), at)
  }
}
