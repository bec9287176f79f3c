import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { onTestFinished } from 'vitest'

/** HTTP answer as received over the wire, with header names in lower case. */
export type Answer = { status: number; headers: Record<string, string>; body: string }

/** Port to connect to; with `ca`, the client uses TLS. */
export type Target = { port: number; ca?: string | undefined }

/** Returns a request as text. A body gets a Content-Length header. */
export function requestText(verb: string, target: string, body = '', headers = ''): string {
  const length = body === '' ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`
  return `${verb} ${target} HTTP/1.1\r\nHost: mock.test\r\n${length}${headers}\r\n${body}`
}

/** HTTP client that sends exactly the given bytes and reads the answers in order. */
export class WireClient {
  readonly socket: Socket
  /** Whether the server has closed the connection. */
  closed = false
  #received = Buffer.alloc(0)
  #wake: () => void = () => {}

  private constructor(socket: Socket) {
    this.socket = socket
    socket.setNoDelay(true)
    socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk])
      this.#wake()
    })
    socket.on('error', () => {})
    const closed = (): void => {
      this.closed = true
      this.#wake()
      socket.end()
    }
    socket.on('end', closed)
    socket.on('close', closed)
  }

  /** Connects to a server. The connection closes when the test ends. */
  static async open({ port, ca }: Target): Promise<WireClient> {
    const socket =
      ca === undefined
        ? connect({ port, host: '127.0.0.1', allowHalfOpen: true })
        : connectTls({ port, host: '127.0.0.1', ca, servername: 'localhost' })
    await once(socket, ca === undefined ? 'connect' : 'secureConnect')
    onTestFinished(() => void socket.destroy())
    return new WireClient(socket)
  }

  /** Sends bytes. Resolves once the kernel has them and the event loop has turned. */
  async send(bytes: string | Buffer): Promise<void> {
    await new Promise((sent) => this.socket.write(bytes, sent))
    await nextTurn()
    await nextTurn()
  }

  /**
   * Returns the next answer, including interim ones (1xx). Rejects if the server closes before it
   * is complete.
   */
  async answer(): Promise<Answer> {
    let end = -1
    await this.#until(() => {
      end = this.#received.indexOf('\r\n\r\n')
      return end >= 0
    })
    const [statusLine = '', ...lines] = this.#received.toString('latin1', 0, end).split('\r\n')
    const headers: Record<string, string> = {}
    for (const line of lines) {
      const colon = line.indexOf(':')
      headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
    }
    const length = Number(headers['content-length'] ?? 0)
    const start = end + 4
    await this.#until(() => this.#received.length >= start + length)
    const body = this.#received.toString('utf8', start, start + length)
    this.#received = this.#received.subarray(start + length)
    return { status: Number(statusLine.split(' ')[1]), headers, body }
  }

  /** Returns the next `count` answers in order. */
  async answers(count: number): Promise<Answer[]> {
    const all: Answer[] = []
    while (all.length < count) all.push(await this.answer())
    return all
  }

  /** Sends bytes and returns the next answer. */
  async exchange(bytes: string): Promise<Answer> {
    await this.send(bytes)
    return this.answer()
  }

  /** Waits until the server closes the connection, and returns all unread data. */
  async rest(): Promise<string> {
    while (!this.closed) await this.#change()
    return this.#received.toString()
  }

  /** Received data that has not been read. */
  get unread(): string {
    return this.#received.toString()
  }

  /** Resolves once the unread data contains a text. */
  async waitFor(text: string): Promise<void> {
    await this.#until(() => this.unread.includes(text))
  }

  async #until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      if (this.closed) throw new Error(`closed after ${JSON.stringify(this.unread)}`)
      await this.#change()
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}

/** Returns a promise and the function that resolves it. */
export function deferredPromise(): { opened: Promise<void>; open: () => void } {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}
