import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { finished, pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'

/**
 * Listener of the server: one per API, and the combined one, which also serves the control plane.
 */
export type ListenerName = 'secrets' | 'platform' | 'mesh' | 'scheduler' | 'combined'

/** Bytes: text if they are UTF-8, otherwise base64. */
export type Bytes = string | { readonly base64: string }

/** Request as sent over the wire. The client adds `Connection` and `Content-Length`. */
export interface WireRequest {
  readonly listener: ListenerName
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Bytes
}

/** Reply as received over the wire. */
export interface WireReply {
  /** 0 if the connection ended before a status was sent. */
  readonly status: number
  /** Names and values in the order in which they were sent. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Bytes
  /** Reason for an incomplete reply: `closed` by the server, or given up as `unanswered`. */
  readonly broken?: 'closed' | 'unanswered'
}

/** Method by which a replay compares a reply with the recorded one. */
export type Comparison =
  /** Status, headers and body, byte by byte. */
  | 'exact'
  /** Status and the names of the members. */
  | 'names'
  /** As `names`, and the value of `rule`. */
  | 'explanation'
  /** Status and the operations of `/_mock/coverage`. */
  | 'coverage'
  /** Status and the parts of each OpenAPI operation that clients depend on. */
  | 'document'

/** Request and its reply. */
export interface Exchange {
  readonly request: WireRequest
  readonly reply: WireReply
  readonly comparison: Comparison
  /** Number of times the clock was advanced while the request was waiting for it. */
  readonly advances?: number
  /** Operation from the server's journal, or the path of the control plane. */
  readonly operation?: string
}

/** First line of a recording: the settings that start the server. */
export interface RecordingStart {
  readonly format: 1
  readonly dialect: 'neutral' | 'vendor'
  readonly seed: string
  readonly requests: number
  /** Arguments of the command. */
  readonly args: readonly string[]
  /** Initial state, which the command reads from `UNDERSTUDY_FIXTURES`. */
  readonly fixtures: string
}

export function toBytes(buffer: Buffer): Bytes {
  const text = buffer.toString('utf8')
  return Buffer.from(text, 'utf8').equals(buffer) ? text : { base64: buffer.toString('base64') }
}

export function fromBytes(bytes: Bytes): Buffer {
  return typeof bytes === 'string'
    ? Buffer.from(bytes, 'utf8')
    : Buffer.from(bytes.base64, 'base64')
}

/** Returns the bytes as text; bytes that are not UTF-8 become replacement characters. */
export function textOf(bytes: Bytes): string {
  return typeof bytes === 'string' ? bytes : fromBytes(bytes).toString('utf8')
}

/** Writer of a recording, with one JSON value per line; gzipped if the file name ends in `.gz`. */
export class RecordingWriter {
  readonly #lines = createGzip()
  readonly #file
  readonly #completion

  constructor(file: string) {
    this.#file = createWriteStream(file)
    if (!file.endsWith('.gz')) {
      this.#completion = finished(this.#file)
      return
    }
    this.#completion = pipeline(this.#lines, this.#file)
  }

  async write(value: RecordingStart | Exchange): Promise<void> {
    const stream = this.#target()
    if (stream.write(`${JSON.stringify(value)}\n`)) return
    await once(stream, 'drain')
  }

  async close(): Promise<void> {
    this.#target().end()
    await this.#completion
  }

  #target() {
    return String(this.#file.path).endsWith('.gz') ? this.#lines : this.#file
  }
}

/** Reads the lines of a recording. */
async function* readLines(file: string): AsyncGenerator<string> {
  const bytes = createReadStream(file)
  const text = file.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes
  bytes.once('error', (error) => text.destroy(error))
  yield* createInterface({ input: text, crlfDelay: Number.POSITIVE_INFINITY })
}

/** Reads a recording: its first line, then the exchanges. */
export async function readRecording(
  file: string,
): Promise<{ start: RecordingStart; exchanges: AsyncGenerator<Exchange> }> {
  const lines = readLines(file)
  const first = await lines.next()
  const start: RecordingStart = JSON.parse(first.value ?? '{}')
  if (start.format !== 1) throw new Error(`${file} is not a recording of this format`)
  async function* exchanges(): AsyncGenerator<Exchange> {
    for await (const line of lines) yield JSON.parse(line)
  }
  return { start, exchanges: exchanges() }
}
