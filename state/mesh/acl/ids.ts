import { createHash } from 'node:crypto'

/** Base64 of 32 bytes over what a policy, role or token says. */
export function hashOf(content: object): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('base64')
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Tells whether a text has the form of an ID. */
export function isUuid(text: string): boolean {
  return uuid.test(text)
}
