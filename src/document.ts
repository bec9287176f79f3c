import { readFileSync } from 'node:fs'
import { loadYaml } from '../state/go/yaml.ts'
import { ConfigError, oneLine, reasonOf } from './config-error.ts'

/** Descriptor of standard input. */
const standardInput = 0

/**
 * Reads a JSON or YAML document from a file, `-` being standard input.
 *
 * @param origin the flag or variable that named the file, for messages
 * @returns the parsed document; an empty one is `{}`
 * @throws {ConfigError} when the file cannot be read or is no mapping
 */
export async function readDocument(origin: string, path: string): Promise<unknown> {
  const name = path === '-' ? 'standard input' : path
  let text: string
  try {
    text = readFileSync(path === '-' ? standardInput : path, 'utf8')
  } catch (error) {
    throw new ConfigError(`${origin}: cannot read ${name} (${reasonOf(error)})`)
  }
  return await parseDocument(`${origin}: ${name}`, text, formatOf(path))
}

/**
 * Parses a JSON or YAML document.
 *
 * @param origin where the text comes from, for messages
 * @param format by content when left out: text that JSON accepts is JSON, everything else YAML
 * @throws {ConfigError} with line and column, as far as the parser tells them
 */
export async function parseDocument(
  origin: string,
  text: string,
  format?: 'json' | 'yaml',
): Promise<unknown> {
  if (format === 'json') return mapping(origin, parseJson(origin, text))
  if (format === undefined && /^\s*\{/.test(text)) {
    try {
      return mapping(origin, JSON.parse(text))
    } catch (error) {
      // It may be YAML that starts with a brace, as JSON with comments is: that parser decides.
      if (!(error instanceof SyntaxError)) throw error
    }
  }
  return mapping(origin, await parseYaml(origin, text))
}

/** Parses a JSON object. @throws {ConfigError} with line and column, as far as known */
export function parseJsonObject(origin: string, text: string): unknown {
  return mapping(origin, parseJson(origin, text))
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
    // Node names the offset only in some of its messages.
    const offset = / at position (\d+)/.exec(reason)
    if (offset === null) throw new ConfigError(`${origin}: not valid JSON: ${reason}`)
    const before = text.slice(0, Number(offset[1])).split('\n')
    const place = `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`
    throw new ConfigError(`${origin}: not valid JSON: ${reason.slice(0, offset.index)} at ${place}`)
  }
}

async function parseYaml(origin: string, text: string): Promise<unknown> {
  const { LineCounter, parseDocument: parse } = loadYaml()
  const lineCounter = new LineCounter()
  const document = parse(text, { lineCounter, prettyErrors: false })
  const [error] = document.errors
  if (error !== undefined) {
    const { line, col } = lineCounter.linePos(error.pos[0])
    throw new ConfigError(
      `${origin}: not valid YAML: ${oneLine(error.message)} at line ${line}, column ${col}`,
    )
  }
  try {
    // An empty file, or one of comments alone, asks for nothing.
    return document.toJS() ?? {}
  } catch (thrown) {
    // Aliases are resolved only here; too many of them are refused.
    throw new ConfigError(`${origin}: not valid YAML: ${reasonOf(thrown)}`)
  }
}

function mapping(origin: string, document: unknown): unknown {
  if (typeof document === 'object' && document !== null && !Array.isArray(document)) return document
  throw new ConfigError(`${origin}: must be a mapping at the top level, as {"options": {...}}`)
}
