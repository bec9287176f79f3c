import { compileGoRegex, RegexError } from '../../go/regex.ts'
import { compareBytewise } from '../../json/json.ts'
import { FunctionError, type HclFunctionContext } from '../language/function.ts'
import type { HclValue } from '../language/values.ts'
import {
  asInteger,
  asItems,
  asText,
  collection,
  type FunctionTable,
  listOf,
  normalize,
  parameter,
  textFunction,
  textsFunction,
} from './arguments.ts'
import { countGraphemeClusters, graphemeClusters } from './graphemes.ts'

type Spend = HclFunctionContext['spend']

/**
 * Reverses the characters of a string. The product has this function under two names, `strrev` and
 * `reverse`, and no function that reverses lists.
 */
const reverseFunction = textFunction('str', (text, { spend }) =>
  graphemeClusters(text, spend).toReversed().join(''),
)

/** HCL functions for strings (behaviour/scheduler#functions). */
export const stringFunctions: FunctionTable = {
  chomp: textFunction('str', (text) => trimEnd(text, (character) => /[\r\n]/.test(character))),
  indent: {
    parameters: [parameter('spaces', 'number'), parameter('str', 'string')],
    run: ([spaces, text], { spend }) => indent(asInteger(spaces), asText(text), spend),
  },
  join: {
    parameters: [parameter('separator', 'string')],
    variadic: parameter('lists', collection('list', 'string')),
    run: ([separator, ...lists], { spend }) => join(asText(separator), lists.map(asItems), spend),
  },
  lower: caseFunction(lowerCase),
  regex_replace: textsFunction(['str', 'pattern', 'replace'], replaceByRegex),
  replace: textsFunction(
    ['str', 'substr', 'replace'],
    ([text = '', part = '', other = ''], context) => {
      context.spend(text.length)
      const pieces = part === '' ? ['', ...text, ''] : text.split(part)
      context.spend(pieces.length * (other.length + 1))
      return pieces.join(other)
    },
  ),
  reverse: reverseFunction,
  sort: {
    parameters: [parameter('list', collection('list', 'string'))],
    run: ([list], { spend }) => sortTexts(asItems(list), spend),
  },
  split: textsFunction(['separator', 'str'], ([separator = '', text = ''], { spend }) => {
    spend(text.length)
    return listOf((separator === '' ? Array.from(text) : text.split(separator)).map(normalize))
  }),
  strlen: textFunction('str', (text, { spend }) => countGraphemeClusters(text, spend)),
  strrev: reverseFunction,
  substr: {
    parameters: [
      parameter('str', 'string'),
      parameter('offset', 'number'),
      parameter('length', 'number'),
    ],
    run: ([text, offset, length], { spend }) =>
      substring(asText(text), asInteger(offset), asInteger(length), spend),
  },
  title: caseFunction(titleCase),
  trim: textsFunction(['str', 'cutset'], ([text = '', cutset = ''], { spend }) => {
    const cutCharacters = new Set(cutset)
    spend(text.length + cutset.length)
    return trim(text, (character) => cutCharacters.has(character))
  }),
  trimprefix: textsFunction(['str', 'prefix'], ([text = '', prefix = '']) =>
    text.startsWith(prefix) ? text.slice(prefix.length) : text,
  ),
  trimspace: textFunction('str', (text) => trim(text, isSpace)),
  trimsuffix: textsFunction(['str', 'suffix'], ([text = '', suffix = '']) =>
    text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text,
  ),
  upper: caseFunction(upperCase),
}

function caseFunction(changeCase: (text: string) => string) {
  return textFunction('str', (text, { spend }) => {
    spend(text.length)
    return changeCase(text)
  })
}

function trim(text: string, isTrimmed: (character: string) => boolean): string {
  const kept = trimEnd(text, isTrimmed)
  let start = 0
  for (const character of kept) {
    if (!isTrimmed(character)) break
    start += character.length
  }
  return kept.slice(start)
}

/**
 * Returns a text without the characters at its end for which `isTrimmed` returns true. A regular
 * expression would take quadratic time.
 */
function trimEnd(text: string, isTrimmed: (character: string) => boolean): string {
  let end = text.length
  while (end > 0) {
    const pair = text.codePointAt(end - 2) ?? 0
    const length = end > 1 && pair > 0xffff ? 2 : 1
    if (!isTrimmed(text.slice(end - length, end))) break
    end -= length
  }
  return text.slice(0, end)
}

function indent(spaces: number, text: string, spend: Spend): string {
  if (spaces < 0) throw new FunctionError('the number of spaces must not be negative')
  const lines = text.split('\n')
  spend(text.length + spaces * lines.length)
  return lines.join(`\n${lines.length > 1 ? ' '.repeat(spaces) : ''}`)
}

function join(separator: string, lists: readonly (readonly HclValue[])[], spend: Spend): string {
  if (lists.length === 0) throw new FunctionError('at least one list is required')
  const texts = lists.flatMap((items, list) =>
    items.map((item, index) => {
      if (item === null) {
        const where = lists.length > 1 ? `element ${index} of list ${list + 1}` : `element ${index}`
        throw new FunctionError(`${where} is null; cannot concatenate null values`, list + 1)
      }
      const text = asText(item)
      spend(text.length + separator.length + 1)
      return text
    }),
  )
  return texts.join(separator)
}

function sortTexts(items: readonly HclValue[], spend: Spend): HclValue {
  const texts = items.map((item, index) => {
    if (item !== null) return asText(item)
    throw new FunctionError(`given list element ${index} is null; a null string cannot be sorted`)
  })
  spend(texts.length)
  return listOf(texts.sort(compareBytewise))
}

/**
 * Returns a part of a string. Offset and length count characters. A negative offset counts from the
 * end, and a negative length stands for the rest of the text.
 */
function substring(text: string, offset: number, length: number, spend: Spend): string {
  if (offset >= 0 && length === 0) return ''
  const characters = graphemeClusters(text, spend)
  const start = Math.max(offset < 0 ? offset + characters.length : offset, 0)
  // As in the product, a length of 0 with a negative offset stands for the rest of the text.
  const end = length <= 0 ? undefined : start + length
  return characters.slice(start, end).join('')
}

/** Cost of compiling a regular expression, per character. */
const compileCost = 20

function replaceByRegex(
  [text = '', pattern = '', template = '']: readonly string[],
  { spend }: HclFunctionContext,
): string {
  spend(text.length + compileCost * pattern.length + template.length)
  try {
    return compileGoRegex(pattern).replaceAll(text, template, spend)
  } catch (error) {
    if (error instanceof RegexError) throw new FunctionError(error.message)
    throw error
  }
}

/**
 * Lower-case Greek letters with an iota subscript whose capitals have a code point that is 8
 * higher. JavaScript converts these letters to two capitals instead.
 */
const withIotaPattern = /^[\u1f80-\u1f87\u1f90-\u1f97\u1fa0-\u1fa7]$/
/** Other letters with an iota subscript, and their capitals. */
const otherIotaCapitals: Readonly<Record<string, string>> = { ᾳ: 'ᾼ', ῃ: 'ῌ', ῳ: 'ῼ' }

/**
 * Single characters that consist of two letters. At the start of a word, only the first letter
 * becomes a capital.
 */
const titleCases: Readonly<Record<string, string>> = {
  Ǆ: 'ǅ',
  ǅ: 'ǅ',
  ǆ: 'ǅ',
  Ǉ: 'ǈ',
  ǈ: 'ǈ',
  ǉ: 'ǈ',
  Ǌ: 'ǋ',
  ǋ: 'ǋ',
  ǌ: 'ǋ',
  Ǳ: 'ǲ',
  ǲ: 'ǲ',
  ǳ: 'ǲ',
}

/**
 * Georgian letters. These letters have a capital form only in texts that are all capitals; at the
 * start of a word, they stay unchanged.
 */
const withoutTitleCasePattern = /^[\u10d0-\u10ff]$/

/**
 * Converts a string to capitals as Go's strings.ToUpper does. One character never becomes several,
 * so `ß` stays unchanged.
 */
function upperCase(text: string): string {
  return Array.from(text, upperOf).join('')
}

/**
 * Converts a string to lower case as Go's strings.ToLower does, regardless of the neighbouring
 * letters.
 */
function lowerCase(text: string): string {
  return Array.from(text, lowerOf).join('')
}

/** Converts the first letter of each word to a capital, as Go's strings.Title does. */
function titleCase(text: string): string {
  let previous = ' '
  return Array.from(text, (character) => {
    const startsWord = isWordSeparator(previous)
    previous = character
    if (!startsWord || withoutTitleCasePattern.test(character)) return character
    return titleCases[character] ?? upperOf(character)
  }).join('')
}

function upperOf(character: string): string {
  const upper = character.toUpperCase()
  if (isSingleCharacter(upper)) return upper
  if (withIotaPattern.test(character)) return String.fromCharCode(character.charCodeAt(0) + 8)
  return otherIotaCapitals[character] ?? character
}

function lowerOf(character: string): string {
  // Each letter is converted separately, so that its neighbours have no effect.
  const lower = character.toLowerCase()
  return isSingleCharacter(lower) ? lower : Array.from(lower).slice(0, 1).join('')
}

function isSingleCharacter(text: string): boolean {
  return text.length === 1 || Array.from(text).length === 1
}

/**
 * Returns whether a word can start after a character. In ASCII, letters, digits and `_` do not
 * separate words, and all other characters do. Beyond ASCII, only white space separates words.
 */
function isWordSeparator(character: string): boolean {
  if (character < '\u0080') return !/\w/.test(character)
  return isSpace(character) && !/[\p{L}\p{Nd}]/u.test(character)
}

/** Returns whether Go's unicode.IsSpace counts a character as space. */
function isSpace(character: string): boolean {
  return /^[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/.test(character)
}
