import { gzipSync } from 'node:zlib'

/** Settings of an archive entry that differ from those of a small regular file. */
export interface EntryOptions {
  /** Type flag; `0` is a regular file. */
  readonly type?: string
  /** Number added to the checksum to make it wrong. */
  readonly checksumOffset?: number
  /** First part of a long path, as in POSIX.1-1988. */
  readonly prefix?: string
}

/** Returns an entry of a tar archive by POSIX.1-1988 (ustar), without the end of the archive. */
export function tarEntry(name: string, content: string, form: EntryOptions = {}): Buffer {
  const { type = '0', checksumOffset = 0, prefix = '' } = form
  const bytes = Buffer.from(content)
  const header = Buffer.alloc(512)
  header.write(name, 0)
  header.write('0000644\0', 100)
  header.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124)
  header.write('        ', 148)
  header.write(type, 156)
  header.write('ustar\0', 257)
  header.write(prefix, 345)
  const sum = header.reduce((total, byte) => total + byte, checksumOffset)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  const body = Buffer.alloc(Math.ceil(bytes.length / 512) * 512)
  bytes.copy(body)
  return Buffer.concat([header, body])
}

/** End marker of a tar archive. */
export const tarEnd = Buffer.alloc(1024)

/** Returns files by path as a gzipped tar archive. */
export function archiveOf(files: Readonly<Record<string, string>>): Buffer {
  const entries = Object.entries(files).map(([name, content]) => tarEntry(name, content))
  return gzipSync(Buffer.concat([...entries, tarEnd]))
}
