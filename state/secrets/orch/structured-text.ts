import { createRequire } from 'node:module'
import {
  isJsonObject,
  type Json,
  JsonError,
  type JsonObject,
  parseJson,
} from '../../kernel/json.ts'

/** Text that cannot be taken, for any reason: callers have one message for all of them. */
export class StructureError extends Error {}

/** YAML beyond this is refused unread: parsing takes time, and no rules come near it. */
const longestYaml = 32 * 1024

/** How deep brackets may nest in YAML: nesting costs the parser stack. */
const deepestYaml = 50

/** How often an alias may be used, counting what it repeats: beyond lies no honest document. */
const mostAliases = 100

/**
 * Reads an object from JSON or YAML, with bounded work whatever the text: aliases that multiply,
 * deep nesting and long YAML are refused (issue 4, Bad input).
 *
 * @throws StructureError for text that is neither, or no object.
 */
export function readObject(text: string): JsonObject {
  const value = asJson(text) ?? asYaml(text)
  if (isJsonObject(value)) return value
  throw new StructureError('not an object')
}

/**
 * JSON, also without the braces around its members: such text is YAML, but tabs may indent it, which
 * the YAML parser does not take as Go's does.
 */
function asJson(text: string): Json | undefined {
  const first = text.trimStart().charAt(0)
  const whole = first === '{' ? text : first === '"' ? `{${text}}` : undefined
  if (whole === undefined) return undefined
  try {
    return parseJson(whole)
  } catch (error) {
    if (error instanceof JsonError) return undefined
    throw error
  }
}

/** Loaded on first use: it would slow the cold start (DESIGN section 9). */
function loadYaml(): typeof import('yaml') {
  return createRequire(import.meta.url)('yaml')
}

function asYaml(text: string): Json {
  if (text.length > longestYaml || nestsDeeply(text)) throw new StructureError('too much')
  const { parseDocument } = loadYaml()
  try {
    const document = parseDocument(text, {
      // As the reference's parser: `yes` is a boolean.
      version: '1.1',
      // The check of keys takes quadratic time; the last of equal ones wins, as in the reference.
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'silent',
    })
    if (document.errors.length > 0) throw new StructureError('not YAML')
    return document.toJS({ maxAliasCount: mostAliases })
  } catch (error) {
    // The library throws errors of any class for what it finds late: too many aliases, merges of what
    // is no mapping, a depth that the stack does not hold.
    throw new StructureError(error instanceof Error ? error.message : 'not YAML')
  }
}

/** Whether brackets or entries of one line nest deeper than any rules do; brackets in texts count. */
function nestsDeeply(text: string): boolean {
  if (/(?:[-?:][ \t]+){20}/.test(text)) return true
  let depth = 0
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1
    if (depth > deepestYaml) return true
  }
  return false
}
