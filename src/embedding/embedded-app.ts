import type { IncomingHttpHeaders, OutgoingHttpHeaders, Server } from 'node:http'
import type { Readable } from 'node:stream'

/** Request without a socket. `method` is any method of the APIs, including `LIST`. */
export interface WorldRequest {
  /** Path and query, such as `/v1/sys/health`. */
  readonly url: string
  /** HTTP method. Default: `GET`. */
  readonly method?: string | undefined
  readonly headers?: IncomingHttpHeaders | OutgoingHttpHeaders
  readonly query?: string | Record<string, string | string[]>
  /** Text, bytes or a stream; any other value is sent as JSON. */
  readonly payload?: string | object
  readonly body?: string | object
  readonly cookies?: Record<string, string>
  readonly remoteAddress?: string
  readonly authority?: string
  readonly signal?: AbortSignal
  readonly payloadAsStream?: boolean
}

/** Reply to a request without a socket. */
export interface WorldReply {
  readonly statusCode: number
  readonly statusMessage: string
  readonly headers: OutgoingHttpHeaders
  readonly trailers: Readonly<Record<string, string>>
  /** Body as text; equal to `body`. */
  readonly payload: string
  readonly body: string
  readonly rawPayload: Buffer
  readonly cookies: readonly { readonly name: string; readonly value: string }[]
  json<T = ReturnType<typeof JSON.parse>>(): T
  /** Returns the body as a stream. Requires a request with `payloadAsStream`. */
  stream(): Readable
}

type LogMethod = (about: object, text: string) => void

/**
 * Fastify app of a server, with types that do not depend on Fastify's types. The object is a
 * `FastifyInstance` of Fastify 5 and can be cast to that type.
 */
export interface EmbeddedApp {
  readonly server: Server
  readonly log: { readonly info: LogMethod; readonly warn: LogMethod; readonly error: LogMethod }
}
