import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { memoizeByKey } from '../../state/kernel/memoize.ts'

/**
 * Maximum size of a retained body in bytes. Of a larger body, the journal keeps the size and the
 * SHA-256 hash (behaviour/program#journal).
 */
const maxBodySize = 16 * 1024

/**
 * Returns a body in the form that the journal keeps: a small text or buffer unchanged, and a large
 * one as its digest. Returns undefined for streams and other values.
 */
export function retainedBody(body: unknown): unknown {
  if (body instanceof Readable) return undefined
  const isText = typeof body === 'string'
  if (!isText && !Buffer.isBuffer(body)) return undefined
  const bytes = isText && body.length <= maxBodySize / 3 ? 0 : Buffer.byteLength(body)
  if (bytes <= maxBodySize) return body
  return isText ? digestOf(body) : memoizedDigest(body)
}

function digestOf(body: string | Buffer): Digest {
  return new Digest(Buffer.byteLength(body), createHash('sha256').update(body).digest('hex'))
}

/**
 * Returns the digest of a buffer. The digest is cached, because repeated replies share one buffer.
 */
const memoizedDigest = memoizeByKey((body: Buffer) => digestOf(body))

/**
 * Placeholder for a body that is too large to keep. The placeholder is a class, so that it differs
 * from JSON with the same members.
 */
export class Digest {
  readonly bytes: number
  readonly sha256: string

  constructor(bytes: number, sha256: string) {
    this.bytes = bytes
    this.sha256 = sha256
  }
}
