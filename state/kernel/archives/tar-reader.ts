import { trimEndOf } from '../trimming.ts'

/** Maximum number of entries. An archive with more entries counts as unreadable. */
const maxEntries = 1000

const blockSize = 512

/**
 * Contents of a tar archive: regular files by path, and the paths of all entries. Paths have no
 * leading `/` or `./`.
 */
export interface Archive {
  readonly files: ReadonlyMap<string, Buffer>
  /**
   * Paths of files, folders and other entries, without a trailing slash. The root folder is left
   * out.
   */
  readonly paths: readonly string[]
}

/**
 * Reads a tar archive, including the long names of GNU and POSIX. Returns undefined if the bytes
 * are not a complete tar archive, or if there are more than `maxEntries` entries.
 */
export function readTar(bytes: Buffer): Archive | undefined {
  const files = new Map<string, Buffer>()
  const paths: string[] = []
  let entries = 0
  /** Long name of the next file, from the entry before it. */
  let longName: string | undefined
  for (let at = 0; at + blockSize <= bytes.length; ) {
    const header = bytes.subarray(at, at + blockSize)
    if (header.every((byte) => byte === 0)) break
    const size = readSize(header)
    entries += 1
    if (size === undefined || entries > maxEntries) return undefined
    const start = at + blockSize
    if (start + size > bytes.length) return undefined
    const content = bytes.subarray(start, start + size)
    at = start + Math.ceil(size / blockSize) * blockSize
    const type = String.fromCharCode(header[156] ?? 0)
    if (type === 'L') longName = readText(content, 0, content.length)
    else if (type === 'x') longName = readPaxPath(content) ?? longName
    else if (type !== 'g' && type !== 'K') {
      const path = trimEndOf(withoutLeadingFolders(longName ?? readName(header)), '/')
      longName = undefined
      if (path === '' || path === '.') continue
      paths.push(path)
      if (type === '0' || type === '\0' || type === '7') files.set(path, content)
    }
  }
  return entries === 0 && bytes.length < blockSize ? undefined : { files, paths }
}

/** Returns a path without the parts `/` and `./` at its start. */
function withoutLeadingFolders(path: string): string {
  let start = 0
  for (;;) {
    if (path[start] === '/') start += 1
    else if (path.startsWith('./', start)) start += 2
    else return path.slice(start)
  }
}

/**
 * Returns the size in a header, or undefined if its checksum is wrong. The checksum is computed as
 * if its own field contained spaces.
 */
function readSize(header: Buffer): number | undefined {
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0)
  return readOctal(header, 148, 8) === sum ? readOctal(header, 124, 12) : undefined
}

function readName(header: Buffer): string {
  const name = readText(header, 0, 100)
  const isPosix = readText(header, 257, 263) === 'ustar'
  const prefix = isPosix ? readText(header, 345, 500) : ''
  return prefix === '' ? name : `${prefix}/${name}`
}

/**
 * Returns the path from an extended header, which consists of lines `<length> <name>=<value>`.
 * Returns undefined if the header contains no path or a line is malformed.
 */
function readPaxPath(content: Buffer): string | undefined {
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(' ', at)
    const length = Number(content.toString('latin1', at, Math.max(at, space)))
    if (space < 0 || !Number.isInteger(length) || length <= 0) return undefined
    const record = content.toString('utf8', space + 1, at + length - 1)
    if (record.startsWith('path=')) return record.slice('path='.length)
    at += length
  }
  return undefined
}

/**
 * Returns the text from `start` to the first zero byte, or to `end` if no zero byte comes before
 * it.
 */
function readText(bytes: Buffer, start: number, end: number): string {
  const zero = bytes.indexOf(0, start)
  return bytes.toString('utf8', start, zero < 0 || zero > end ? end : zero)
}

function readOctal(bytes: Buffer, start: number, length: number): number | undefined {
  const digits = readText(bytes, start, start + length).trim()
  return /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : undefined
}
