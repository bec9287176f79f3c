import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Returns the absolute path of a document, given its path from the root of the project. */
export function fileOf(document: string): string {
  return fileURLToPath(new URL(`../../${document}`, import.meta.url))
}

export function readDocument(document: string): string {
  return readFileSync(fileOf(document), 'utf8')
}
