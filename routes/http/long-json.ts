import { Readable } from 'node:stream'
import { stringifyJson } from '../../state/kernel/deep-json.ts'
import { isObject } from '../../state/kernel/objects.ts'

/** Number of characters of JSON that are sent at once. */
const chunkSize = 64 * 1024

/**
 * Value whose JSON may exceed the maximum length of a string: it is serialized while it is read.
 * The value must not change until then.
 */
export class LongJson {
  readonly value: unknown

  constructor(value: unknown) {
    this.value = value
  }

  /** Returns a stream of the JSON's bytes. */
  stream(): Readable {
    return Readable.from(joinPieces(piecesOf(this.value, splitDepth)), { objectMode: false })
  }
}

/**
 * Number of levels that are serialized member by member: service, `tables`, table and row of a
 * state.
 */
const splitDepth = 4

/** Yields the JSON of a value in pieces, one per member down to the given level. */
function* piecesOf(value: unknown, depth: number): Generator<string> {
  if (depth === 0 || !isObject(value)) {
    yield stringifyJson(value)
    return
  }
  let before = '{'
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue
    yield `${before}${JSON.stringify(name)}:`
    yield* piecesOf(member, depth - 1)
    before = ','
  }
  yield before === '{' ? '{}' : '}'
}

/** Joins small pieces into larger ones. */
function* joinPieces(pieces: Iterable<string>): Generator<string> {
  let text = ''
  for (const piece of pieces) {
    text += piece
    if (text.length < chunkSize) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}
