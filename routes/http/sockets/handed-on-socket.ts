import type { AddressInfo, Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { inheritWorld } from './listener-world.ts'

type WriteDone = (error?: Error | null) => void
type Bytes = Uint8Array | string
type Written = { chunk: Bytes; encoding: BufferEncoding }

/** Called with what the wrapped socket tells, to pass it on to whoever uses the wrapper. */
type Relay = Readonly<Record<'readable' | 'end' | 'close' | 'timeout', () => void>> & {
  readonly error: (error: Error) => void
}

/**
 * A client's socket as a fresh HTTP parser sees it after another parser gave up on it: first the
 * bytes it is started with, then whatever the client sends (behaviour/program#http, `LIST`).
 *
 * To the parser and to handlers it stands for the socket itself: end, close, errors, idle
 * timeouts and backpressure pass in both directions, and the addresses and `encrypted` are the
 * socket's. It always wraps the client's own socket, never another wrapper: `release` lets go of
 * the socket so that the next wrapper can take it.
 */
export class HandedOnSocket extends Duplex {
  /** The client's own socket. */
  readonly raw: Socket
  readonly #relay: Relay
  #mark: string | undefined
  #released = false
  #isReadPending = false

  /**
   * @param raw the client's socket, which nobody else reads any more
   * @param first bytes to be read before anything from the socket
   * @param mark what `takeMark` hands out, once
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
    // An idle limit left by the former parser (keep-alive) must not cut a slow answer short.
    raw.setTimeout(0)
    raw.on('readable', this.#relay.readable)
    raw.on('end', this.#relay.end)
    raw.on('close', this.#relay.close)
    raw.on('timeout', this.#relay.timeout)
    raw.on('error', this.#relay.error)
    this.push(first)
    if (raw.readableEnded) this.push(null)
  }

  /** The mark of the constructor at the first call, `undefined` ever after. */
  takeMark(): string | undefined {
    const mark = this.#mark
    this.#mark = undefined
    return mark
  }

  /**
   * Lets go of the client's socket, which stays open, and closes for its own users, whereupon
   * Node frees their parser.
   *
   * @returns the bytes taken from the socket that nobody has read
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

  override _writev(chunks: Written[], done: WriteDone): void {
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

  /** As `net.Socket.destroySoon`: Node ends a connection that is not kept alive with it. */
  destroySoon(): void {
    if (this.writable) this.end()
    if (this.writableFinished) this.destroy()
    else this.once('finish', () => this.destroy())
  }

  /** As `net.Socket.setTimeout`; `timeout` is emitted here. */
  setTimeout(milliseconds: number, listener?: () => void): this {
    if (!this.#released) this.raw.setTimeout(milliseconds)
    if (listener !== undefined) {
      if (milliseconds === 0) this.off('timeout', listener)
      else this.once('timeout', listener)
    }
    return this
  }

  /** As `net.Socket.setNoDelay`. */
  setNoDelay(noDelay?: boolean): this {
    this.raw.setNoDelay(noDelay)
    return this
  }

  /** As `net.Socket.setKeepAlive`. */
  setKeepAlive(enable?: boolean, initialDelay?: number): this {
    this.raw.setKeepAlive(enable, initialDelay)
    return this
  }

  /** As `net.Socket.address`. */
  address(): AddressInfo | object {
    return this.raw.address()
  }

  /** True if the client speaks TLS, else undefined, as on the sockets of Node. */
  get encrypted(): true | undefined {
    return this.raw instanceof TLSSocket ? true : undefined
  }

  /** As `net.Socket.remoteAddress`. */
  get remoteAddress(): string | undefined {
    return this.raw.remoteAddress
  }

  /** As `net.Socket.remotePort`. */
  get remotePort(): number | undefined {
    return this.raw.remotePort
  }

  /** As `net.Socket.remoteFamily`. */
  get remoteFamily(): string | undefined {
    return this.raw.remoteFamily
  }

  /** As `net.Socket.localAddress`. */
  get localAddress(): string | undefined {
    return this.raw.localAddress
  }

  /** As `net.Socket.localPort`. */
  get localPort(): number | undefined {
    return this.raw.localPort
  }

  /** As `net.Socket.localFamily`. */
  get localFamily(): string | undefined {
    return this.raw.localFamily
  }

  /** Moves one chunk if one is wanted and there; the stream then says whether it wants more. */
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
