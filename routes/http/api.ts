import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { JsonSchema } from '../../state/kernel/schema.ts'
import type { ApiCoverage } from './declare/coverage.ts'
import type { OperationDeclaration } from './declare/operation.ts'
import type { JournaledApi, RawReply } from './journal-hooks/request-record.ts'
import type { OperationStatuses } from './openapi/operation-statuses.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The API to which the route belongs; undefined for requests that match no route. */
    readonly api: Api | undefined
    /**
     * The operation that serves the request. Undefined until the operation is found, and also
     * afterwards if no operation serves the request.
     */
    operation: OperationDeclaration<string, unknown> | undefined
  }
}

/** An API, or the control plane, as the app registers it. */
export interface Api extends JournaledApi {
  /**
   * Present for an API about the process and its worlds. Requests to such an API belong to no
   * world.
   */
  readonly outsideWorlds?: true
  /** True if trailing slashes of a path are ignored and repeated slashes count as one. */
  readonly ignoresExtraSlashes?: boolean
  /**
   * True if paths may contain escaped bytes that are not UTF-8. Before routing, the server replaces
   * such bytes with U+FFFD. For other APIs, such a path counts as malformed.
   */
  readonly acceptsInvalidUtf8?: boolean
  readonly plugin: (app: FastifyInstance, options: object, done: () => void) => void
  /**
   * Writes the response to a failure that occurs before a handler of the API runs, or in a request
   * that matches no route.
   */
  fail(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void
  /** Returns the entries of the coverage ledger; undefined if the API declares no operations. */
  readonly coverage?: () => ApiCoverage
  /** Returns the OpenAPI 3.1 document of the whole API in the dialect of the process. */
  readonly openApi?: (version: string) => JsonSchema
  /** Returns the statuses that the OpenAPI document lists, without building the document. */
  readonly statuses?: () => OperationStatuses
  /** Writes the response for a path that no route serves. */
  notFound(request: FastifyRequest, reply: FastifyReply): void | Promise<void>
  /** Returns true if the path belongs to this API, even if it has the prefix of another API. */
  readonly owns?: (path: string) => boolean
  /** Returns the reply to a method that Node's parser does not know, at a path of this API. */
  readonly unknownVerb?: (method: string) => RawReply
}

/**
 * Returns a function for the member `owns` of an API. The function returns true for the given
 * paths. A given path that ends in `/*` stands for all paths below the part before `*`.
 */
export function pathMatcher(paths: readonly string[]): (path: string) => boolean {
  const below = paths.flatMap((path) => (path.endsWith('/*') ? [path.slice(0, -1)] : []))
  const exact = new Set(paths)
  return (path) => exact.has(path) || below.some((start) => path.startsWith(start))
}

/**
 * Returns the API that answers a request that matches no route: the API whose `owns` accepts the
 * path, otherwise the API whose prefix matches, otherwise the first API. Throws an error if there
 * is no API.
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
