import type { AddressInfo, Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { inheritWorld } from './listener-world.ts'

type WriteDone = (error?: Error | null) => void
type Bytes = Uint8Array | string
type WriteChunk = { chunk: Bytes; encoding: BufferEncoding }

/**
 * Handlers for events of the wrapped socket. The handlers pass the events on to the users of the
 * wrapper.
 */
type Relay = Readonly<Record<'readable' | 'end' | 'close' | 'timeout', () => void>> & {
  readonly error: (error: Error) => void
}

/**
 * Wrapper around a client socket for a new HTTP parser, after another parser stopped reading the
 * socket. The new parser reads first the initial bytes and then the bytes that the client sends
 * (behaviour/program#http, `LIST`).
 *
 * The wrapper behaves like the socket to the parser and to handlers: end, close, errors, idle
 * timeouts and backpressure pass in both directions, and the addresses and `encrypted` are those of
 * the socket. The wrapped socket is always the client's socket itself, never another wrapper:
 * `release` frees it for the next wrapper.
 */
export class HandedOnSocket extends Duplex {
  readonly raw: Socket
  readonly #relay: Relay
  #mark: string | undefined
  #released = false
  #isReadPending = false

  /**
   * @param raw client socket; no other code may read the socket
   * @param first bytes that are read before those of the socket
   * @param mark value that `takeMark` returns once
   */
  constructor(raw: Socket, first: Buffer, mark: string) {
    super({
      decodeStrings: false,
      readableHighWaterMark: raw.readableHighWaterMark,
      writableHighWaterMark: raw.writableHighWaterMark,
    })
    this.raw = raw
    inheritWorld(this, raw)
    this.#mark = mark
    this.#relay = {
      readable: () => this.#pump(),
      end: () => this.push(null),
      close: () => this.destroy(),
      timeout: () => this.emit('timeout'),
      error: (error) => this.destroy(error),
    }
    // A time limit of the former parser (keep-alive) must not end a slow answer.
    raw.setTimeout(0)
    raw.on('readable', this.#relay.readable)
    raw.on('end', this.#relay.end)
    raw.on('close', this.#relay.close)
    raw.on('timeout', this.#relay.timeout)
    raw.on('error', this.#relay.error)
    this.push(first)
    if (raw.readableEnded) this.push(null)
  }

  /** Returns the mark at the first call, and `undefined` afterwards. */
  takeMark(): string | undefined {
    const mark = this.#mark
    this.#mark = undefined
    return mark
  }

  /**
   * Detaches from the client's socket, which stays open. The wrapper emits `close`, after which
   * Node frees the parser of the wrapper.
   *
   * @returns bytes read from the socket that nobody has consumed
   */
  release(): Buffer {
    this.#detach()
    const unread: Buffer[] = []
    for (let chunk = this.read(); chunk !== null; chunk = this.read()) unread.push(chunk)
    this.destroy()
    return Buffer.concat(unread)
  }

  override _read(): void {
    this.#isReadPending = true
    this.#pump()
  }

  override _write(chunk: Bytes, encoding: BufferEncoding, done: WriteDone): void {
    this.raw.write(chunk, encoding, done)
  }

  override _writev(chunks: WriteChunk[], done: WriteDone): void {
    const last = chunks.at(-1)
    this.raw.cork()
    for (const part of chunks) {
      this.raw.write(part.chunk, part.encoding, part === last ? done : undefined)
    }
    this.raw.uncork()
  }

  override _final(done: WriteDone): void {
    if (this.#released) done()
    else this.raw.end(() => done())
  }

  override _destroy(error: Error | null, done: WriteDone): void {
    if (!this.#released) {
      this.#detach()
      this.raw.destroy(error ?? undefined)
    }
    done(error)
  }

  /**
   * Implements `net.Socket.destroySoon`, which Node calls to end a connection without keep-alive.
   */
  destroySoon(): void {
    if (this.writable) this.end()
    if (this.writableFinished) this.destroy()
    else this.once('finish', () => this.destroy())
  }

  /** Implements `net.Socket.setTimeout`. The wrapper emits `timeout`. */
  setTimeout(milliseconds: number, listener?: () => void): this {
    if (!this.#released) this.raw.setTimeout(milliseconds)
    if (listener !== undefined) {
      if (milliseconds === 0) this.off('timeout', listener)
      else this.once('timeout', listener)
    }
    return this
  }

  /** Implements `net.Socket.setNoDelay`. */
  setNoDelay(noDelay?: boolean): this {
    this.raw.setNoDelay(noDelay)
    return this
  }

  /** Implements `net.Socket.setKeepAlive`. */
  setKeepAlive(enable?: boolean, initialDelay?: number): this {
    this.raw.setKeepAlive(enable, initialDelay)
    return this
  }

  /** Implements `net.Socket.address`. */
  address(): AddressInfo | object {
    return this.raw.address()
  }

  /** True if the connection uses TLS, otherwise undefined, as for sockets of Node. */
  get encrypted(): true | undefined {
    return this.raw instanceof TLSSocket ? true : undefined
  }

  get remoteAddress(): string | undefined {
    return this.raw.remoteAddress
  }

  get remotePort(): number | undefined {
    return this.raw.remotePort
  }

  get remoteFamily(): string | undefined {
    return this.raw.remoteFamily
  }

  get localAddress(): string | undefined {
    return this.raw.localAddress
  }

  get localPort(): number | undefined {
    return this.raw.localPort
  }

  get localFamily(): string | undefined {
    return this.raw.localFamily
  }

  /**
   * Moves a chunk from the wrapped socket to the reader if the reader waits for a chunk and the
   * socket has received one.
   */
  #pump(): void {
    if (!this.#isReadPending || this.#released) return
    const chunk: unknown = this.raw.read()
    if (chunk === null) return
    this.#isReadPending = false
    this.push(chunk)
  }

  #detach(): void {
    this.#released = true
    this.raw.off('readable', this.#relay.readable)
    this.raw.off('end', this.#relay.end)
    this.raw.off('close', this.#relay.close)
    this.raw.off('timeout', this.#relay.timeout)
    this.raw.off('error', this.#relay.error)
  }
}
