import { createHash } from 'node:crypto'
import { xoroshiro128plus, xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus'

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const hexDigits = '0123456789abcdef'

const hexBytes = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** The low 16 bits as four digits. A table, because every reply carries an id. */
const hex16 = (word: number): string => `${hexBytes[(word >> 8) & 0xff]}${hexBytes[word & 0xff]}`

/** The position of a generator: all that a snapshot needs to go on from there. */
export type IdState = readonly number[]

/**
 * A world's source of everything made up: ids, tokens, nonces, shares. Equal seeds give equal
 * sequences; the position is state, so snapshots and forks keep it (DESIGN section 2, Ids).
 */
export class Ids {
  #source = xoroshiro128plus(0)

  constructor(seed: string) {
    this.reseed(seed)
  }

  /** Starts the sequence of another seed. */
  reseed(seed: string): void {
    const digest = createHash('sha256').update(seed).digest()
    this.state = [0, 4, 8, 12].map((offset) => digest.readInt32LE(offset))
  }

  get state(): IdState {
    return this.#source.getState()
  }

  set state(state: IdState) {
    this.#source = xoroshiro128plusFromState(state)
  }

  /** A random (version 4) UUID. */
  uuid(): string {
    const a = this.#source.next()
    const b = (this.#source.next() & 0xffff0fff) | 0x4000
    const c = (this.#source.next() & 0x3fffffff) | 0x80000000
    const d = this.#source.next()
    return `${hex16(a >> 16)}${hex16(a)}-${hex16(b >> 16)}-${hex16(b)}-${hex16(c >> 16)}-${hex16(c)}${hex16(d >> 16)}${hex16(d)}`
  }

  /** Random letters and digits, as tokens and accessors are made of. */
  base62(length: number): string {
    return this.text(length, base62)
  }

  /** Random lower-case hexadecimal digits. */
  hex(length: number): string {
    return this.text(length, hexDigits)
  }

  /** Random text over an alphabet of at most 256 characters, each equally likely. */
  text(length: number, alphabet: string): string {
    let text = ''
    while (text.length < length) text += alphabet[this.below(alphabet.length)]
    return text
  }

  /** Random bytes. */
  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.#source.next() & 0xff)
  }

  /** A whole number from 0 up to, but not including, `limit` (at most 2^32); unbiased. */
  below(limit: number): number {
    const fair = 2 ** 32 - (2 ** 32 % limit)
    for (;;) {
      const drawn = this.#source.next() >>> 0
      if (drawn < fair) return drawn % limit
    }
  }
}
