import { once } from 'node:events'
import { get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import type { TestScheduler } from './scheduler.ts'

export interface StreamedEvent {
  readonly Topic: string
  readonly Type: string
  readonly Key: string
  readonly Namespace: string
  readonly FilterKeys: readonly string[] | null
  readonly Index: number
  readonly Payload: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** Line of the stream; empty for a heartbeat. */
export interface StreamedLine {
  readonly Index?: number
  readonly Events?: readonly StreamedEvent[]
}

/** Reader of an event stream on a socket of its own. */
export class EventReader {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly #lines: AsyncIterator<string>
  readonly #message: IncomingMessage

  constructor(message: IncomingMessage) {
    this.status = message.statusCode ?? 0
    this.headers = message.headers
    this.#message = message
    this.#lines = createInterface({ input: message })[Symbol.asyncIterator]()
  }

  /** Returns the text of the next line; undefined at the end of the stream. */
  async text(): Promise<string | undefined> {
    const { value, done } = await this.#lines.next()
    return done === true ? undefined : value
  }

  /** Returns the next line that is not a heartbeat; undefined at the end of the stream. */
  async line(): Promise<StreamedLine | undefined> {
    for (;;) {
      const text = await this.text()
      if (text !== '{}') return text === undefined ? undefined : JSON.parse(text)
    }
  }

  /**
   * Reads lines up to an event of this topic and type. Returns the topics and types of the events
   * of each line, as one string per line. Throws if the stream ends first.
   */
  async until(topic: string, type: string): Promise<readonly string[]> {
    const seen: string[] = []
    for (;;) {
      const line = await this.line()
      if (line === undefined) throw new Error(`ended after ${seen.join(', ')}`)
      const types = (line.Events ?? []).map(({ Topic, Type }) => `${Topic} ${Type}`)
      seen.push(types.join(' + '))
      if (types.includes(`${topic} ${type}`)) return seen
    }
  }

  /** Waits for the end of the stream. Returns its remaining lines, heartbeats included. */
  async rest(): Promise<readonly string[]> {
    const lines: string[] = []
    for (let text = await this.text(); text !== undefined; text = await this.text())
      lines.push(text)
    return lines
  }

  close(): void {
    this.#message.destroy()
  }
}

/**
 * Opens a listener of a test's server. Returns the server with its port and with the function
 * `stream`, which opens an event stream.
 */
export async function streaming<T extends TestScheduler>(served: T) {
  await served.app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => void served.app.server.closeAllConnections())
  const address = served.app.server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const stream = async (query = '', token?: string): Promise<EventReader> => {
    const request = get({
      port: address.port,
      host: '127.0.0.1',
      path: `/v1/event/stream${query}`,
      agent: false,
      headers: token === undefined ? {} : { 'x-sched-token': token },
    })
    const [message] = await once(request, 'response')
    message.on('error', () => {})
    return new EventReader(message)
  }
  return { ...served, stream, port: address.port }
}
