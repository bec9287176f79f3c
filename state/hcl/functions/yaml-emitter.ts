import type { CreateNodeOptions, DocumentOptions, SchemaOptions } from 'yaml'
import { loadYaml } from '../../go/yaml.ts'
import { compareBytewise } from '../../json/json.ts'
import { FunctionError, type HclFunctionContext } from '../language/function.ts'
import { formatNumber, type HclValue, isSequence } from '../language/values.ts'

type Spend = HclFunctionContext['spend']

/** Column after which a line is broken at the next blank. */
const maxLineWidth = 80

/** Maximum length of simple keys, in bytes. Longer keys begin with a question mark. */
const maxSimpleKeyLength = 128

/**
 * Encodes a value as YAML in block style, as the product does. Strings are in double quotes, or in
 * literal style if they have several lines that this style can represent. Throws a FunctionError
 * for values that nest too deeply.
 */
export function encodeYaml(value: HclValue, spend: Spend): string {
  const { Document } = loadYaml()
  try {
    const document = new Document(plainValueOf(value, 0, spend), optionsOf(spend))
    const text = document.toString({ indentSeq: false })
    return typeof value === 'object' && value !== null ? text : withDocumentEnd(text, value)
  } catch (error) {
    // Deeply nested values exhaust the stack, which throws a RangeError.
    if (error instanceof RangeError) throw new FunctionError('the value nests too deeply')
    throw error
  }
}

/**
 * Appends the document end mark that Go's encoder writes after a document of a single plain scalar.
 */
function withDocumentEnd(text: string, value: HclValue): string {
  return typeof value === 'string' ? text : `${text}...\n`
}

/** Converts a value to plain JavaScript values, with sorted keys. */
function plainValueOf(value: HclValue, depth: number, spend: Spend): unknown {
  spend(1 + 2 * depth)
  if (value === null || typeof value !== 'object') return value
  if (isSequence(value)) return value.items.map((item) => plainValueOf(item, depth + 1, spend))
  const { Scalar } = loadYaml()
  const keyOf = (key: string): unknown => {
    spend(key.length)
    const isSimple =
      !/[\r\n\x85\u2028\u2029]/.test(key) && Buffer.byteLength(key) <= maxSimpleKeyLength
    // The library begins keys of this type with a question mark.
    return isSimple ? key : Object.assign(new Scalar(key), { type: Scalar.BLOCK_LITERAL })
  }
  const entries = [...value.entries]
    .sort(([a], [b]) => compareBytewise(a, b))
    .map(([key, item]) => [keyOf(key), plainValueOf(item, depth + 1, spend)] as const)
  return new Map(entries)
}

/**
 * Returns options with which the library formats collections itself and formats scalars like the
 * product.
 */
function optionsOf(spend: Spend): CreateNodeOptions & DocumentOptions & SchemaOptions {
  return {
    schema: 'failsafe',
    aliasDuplicateObjects: false,
    customTags: (tags) => [
      ...tags.filter((tag) => typeof tag === 'object' && tag.collection !== undefined),
      {
        tag: 'tag:yaml.org,2002:str',
        default: true,
        identify: (value) => typeof value !== 'object' || value === null,
        resolve: (text: string) => text,
        stringify({ value }, { indent, indentAtStart = 2, implicitKey = false }) {
          if (typeof value === 'number') return formatNumber(value)
          if (typeof value !== 'string') return String(value)
          spend(value.length)
          // A text that is the whole document is indented as if it were inside a block.
          const inner = indent.length === 0 ? 2 : indent.length
          if (!implicitKey && value.includes('\n') && fitsBlock(value)) {
            return formatLiteral(value, inner, spend)
          }
          const column = indent.length === 0 ? 0 : indent.length - 2 + indentAtStart
          return formatQuoted(value, { column, indent: inner, mayBreak: !implicitKey }, spend)
        },
      },
    ],
  }
}

/** Returns a text in literal style, with indicators for leading blanks and final line breaks. */
function formatLiteral(text: string, indent: number, spend: Spend): string {
  const hint = /^[ \n\u2028\u2029]/.test(text) ? '2' : ''
  const [lineBreaks = ''] = /[\n\u2028\u2029]{0,2}$/.exec(text.slice(-2)) ?? []
  const whole = lineBreaks.length === text.length
  const lines = text.replace(/[^\n\u2028\u2029]+/g, (line) => {
    spend(indent)
    return ' '.repeat(indent) + line
  })
  const chomp = ['-', whole ? '+' : '', '+'][lineBreaks.length] ?? ''
  // The library adds the last line break.
  return `|${hint}${chomp}\n${lines}`.replace(/\n$/, '')
}

/** Layout of a quoted text. The first line may begin at any column. */
interface Layout {
  readonly column: number
  /** Indentation of all lines after the first, in blanks. */
  readonly indent: number
  /** True if long lines may be broken. */
  readonly mayBreak: boolean
}

function formatQuoted(text: string, { column, indent, mayBreak }: Layout, spend: Spend): string {
  const characters = Array.from(text)
  let output = '"'
  let lineStart = -column
  let isAfterBlank = false
  for (const [at, character] of characters.entries()) {
    const isBlank = character === ' '
    const isInside = at > 0 && at < characters.length - 1
    const isLong = output.length - lineStart > maxLineWidth
    if (isBlank && mayBreak && !isAfterBlank && isLong && isInside) {
      spend(indent)
      lineStart = output.length + 1
      output += `\n${' '.repeat(indent)}${characters[at + 1] === ' ' ? '\\' : ''}`
    } else output += escapeCharacter(character)
    isAfterBlank = isBlank
  }
  return `${output}"`
}

/**
 * Pattern of a character that the emitter does not escape. All such characters are in the Basic
 * Multilingual Plane.
 */
const printablePattern = /^[\n -~\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]$/u

/**
 * Returns whether a text can be written in literal style. Such a text has no blanks at the ends of
 * lines and no unusual characters.
 */
function fitsBlock(text: string): boolean {
  return (
    !text.endsWith(' ') &&
    !/ [\n\u2028\u2029]/.test(text) &&
    Array.from(text).every((character) => printablePattern.test(character))
  )
}

const escapeSequences: Readonly<Record<string, string>> = {
  '\0': '\\0',
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\x1b': '\\e',
  '"': '\\"',
  '\\': '\\\\',
  '\x85': '\\N',
  '\u2028': '\\L',
  '\u2029': '\\P',
}

function escapeCharacter(character: string): string {
  const known = escapeSequences[character]
  if (known !== undefined) return known
  if (printablePattern.test(character)) return character
  const digits = (character.codePointAt(0) ?? 0).toString(16).toUpperCase()
  if (digits.length <= 2) return `\\x${digits.padStart(2, '0')}`
  return digits.length <= 4 ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`
}
