import { createRequire } from 'node:module'
import type { Document, ParsedNode } from 'yaml'

/**
 * Maximum length of YAML in code units. Longer YAML is rejected without parsing, because parsing
 * takes time.
 */
const maxYamlLength = 32 * 1024

/** Maximum nesting of brackets in YAML. Each level takes stack space. */
const maxYamlDepth = 50

/**
 * Returns the YAML library. The library is loaded at the first call, because loading it earlier
 * would slow down the cold start (behaviour/program#figures).
 */
export function loadYaml(): typeof import('yaml') {
  return createRequire(import.meta.url)('yaml')
}

interface YamlOptions {
  /** Schema; `failsafe` keeps every plain scalar a string. */
  readonly schema?: 'failsafe'
  /** Whether a second document is an error. Otherwise, only the first document counts. */
  readonly rejectsSecondDocument?: true
}

/**
 * Parses YAML 1.1, the version that the parsers of the services use (`yes` is a boolean), in
 * bounded time. The last of several equal keys wins. Aliases are not expanded, because nested
 * aliases may grow exponentially.
 *
 * @returns the document with its `errors`; undefined for text that is too long or nested too deeply
 */
export function parseYaml(
  text: string,
  { schema, rejectsSecondDocument: single }: YamlOptions = {},
): Document<ParsedNode> | undefined {
  if (text.length > maxYamlLength || exceedsDepth(text)) return undefined
  return loadYaml().parseDocument(text, {
    version: '1.1',
    ...(schema && { schema }),
    // The library's check for duplicate keys takes quadratic time.
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: single ? 'error' : 'silent',
  })
}

/**
 * Returns whether brackets, or entries on one line, are nested too deeply. Brackets inside strings
 * count as well. Nesting by indentation does not count.
 */
export function exceedsDepth(text: string, maxDepth = maxYamlDepth): boolean {
  if (/(?:[-?:][ \t]+){20}/.test(text)) return true
  let depth = 0
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1
    if (depth > maxDepth) return true
  }
  return false
}
