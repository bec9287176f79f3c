import { createHash } from 'node:crypto'

/** Returns the SHA-256 hash of an object's JSON in base64, which replies show as `Hash`. */
export function hashOf(content: object): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('base64')
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function isUuid(text: string): boolean {
  return uuidPattern.test(text)
}
