import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { JsonSchema } from '../../state/kernel/schema.ts'

/** The four services, by the names that configuration and control plane use. */
export type ApiName = 'secrets' | 'platform' | 'mesh' | 'scheduler'

/** What answered a request, as far as those who look on need to know. */
export interface AnsweringOperation {
  readonly summary: string
  /** Replies by status; null means no body. */
  readonly reply: Readonly<Record<number, JsonSchema | null>>
  /** The body of replies with any other status. */
  readonly replyOtherwise?: JsonSchema
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The operation that answers, once it is known. */
    operation: AnsweringOperation | undefined
  }
}

/** One API (or the control plane) as an app needs it. */
export interface Api {
  readonly name: ApiName | 'control'
  /** Path below which failures outside all routes are this API's. */
  readonly prefix: string
  readonly plugin: (app: FastifyInstance, options: object, done: () => void) => void
  /** Answers a failure that happened before or outside the plugin's routes. */
  fail(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void
  /** Answers an address that nothing serves. */
  notFound(request: FastifyRequest, reply: FastifyReply): void
}
