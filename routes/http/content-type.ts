import type { IncomingMessage } from 'node:http'

const sentType = Symbol('content type as sent')

interface RequestWithType extends IncomingMessage {
  [sentType]?: string
}

/** Content types that Fastify knows how to read. */
const plainType = /^[a-z0-9.+-]+\/[a-z0-9.+-]+(; ?charset=[a-z0-9-]+)?$/i

/**
 * Shows Fastify a content type that it takes where it would refuse the one sent: what one means is
 * for each API to decide (DESIGN section 3). Called where URLs are rewritten, because every request
 * would pay for a hook; `contentTypeOf` still knows the one sent.
 */
export function tolerateContentType(raw: IncomingMessage): void {
  const { headers } = raw
  const type = headers['content-type']
  if (type === undefined || plainType.test(type)) return
  const request: RequestWithType = raw
  request[sentType] = type
  headers['content-type'] = 'application/octet-stream'
}

/** The content type that the client sent; undefined when it sent none. */
export function contentTypeOf(raw: IncomingMessage): string | undefined {
  const request: RequestWithType = raw
  return request[sentType] ?? raw.headers['content-type']
}
