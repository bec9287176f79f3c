import { isJsonObject, type Json, JsonNumber, type JsonObject, setMember } from '../kernel/json.ts'
import { Refusal } from '../kernel/refusal.ts'
import { type JsonDecoding, unmarshal } from './decodings.ts'
import { readJson } from './reader.ts'

/** Text that is not JSON; the message is the one of Go's encoding/json. */
export class JsonError extends Refusal {
  constructor(reason: string) {
    super('invalid', { rule: 'not-json', template: '{why}', params: { why: reason } })
    this.name = 'JsonError'
  }
}

/**
 * Number of arrays and objects that may lie in one another: Go's limit, which the services have.
 */
const maxJsonDepth = 10_000

/**
 * Finds what the native parser would change: number literals that a double does not print back
 * (long, with an exponent or a trailing zero, tiny, minus zero) and escapes of half a surrogate pair.
 * May also hit inside strings, which only costs time.
 */
const changedByParsing =
  /(?:^|[\s:,[])(?:-0(?![.\d])|-?(?:[\d.]{16}|0\.0{6}|\d+\.\d*0(?!\d)|[\d.]+[eE]))|\\u[dD][89a-fA-F]/

/** A part of all that the pattern above finds, and of little else: looked for first, as it is found faster. */
const maybeChangedByParsing = /[\d.](?:[\d.]{15}|[eE])|\.\d*0|-0(?:[\s,\]}]|$)|\\u[dD]/

/**
 * Parses JSON text without loss: numbers come back with the text they were sent with, the last of
 * duplicate keys wins, and nesting over 10,000 levels is refused, as Go's encoding/json does.
 *
 * @param decoding which of Go's decoders to be
 * @throws JsonError with that decoder's text
 */
export function parseJson(text: string, decoding: JsonDecoding = unmarshal): Json {
  const isUnchanged = !maybeChangedByParsing.test(text) || !changedByParsing.test(text)
  if (isUnchanged && !mayExceedDepth(text)) {
    try {
      return JSON.parse(text)
    } catch {
      // Only our own reader knows the text that Go has for the fault.
    }
  }
  return parseJsonExactly(text, decoding)
}

/**
 * Parses without native help, which keeps number literals, bounds the nesting and names faults. Slower
 * than `JSON.parse` by a small factor; `parseJson` only comes here when it must.
 */
export function parseJsonExactly(
  text: string,
  { describe, ...options }: JsonDecoding = unmarshal,
): Json {
  return readJson<Json, string, undefined>(text, {
    ...options,
    maxDepth: maxJsonDepth,
    isForbidden: (code) => code < 0x20,
    mark: () => undefined,
    string: (value) => value,
    number(literal) {
      const number = Number(literal)
      return String(number) === literal ? number : new JsonNumber(literal)
    },
    word: (value) => value,
    key: (key) => key,
    array: (items) => items,
    object(keys, values) {
      const members: JsonObject = {}
      keys.forEach((key, at) => {
        setMember(members, key, values[at] ?? null)
      })
      return members
    },
    error: (error) => new JsonError(describe(error)),
  })
}

/**
 * Tells whether a text might nest too deeply. Deep values need a closing bracket for each opening
 * one.
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

/** Returns where the string that opens at `start` closes; -1 when it does not. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return at
    if (code === 0x5c) at += 1
  }
  return -1
}

/**
 * The style in which a value is written: the marks around and between values, and the values
 * without any inside.
 */
export interface JsonStyle {
  readonly object: readonly [open: string, close: string]
  readonly array: readonly [open: string, close: string]
  readonly separator: string
  /** A key with what follows it. */
  readonly key: (key: string) => string
  readonly scalar: (value: Exclude<Json, Json[] | JsonObject>) => string
}

/** A container being written; a sequence of values, each with its label. */
interface Frame {
  readonly labels: readonly string[] | undefined
  readonly values: readonly Json[]
  readonly close: string
  next: number
}

/** Writes a value in some style, object keys in byte order. Iterative: depth costs no stack. */
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

const compact: JsonStyle = {
  object: ['{', '}'],
  array: ['[', ']'],
  separator: ',',
  key: (key) => JSON.stringify(key) + ':',
  scalar: (value) => (value instanceof JsonNumber ? value.text : JSON.stringify(value)),
}

/** Beyond this the native printer's recursion could exhaust the stack. */
const maxNativeDepth = 100

/**
 * The one text of a value: compact, keys in byte order as Go encodes maps, number literals as they
 * were sent. Unlike Go's default it does not escape `<`, `>` and `&`.
 */
export function canonicalJson(value: Json): string {
  const sorted = sortKeys(value, maxNativeDepth)
  return sorted === undefined ? flattenString(printJson(value, compact)) : JSON.stringify(sorted)
}

/**
 * The same text laid out: one that was put together keeps all its parts in memory, several times its
 * own size, and texts made here are kept for long.
 */
function flattenString(text: string): string {
  return Buffer.from(text).toString()
}

/** Keys that an object keeps in another order than they were added, or does not keep at all. */
const reorderedKey = /^(?:\d|__proto__$)/

/**
 * The value with its keys in order, for native printing, which is several times as fast as ours; the
 * value itself where they are. Undefined when native printing cannot give the canonical text.
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
    const member = reorderedKey.test(key) ? undefined : sortKeys(object[key] ?? null, levels - 1)
    if (member === undefined) return undefined
    sorted[key] = member
  }
  return sorted
}

/**
 * Applies a JSON merge patch (RFC 7396): members of `patch` replace those of `target`, null removes
 * them, objects merge. Changes neither argument; the result shares what it did not touch with both.
 */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch
  const root = copyMembers(target)
  const pending = [{ into: root, patch }]
  for (let step = pending.pop(); step !== undefined; step = pending.pop()) {
    for (const [key, change] of Object.entries(step.patch)) {
      if (change === null) delete step.into[key]
      else if (isJsonObject(change)) {
        const below = copyMembers(memberOf(step.into, key))
        setMember(step.into, key, below)
        pending.push({ into: below, patch: change })
      } else setMember(step.into, key, change)
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
 * Compares two strings by their UTF-8 bytes, the order in which the services list and encode keys.
 * It differs from JavaScript's order only where a surrogate pair meets U+E000 to U+FFFF.
 */
export function compareBytewise(a: string, b: string): number {
  const common = Math.min(a.length, b.length)
  for (let at = 0; at < common; at++) {
    const left = a.charCodeAt(at)
    const right = b.charCodeAt(at)
    if (left !== right) return byteRank(left) - byteRank(right)
  }
  return a.length - b.length
}

/** Returns a code unit's place when surrogates, which stand for U+10000 and above, come last. */
function byteRank(unit: number): number {
  return unit < 0xd800 ? unit : unit >= 0xe000 ? unit - 0x800 : unit + 0x2000
}
