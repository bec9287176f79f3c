import { readJson } from '../../json/reader.ts'
import type { JsonReaderOptions, JsonSyntaxError } from '../../json/reader-options.ts'
import { Cursor, matchAt } from '../syntax/cursor.ts'
import { diagnosticAt, HclError, positionError } from '../syntax/error.ts'
import {
  DEFAULT_MAX_DEPTH,
  DEFAULT_MAX_LENGTH,
  ORIGIN,
  type ParseLimits,
  type Position,
} from '../syntax/source.ts'
import { readNativeDocument } from './parser.ts'
import type { Document, Item, Value } from './value.ts'

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y

interface Key {
  readonly key: string
  readonly position: Position
}

/**
 * Parses the JSON form of an HCL1 document. Like the real parser, it accepts a comma before a
 * closing bracket; unlike the real parser, it rejects a truncated document.
 *
 * @throws HclError `3:5: <problem>`
 */
function readJsonDocument(text: string, maxDepth: number): Value {
  const cursor = new Cursor(text)
  const options: JsonReaderOptions<Value, Key, Position> = {
    maxDepth,
    trailingCommas: true,
    forbiddenAfterNumber: /[0-9.]/,
    forbiddenAfterWord: /[a-z]/,
    isForbidden: (code) => code === 0x0a || code === 0,
    mark(offset) {
      cursor.moveTo(offset)
      return cursor.position
    },
    string: (value) => value,
    number(literal, from) {
      const value = Number(literal)
      if (Number.isFinite(value)) return value
      throw problemAt(`number out of range: ${literal}`, from)
    },
    // HCL1 has no null. In the JSON form, null becomes an empty string.
    word: (value) => value ?? '',
    key: (key, position) => ({ key, position }),
    array: (items) => items,
    object: (keys, values) => ({
      items: keys.map((key, at) => {
        const { position: valuePosition } = key
        return { ...key, labels: [], value: values[at] ?? '', valuePosition }
      }),
    }),
    error: (syntaxError) => hclErrorOf(syntaxError, maxDepth),
  }
  return readJson(text, options)
}

function hclErrorOf(syntaxError: JsonSyntaxError, maxDepth: number): HclError {
  const { kind, text, at, token, open } = syntaxError
  const problem = (detail: string, offset = at): HclError => {
    const cursor = new Cursor(text)
    cursor.moveTo(offset)
    return problemAt(detail, cursor.position)
  }
  const unexpectedToken = (expected: string, offset = at): HclError => {
    const codePoint = text.codePointAt(offset)
    const found = codePoint === undefined ? 'EOF' : JSON.stringify(String.fromCodePoint(codePoint))
    return problem(`expected: ${expected} got: ${found}`, offset)
  }
  switch (kind) {
    case 'value':
      return /[a-z]/.test(text.charAt(at)) ? problem('illegal char') : unexpectedToken('a value')
    case 'key':
      return unexpectedToken('STRING')
    case 'colon':
      return unexpectedToken("':'")
    case 'array':
    case 'object':
      return unexpectedToken(`',' or '${kind === 'array' ? ']' : '}'}'`)
    case 'end':
      return unexpectedToken('the end of the document')
    case 'depth':
      return problem(`nested more than ${maxDepth} levels deep`)
    case 'string':
      return problem('literal not terminated')
    case 'escape':
    case 'hexadecimal':
      return problem('illegal char escape', text.lastIndexOf('\\', at - 1) + 1)
    case 'word':
    case 'word end':
      return problem('illegal char', token)
    case 'number':
    case 'fraction':
    case 'exponent':
    case 'number end': {
      const number = matchAt(NUMBER, text, token)?.[0]
      if (number === undefined) return unexpectedToken('a value', token)
      const end = token + number.length
      return /[0-9.]/.test(text.charAt(end))
        ? problem('numbers cannot start with 0', end)
        : unexpectedToken(`',' or '${text[open] === '[' ? ']' : '}'}'`, end)
    }
  }
}

function problemAt(problem: string, at: Position): HclError {
  return new HclError(`${at.line}:${at.column}: ${problem}`, [diagnosticAt(problem, at)])
}

/** A block in any of the notations that `blocks` understands. */
export interface DocumentBlock {
  /** Labels in the source. There may be fewer or more labels than the caller asked for. */
  readonly labels: readonly string[]
  readonly body: Document
  /**
   * Position of the block's key. If labels are written as keys of nested objects, position of the
   * last of these labels.
   */
  readonly position: Position
}

/** A value without positions. Objects are maps, so that any key is possible. */
export type PlainValue = string | number | boolean | readonly PlainValue[] | PlainMap
/** The values of a body by name. */
export type PlainMap = ReadonlyMap<string, PlainValue>

/** Settings for parsing an HCL1 document, in addition to the limits that all parsers have. */
interface DocumentOptions extends ParseLimits {
  /**
   * True to refuse a name that is assigned twice in one block (`The argument "a" at 2:1 was already
   * set. Each argument can only be defined once`), as newer parsers do. By default both items are
   * kept.
   */
  readonly refuseRepeated?: boolean
}

/**
 * Parses an HCL1 document, or its JSON form if the first character other than white space is `{`.
 * Access policies (behaviour/secrets#policies), password policies
 * (behaviour/secrets#password-policies) and mesh rules (behaviour/mesh#rule-language) are such
 * documents.
 *
 * @throws HclError `At 3:5: <problem>`; for the JSON form `3:5: <problem>`; with the message of
 *   `refuseRepeated` for a repeated name
 */
export function readDocument(text: string, options: DocumentOptions = {}): Document {
  const {
    maxLength = DEFAULT_MAX_LENGTH,
    maxDepth = DEFAULT_MAX_DEPTH,
    refuseRepeated = false,
  } = options
  if (text.length > maxLength) {
    throw positionError(`longer than the ${maxLength} characters allowed`, ORIGIN)
  }
  // As in the real scanner, `\r\n` counts as a single line feed.
  const textWithLf = text.replaceAll('\r\n', '\n')
  if (!isJsonForm(textWithLf)) return readNativeDocument(textWithLf, maxDepth, refuseRepeated)
  const value = readJsonDocument(textWithLf, maxDepth)
  if (isDocument(value)) return value
  throw positionError('object expected', ORIGIN)
}

/**
 * Returns whether a document is in the JSON form: its first character other than white space is
 * `{`.
 */
export function isJsonForm(text: string): boolean {
  return /^\s*\{/.test(text)
}

/** Returns whether a value is an object or the body of a block. */
export function isDocument(value: Value): value is Document {
  return typeof value === 'object' && !Array.isArray(value)
}

/**
 * Returns the last item with this key, which overrides earlier items; undefined if there is no item
 * with the key.
 */
export function findItem(document: Document, key: string): Item | undefined {
  return document.items.findLast((item) => item.key === key)
}

/**
 * Returns the blocks with this key, in order, in any notation. For example, all of these return
 * blocks with the label `a` (the fourth also one with the label `b`): `path "a" { }`, `path = { a =
 * { } }`, `{"path": {"a": {}}}`, `{"path": [{"a": {}}, {"b": {}}]}` and `{"path": {"a": [{},
 * {}]}}`. If labels are missing and an object contains only objects or lists of objects, the keys
 * of the object count as labels. Otherwise, the object is the body.
 *
 * @throws HclError if a value of that key is neither an object nor a list of objects
 */
export function blocks(document: Document, key: string, labelCount: number): DocumentBlock[] {
  const found: DocumentBlock[] = []
  const collect = (value: Value, parentLabels: readonly string[], position: Position): void => {
    if (isList(value)) {
      for (const element of value) collect(element, parentLabels, position)
    } else if (!isDocument(value)) {
      throw positionError(`key '${key}' expected start of object ('{')`, position)
    } else if (parentLabels.length < labelCount && containsBodies(value)) {
      for (const item of value.items) {
        collect(item.value, [...parentLabels, item.key, ...item.labels], item.position)
      }
    } else {
      found.push({ labels: parentLabels, body: value, position })
    }
  }
  for (const item of document.items) {
    if (item.key === key) collect(item.value, item.labels, item.position)
  }
  return found
}

/**
 * Converts a value to a value without positions. Labels become keys of nested maps. If a key is
 * repeated, values that are maps are merged; otherwise, the last value counts.
 */
export function plainValue(value: Value): PlainValue {
  if (isList(value)) return value.map(plainValue)
  return isDocument(value) ? plainMap(value) : value
}

/**
 * Returns the items of a document as a map. Labels, repeated keys and nested values are converted
 * as `plainValue` describes.
 */
export function plainMap(document: Document): PlainMap {
  const map = new Map<string, PlainValue>()
  for (const { key, labels, value } of document.items) {
    const nested = labels.reduceRight<PlainValue>(
      (inner, label) => new Map([[label, inner]]),
      plainValue(value),
    )
    merge(map, key, nested)
  }
  return map
}

function merge(map: Map<string, PlainValue>, key: string, value: PlainValue): void {
  const before = map.get(key)
  if (!(before instanceof Map) || !(value instanceof Map)) {
    map.set(key, value)
    return
  }
  const merged = new Map<string, PlainValue>(before)
  for (const [name, inner] of value) merge(merged, name, inner)
  map.set(key, merged)
}

/**
 * Returns whether a value is a list. `Array.isArray` alone would not narrow the type of a readonly
 * list.
 */
export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value)
}

function containsBodies(document: Document): boolean {
  const isBody = (value: Value): boolean =>
    isList(value) ? value.length > 0 && value.every(isDocument) : isDocument(value)
  return document.items.length > 0 && document.items.every(({ value }) => isBody(value))
}
