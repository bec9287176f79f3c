import { gzipSync } from 'node:zlib'

const blockSize = 512

/** Contents of files, by path. Strings are written as UTF-8. */
type Files = Readonly<Record<string, string | Uint8Array>>

/** Returns files by path as a gzip-compressed tar archive. */
export function packArchive(files: Files): Buffer {
  return gzipSync(packTar(files))
}

/**
 * Returns files by path as a tar archive (POSIX.1-1988, ustar). A path of more than 100 bytes is
 * stored in a GNU tar entry before the file (`longName`).
 */
export function packTar(files: Files): Buffer {
  const entries = Object.entries(files).flatMap(([path, content]) => {
    const bytes = Buffer.from(content)
    const padding = Buffer.alloc((blockSize - (bytes.length % blockSize)) % blockSize)
    const name = Buffer.from(path)
    return name.length > 100
      ? [...longName(name), header(path.slice(0, 50), bytes.length, '0'), bytes, padding]
      : [header(path, bytes.length, '0'), bytes, padding]
  })
  return Buffer.concat([...entries, Buffer.alloc(2 * blockSize)])
}

/** Returns the GNU tar entry that holds the long name of the file after it. */
function longName(name: Buffer): Buffer[] {
  const padding = Buffer.alloc(blockSize - (name.length % blockSize))
  return [header('././@LongLink', name.length + 1, 'L'), name, padding]
}

function header(path: string, size: number, type: string): Buffer {
  const bytes = Buffer.alloc(blockSize)
  bytes.write(path, 0)
  bytes.write('0000644\0', 100)
  bytes.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  bytes.write('        ', 148)
  bytes.write(type, 156)
  bytes.write('ustar\0', 257)
  const sum = bytes.reduce((total, byte) => total + byte, 0)
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return bytes
}
