import { createHash } from 'node:crypto'

/** Returns a base64 hash of 32 bytes over the content of a policy, role or token. */
export function hashOf(content: object): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('base64')
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Returns whether a string has the format of an ID. */
export function isUuid(text: string): boolean {
  return uuid.test(text)
}
