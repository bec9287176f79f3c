import { readFileSync } from 'node:fs'
import { parseYamlDocument } from '../../../routes/control/state/yaml-document.ts'
import { monotonicTime } from '../../../state/kernel/time.ts'
import { ConfigError, reasonOf } from '../../config-error.ts'

/** File descriptor of standard input. */
const standardInput = 0

/** Syntax error in a text, with its line. */
interface SyntaxProblem {
  /** Line number, from 1. */
  readonly line: number
  readonly text: string
}

/** Error for a text that does not parse. */
export class UnreadableDocument extends ConfigError {
  /** All problems of the text; at least one. */
  readonly problems: readonly SyntaxProblem[]

  constructor(message: string, problems: readonly SyntaxProblem[]) {
    super(message)
    this.problems = problems
  }
}

/** Parsed document with its text. */
export interface LoadedDocument {
  /** Name of the file, `-` for standard input, or name of the variable that holds the text. */
  readonly name: string
  readonly text: string
  readonly value: unknown
  /** Start time of the reading on the monotonic clock, in milliseconds. */
  readonly startedAt: number
}

/** Number of characters of YAML that take about a second to parse. */
const slowYamlLength = 500_000

/** Returns true if parsing a text takes long enough to be announced. Only YAML takes that long. */
export function isSlowToParse(text: string): boolean {
  return text.length > slowYamlLength && !/^\s*\{/.test(text)
}

/**
 * Reads a JSON or YAML document from a file; `-` is standard input.
 *
 * @param origin the flag or variable that named the file, for messages
 * @param announce called before a long text is parsed
 * @returns the parsed document, which is `{}` for empty YAML
 * @throws {ConfigError} if the file cannot be read, does not parse or is not a mapping
 */
export function readDocument(origin: string, path: string, announce?: () => void): LoadedDocument {
  const startedAt = monotonicTime()
  const name = path === '-' ? 'standard input' : path
  let text: string
  try {
    text = readFileSync(path === '-' ? standardInput : path, 'utf8')
  } catch (error) {
    throw new ConfigError(`${origin}: cannot read ${name} (${reasonOf(error)})`)
  }
  if (isSlowToParse(text)) announce?.()
  const value = parseDocument(`${origin}: ${name}`, text, formatOf(path))
  return { name: path, text, value, startedAt }
}

/**
 * Parses a JSON or YAML document.
 *
 * @param origin source of the text, for messages
 * @param format format of the text; if undefined, a text that parses as JSON is JSON, and any
 *   other text is YAML
 * @throws {ConfigError} if the text does not parse, with line and column if the parser reports
 *   them, and if the document is not a mapping
 */
export function parseDocument(origin: string, text: string, format?: 'json' | 'yaml'): unknown {
  if (format === 'json') return requireMapping(origin, parseJson(origin, text))
  if (format === undefined && /^\s*\{/.test(text)) {
    try {
      return requireMapping(origin, JSON.parse(text))
    } catch (error) {
      // Text that starts with a brace may be YAML, such as JSON with comments; the YAML parser
      // decides.
      if (!(error instanceof SyntaxError)) throw error
    }
  }
  return requireMapping(origin, parseYaml(origin, text))
}

/**
 * Parses a JSON object.
 *
 * @throws {ConfigError} with line and column, if they are known
 */
export function parseJsonObject(origin: string, text: string): unknown {
  return requireMapping(origin, parseJson(origin, text))
}

function formatOf(path: string): 'json' | 'yaml' | undefined {
  if (/\.json$/i.test(path)) return 'json'
  return /\.ya?ml$/i.test(path) ? 'yaml' : undefined
}

function parseJson(origin: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const reason = reasonOf(error)
    // Node reports the offset only in some of its messages.
    const offset = / at position (\d+)/.exec(reason)
    const detail = offset === null ? reason : reason.slice(0, offset.index)
    const position = offset === null ? endPosition(text) : positionAt(text, Number(offset[1]))
    const positionText =
      offset === null ? '' : ` at line ${position.line}, column ${position.column}`
    throw new UnreadableDocument(`${origin}: not valid JSON: ${detail}${positionText}`, [
      { line: position.line, text: `not valid JSON: ${detail}` },
    ])
  }
}

/** Returns line and column of an offset, both from 1. */
function positionAt(text: string, offset: number) {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 }
}

/**
 * Returns the position of the end of a text. Errors are reported there if Node's message contains
 * no position, as for texts that end too early or have only one or two lines.
 */
function endPosition(text: string): ReturnType<typeof positionAt> {
  return positionAt(text, text.trimEnd().length)
}

function parseYaml(origin: string, text: string): unknown {
  const parsed = parseYamlDocument(text)
  // An empty file, or one with only comments, parses as null.
  if (parsed.problems === undefined) return parsed.value ?? {}
  const { problems } = parsed
  const [{ textWithPlace }] = problems
  throw new UnreadableDocument(
    `${origin}: not valid YAML: ${textWithPlace}`,
    problems.map((problem) => ({ line: problem.line, text: `not valid YAML: ${problem.text}` })),
  )
}

function requireMapping(origin: string, document: unknown): unknown {
  if (typeof document === 'object' && document !== null && !Array.isArray(document)) return document
  const text = 'must be a mapping at the top level, such as {"options": {...}}'
  throw new UnreadableDocument(`${origin}: ${text}`, [{ line: 1, text }])
}
