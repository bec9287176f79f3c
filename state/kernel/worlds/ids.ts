import { createHash } from 'node:crypto'
import { xoroshiro128plus, xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus'

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const hexDigits = '0123456789abcdef'

/** Offsets of the hexadecimal digits in a UUID, one list for each 32-bit word. */
const uuidOffsets = [
  [0, 1, 2, 3, 4, 5, 6, 7],
  [9, 10, 11, 12, 14, 15, 16, 17],
  [19, 20, 21, 22, 24, 25, 26, 27],
  [28, 29, 30, 31, 32, 33, 34, 35],
] as const

/** State of a generator: everything that a snapshot needs to continue the sequence. */
export type IdState = readonly number[]

/**
 * Generator of the random values of a world: ids, tokens, nonces, key shares. Only values that
 * cryptographic libraries draw have another source. Equal seeds give equal sequences. The
 * generator's position is part of the world's state, so snapshots and forks contain it
 * (behaviour/program#ids).
 */
export class Ids {
  #source = xoroshiro128plus(0)
  /**
   * State of `#source` as data. Undefined after a random value was drawn, until `state` is read.
   */
  #state: IdState | undefined
  /**
   * Buffer for the digits of a UUID. `toString` of a buffer returns a flat string; flattening a
   * concatenated string would cost a reply as much as a table read.
   */
  readonly #uuid = Buffer.from('00000000-0000-0000-0000-000000000000')

  constructor(seed: string) {
    this.reseed(seed)
  }

  /** Starts the sequence of another seed. */
  reseed(seed: string): void {
    const digest = createHash('sha256').update(seed).digest()
    this.state = [0, 4, 8, 12].map((offset) => digest.readInt32LE(offset))
  }

  /**
   * Position of the generator. Reads return the same array until the next random value is drawn.
   */
  get state(): IdState {
    this.#state ??= this.#source.getState()
    return this.#state
  }

  set state(state: IdState) {
    this.#source = xoroshiro128plusFromState(state)
    this.#state = state
  }

  #next(): number {
    this.#state = undefined
    return this.#source.next()
  }

  /** Returns a random (version 4) UUID. */
  uuid(): string {
    this.#putWord(0, this.#next())
    this.#putWord(1, (this.#next() & 0xffff0fff) | 0x4000)
    this.#putWord(2, (this.#next() & 0x3fffffff) | 0x80000000)
    this.#putWord(3, this.#next())
    return this.#uuid.toString('latin1')
  }

  #putWord(word: 0 | 1 | 2 | 3, bits: number): void {
    let rest = bits
    for (let digit = 7; digit >= 0; digit--) {
      this.#uuid[uuidOffsets[word][digit] ?? 0] = hexDigits.charCodeAt(rest & 0xf)
      rest >>>= 4
    }
  }

  /** Returns random letters and digits, as tokens and accessors contain them. */
  base62(length: number): string {
    return this.text(length, base62)
  }

  /** Returns random lower-case hexadecimal digits. */
  hex(length: number): string {
    return this.text(length, hexDigits)
  }

  /** Returns a random string in which each character of the alphabet is equally likely. */
  text(length: number, alphabet: string): string {
    let text = ''
    while (text.length < length) text += alphabet[this.integerBelow(alphabet.length)]
    return text
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.#next() & 0xff)
  }

  /** Returns an unbiased whole number from 0 up to, but not including, `limit` (at most 2^32). */
  integerBelow(limit: number): number {
    const unbiasedLimit = 2 ** 32 - (2 ** 32 % limit)
    for (;;) {
      const random = this.#next() >>> 0
      if (random < unbiasedLimit) return random % limit
    }
  }
}
