import { X509Certificate } from 'node:crypto'
import { constants } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { appendAll } from '../../../state/kernel/lists.ts'
import { refuse } from '../messages.ts'

/** Paths in a request. A path that the request does not contain is an empty string. */
export interface CaPaths {
  /** Path of a file with certificates in PEM. */
  readonly file: string
  /** Path of a directory in which every file contains certificates in PEM. */
  readonly directory: string
}

/** Maximum size of a file in bytes. Real certificate files are much smaller. */
const maxFileBytes = 1024 * 1024

/** Maximum size in bytes of all certificates of a directory together. */
const maxDirectoryBytes = 4 * maxFileBytes

// Flags for opening files. Without `O_NONBLOCK`, opening a pipe would wait for a writer.
const readOnlyFlags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY

/**
 * Reads the certificates that a secondary will trust, from a PEM file and from every file in a
 * directory. Each certificate becomes a separate PEM text. Other content of a file, such as a
 * private key, is ignored. Throws `ca-unreadable` for all read errors alike, so that a caller
 * learns nothing about the file system (behaviour/secrets#ca-files).
 */
export async function readCaFiles({ file, directory }: CaPaths): Promise<string[]> {
  const fileCertificates =
    file === '' ? [] : await refuseUnreadable('ca_file', () => certificatesOf(file, maxFileBytes))
  if (directory === '') return fileCertificates
  return [
    ...fileCertificates,
    ...(await refuseUnreadable('ca_path', () => readDirectory(directory))),
  ]
}

async function refuseUnreadable(parameter: string, read: () => Promise<string[]>) {
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
    appendAll(found, certificates)
  }
  return found
}

/**
 * Reads the certificates in a file. Throws an error in each of these cases: the file is not a
 * regular file; it is too large; it contains an invalid certificate; it contains no certificate.
 */
async function certificatesOf(path: string, maxLength: number): Promise<string[]> {
  const pem = await readRegularFile(path, maxLength)
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g)
  if (blocks === null) throw new Error('no certificate')
  return blocks.map((block) => new X509Certificate(block).toString())
}

async function readRegularFile(path: string, maxLength: number): Promise<string> {
  const handle = await open(path, readOnlyFlags)
  try {
    const found = await handle.stat()
    if (!found.isFile() || found.size > maxLength) throw new Error('no file of certificates')
    // The buffer has one byte more than the reported size, so that a file that is longer than
    // reported can be refused.
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
