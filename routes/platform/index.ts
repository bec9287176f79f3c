import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { memoize } from '../../state/kernel/memoize.ts'
import { Refusal } from '../../state/kernel/refusal.ts'
import type { StructShape } from '../../state/kernel/shape/kinds.ts'
import { type Caller, callerOf } from '../../state/platform/accounts/callers.ts'
import { type Api, pathMatcher } from '../http/api.ts'
import type { DialectName } from '../http/declare/dialect.ts'
import { worldOf } from '../http/journal-hooks/request-head.ts'
import type { JournaledApiOptions } from '../http/journal-hooks/request-record.ts'
import { sendJson } from '../http/json-text.ts'
import { pathBelow, registerOperations } from '../http/register.ts'
import { createRouter } from '../http/router/router.ts'
import { originalVerb } from '../http/sockets/extra-verbs.ts'
import { bearerOf } from './bearer.ts'
import { checkBody, checkRequest, type ResolvedRequest } from './checks.ts'
import { platformCoverage } from './coverage.ts'
import { createDeliveries } from './deliveries/deliveries.ts'
import { platformDialect } from './dialect.ts'
import { discoveryRoutes } from './discovery.ts'
import { type ErrorReply, errorReply, renderRefusal } from './errors.ts'
import { explanationsIn } from './explained/index.ts'
import { readInput, readList } from './json-api/body.ts'
import { mediaType } from './json-api/resource.ts'
import { registryPrefix } from './modules/registry.ts'
import { registryRoutes } from './modules/registry-routes.ts'
import { objectPath } from './objects/object-url.ts'
import { objectRoutes } from './objects/objects.ts'
import { platformDocument, platformOperationStatuses } from './openapi.ts'
import type { PlatformContext, PlatformOperation } from './operation.ts'
import { apiPrefix, operationsByPrefix } from './operations.ts'
import { privateRegistryPrefix } from './providers/gpg-keys.ts'
import { providerPrefix } from './providers/provider-protocol.ts'
import { RateLimiter } from './rate-limit.ts'
import { type CacheableRead, ReplyCache } from './reply-cache.ts'

/**
 * Rules by which the journal finds secrets, and describes bodies and callers, in requests to this
 * API.
 */
const journaled: JournaledApiOptions = {
  secretHeaders: ['authorization'],
  secretPaths: `${objectPath}/`,
  bodyShape(operation) {
    // The cast is safe: only this API sets the operations of its requests.
    const { form } = operation as PlatformOperation
    if (form === undefined) return undefined
    const attributes = inBothDialects(form.attributes)
    const data = {
      kind: 'struct',
      name: '',
      fields: members({ attributes }),
      others: otherMembers,
    } as const
    return { kind: 'struct', name: '', fields: members({ data }), others: otherMembers }
  },
  findCaller: (token, world) => callerOf(world, token),
  describeCaller(caller) {
    // The cast is safe: only this API sets the callers of its requests.
    const { user, token } = caller as Caller
    return { name: user.username === '' ? token.id : user.username }
  },
}

const otherMembers = { kind: 'any' } as const
const vendor = platformDialect('vendor')

/** Returns the attributes with their names in both dialects. */
function inBothDialects(attributes: StructShape): StructShape {
  const fields = Object.entries(attributes.fields).map(([name, field]) => [
    name,
    { ...field, vendor: vendor.toWire('attribute', name) },
  ])
  return { ...attributes, fields: Object.fromEntries(fields) }
}

function members<S>(shapes: Readonly<Record<string, S>>) {
  return Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => [name, { shape, presence: 'optional' } as const]),
  )
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Result of `resolvedRequestOf`; undefined before its first call for the request. */
    resolved: ResolvedRequest | undefined
  }
}

/** Context of a request, with its access to the reply cache. */
interface RequestContext extends PlatformContext<unknown> {
  readonly read: CacheableRead | undefined
}

/** Content type of every body. */
const bodyMediaType = `${mediaType}; charset=utf-8`

/**
 * Returns the platform API under `/api/v2`, the object store for uploads and logs under
 * `/v1/object`, the registry protocols and, in the vendor dialect, service discovery.
 */
export function platformApi(options: { readonly dialect: DialectName }): Api {
  const dialect = platformDialect(options.dialect)
  const areas = operationsByPrefix.map(({ prefix, operations }) => ({
    prefix,
    router: memoize(() => createRouter(operations, 'tree', ({ method }) => method)),
  }))
  const limiter = new RateLimiter()
  const replies = new ReplyCache()
  const deliveries = createDeliveries(options.dialect)

  function sendErrors(reply: FastifyReply, { status, errors, headers }: ErrorReply): void {
    if (headers !== undefined) reply.headers(headers)
    // Routing errors occur before any hook has set the common headers.
    reply.headers(dialect.headers).code(status)
    sendJson(reply, JSON.stringify({ errors }), bodyMediaType)
  }

  function fail(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
    if (error instanceof Refusal) sendErrors(reply, renderRefusal(error, dialect))
    // A path that cannot be decoded counts as unknown (behaviour/platform#order-of-checks).
    else if (error.code === 'FST_ERR_BAD_URL') notFound(request, reply)
    else if (error.statusCode !== undefined && error.statusCode < 500) {
      sendErrors(reply, errorReply(error.statusCode, error.message))
    } else {
      request.log.error({ err: error, reqId: request.id }, 'unexpected exception')
      sendErrors(reply, errorReply(500))
    }
  }

  function notFound(_request: FastifyRequest, reply: FastifyReply): void {
    sendErrors(reply, errorReply(404))
  }

  /**
   * Resolves the world and the caller of a request, and counts the request against the rate limit.
   * Starts watching the world for deliveries, and records the caller in the journal. Later calls
   * for the same request return the same result.
   */
  function resolveRequest(request: FastifyRequest): ResolvedRequest {
    if (request.resolved !== undefined) return request.resolved
    const world = worldOf(request)
    deliveries.watch(world)
    const caller = callerOf(world, bearerOf(request))
    if (request.record !== undefined) request.record.caller = caller
    const { headers, isExceeded } = limiter.count(world, caller?.user.id ?? request.ip)
    request.resolved = {
      world,
      caller,
      origin: request.worldOrigin,
      headers,
      isExceeded,
    }
    return request.resolved
  }

  /** Sets the headers that every response below the prefix carries, whatever its status. */
  function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
    reply.headers(dialect.headers).headers(resolveRequest(request).headers)
  }

  function contextOf(
    request: FastifyRequest,
    operation: PlatformOperation,
    reply: FastifyReply,
  ): RequestContext {
    setCommonHeaders(request, reply)
    const resolvedRequest = resolveRequest(request)
    const { world, origin } = resolvedRequest
    const { caller, subject, read } = checkRequest(request, operation, resolvedRequest, replies)
    return {
      world,
      caller,
      subject,
      read,
      dialect,
      origin,
      address: { origin, url: request.url },
      header: (name) => {
        const value = request.headers[name]
        return typeof value === 'string' ? value : value?.[0]
      },
      input: (form) => checkBody(request, (body) => readInput(body, form, { world, dialect })),
      list: () => checkBody(request, readList),
      text: () => (typeof request.body === 'string' ? request.body : ''),
    }
  }

  function routes(
    app: FastifyInstance,
    { router }: Pick<(typeof areas)[number], 'router'>,
    done: () => void,
  ): void {
    app.setErrorHandler<FastifyError>((error, request, reply) => {
      // Errors from Fastify occur before the common headers are set. A request without a valid
      // world cannot have these headers.
      if (!(error instanceof Refusal)) setCommonHeaders(request, reply)
      fail(error, request, reply)
    })
    app.setNotFoundHandler((request, reply) => {
      setCommonHeaders(request, reply)
      notFound(request, reply)
    })
    registerOperations<RequestContext>(app, router, {
      world: worldOf,
      mediaType: bodyMediaType,
      // The cast is safe: `router` contains only operations of this API.
      context: (request, operation, reply) =>
        contextOf(request, operation as PlatformOperation, reply),
      answer: ({ read }, run) => (read === undefined ? run() : read.run(run)),
    })
    done()
  }

  return {
    ...journaled,
    explanations: explanationsIn(dialect.name),
    name: 'platform',
    findOperation(request) {
      const verb = originalVerb(request.raw)
      const area = areas.find(({ prefix }) => request.url.startsWith(`${prefix}/`))
      if (area === undefined) return undefined
      return area.router().find(pathBelow(request, area.prefix), verb)?.route.operations.get(verb)
    },
    writeFailure(status, errors, _request, reply) {
      const objects = errors?.map((detail) => errorReply(status, detail)) ?? [errorReply(status)]
      reply.headers(dialect.headers).header('content-type', bodyMediaType)
      return JSON.stringify({ errors: objects.flatMap((each) => each.errors) })
    },
    prefix: apiPrefix,
    ignoresExtraSlashes: true,
    plugin: (app, _options, done) => {
      app.decorateRequest('resolved', undefined)
      app.addHook('preClose', (closed) => {
        deliveries.close()
        closed()
      })
      for (const area of areas) app.register(routes, area)
      app.register((inner, _inner, ready) => {
        inner.setErrorHandler<FastifyError>(fail)
        objectRoutes(inner, dialect)
        registryRoutes(inner, dialect)
        if (dialect.name === 'vendor') discoveryRoutes(inner)
        ready()
      })
      done()
    },
    coverage: () => platformCoverage(dialect.name),
    openApi: (version) => platformDocument(dialect.name, version),
    statuses: () => platformOperationStatuses(dialect.name),
    fail,
    notFound,
    owns: pathMatcher([
      objectPath,
      `${objectPath}/*`,
      ...[registryPrefix, providerPrefix, privateRegistryPrefix].map((prefix) => `${prefix}/*`),
    ]),
    unknownVerb: () => {
      const { status, errors } = errorReply(404)
      const headers = { ...dialect.headers, 'Content-Type': bodyMediaType }
      return { status, headers, body: JSON.stringify({ errors }) }
    },
  }
}
