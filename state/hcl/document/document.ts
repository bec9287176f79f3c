import { positionError } from '../syntax/error.ts'
import {
  DEFAULT_MAX_DEPTH,
  DEFAULT_MAX_LENGTH,
  ORIGIN,
  type ParseLimits,
  type Position,
} from '../syntax/source.ts'
import { readJsonDocument } from './json.ts'
import { readNativeDocument } from './parser.ts'
import type { Document, Item, Value } from './value.ts'

/** One block found by `blocks`. */
export interface DocumentBlock {
  /** As many as asked for where the document has them; fewer or more if it is written so. */
  readonly labels: readonly string[]
  readonly body: Document
  /** Where the key, or for labels that are keys the last of them, stands. */
  readonly position: Position
}

/** A value without positions: objects are maps, so that every key is data. */
export type PlainValue = string | number | boolean | readonly PlainValue[] | PlainMap
/** The plain value of a body: values by name. */
export type PlainMap = ReadonlyMap<string, PlainValue>

/** The settings for reading an HCL1 document. */
interface DocumentOptions extends ParseLimits {
  /**
   * Refuse a name that is assigned twice in one block (`The argument "a" at 2:1 was already set.
   * Each argument can only be defined once`), as newer parsers do. Default false: both are kept.
   */
  readonly refuseRepeated?: boolean
}

/**
 * Reads an HCL1 document, or its JSON form when the first character is `{`: access and password
 * policies (behaviour/secrets#system and behaviour/secrets#password-policies), mesh rules (behaviour/mesh#rule-language).
 *
 * @throws HclError `At 3:5: <problem>`; for the JSON form `3:5: <problem>`
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
  // The real scanner also knows one kind of line break only.
  const unix = text.replaceAll('\r\n', '\n')
  if (!/^\s*\{/.test(unix)) return readNativeDocument(unix, maxDepth, refuseRepeated)
  const value = readJsonDocument(unix, maxDepth)
  if (isDocument(value)) return value
  throw positionError('object expected', ORIGIN)
}

/** Returns whether a value is an object or the body of a block. */
export function isDocument(value: Value): value is Document {
  return typeof value === 'object' && !Array.isArray(value)
}

/** Returns the last item of this key, which is the one that counts; undefined for none. */
export function findItem(document: Document, key: string): Item | undefined {
  return document.items.findLast((item) => item.key === key)
}

/**
 * The blocks of a key, in order, whichever way they are written: `path "a" { }`,
 * `path = { a = { } }`, `{"path": {"a": {}}}`, `{"path": [{"a": {}}, {"b": {}}]}` and
 * `{"path": {"a": [{}, {}]}}` all give blocks with the label `a` (or `b`).
 *
 * An object stands for labels while labels are missing and all its values are objects; otherwise it
 * is the body, with the labels there are.
 *
 * @throws HclError if a value of that key is no object
 */
export function blocks(document: Document, key: string, labels: number): DocumentBlock[] {
  const found: DocumentBlock[] = []
  const collect = (value: Value, before: readonly string[], position: Position): void => {
    if (isList(value)) {
      for (const element of value) collect(element, before, position)
    } else if (!isDocument(value)) {
      throw positionError(`key '${key}' expected start of object ('{')`, position)
    } else if (before.length < labels && holdsBodies(value)) {
      for (const item of value.items) {
        collect(item.value, [...before, item.key, ...item.labels], item.position)
      }
    } else {
      found.push({ labels: before, body: value, position })
    }
  }
  for (const item of document.items) {
    if (item.key === key) collect(item.value, item.labels, item.position)
  }
  return found
}

/**
 * The value without positions. Labels become keys of nested maps. Of a key that repeats the last
 * value counts, except that maps are merged.
 */
export function plainValue(value: Value): PlainValue {
  if (isList(value)) return value.map(plainValue)
  return isDocument(value) ? plainMap(value) : value
}

/**
 * Returns the items of a document as a map; see `plainValue`. `Object.fromEntries` makes an object
 * of it.
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

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value)
}

function holdsBodies(document: Document): boolean {
  const isBody = (value: Value): boolean =>
    isList(value) ? value.length > 0 && value.every(isDocument) : isDocument(value)
  return document.items.length > 0 && document.items.every(({ value }) => isBody(value))
}
