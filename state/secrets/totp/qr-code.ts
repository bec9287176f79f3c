/** Rows of the squares ("modules") of a QR code; true is dark. */
export type Modules = readonly (readonly boolean[])[]

/** Number of error correction codewords per block at level M, by version. */
const correctionLengths = [
  10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28, 28,
  28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
]
/** Number of blocks at level M, by version. */
const blockCounts = [
  1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25, 26,
  28, 29, 31, 33, 35, 37, 38, 40, 43, 45, 47, 49,
]

/** Returns the number of modules that remain for data and error correction. */
function countDataModules(version: number): number {
  let count = (16 * version + 128) * version + 64
  if (version >= 2) {
    const alignmentCount = Math.floor(version / 7) + 2
    count -= (25 * alignmentCount - 10) * alignmentCount - 55
    if (version >= 7) count -= 36
  }
  return count
}

/** Returns how many codewords a version has, and how they are split into blocks. */
function layoutOf(version: number) {
  const total = Math.floor(countDataModules(version) / 8)
  const blocks = blockCounts[version - 1] ?? 1
  const correction = correctionLengths[version - 1] ?? 0
  return { total, blocks, correction, data: total - blocks * correction }
}

/** Multiplies in GF(2^8) with the polynomial 0x11d, as Reed-Solomon codes of QR codes do. */
function multiply(x: number, y: number): number {
  let product = 0
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d)
    product ^= ((y >>> bit) & 1) * x
  }
  return product
}

function errorCorrectionOf(data: readonly number[], degree: number): number[] {
  const divisor: number[] = Array(degree - 1)
    .fill(0)
    .concat(1)
  let root = 1
  for (let round = 0; round < degree; round++) {
    for (let at = 0; at < degree; at++) {
      divisor[at] = multiply(divisor[at] ?? 0, root) ^ (divisor[at + 1] ?? 0)
    }
    root = multiply(root, 2)
  }
  const result: number[] = Array(degree).fill(0)
  for (const byte of data) {
    const factor = byte ^ (result.shift() ?? 0)
    result.push(0)
    for (const [at, each] of divisor.entries()) {
      result[at] = (result[at] ?? 0) ^ multiply(each, factor)
    }
  }
  return result
}

/** Encodes bytes in byte mode and pads them to `length` codewords. */
function dataCodewords(bytes: Uint8Array, version: number, length: number): number[] {
  const bits: number[] = []
  const append = (value: number, count: number) => {
    for (let bit = count - 1; bit >= 0; bit--) bits.push((value >>> bit) & 1)
  }
  append(4, 4)
  append(bytes.length, version < 10 ? 8 : 16)
  for (const byte of bytes) append(byte, 8)
  append(0, Math.min(4, length * 8 - bits.length))
  append(0, (8 - (bits.length % 8)) % 8)
  const words: number[] = []
  for (let at = 0; at < bits.length; at += 8) {
    words.push(Number.parseInt(bits.slice(at, at + 8).join(''), 2))
  }
  for (let pad = 0xec; words.length < length; pad ^= 0xec ^ 0x11) words.push(pad)
  return words
}

/** Splits data into blocks, appends error correction to each block, and interleaves the blocks. */
function codewordsOf(data: readonly number[], version: number): number[] {
  const { total, blocks, correction } = layoutOf(version)
  const shortBlocks = blocks - (total % blocks)
  const shortLength = Math.floor(total / blocks) - correction
  const parts: { readonly data: readonly number[]; readonly correction: number[] }[] = []
  let start = 0
  for (let block = 0; block < blocks; block++) {
    const end = start + shortLength + (block < shortBlocks ? 0 : 1)
    const part = data.slice(start, end)
    parts.push({ data: part, correction: errorCorrectionOf(part, correction) })
    start = end
  }
  const interleave = (
    columns: number,
    codewordsOfPart: (part: (typeof parts)[number]) => readonly number[],
  ) =>
    Array.from({ length: columns }, (_, at) =>
      parts.flatMap((part) => codewordsOfPart(part)[at] ?? []),
    ).flat()
  return [
    ...interleave(shortLength + 1, (part) => part.data),
    ...interleave(correction, (part) => part.correction),
  ]
}

/** Format information for level M and mask 0, which all codes use. */
const formatBits = 0x5412

/** A grid of modules in which functional patterns are reserved before data are drawn. */
class Drawing {
  readonly size: number
  readonly darkModules: boolean[][]
  readonly #reservedModules: boolean[][]

  constructor(version: number) {
    this.size = version * 4 + 17
    const rows = () =>
      Array.from({ length: this.size }, () => Array<boolean>(this.size).fill(false))
    this.darkModules = rows()
    this.#reservedModules = rows()
    this.#drawPatterns(version)
  }

  #set(x: number, y: number, isDark: boolean): void {
    const [row, reserved] = [this.darkModules[y], this.#reservedModules[y]]
    if (row === undefined || reserved === undefined || x < 0 || x >= this.size) return
    row[x] = isDark
    reserved[x] = true
  }

  #drawSquares(x: number, y: number, radius: number, lightRadii: readonly number[]): void {
    for (let dy = -radius; dy <= radius; dy++) {
      for (let dx = -radius; dx <= radius; dx++) {
        const distance = Math.max(Math.abs(dx), Math.abs(dy))
        this.#set(x + dx, y + dy, !lightRadii.includes(distance))
      }
    }
  }

  #drawPatterns(version: number): void {
    const { size } = this
    for (let at = 0; at < size; at++) {
      this.#set(6, at, at % 2 === 0)
      this.#set(at, 6, at % 2 === 0)
    }
    const corner = size - 4
    for (const [x, y] of [
      [3, 3],
      [corner, 3],
      [3, corner],
    ] as const) {
      this.#drawSquares(x, y, 4, [2, 4])
    }
    const positions = alignmentPositions(version, size)
    const last = positions.length - 1
    for (const [i, x] of positions.entries()) {
      for (const [j, y] of positions.entries()) {
        const isCorner = (i === 0 && (j === 0 || j === last)) || (i === last && j === 0)
        if (!isCorner) this.#drawSquares(x, y, 2, [1])
      }
    }
    this.#drawFormat()
    if (version >= 7) this.#drawVersion(version)
  }

  /** Draws both copies of the format information. */
  #drawFormat(): void {
    const bits = formatBits
    const bit = (at: number) => ((bits >>> at) & 1) !== 0
    const { size } = this
    for (let at = 0; at < 15; at++) {
      const row = at < 6 ? at : at < 8 ? at + 1 : 0
      if (at < 8) this.#set(8, row, bit(at))
      else this.#set(at === 8 ? 7 : 14 - at, 8, bit(at))
      if (at < 8) this.#set(size - 1 - at, 8, bit(at))
      else this.#set(8, size - 15 + at, bit(at))
    }
    this.#set(8, size - 8, true)
  }

  #drawVersion(version: number): void {
    const bits = withRemainder(version, 12, 0x1f25)
    for (let at = 0; at < 18; at++) {
      const [a, b] = [this.size - 11 + (at % 3), Math.floor(at / 3)]
      const isDark = ((bits >>> at) & 1) !== 0
      this.#set(a, b, isDark)
      this.#set(b, a, isDark)
    }
  }

  /** Draws codewords in the standard's zigzag order and applies mask 0. */
  drawData(words: readonly number[]): void {
    const { size } = this
    let at = 0
    for (let right = size - 1; right >= 1; right -= 2) {
      if (right === 6) right = 5
      for (let step = 0; step < size; step++) {
        for (const x of [right, right - 1]) {
          const y = ((right + 1) & 2) === 0 ? size - 1 - step : step
          const row = this.darkModules[y]
          if (row === undefined || this.#reservedModules[y]?.[x] === true) continue
          const bit = (((words[at >>> 3] ?? 0) >>> (7 - (at & 7))) & 1) !== 0
          row[x] = bit !== ((x + y) % 2 === 0)
          at += 1
        }
      }
    }
  }
}

/** Appends check bits: the remainder of a polynomial division over GF(2). */
function withRemainder(value: number, degree: number, divisor: number): number {
  let remainder = value
  for (let round = 0; round < degree; round++) {
    remainder = (remainder << 1) ^ ((remainder >>> (degree - 1)) * divisor)
  }
  return (value << degree) | remainder
}

function alignmentPositions(version: number, size: number): number[] {
  if (version === 1) return []
  const count = Math.floor(version / 7) + 2
  const step = Math.floor((version * 8 + count * 3 + 5) / (count * 4 - 4)) * 2
  const rest = Array.from({ length: count - 1 }, (_, at) => size - 7 - at * step)
  return [6, ...rest.reverse()]
}

/** Encodes a text at level M; returns undefined if the text is too long. */
export function qrCode(text: string): Modules | undefined {
  const bytes = Buffer.from(text)
  for (let version = 1; version <= blockCounts.length; version++) {
    const { data } = layoutOf(version)
    if ((version < 10 ? 2 : 3) + bytes.length > data) continue
    const drawing = new Drawing(version)
    drawing.drawData(codewordsOf(dataCodewords(bytes, version, data), version))
    return drawing.darkModules
  }
  return undefined
}
