import { connect, type Socket } from 'node:net'

const headEnd = Buffer.from('\r\n\r\n')
const lastChunk = Buffer.from('0\r\n\r\n')

/** HTTP request of a load. */
export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  /** Path with the query string, without the origin. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Returns the bytes of a request on a keep-alive connection. */
export function bytesOf({ method, path, headers = {}, body }: Request): Buffer {
  const all = {
    host: 'localhost',
    ...headers,
    ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`)
}

/**
 * Keep-alive connection that sends one request at a time. The class parses only the status and the
 * end of a response, because the client's CPU time is lost to the server on the same machine.
 */
export class Connection {
  readonly #socket: Socket
  #seen: Buffer = Buffer.alloc(0)
  /** Bytes of the body still to come; undefined until the head is complete. */
  #missing: number | undefined
  #chunked = false
  #answered: (() => void) | undefined

  private constructor(socket: Socket, failed: (error: Error) => void) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('error', failed)
    socket.on('close', () => {
      if (this.#answered !== undefined) failed(new Error('closed before its answer was whole'))
    })
    socket.on('data', (bytes) => {
      try {
        this.#take(bytes)
      } catch (error) {
        failed(error instanceof Error ? error : new Error(String(error)))
      }
    })
  }

  /** Opens a connection. `failed` is called when a request is refused or the socket breaks. */
  static async open(url: string, failed: (error: Error) => void): Promise<Connection> {
    const { hostname, port } = new URL(url)
    return await new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port) }, () =>
        resolve(new Connection(socket, failed)),
      )
      socket.once('error', reject)
    })
  }

  /** Sends a request. The previous request must have been answered. */
  send(bytes: Buffer, answered: () => void): void {
    this.#answered = answered
    this.#socket.write(bytes)
  }

  close(): void {
    this.#answered = undefined
    this.#socket.destroy()
  }

  #take(bytes: Buffer): void {
    if (this.#missing === undefined || this.#chunked) {
      this.#seen = this.#seen.length === 0 ? bytes : Buffer.concat([this.#seen, bytes])
      if (this.#missing === undefined && !this.#readHead()) return
      if (this.#chunked && !this.#seen.subarray(-lastChunk.length).equals(lastChunk)) return
      if (this.#chunked) this.#missing = 0
    } else {
      this.#missing -= bytes.length
    }
    if (this.#missing === 0) this.#endResponse()
  }

  /** Returns whether the head is complete, and if so sets the expected length of the body. */
  #readHead(): boolean {
    const end = this.#seen.indexOf(headEnd)
    if (end === -1) return false
    const head = this.#seen.toString('latin1', 0, end)
    if (head[9] !== '2') throw new Error(`refused: ${this.#seen.toString()}`)
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
    this.#chunked = length === undefined && /\r\ntransfer-encoding: *chunked/i.test(head)
    this.#missing = Number(length ?? 0) - (length === undefined ? 0 : this.#seen.length - end - 4)
    return true
  }

  #endResponse(): void {
    const answered = this.#answered
    this.#seen = Buffer.alloc(0)
    this.#missing = undefined
    this.#chunked = false
    this.#answered = undefined
    answered?.()
  }
}
