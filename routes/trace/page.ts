import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createGzip, gunzipSync } from 'node:zlib'
import { type PackedTrace, unpackTrace } from './packed.ts'
import { type Trace, traceFormat } from './trace.ts'
import { Turns } from './turns.ts'

/** Tags around the data. */
const opening = '<script type="application/octet-stream" id="trace-data">'
const closing = '</script>'

/** Failure to read a trace. */
export class TraceError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'TraceError'
  }
}

/**
 * Returns the HTML text of a trace: the page with the data, compressed, inside.
 *
 * @param template page without data, as built from the inspector
 */
export async function tracePage(trace: PackedTrace, template: string): Promise<string> {
  const [before, after] = template.split(opening + closing)
  if (before === undefined || after === undefined) throw new Error('the template has no place')
  const data = await buffer(Readable.from(jsonPieces(trace)).pipe(createGzip()))
  return before + opening + data.toString('base64') + closing + after
}

/** Yields the JSON of a trace in pieces. The process serves other requests in between. */
async function* jsonPieces({ worlds, ...rest }: PackedTrace): AsyncGenerator<string> {
  const turns = new Turns()
  yield `${JSON.stringify(rest).slice(0, -1)},"worlds":[`
  for (const [at, { steps, ...world }] of worlds.entries()) {
    yield `${at === 0 ? '' : ','}${JSON.stringify(world).slice(0, -1)},"steps":[`
    let piece = ''
    for (const [position, step] of steps.entries()) {
      piece += (position === 0 ? '' : ',') + JSON.stringify(step)
      if (!turns.isOver()) continue
      yield piece
      piece = ''
      await turns.pause()
    }
    yield `${piece}]}`
  }
  yield ']}'
}

/**
 * Returns the data of a trace's page.
 *
 * @throws TraceError for a text that is no trace, a damaged one, or one of a newer form
 */
export function readTrace(page: string): Trace {
  const start = page.indexOf(opening)
  const end = page.indexOf(closing, start)
  if (start < 0 || end < 0) throw new TraceError('this is no trace: it holds no data')
  const trace = parse(page.slice(start + opening.length, end))
  if (trace === null || typeof trace.format !== 'number')
    throw new TraceError('this is no trace: it has no format')
  if (trace.format > traceFormat) {
    throw new TraceError(
      `the trace has format ${trace.format}; this version reads formats up to ${traceFormat}`,
    )
  }
  if (!Array.isArray(trace.worlds)) throw new TraceError('this is no trace: it has no worlds')
  return unpackTrace(trace)
}

function parse(data: string): PackedTrace | null {
  try {
    return JSON.parse(gunzipSync(Buffer.from(data, 'base64')).toString('utf8'))
  } catch {
    throw new TraceError('the trace is damaged: its data cannot be unpacked')
  }
}
