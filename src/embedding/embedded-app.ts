import type { IncomingHttpHeaders, OutgoingHttpHeaders, Server } from 'node:http'
import type { Readable } from 'node:stream'

/** A request without a socket. `method` may be any verb that the APIs know, `LIST` among them. */
export interface WorldRequest {
  /** Path and query, as `/v1/sys/health`. */
  readonly url: string
  /** Default: `GET`. */
  readonly method?: string | undefined
  readonly headers?: IncomingHttpHeaders | OutgoingHttpHeaders
  readonly query?: string | Record<string, string | string[]>
  /** Text, bytes or a stream; anything else goes as JSON. */
  readonly payload?: string | object
  readonly body?: string | object
  readonly cookies?: Record<string, string>
  readonly remoteAddress?: string
  readonly authority?: string
  readonly signal?: AbortSignal
  readonly payloadAsStream?: boolean
}

/** What came back without a socket. */
export interface WorldReply {
  readonly statusCode: number
  readonly statusMessage: string
  readonly headers: OutgoingHttpHeaders
  readonly trailers: Readonly<Record<string, string>>
  /** The body as text, as `body` is. */
  readonly payload: string
  readonly body: string
  readonly rawPayload: Buffer
  readonly cookies: readonly { readonly name: string; readonly value: string }[]
  json<T = ReturnType<typeof JSON.parse>>(): T
  /** The body of a request with `payloadAsStream`. */
  stream(): Readable
}

type LogMethod = (about: object, text: string) => void

/**
 * The Fastify app of a server, as far as its types do without Fastify's; it is a `FastifyInstance` of
 * Fastify 5, and may be taken as one.
 */
export interface EmbeddedApp {
  readonly server: Server
  readonly log: { readonly info: LogMethod; readonly warn: LogMethod; readonly error: LogMethod }
}
