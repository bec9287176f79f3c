import { createGunzip } from 'node:zlib'

const blockSize = 512

/**
 * Looks whether bytes that arrive in portions are a tar archive in gzip, for the option
 * `validateArchives` (behaviour/platform#configuration-versions). Keeps at most a block of the archive.
 */
export class ArchiveCheck {
  readonly #gunzip = createGunzip()
  readonly #blocks = new TarBlocks()
  readonly #result: Promise<boolean>

  /** @param maxBytes bytes of the archive; one that unpacks to more counts as none */
  constructor(maxBytes: number) {
    let length = 0
    this.#result = new Promise((resolve) => {
      this.#gunzip.once('error', () => resolve(false))
      this.#gunzip.once('end', () => resolve(this.#blocks.isComplete))
      this.#gunzip.on('data', (bytes: Buffer) => {
        length += bytes.length
        if (length <= maxBytes && this.#blocks.read(bytes)) return
        resolve(false)
        this.#gunzip.destroy()
      })
    })
  }

  /** Takes bytes up; done when more can come. */
  async add(bytes: Uint8Array): Promise<void> {
    if (this.#gunzip.destroyed || this.#gunzip.write(bytes)) return
    const drained = new Promise((resolve) => this.#gunzip.once('drain', resolve))
    await Promise.race([this.#result, drained])
  }

  /** Tells whether all bytes together are an archive. */
  end(): Promise<boolean> {
    if (!this.#gunzip.destroyed) this.#gunzip.end()
    return this.#result
  }
}

/** Walks the blocks of a tar archive: headers must have their check sums, files their lengths. */
class TarBlocks {
  /** The part of a header that has come so far. */
  #partialBlock = Buffer.alloc(0)
  /** Bytes of the present file that are still to come, with what fills its last block. */
  #bytesToSkip = 0
  #hasStarted = false
  #hasEnded = false

  /** Tells whether the archive ended where one may. */
  get isComplete(): boolean {
    return this.#hasStarted && this.#bytesToSkip === 0 && this.#partialBlock.length === 0
  }

  /** Takes bytes up; false when they are none of an archive. Behind its end anything may come. */
  read(bytes: Buffer): boolean {
    let rest = Buffer.concat([this.#partialBlock, bytes])
    this.#partialBlock = Buffer.alloc(0)
    while (rest.length > 0 && !this.#hasEnded) {
      if (this.#bytesToSkip === 0 && rest.length < blockSize) {
        this.#partialBlock = rest
        return true
      }
      if (this.#bytesToSkip === 0) {
        if (!this.#readHeader(rest.subarray(0, blockSize))) return false
        rest = rest.subarray(blockSize)
      }
      const skipped = Math.min(this.#bytesToSkip, rest.length)
      this.#bytesToSkip -= skipped
      rest = rest.subarray(skipped)
    }
    return true
  }

  #readHeader(block: Buffer): boolean {
    this.#hasStarted = true
    this.#hasEnded = block.every((byte) => byte === 0)
    if (this.#hasEnded) return true
    // The check sum counts its own field as spaces.
    const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0)
    const size = parseOctal(block, 124, 12)
    if (size === undefined || parseOctal(block, 148, 8) !== sum) return false
    this.#bytesToSkip = Math.ceil(size / blockSize) * blockSize
    return true
  }
}

/** A number in octal digits; undefined where there are none. */
function parseOctal(block: Buffer, start: number, length: number): number | undefined {
  const text = block
    .toString('latin1', start, start + length)
    .replaceAll('\0', ' ')
    .trim()
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : undefined
}
