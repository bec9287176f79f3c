import { attributeTime } from '../timestamps.ts'
import type { RunLocation } from './suite.ts'
import type { TestResults } from './test-runs.ts'

/** The outcome of one test. */
export type TestStatus = 'pass' | 'fail' | 'error' | 'skip'

/** What lines call the program that runs the tests, and the version that it says it has. */
export interface Tool {
  /** In lower case. */
  readonly product: string
  readonly version: string
}

/** The content of a log line, beside what all lines have. */
export interface LogEntry {
  readonly level?: 'info' | 'warn' | 'error'
  readonly message: string
  /** The file that it is about, and the run block in that. */
  readonly file?: string
  readonly run?: string
  /** The members that are the line's own, in alphabetical order, up to `type`. */
  readonly content?: Readonly<Record<string, unknown>>
  readonly type: string
  /** Members that come after `type`. */
  readonly rest?: Readonly<Record<string, unknown>>
}

/** A run block: where it belongs, and where its head is, if that is known. */
export interface RunBlock {
  readonly file: string
  readonly name: string
  readonly place: RunLocation | null
}

/** What the lines' program calls itself. */
function productName({ product }: Tool): string {
  return product.charAt(0).toUpperCase() + product.slice(1)
}

/**
 * Writes a line as the reference tool's `-json` output has it (behaviour/platform#log):
 * members in its order, characters escaped that Go's encoder escapes.
 */
export function formatLine(entry: LogEntry, at: number, { product }: Tool): string {
  const { level = 'info', message, file, run, content, type, rest } = entry
  const members = {
    '@level': level,
    '@message': message,
    '@module': `${product}.ui`,
    ...(file === undefined ? {} : { '@testfile': file }),
    ...(run === undefined ? {} : { '@testrun': run }),
    '@timestamp': attributeTime(at).replace('Z', '000Z'),
    ...content,
    type,
    ...rest,
  }
  const escaped = JSON.stringify(members).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `${escaped}\n`
}

/** The first line: which version writes, and which version of this form. */
export function versionEntry(tool: Tool): LogEntry {
  const [major = 0, minor = 0] = tool.version.split('.').map(Number)
  const ui = major > 1 || minor >= 15 ? '1.3' : '1.2'
  return {
    message: `${productName(tool)} ${tool.version}`,
    content: { [tool.product]: tool.version },
    type: 'version',
    rest: { ui },
  }
}

/** What is found: the names of run blocks by file, null for a file without any. */
export function abstractEntry(files: readonly string[], blocks: readonly RunBlock[]): LogEntry {
  const namesByFile = files.map((file): [string, string[] | null] => {
    const names = blocks.filter((block) => block.file === file).map(({ name }) => name)
    return [file, names.length === 0 ? null : names]
  })
  const pluralize = (count: number, character: string) =>
    `${count} ${character}${count === 1 ? '' : 's'}`
  return {
    message: `Found ${pluralize(files.length, 'file')} and ${pluralize(blocks.length, 'run block')}`,
    content: { test_abstract: Object.fromEntries(namesByFile) },
    type: 'test_abstract',
  }
}

/** A file begins, is torn down, or ends. */
export function fileEntry(
  path: string,
  progress: 'starting' | 'teardown' | 'complete',
  status?: TestStatus,
): LogEntry {
  const statusText = {
    starting: 'in progress',
    teardown: 'tearing down',
    complete: statusWord(status),
  }
  return {
    message: `${path}... ${statusText[progress]}`,
    file: path,
    content: { test_file: { path, progress, ...(status === undefined ? {} : { status }) } },
    type: 'test_file',
  }
}

/** A run block begins, is under way for some milliseconds, or ends. */
export function runEntry(
  { file, name }: RunBlock,
  state: { readonly elapsed: number } | { readonly status: TestStatus },
): LogEntry {
  const isOver = 'status' in state
  const progress = isOver
    ? { progress: 'complete', status: state.status }
    : { progress: state.elapsed === 0 ? 'starting' : 'running', elapsed: state.elapsed }
  return {
    message: `  "${name}"... ${isOver ? statusWord(state.status) : 'in progress'}`,
    file,
    run: name,
    content: { test_run: { path: file, run: name, ...progress } },
    type: 'test_run',
  }
}

/** The message of an error says that it failed. */
function statusWord(status: TestStatus = 'pass'): string {
  return status === 'error' ? 'fail' : status
}

/** A fault: a word and a sentence. */
interface Diagnostic {
  readonly severity?: 'warning'
  readonly summary: string
  readonly detail: string
}

/** A diagnosis, of a run block at its head where that is known. */
export function diagnosticEntry(
  { severity, summary, detail }: Diagnostic,
  block?: RunBlock,
): LogEntry {
  const isWarning = severity === 'warning'
  return {
    level: isWarning ? 'warn' : 'error',
    message: `${isWarning ? 'Warning' : 'Error'}: ${summary}`,
    ...(block === undefined ? {} : { file: block.file, run: block.name }),
    content: {
      diagnostic: {
        severity: severity ?? 'error',
        summary,
        detail,
        ...(block === undefined ? {} : sourceRange(block)),
      },
    },
    type: 'diagnostic',
  }
}

function sourceRange({ file, name, place }: RunBlock) {
  if (place === null) return {}
  const { line, column, end_column, byte, end_byte, code } = place
  const indent = column - 1
  return {
    range: {
      filename: file,
      start: { line, column, byte },
      end: { line, column: end_column, byte: end_byte },
    },
    snippet: {
      context: `run "${name}"`,
      code,
      start_line: line,
      highlight_start_offset: indent,
      highlight_end_offset: indent + end_byte - byte,
      values: [],
    },
  }
}

/** The sum of all. */
export function summaryEntry(status: TestStatus, results: TestResults): LogEntry {
  const { passed, failed, errored, skipped } = results
  const skippedText = skipped === 0 ? '' : `, ${skipped} skipped`
  const conclusion = status === 'pass' ? 'Success!' : 'Failure!'
  return {
    message: `${conclusion} ${passed} passed, ${failed + errored} failed${skippedText}.`,
    content: { test_summary: { status, passed, failed, errored, skipped } },
    type: 'test_summary',
  }
}

/** What the tool says when it is interrupted once, and when it is again. */
export function interruptEntry(tool: Tool): LogEntry {
  const message = `\nInterrupt received.\nPlease wait for ${productName(tool)} to exit or data loss may occur.\nGracefully shutting down...\n`
  return { message, type: 'log' }
}

/** The same the second time. */
export const secondInterruptEntry: LogEntry = {
  message:
    '\nTwo interrupts received. Exiting immediately. Note that data loss may have occurred.\n',
  type: 'log',
}

/** What an interrupted run block may have left behind. */
export function leftoverEntry(
  tool: Tool,
  { file, name }: RunBlock,
  planned: readonly string[],
): LogEntry {
  return {
    level: 'error',
    message: `${productName(tool)} was interrupted during test execution, and may not have performed the expected cleanup operations.`,
    file,
    run: name,
    content: { test_interrupt: { planned } },
    type: 'test_interrupt',
  }
}
