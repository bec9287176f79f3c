import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip, gunzipSync } from 'node:zlib'
import { stringifyJson } from '../../state/kernel/deep-json.ts'
import { piecesOf } from '../http/long-json.ts'
import { type PackedStep, type PackedTrace, unpackTrace } from './packed.ts'
import { type Trace, traceFormat } from './trace.ts'
import { Turns } from './turns.ts'

/** Tags that enclose the data in the page. */
const openingTag = '<script type="application/octet-stream" id="trace-data">'
const closingTag = '</script>'

/**
 * Number of nested levels of a state whose members are written as separate pieces: tables and rows.
 */
const stateLevels = 2

/** Number of characters that are compressed in one call. */
const chunkSize = 64 * 1024

/** Error for a text that cannot be read as a trace. */
export class TraceError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'TraceError'
  }
}

/**
 * Returns the HTML text of a trace: the page with the compressed data inside.
 *
 * @param template page without data, as built from the inspector
 * @throws {Error} if the template does not contain the empty element for the data
 */
export async function renderTracePage(trace: PackedTrace, template: string): Promise<string> {
  const [before, after] = template.split(openingTag + closingTag)
  if (before === undefined || after === undefined) throw new Error('the template has no place')
  const data = await pipeline(Readable.from(joinPieces(jsonPieces(trace))), createGzip(), base64)
  return before + openingTag + data + closingTag + after
}

/** Encodes a stream of bytes as base64 without joining the bytes first. */
async function base64(bytes: AsyncIterable<Buffer>): Promise<string> {
  const texts: string[] = []
  let rest = Buffer.alloc(0)
  for await (const piece of bytes) {
    const all = Buffer.concat([rest, piece])
    // Base64 encodes groups of three bytes. The bytes of an incomplete group are encoded with the
    // next piece.
    const end = all.length - (all.length % 3)
    texts.push(all.toString('base64', 0, end))
    rest = all.subarray(end)
  }
  return texts.join('') + rest.toString('base64')
}

/** Yields the JSON of a trace in pieces that are small enough not to delay other requests. */
function* jsonPieces({ worlds, ...rest }: PackedTrace): Generator<string, void, undefined> {
  yield `${stringifyJson(rest).slice(0, -1)},"worlds":[`
  for (const [at, { start, steps, ...world }] of worlds.entries()) {
    yield `${at === 0 ? '' : ','}${stringifyJson(world).slice(0, -1)},"start":`
    yield* piecesOf(start, stateLevels)
    yield ',"steps":['
    for (const [position, step] of steps.entries()) {
      if (position > 0) yield ','
      yield* stepPieces(step)
    }
    yield ']}'
  }
  yield ']}'
}

function* stepPieces(step: PackedStep): Generator<string, void, undefined> {
  switch (step.kind) {
    case 'replaced': {
      const { state, ...rest } = step
      yield `${stringifyJson(rest).slice(0, -1)},"state":`
      yield* piecesOf(state, stateLevels)
      yield '}'
      return
    }
    case 'changes': {
      const { changes, ...rest } = step
      yield `${stringifyJson(rest).slice(0, -1)},"changes":`
      yield* piecesOf(changes, 1)
      yield '}'
      return
    }
    default:
      yield stringifyJson(step)
  }
}

/** Joins small pieces into larger ones. The process serves other requests between the pieces. */
async function* joinPieces(pieces: Iterable<string>): AsyncGenerator<string> {
  const turns = new Turns()
  let text = ''
  for (const piece of pieces) {
    text += piece
    if (text.length >= chunkSize) {
      yield text
      text = ''
    }
    if (turns.isOver()) await turns.pause()
  }
  yield text
}

/**
 * Reads the trace from the text of its page.
 *
 * @throws TraceError if the text is not a trace, is damaged, or has a newer format
 */
export function readTrace(page: string): Trace {
  const start = page.indexOf(openingTag)
  const end = page.indexOf(closingTag, start)
  if (start < 0 || end < 0) throw new TraceError('this is not a trace: it holds no data')
  const trace = parseTraceData(page.slice(start + openingTag.length, end))
  if (trace === null || typeof trace.format !== 'number')
    throw new TraceError('this is not a trace: it has no format')
  if (trace.format > traceFormat) {
    throw new TraceError(
      `the trace has format ${trace.format}; this version reads formats up to ${traceFormat}`,
    )
  }
  if (!Array.isArray(trace.worlds)) throw new TraceError('this is not a trace: it has no worlds')
  return unpackTrace(trace)
}

function parseTraceData(data: string): PackedTrace | null {
  try {
    return JSON.parse(gunzipSync(Buffer.from(data, 'base64')).toString('utf8'))
  } catch {
    throw new TraceError('the trace is damaged: its data cannot be unpacked')
  }
}
