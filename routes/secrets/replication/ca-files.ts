import { X509Certificate } from 'node:crypto'
import { constants } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { refuse } from '../messages.ts'

/** Where a caller says that certificates are; empty for nowhere. */
export interface CaPaths {
  /** A PEM file. */
  readonly file: string
  /** A directory of PEM files. */
  readonly directory: string
}

/** A larger file is none of certificates. */
const maxFileBytes = 1024 * 1024

/** All files of a directory together may be so long. */
const maxDirectoryBytes = 4 * maxFileBytes

// Opening a pipe would otherwise wait for whoever writes to it.
const readOnly = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY

/**
 * The certificates of a PEM file and of every file in a directory, as a secondary is told to trust
 * them, each as PEM of its own; none when neither is given. What else a file has, a private key say,
 * is left there. All that cannot be read is refused in the same words: a caller learns nothing of the
 * file system (behaviour/secrets#ca-files).
 */
export async function readCaFiles({ file, directory }: CaPaths): Promise<string[]> {
  const fromFile =
    file === '' ? [] : await refuseUnreadable('ca_file', () => certificatesOf(file, maxFileBytes))
  if (directory === '') return fromFile
  return [...fromFile, ...(await refuseUnreadable('ca_path', () => readDirectory(directory)))]
}

async function refuseUnreadable(
  parameter: string,
  read: () => Promise<string[]>,
): Promise<string[]> {
  try {
    return await read()
  } catch {
    throw refuse('ca-unreadable', { parameter })
  }
}

async function readDirectory(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true })
  const names = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name)
  const found: string[] = []
  let remaining = maxDirectoryBytes
  for (const name of names.sort()) {
    const certificates = await certificatesOf(
      join(directory, name),
      Math.min(remaining, maxFileBytes),
    )
    remaining -= certificates.join('').length
    found.push(...certificates)
  }
  return found
}

/** Fails for anything but a regular file with a certificate, all of whose certificates are good. */
async function certificatesOf(path: string, maxLength: number): Promise<string[]> {
  const pem = await readRegular(path, maxLength)
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g)
  if (blocks === null) throw new Error('no certificate')
  return blocks.map((block) => new X509Certificate(block).toString())
}

async function readRegular(path: string, maxLength: number): Promise<string> {
  const handle = await open(path, readOnly)
  try {
    const found = await handle.stat()
    if (!found.isFile() || found.size > maxLength) throw new Error('no file of certificates')
    // A file that has more than it told is none that somebody keeps certificates in.
    const bytes = Buffer.alloc(found.size + 1)
    let length = 0
    for (;;) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length)
      if (bytesRead === 0) return bytes.toString('latin1', 0, length)
      length += bytesRead
      if (length > found.size) throw new Error('no file of certificates')
    }
  } finally {
    await handle.close()
  }
}
