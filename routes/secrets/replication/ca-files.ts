import { X509Certificate } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '../../../state/kernel/refusal.ts'
import { refuse } from '../texts.ts'

/**
 * The certificates of a PEM file and of every file in a directory, as a secondary is told to trust
 * them; none when neither is given. Refuses with `invalid` what cannot be read or is no certificate.
 */
export function readCaFiles(file: string, directory: string): string[] {
  const fromFile = file === '' ? [] : [readPem('ca_file', file)]
  return directory === '' ? fromFile : [...fromFile, ...readDirectory(directory)]
}

function readDirectory(directory: string): string[] {
  try {
    const entries = readdirSync(directory, { withFileTypes: true })
    const files = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name)
    return files.sort().map((name) => readPem('ca_path', join(directory, name)))
  } catch (error) {
    throw unreadable('ca_path', error)
  }
}

function readPem(parameter: string, path: string): string {
  try {
    const pem = readFileSync(path, 'utf8')
    // Fails for anything but a certificate; a connection would say so much less clearly.
    new X509Certificate(pem)
    return pem
  } catch (error) {
    throw unreadable(parameter, error)
  }
}

function unreadable(parameter: string, error: unknown) {
  if (error instanceof Refusal) return error
  const why = error instanceof Error ? error.message : String(error)
  return refuse('ca-unreadable', { parameter, why })
}
