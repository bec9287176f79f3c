import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { JsonSchema } from '../../state/kernel/schema.ts'
import type { ApiCoverage } from './declare/coverage.ts'
import type { OperationDeclaration } from './declare/operation.ts'
import type { JournaledApi, RawReply } from './journal-hooks/request-record.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The API whose route it is; undefined outside all routes. */
    readonly api: Api | undefined
    /** The operation that answers, once it is known. */
    operation: OperationDeclaration<string, unknown> | undefined
  }
}

/** One API (or the control plane) as an app needs it. */
export interface Api extends JournaledApi {
  /** As configuration and control plane call it. */
  readonly name: string
  /** Path below which failures outside all routes are this API's. */
  readonly prefix: string
  /** It is about the process and its worlds: its requests are none of a world's (behaviour/program#names-of-requests). */
  readonly outsideWorlds?: true
  /** Slashes at the end of a path below the prefix mean nothing, several in a row one. */
  readonly ignoresExtraSlashes?: boolean
  readonly plugin: (app: FastifyInstance, options: object, done: () => void) => void
  /** Answers a failure that happened before or outside the plugin's routes. */
  fail(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void
  /** Returns the operations that it serves; absent if it serves none. */
  readonly coverage?: () => ApiCoverage
  /** The OpenAPI 3.1 document of all of it, in the dialect that is spoken. */
  readonly openApi?: (version: string) => JsonSchema
  /** Answers an address that nothing serves. */
  notFound(request: FastifyRequest, reply: FastifyReply): void | Promise<void>
  /** Tells whether a path is its own, though another API may have the prefix. */
  readonly owns?: (path: string) => boolean
  /** Answers verbs that Node's parser does not know, at paths of its own. */
  readonly unknownVerb?: (method: string) => RawReply
}

/** Paths of routes as `owns`: `/*` at the end of one stands for all below it. */
export function pathMatcher(paths: readonly string[]): (path: string) => boolean {
  const below = paths.flatMap((path) => (path.endsWith('/*') ? [path.slice(0, -1)] : []))
  const exact = new Set(paths)
  return (path) => exact.has(path) || below.some((start) => path.startsWith(start))
}

/** The API in whose shape a request outside all routes is answered; the first for what is nobody's. */
export function apiForTarget(apis: readonly Api[], target: string): Api {
  const [path = ''] = target.split(/[?#]/, 1)
  const owner =
    apis.find(({ owns }) => owns?.(path)) ??
    apis.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`)) ??
    apis[0]
  if (owner === undefined) throw new Error('an app needs at least one API')
  return owner
}
