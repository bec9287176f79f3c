import { createHash } from 'node:crypto'

/** A hash of what somebody chose; another function than the reference's (choice job-acl-hashes). */
export function hashOf(texts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const text of texts) hash.update(text)
  return hash.digest('base64')
}
