import {
  type Block,
  diagnosticEntry,
  type Entry,
  fileEntry,
  lineOf,
  runEntry,
  type TestStatus,
  type Tool,
} from './log-lines.ts'
import { type Announced, worstOf } from './plan.ts'

/** The run block that is under way, and since when. */
interface UnderWay {
  readonly block: Block
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
export class Teller {
  readonly #tool: Tool
  readonly #files: readonly string[]
  readonly #lines: string[] = []
  readonly #statuses: { readonly file: string; readonly status: TestStatus }[] = []
  /** How many files have begun; the last of them is open. */
  #begun = 0
  #isOpen = false
  #underWay: UnderWay | undefined

  constructor(tool: Tool, { files }: Pick<Announced, 'files'>) {
    this.#tool = tool
    this.#files = files
  }

  /** How the blocks came out that have ended. */
  get told(): readonly TestStatus[] {
    return this.#statuses.map(({ status }) => status)
  }

  get underWay(): UnderWay | undefined {
    return this.#underWay
  }

  get text(): string {
    return this.#lines.join('')
  }

  write(entry: Entry, at: number): void {
    this.#lines.push(lineOf(entry, at, this.#tool))
  }

  /** Begins a block, and its file before that. */
  begin(block: Block, at: number): void {
    this.#openFile(block.file, at)
    this.write(runEntry(block, { elapsed: 0 }), at)
    this.#underWay = { block, since: at }
  }

  /** Ends a block; one that is skipped need not have begun. */
  end(block: Block, status: TestStatus, at: number): void {
    this.#openFile(block.file, at)
    this.write(runEntry(block, { status }), at)
    if (status === 'fail' || status === 'error') {
      this.write(diagnosticEntry(diagnoses[status], block), at)
    }
    this.#statuses.push({ file: block.file, status })
    this.#underWay = undefined
  }

  /** Begins and ends the files that are left. */
  endFiles(at: number): void {
    this.#closeFile(at)
    while (this.#begun < this.#files.length) {
      this.#openNext(at)
      this.#closeFile(at)
    }
  }

  #openFile(path: string, at: number): void {
    while (this.#files[this.#begun - 1] !== path && this.#begun < this.#files.length) {
      this.#closeFile(at)
      this.#openNext(at)
    }
  }

  #openNext(at: number): void {
    const path = this.#files[this.#begun] ?? ''
    this.#begun += 1
    this.#isOpen = true
    this.write(fileEntry(path, 'starting'), at)
  }

  /** A file without run blocks has nothing to tear down. */
  #closeFile(at: number): void {
    const path = this.#files[this.#begun - 1]
    if (!this.#isOpen || path === undefined) return
    this.#isOpen = false
    const statuses = this.#statuses.filter(({ file }) => file === path)
    if (statuses.length > 0) this.write(fileEntry(path, 'teardown'), at)
    const status = worstOf(statuses.map((one) => one.status))
    this.write(fileEntry(path, 'complete', status), at)
  }
}
