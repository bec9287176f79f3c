import { pipeline, Readable, type Transform } from 'node:stream'
import { promisify } from 'node:util'
import {
  constants,
  createDeflateRaw,
  createGzip,
  deflateRaw,
  deflateRawSync,
  gzip,
  gzipSync,
} from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

type Encoding = 'gzip' | 'deflate'

/**
 * Maximum number of bytes that are encoded synchronously. Longer bodies are encoded in another
 * thread.
 */
const maxSyncLength = 64 * 1024

const gzipInThread = promisify<Buffer, Buffer>(gzip)
const deflateInThread = promisify<Buffer, Buffer>(deflateRaw)

/**
 * Returns the first encoding in `Accept-Encoding` that the mock supports. An encoding with a weight
 * is ignored. Returns undefined if there is no supported encoding, and for a request with
 * `Upgrade`.
 */
function requestedEncoding({ headers }: FastifyRequest): Encoding | undefined {
  const accepted = headers['accept-encoding']
  if (accepted === undefined || headers.upgrade !== undefined) return undefined
  const names = String(accepted).split(',')
  return names.map((name) => name.trim()).find((name) => name === 'gzip' || name === 'deflate')
}

/**
 * Encodes the body of a reply as the request accepts, sets `Content-Encoding`, and removes
 * `Content-Length`. Without an accepted encoding, the body is returned unchanged. The empty body of
 * an error is encoded, as the products' servers do. A successful reply without a body is sent
 * plain, because clients do not decode its body. A 304 gets only the header `Content-Encoding`.
 *
 * @param payload text, bytes or a stream; undefined or null if there is no body
 * @returns the encoded body; a promise if the body is long
 */
export function encodeBody(request: FastifyRequest, reply: FastifyReply, payload: unknown) {
  const encoding = requestedEncoding(request)
  if (encoding === undefined) return payload
  const isEmpty = payload === undefined || payload === null || payload === ''
  if (isEmpty && reply.statusCode < 300) return payload
  reply.header('content-encoding', encoding)
  if (reply.statusCode === 204 || reply.statusCode === 304) return payload
  reply.removeHeader('content-length')
  if (payload instanceof Readable) return encodeStream(payload, encoding)
  const bytes = Buffer.isBuffer(payload) ? payload : Buffer.from(String(payload ?? ''))
  if (bytes.length <= maxSyncLength) {
    return encoding === 'gzip' ? gzipSync(bytes) : deflateRawSync(bytes)
  }
  return encoding === 'gzip' ? gzipInThread(bytes) : deflateInThread(bytes)
}

/** Encodes a stream. The client receives each piece as soon as it is written. */
function encodeStream(source: Readable, encoding: Encoding): Transform {
  const settings = { flush: constants.Z_SYNC_FLUSH }
  const encoder = encoding === 'gzip' ? createGzip(settings) : createDeflateRaw(settings)
  // `pipeline` destroys both streams if either fails. The callback ignores the error.
  return pipeline(source, encoder, () => {})
}
