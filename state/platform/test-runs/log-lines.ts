import { attributeTime } from '../timestamps.ts'
import type { RunBlockLocation } from './suite.ts'
import type { TestResults } from './test-runs.ts'

/** Status of one test in the log. */
export type TestStatus = 'pass' | 'fail' | 'error' | 'skip'

/** The command-line tool that the log imitates. */
export interface Tool {
  /** Product name in lower case. */
  readonly product: string
  readonly version: string
}

/** Content of a log line, without the members that every line has. */
export interface LogEntry {
  readonly level?: 'info' | 'warn' | 'error'
  readonly message: string
  /** Path of the test file. */
  readonly file?: string
  /** Name of the run block. */
  readonly run?: string
  /** Members of this type of line that precede `type`, in alphabetical order. */
  readonly content?: Readonly<Record<string, unknown>>
  readonly type: string
  /** Members that follow `type`. */
  readonly rest?: Readonly<Record<string, unknown>>
}

/** A run block of a test file. `place` is null if the location is unknown. */
export interface RunBlock {
  readonly file: string
  readonly name: string
  readonly place: RunBlockLocation | null
}

/** Returns the product name with a capital letter. */
function productName({ product }: Tool): string {
  return product.charAt(0).toUpperCase() + product.slice(1)
}

/**
 * Formats a line like the `-json` output of the reference tool (behaviour/platform#log): the
 * members are in the tool's order, and the characters that Go's JSON encoder escapes are escaped.
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
  const escapedJson = JSON.stringify(members).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `${escapedJson}\n`
}

/**
 * Returns the first entry of a log. The version of the log format depends on the version of the
 * tool.
 */
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

/**
 * Returns the entry that lists the run blocks of each file. The entry contains null for a file
 * without run blocks.
 */
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

/** Returns the entry for the start, teardown or end of a test file. */
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

/**
 * Returns the entry for the start, progress or end of a run block. `elapsed` is in milliseconds.
 */
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

/**
 * Returns the status as messages spell it. Messages show an error as `fail`, and a missing status
 * as `pass`.
 */
function statusWord(status: TestStatus = 'pass'): string {
  return status === 'error' ? 'fail' : status
}

/** An error or a warning in the log; an error by default. */
interface Diagnostic {
  readonly severity?: 'warning'
  readonly summary: string
  readonly detail: string
}

/**
 * Returns the entry for a diagnostic. For a run block with a known location, the entry contains the
 * source range.
 */
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

/** Returns the last entry of a log, with the number of tests by status. */
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

/** Returns the entry for a graceful cancel. */
export function interruptEntry(tool: Tool): LogEntry {
  const message = `\nInterrupt received.\nPlease wait for ${productName(tool)} to exit or data loss may occur.\nGracefully shutting down...\n`
  return { message, type: 'log' }
}

/** Log entry for a forced cancel. */
export const secondInterruptEntry: LogEntry = {
  message:
    '\nTwo interrupts received. Exiting immediately. Note that data loss may have occurred.\n',
  type: 'log',
}

/**
 * Returns the entry for resources that an interrupted run block may have left behind. `planned`
 * contains their addresses.
 */
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
