import { createGunzip } from 'node:zlib'

const blockSize = 512

/**
 * Check of an upload for the option `validateArchives` (behaviour/platform#uploads).
 * The bytes arrive in chunks and must form a gzip-compressed tar archive. At most one block of the
 * archive is held in memory.
 */
export class ArchiveCheck {
  readonly #gunzip = createGunzip()
  readonly #blocks = new TarBlocks()
  readonly #result: Promise<boolean>

  /** @param maxBytes maximum size of the unpacked archive; a larger archive is invalid */
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

  /** Adds bytes. The promise resolves when more can be added. */
  async add(bytes: Uint8Array): Promise<void> {
    if (this.#gunzip.destroyed || this.#gunzip.write(bytes)) return
    const drained = new Promise((resolve) => this.#gunzip.once('drain', resolve))
    await Promise.race([this.#result, drained])
  }

  /** Returns whether the bytes form a complete archive. */
  end(): Promise<boolean> {
    if (!this.#gunzip.destroyed) this.#gunzip.end()
    return this.#result
  }
}

/**
 * Scanner of the blocks of a tar archive. Headers must have valid checksums, and files their full
 * length.
 */
class TarBlocks {
  /** Incomplete header from the previous chunk. */
  #partialBlock = Buffer.alloc(0)
  /** Remaining bytes of the current file, including the padding of its last block. */
  #bytesToSkip = 0
  #hasStarted = false
  #hasEnded = false

  /** Whether the archive may end after the bytes read so far. */
  get isComplete(): boolean {
    return this.#hasStarted && this.#bytesToSkip === 0 && this.#partialBlock.length === 0
  }

  /**
   * Reads the next bytes. Returns false if the bytes cannot be part of an archive. Any bytes may
   * follow the end of the archive.
   */
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
    // For the checksum, the checksum field itself counts as spaces.
    const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0)
    const size = parseOctal(block, 124, 12)
    if (size === undefined || parseOctal(block, 148, 8) !== sum) return false
    this.#bytesToSkip = Math.ceil(size / blockSize) * blockSize
    return true
  }
}

/** Parses an octal number; undefined if the bytes are not one. */
function parseOctal(block: Buffer, start: number, length: number): number | undefined {
  const text = block
    .toString('latin1', start, start + length)
    .replaceAll('\0', ' ')
    .trim()
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : undefined
}
