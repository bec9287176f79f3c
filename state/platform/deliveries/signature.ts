import { createHmac } from 'node:crypto'

/** Returns the HMAC-SHA512 of a JSON body in hexadecimal digits; empty without a key. */
export function signatureOf(body: object, key: string | null): string {
  return key === null ? '' : createHmac('sha512', key).update(JSON.stringify(body)).digest('hex')
}
