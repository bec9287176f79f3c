import { Readable } from 'node:stream'

/** Letters of JSON that are sent at once. */
const chunkSize = 64 * 1024

/** A value whose JSON may be longer than any text: it is written as it is taken. Must not change meanwhile. */
export class LongJson {
  readonly value: unknown

  constructor(value: unknown) {
    this.value = value
  }

  /** The JSON as bytes. */
  stream(): Readable {
    return Readable.from(joinPieces(piecesOf(this.value, splitDepth)), { objectMode: false })
  }
}

/** Levels of objects that are written member by member: service, `tables`, table and row of a state. */
const splitDepth = 4

/** The JSON of a value, in pieces of a member of the given level each. */
function* piecesOf(value: unknown, depth: number): Generator<string> {
  if (depth === 0 || !isPlain(value)) {
    yield JSON.stringify(value)
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

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The same text in fewer pieces. */
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
