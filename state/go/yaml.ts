import { createRequire } from 'node:module'
import type { Document, ParsedNode } from 'yaml'

/** YAML beyond this is refused unread: parsing takes time, and no honest document comes near it. */
const maxYamlLength = 32 * 1024

/** The depth to which brackets may nest in YAML: nesting costs the parser stack. */
const maxYamlDepth = 50

/**
 * Returns the YAML library, loaded on first use: it would slow the cold start
 * (behaviour/program#figures).
 */
export function loadYaml(): typeof import('yaml') {
  return createRequire(import.meta.url)('yaml')
}

/** The settings for reading a text. */
interface YamlOptions {
  /** Leaves every plain text a text. */
  readonly schema?: 'failsafe'
  /** Makes a further document an error; else only the first counts. */
  readonly single?: true
}

/**
 * Reads YAML 1.1, which the services' parsers speak (`yes` is a boolean), with bounded work whatever
 * the text; of equal keys the last wins. Aliases are left to the caller: they may multiply.
 *
 * @returns the document with its `errors`; undefined for text that is too long or nests too deeply.
 */
export function parseYaml(
  text: string,
  { schema, single }: YamlOptions = {},
): Document<ParsedNode> | undefined {
  if (text.length > maxYamlLength || nestsDeeply(text)) return undefined
  return loadYaml().parseDocument(text, {
    version: '1.1',
    ...(schema && { schema }),
    // The check of keys takes quadratic time.
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: single ? 'error' : 'silent',
  })
}

/**
 * Tells whether brackets or entries of one line nest deeper than any document does; brackets in
 * texts count.
 */
function nestsDeeply(text: string): boolean {
  if (/(?:[-?:][ \t]+){20}/.test(text)) return true
  let depth = 0
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1
    if (depth > maxYamlDepth) return true
  }
  return false
}
