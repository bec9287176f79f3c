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

/** The run block that is under way, and since when. */
interface RunningBlock {
  readonly block: RunBlock
  readonly since: number
}

/**
 * The reasons why a test came out as it did (behaviour/platform#log, `diagnostic`
 * line).
 */
const diagnoses = {
  fail: {
    summary: 'Test assertion failed',
    detail: 'The outcome of this test was set to fail.',
  },
  error: { summary: 'Test run failed', detail: 'The outcome of this test was set to error.' },
} as const

/** Writes a log line by line and knows what it has told: files one after the other, blocks in order. */
export class LogWriter {
  readonly #tool: Tool
  readonly #files: readonly string[]
  readonly #lines: string[] = []
  readonly #statuses: { readonly file: string; readonly status: TestStatus }[] = []
  /** How many files have begun; the last of them is open. */
  #startedFiles = 0
  #isFileOpen = false
  #running: RunningBlock | undefined

  constructor(tool: Tool, { files }: Pick<LogPlan, 'files'>) {
    this.#tool = tool
    this.#files = files
  }

  /** How the blocks came out that have ended. */
  get reported(): readonly TestStatus[] {
    return this.#statuses.map(({ status }) => status)
  }

  get running(): RunningBlock | undefined {
    return this.#running
  }

  get text(): string {
    return this.#lines.join('')
  }

  write(entry: LogEntry, at: number): void {
    this.#lines.push(formatLine(entry, at, this.#tool))
  }

  /** Begins a block, and its file before that. */
  beginBlock(block: RunBlock, at: number): void {
    this.#openFile(block.file, at)
    this.write(runEntry(block, { elapsed: 0 }), at)
    this.#running = { block, since: at }
  }

  /** Ends a block; one that is skipped need not have begun. */
  endBlock(block: RunBlock, status: TestStatus, at: number): void {
    this.#openFile(block.file, at)
    this.write(runEntry(block, { status }), at)
    if (status === 'fail' || status === 'error') {
      this.write(diagnosticEntry(diagnoses[status], block), at)
    }
    this.#statuses.push({ file: block.file, status })
    this.#running = undefined
  }

  /** Begins and ends the files that are left. */
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

  /** A file without run blocks has nothing to tear down. */
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
