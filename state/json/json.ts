import { integerOf } from '../kernel/integers.ts'
import { isJsonObject, type Json, JsonNumber, type JsonObject, setMember } from '../kernel/json.ts'
import { Refusal } from '../kernel/refusal.ts'
import { type JsonDecoding, unmarshal } from './decodings.ts'
import { readJson } from './reader.ts'

/** Error for invalid JSON. `reason` is the message of Go's encoding/json. */
export class JsonError extends Refusal {
  constructor(reason: string) {
    super('invalid', { rule: 'not-json', template: '{why}', params: { why: reason } })
    this.name = 'JsonError'
  }
}

/** Maximum nesting of arrays and objects: Go's limit, which the services also have. */
const maxJsonDepth = 10_000

/**
 * Pattern of text that the native parser would change. This includes escapes of half a surrogate
 * pair, and number literals that a double does not print back: long, with an exponent or a trailing
 * zero, tiny, or minus zero. The pattern may also match inside strings, which only costs time.
 */
const changedByParsingPattern =
  /(?:^|[\s:,[])(?:-0(?![.\d])|-?(?:[\d.]{16}|0\.0{6}|\d+\.\d*0(?!\d)|[\d.]+[eE]))|\\u[dD][89a-fA-F]/

/**
 * Faster pattern, which is tried first. Each text that matches `changedByParsingPattern` also
 * matches this pattern, and few other texts do.
 */
const mayChangeByParsingPattern = /[\d.](?:[\d.]{15}|[eE])|\.\d*0|-0(?:[\s,\]}]|$)|\\u[dD]/

/**
 * Parses JSON text without loss, as Go's encoding/json does: numbers keep their text, the last of
 * duplicate keys wins, and nesting over 10,000 levels is rejected.
 *
 * @param decoding the decoder of Go to imitate
 * @throws JsonError with that decoder's message
 */
export function parseJson(text: string, decoding: JsonDecoding = unmarshal): Json {
  const isUnchanged = !mayChangeByParsingPattern.test(text) || !changedByParsingPattern.test(text)
  if (isUnchanged && !mayExceedDepth(text)) {
    try {
      return JSON.parse(text)
    } catch {
      // The native parser's message is not Go's; the parser below describes the error.
    }
  }
  return parseJsonExactly(text, decoding)
}

/** Digits of an integer that a double may round. */
const longIntegerPattern = /\d{16}/

/**
 * Parses JSON like `JSON.parse`, but with bigints for the integers that a double would round.
 *
 * @throws for texts that are not JSON
 */
export function parseJsonWithBigints(text: string): unknown {
  if (!longIntegerPattern.test(text)) return JSON.parse(text)
  return parseWithNumbers(text, unmarshal, (literal) =>
    /^-?\d+$/.test(literal) ? integerOf(literal) : Number(literal),
  )
}

/**
 * Parses JSON without the native parser. Keeps number literals, limits the nesting and describes
 * errors as Go does. This is a few times slower than `JSON.parse`, so `parseJson` uses it only if
 * necessary. Throws a JsonError for invalid text.
 */
export function parseJsonExactly(text: string, decoding: JsonDecoding = unmarshal): Json {
  const value = parseWithNumbers(text, decoding, (literal) => {
    const number = Number(literal)
    return String(number) === literal ? number : new JsonNumber(literal)
  })
  // The callback above returns no bigints, so the cast is safe.
  return value as Json
}

/** A JSON value whose integers may be bigints. */
type JsonValue = Json | bigint | readonly JsonValue[] | { readonly [name: string]: JsonValue }

/**
 * Parses JSON without the native parser. Throws a JsonError for invalid text.
 *
 * @param numberOf converts the source text of a number to a value
 */
function parseWithNumbers(
  text: string,
  { describe, ...options }: JsonDecoding,
  numberOf: (literal: string) => JsonValue,
): JsonValue {
  return readJson<JsonValue, string, undefined>(text, {
    ...options,
    maxDepth: maxJsonDepth,
    isForbidden: (code) => code < 0x20,
    mark: () => undefined,
    string: (value) => value,
    number: numberOf,
    word: (value) => value,
    key: (key) => key,
    array: (items) => items,
    object(keys, values) {
      const members: Record<string, JsonValue> = {}
      keys.forEach((key, at) => {
        setMember(members, key, values[at] ?? null)
      })
      return members
    },
    error: (error) => new JsonError(describe(error)),
  })
}

/**
 * Returns whether JSON text might be nested too deeply. Text that is at most twice as long as the
 * limit never is, because valid JSON closes every bracket. In longer text, counts the brackets
 * outside strings.
 */
function mayExceedDepth(text: string): boolean {
  if (text.length <= 2 * maxJsonDepth) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) {
      at = endOfString(text, at)
      if (at < 0) return true
    } else if (code === 0x5b || code === 0x7b) {
      depth += 1
      if (depth > maxJsonDepth) return true
    } else if (code === 0x5d || code === 0x7d) depth -= 1
  }
  return false
}

/**
 * Returns the offset of the quote that closes the string at `start`; -1 if there is none. A loop is
 * used because a pattern with a repeated group would exhaust the stack on strings of some
 * megabytes.
 *
 * @param isOneLine true if a string must not contain a line feed
 */
export function endOfString(text: string, start: number, isOneLine = false): number {
  for (let at = start + 1; at < text.length; at++) {
    let code = text.charCodeAt(at)
    if (code === 0x22) return at
    if (code === 0x5c) {
      at += 1
      code = text.charCodeAt(at)
    }
    if (isOneLine && code === 0x0a) return -1
  }
  return -1
}

/** Style in which a value is printed: the text around and between values, and scalars. */
export interface JsonStyle {
  readonly object: readonly [open: string, close: string]
  readonly array: readonly [open: string, close: string]
  readonly separator: string
  /** Prints a key, with the text that separates a key from a value. */
  readonly key: (key: string) => string
  readonly scalar: (value: Exclude<Json, Json[] | JsonObject>) => string
}

/** An array or object that is being printed: its values and, for an object, its printed keys. */
interface Frame {
  readonly labels: readonly string[] | undefined
  readonly values: readonly Json[]
  readonly close: string
  next: number
}

/**
 * Prints a value in a style, with object keys in byte order. The function is iterative, so deep
 * nesting does not exhaust the stack.
 */
export function printJson(root: Json, style: JsonStyle): string {
  const frames: Frame[] = []
  let output = ''
  let value = root
  for (;;) {
    if (Array.isArray(value)) {
      output += style.array[0]
      frames.push({ labels: undefined, values: value, close: style.array[1], next: 0 })
    } else if (isJsonObject(value)) {
      output += style.object[0]
      frames.push(objectFrame(value, style))
    } else output += style.scalar(value)

    let frame = frames.at(-1)
    while (frame !== undefined && frame.next === frame.values.length) {
      output += frame.close
      frames.pop()
      frame = frames.at(-1)
    }
    if (frame === undefined) return output
    if (frame.next > 0) output += style.separator
    output += frame.labels?.[frame.next] ?? ''
    value = frame.values[frame.next] ?? null
    frame.next += 1
  }
}

function objectFrame(object: JsonObject, style: JsonStyle): Frame {
  const keys = Object.keys(object).sort(compareBytewise)
  return {
    labels: keys.map(style.key),
    values: keys.map((key) => object[key] ?? null),
    close: style.object[1],
    next: 0,
  }
}

const compactStyle: JsonStyle = {
  object: ['{', '}'],
  array: ['[', ']'],
  separator: ',',
  key: (key) => JSON.stringify(key) + ':',
  scalar: (value) => (value instanceof JsonNumber ? value.text : JSON.stringify(value)),
}

/** Depth at which the native printer's recursion could exhaust the stack. */
const maxNativeDepth = 100

/**
 * Returns the canonical text of a value: compact, with keys in byte order as Go encodes maps, and
 * with number literals unchanged. Unlike in Go's default, `<`, `>` and `&` are not escaped.
 */
export function canonicalJson(value: Json): string {
  const sorted = sortKeys(value, maxNativeDepth)
  return sorted === undefined
    ? flattenString(printJson(value, compactStyle))
    : JSON.stringify(sorted)
}

/**
 * Returns an equal string in one piece. A concatenated string keeps all its parts in memory,
 * several times its own size, and canonical texts are stored for a long time.
 */
function flattenString(text: string): string {
  return Buffer.from(text).toString()
}

/**
 * Pattern of keys that an object would not keep in place: numbers, which would be moved, and
 * `__proto__`, which would not be stored.
 */
const reorderedKeyPattern = /^(?:\d|__proto__$)/

/**
 * Returns a copy of a value with sorted keys for native printing, which is several times as fast.
 * Returns undefined if native printing cannot produce the canonical text: for number literals, deep
 * nesting, and keys that an object would reorder.
 */
function sortKeys(value: Json, levels: number): Json | undefined {
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0 || value instanceof JsonNumber) return undefined
  return Array.isArray(value) ? sortItemKeys(value, levels) : sortMemberKeys(value, levels)
}

function sortItemKeys(items: Json[], levels: number): Json[] | undefined {
  const sorted: Json[] = []
  for (const item of items) {
    const one = sortKeys(item, levels - 1)
    if (one === undefined) return undefined
    sorted.push(one)
  }
  return sorted
}

function sortMemberKeys(object: JsonObject, levels: number): JsonObject | undefined {
  const sorted: JsonObject = {}
  for (const key of Object.keys(object).sort(compareBytewise)) {
    const member = reorderedKeyPattern.test(key)
      ? undefined
      : sortKeys(object[key] ?? null, levels - 1)
    if (member === undefined) return undefined
    sorted[key] = member
  }
  return sorted
}

/**
 * Applies a JSON merge patch (RFC 7396): members of `patch` replace those of `target`, null removes
 * a member, and objects are merged. Changes neither argument; the result shares unchanged parts
 * with both arguments.
 */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch
  const root = copyMembers(target)
  const pending = [{ target: root, patch }]
  for (let step = pending.pop(); step !== undefined; step = pending.pop()) {
    for (const [key, change] of Object.entries(step.patch)) {
      if (change === null) delete step.target[key]
      else if (isJsonObject(change)) {
        const mergedMember = copyMembers(memberOf(step.target, key))
        setMember(step.target, key, mergedMember)
        pending.push({ target: mergedMember, patch: change })
      } else setMember(step.target, key, change)
    }
  }
  return root
}

function copyMembers(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? { ...value } : {}
}

function memberOf(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/**
 * Compares two strings by their UTF-8 bytes. The services list and encode keys in this order. The
 * order differs from JavaScript's only where a surrogate pair meets U+E000 to U+FFFF.
 */
export function compareBytewise(a: string, b: string): number {
  const commonLength = Math.min(a.length, b.length)
  for (let at = 0; at < commonLength; at++) {
    const left = a.charCodeAt(at)
    const right = b.charCodeAt(at)
    if (left !== right) return byteRank(left) - byteRank(right)
  }
  return a.length - b.length
}

/**
 * Returns the rank of a code unit in byte order: surrogates, which encode U+10000 and above, come
 * last.
 */
function byteRank(unit: number): number {
  return unit < 0xd800 ? unit : unit >= 0xe000 ? unit - 0x800 : unit + 0x2000
}
