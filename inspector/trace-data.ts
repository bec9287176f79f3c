import { type PackedTrace, unpackTrace } from '../routes/trace/packed.ts'
import { type Trace, traceFormat } from '../routes/trace/trace.ts'

/** Id of the element of a trace's page that holds the data. */
const dataId = 'trace-data'

/**
 * Returns the data of the trace that this page holds; undefined if it is the page of a server.
 *
 * @throws {Error} if the data are damaged, or in a newer format than this page can read
 */
export async function readTraceData(): Promise<Trace | undefined> {
  const text = document.getElementById(dataId)?.textContent?.trim() ?? ''
  if (text === '') return undefined
  const trace = JSON.parse(await unpack(text)) as PackedTrace
  if (trace.format > traceFormat) {
    throw new Error(
      `This trace has form ${trace.format}; this page reads forms up to ${traceFormat}.`,
    )
  }
  return unpackTrace(trace)
}

/** Decodes base64 and decompresses gzip. */
async function unpack(text: string): Promise<string> {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
  return new Response(stream).text()
}
