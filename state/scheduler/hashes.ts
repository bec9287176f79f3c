import { createHash } from 'node:crypto'

/**
 * Hashes strings for the `Hash` members of replies. The hash function differs from the reference's
 * (choice job-acl-hashes).
 */
export function hashOf(texts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const text of texts) hash.update(text)
  return hash.digest('base64')
}
