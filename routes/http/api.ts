import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { JsonSchema } from '../../state/kernel/schema.ts'
import type { ApiCoverage } from './declare/coverage.ts'
import type { OperationDeclaration } from './declare/operation.ts'
import type { JournaledApi, RawReply } from './journal-hooks/request-record.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** API that the route belongs to; undefined outside all routes. */
    readonly api: Api | undefined
    /** Operation that serves the request; undefined until the request is routed. */
    operation: OperationDeclaration<string, unknown> | undefined
  }
}

/** One API (or the control plane) as the app registers it. */
export interface Api extends JournaledApi {
  /** Name in the configuration and on the control plane. */
  readonly name: string
  /** Path prefix of the API. Below it, the API answers failures outside all routes. */
  readonly prefix: string
  /**
   * Set for an API about the process and its worlds; its requests belong to no world
   * (behaviour/program#names-of-requests).
   */
  readonly outsideWorlds?: true
  /** True if trailing slashes of a path are ignored and repeated slashes count as one. */
  readonly ignoresExtraSlashes?: boolean
  /**
   * True if a path may have escaped bytes that are no UTF-8. The server replaces such bytes before
   * routing by U+FFFD; for other APIs the path counts as malformed.
   */
  readonly acceptsInvalidUtf8?: boolean
  readonly plugin: (app: FastifyInstance, options: object, done: () => void) => void
  /** Writes the response to a failure before or outside the plugin's routes. */
  fail(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void
  /** Returns the operations that the API serves; absent if there are none. */
  readonly coverage?: () => ApiCoverage
  /** Returns the OpenAPI 3.1 document of the whole API in the dialect of the process. */
  readonly openApi?: (version: string) => JsonSchema
  /** Writes the response for a path that no route serves. */
  notFound(request: FastifyRequest, reply: FastifyReply): void | Promise<void>
  /** Returns true for a path of this API even if another API has the prefix. */
  readonly owns?: (path: string) => boolean
  /** Returns the reply to a method that Node's parser does not know, at a path of this API. */
  readonly unknownVerb?: (method: string) => RawReply
}

/** Returns a predicate for `owns`. A path that ends in `/*` matches everything below it. */
export function pathMatcher(paths: readonly string[]): (path: string) => boolean {
  const below = paths.flatMap((path) => (path.endsWith('/*') ? [path.slice(0, -1)] : []))
  const exact = new Set(paths)
  return (path) => exact.has(path) || below.some((start) => path.startsWith(start))
}

/**
 * Returns the API that answers a request outside all routes: the owner of the path, else the first
 * API.
 */
export function apiForTarget(apis: readonly Api[], target: string): Api {
  const [path = ''] = target.split(/[?#]/, 1)
  const owner =
    apis.find(({ owns }) => owns?.(path)) ??
    apis.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`)) ??
    apis[0]
  if (owner === undefined) throw new Error('an app needs at least one API')
  return owner
}
