import { Readable } from 'node:stream'
import { stringifyJson } from '../../state/kernel/deep-json.ts'
import { isObject } from '../../state/kernel/objects.ts'
import type { InParts } from '../../state/kernel/parts.ts'
import { monotonicTime, yieldToEventLoop } from '../../state/kernel/time.ts'

/** Minimum number of characters of JSON in each piece of the output except the last. */
const chunkSize = 64 * 1024

/** Maximum time, in milliseconds, for which JSON is serialized before other requests are served. */
const maxTurn = 10

/** The members of an object, which are read one after the other while the object is written. */
export class LazyMembers {
  readonly entries: () => Iterable<readonly [string, unknown]>

  constructor(entries: () => Iterable<readonly [string, unknown]>) {
    this.entries = entries
  }
}

/**
 * A value whose JSON may exceed the maximum length of a string. The value is serialized while the
 * JSON is read, and must not change until all of the JSON is read.
 */
export class LongJson {
  readonly value: unknown

  constructor(value: unknown) {
    this.value = value
  }

  /** Streams the JSON as UTF-8. Other requests are served between its pieces. */
  stream(): Readable {
    return Readable.from(joinPieces(piecesOf(this.value, splitDepth)), { objectMode: false })
  }
}

/**
 * Number of levels that are serialized member by member: service, `tables`, table and row of a
 * state.
 */
const splitDepth = 4

/**
 * Yields the JSON of a value in pieces. Down to the given level, each member or item is a piece.
 */
export function* piecesOf(value: unknown, depth: number): Generator<string> {
  if (depth > 0 && Array.isArray(value)) {
    yield '['
    for (const [at, item] of value.entries()) {
      if (at > 0) yield ','
      yield* piecesOf(item ?? null, depth - 1)
    }
    yield ']'
    return
  }
  if (depth === 0 || !isObject(value)) {
    yield stringifyJson(value)
    return
  }
  let separator = '{'
  const members = value instanceof LazyMembers ? value.entries() : Object.entries(value)
  for (const [name, member] of members) {
    if (member === undefined) continue
    yield `${separator}${JSON.stringify(name)}:`
    yield* piecesOf(member, depth - 1)
    separator = ','
  }
  yield separator === '{' ? '{}' : '}'
}

/** Minimum number of characters of JSON that are serialized between two pauses. */
const charactersPerPart = 16 * 1024

/** Returns the JSON of a value as `stringifyJson` does, with pauses. */
export function* stringifyInParts(value: unknown): InParts<string> {
  const pieces: string[] = []
  let length = 0
  for (const piece of piecesOf(value, splitDepth)) {
    pieces.push(piece)
    length += piece.length
    if (length < charactersPerPart) continue
    length = 0
    yield
  }
  return pieces.join('')
}

/**
 * Joins small pieces into larger ones. Between two larger pieces, other requests are served if
 * `maxTurn` has passed.
 */
async function* joinPieces(pieces: Iterable<string>): AsyncGenerator<string> {
  let text = ''
  let start = monotonicTime()
  for (const piece of pieces) {
    text += piece
    if (text.length < chunkSize) continue
    yield text
    text = ''
    if (monotonicTime() - start > maxTurn) {
      await yieldToEventLoop()
      start = monotonicTime()
    }
  }
  if (text !== '') yield text
}
