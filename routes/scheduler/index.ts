import type { FastifyRequest } from 'fastify'
import { memoize } from '../../state/kernel/memoize.ts'
import type { Refusal, RefusalKind } from '../../state/kernel/refusal.ts'
import type { Deferred } from '../../state/kernel/worlds/deferred.ts'
import { type SchedulerCaller, schedulerCaller } from '../../state/scheduler/acl/callers.ts'
import {
  refuse,
  type SchedulerRefusalDetail,
  schedulerMessages,
} from '../../state/scheduler/messages.ts'
import { optionsOf } from '../../state/scheduler/options.ts'
import type { Api } from '../http/api.ts'
import { encodeBody } from '../http/compression.ts'
import type { DialectName } from '../http/declare/dialect.ts'
import type { Answer } from '../http/declare/operation.ts'
import { decodePath } from '../http/decode-path.ts'
import { cleanPath } from '../http/journal-hooks/request-head.ts'
import type { JournaledApiOptions } from '../http/journal-hooks/request-record.ts'
import { Query } from '../http/query.ts'
import { pathBelow } from '../http/register.ts'
import { createRouter } from '../http/router/router.ts'
import type { Route, RouteMatch } from '../http/router/routes.ts'
import { originalVerb } from '../http/sockets/extra-verbs.ts'
import {
  type ErrorReply,
  failureAnswer,
  type RequestInWorld,
  statusByKind,
  textApi,
} from '../http/text-api.ts'
import { checkOrigin } from '../http/web-pages.ts'
import { contextOf } from './context.ts'
import { type SchedulerDialect, schedulerDialect, secretHeaders } from './dialect.ts'
import {
  apiPrefix,
  schedulerCoverage,
  schedulerDocument,
  schedulerOperationStatuses,
} from './documents.ts'
import { explanationsIn } from './explained/index.ts'
import type { SchedulerOperation } from './operation.ts'
import { outsideOperations, schedulerOperations } from './operations.ts'
import { wellKnownPrefix } from './operator/operations.ts'

const unknownPath: ErrorReply = { status: 404, text: '' }

/** Replies to unknown paths below certain prefixes (behaviour/scheduler#conventions). */
const unknownPathReplies: ReadonlyMap<string, ErrorReply> = new Map([
  ['/client/allocation/', { status: 404, text: 'resource not found' }],
  ['/client/fs/', { status: 404, text: 'Invalid method' }],
  ['/operator/keyring/', { status: 405, text: 'Invalid method' }],
])

function unknownPathReply(path: string): ErrorReply {
  for (const [prefix, reply] of unknownPathReplies) if (path.startsWith(prefix)) return reply
  return unknownPath
}

/**
 * Paths that the product's router serves only if further segments follow. The router redirects such
 * a path without further segments to the path with a trailing slash.
 */
const subtrees: ReadonlySet<string> = new Set(
  [
    ...['job', 'node', 'node/pool', 'allocation', 'evaluation', 'deployment', 'service', 'var'],
    ...['volume/csi', 'plugin/csi', 'acl/policy', 'client/fs', 'client/allocation'],
    ...['scaling/policy', 'operator/raft', 'operator/keyring', 'operator/upgrade-check'],
    ...['agent/keyring', 'agent/pprof', 'sentinel/policy'],
  ].map((path) => `${apiPrefix}/${path}`),
)

/**
 * Returns the path with a trailing slash if the path must be redirected to it; otherwise undefined.
 */
function subtreePathOf(path: string): string | undefined {
  return subtrees.has(path) ? `${path}/` : undefined
}

const invalidMethod: ErrorReply = { status: 405, text: 'Invalid method' }

const statusByRefusalKind: Readonly<Record<RefusalKind, number>> = {
  ...statusByKind,
  unsupported: 405,
}

const permissionDeniedText = schedulerMessages['permission-denied'].text
const registrationDisabledText = schedulerMessages['registration-closed'].text

/**
 * Renders a refusal as this API does (behaviour/scheduler#conventions). A status in the refusal's
 * details takes precedence. If the details have neither a status nor an index, a message that ends
 * with `permissionDeniedText` or `registrationDisabledText` becomes a 403 with only that text.
 * Otherwise the kind of the refusal determines the status.
 */
export function renderRefusal(
  { kind, reason: message, detail }: Refusal,
  dialect: SchedulerDialect,
): ErrorReply {
  const { status, index }: SchedulerRefusalDetail = detail
  const text = dialect.renderMessage(message)
  if (index !== undefined) {
    const headers = dialect.encodeHeaders({ Index: String(index) })
    return { status: status ?? statusByRefusalKind[kind], text, headers }
  }
  if (status !== undefined) return { status, text }
  if (text.endsWith(permissionDeniedText)) return { status: 403, text: permissionDeniedText }
  if (text.endsWith(registrationDisabledText))
    return { status: 403, text: registrationDisabledText }
  return { status: statusByRefusalKind[kind], text }
}

/** Rules by which the journal finds secrets, reply shapes and callers in requests to this API. */
const journaled: JournaledApiOptions = {
  secretHeaders,
  replyShape: (operation, status) =>
    // The cast is safe: only this API sets the operations of its requests.
    status === 200 ? (operation as SchedulerOperation).bodyShape : undefined,
  findCaller: (token, world) => schedulerCaller(world, token),
  describeCaller(caller) {
    // The cast is safe: only this API sets the callers of its requests.
    const { token, policies } = caller as SchedulerCaller
    return token === undefined ? {} : { name: token.Name, policies }
  },
  encodeBody(request, reply, payload) {
    const variesByOrigin = crossOriginPaths.test(request.url)
    reply.header('vary', variesByOrigin ? ['Accept-Encoding', 'Origin'] : 'Accept-Encoding')
    return encodeBody(request, reply, payload)
  },
}

/**
 * Pattern of the paths whose replies the product allows other origins to read. Replies at these
 * paths vary by origin.
 */
const crossOriginPaths =
  /^\/v1\/(?:client\/(?:fs\/|allocation\/|(?:stats|metadata)(?:\?|$))|vars(?:\?|$)|var\/)/

interface SchedulerApiOptions {
  readonly dialect: DialectName
  /**
   * True for an API with its own port, which serves all of `/v1`. On a shared port, only
   * `sharedPaths` are served (behaviour/program#http).
   */
  readonly isDedicated: boolean
}

/** Paths below `/v1` that the scheduler serves on a shared port. */
const sharedPaths = ['/jobs', '/jobs/*', '/job/*']

/**
 * Throws a refusal if the request needs a leader. Stale reads and operations with `withoutLeader`
 * do not need one (behaviour/scheduler#agent, `noLeader`).
 */
function checkLeader({ method, withoutLeader }: SchedulerOperation, query: Query): void {
  const isStale = method === 'GET' && query.has('stale') && query.value('stale') !== 'false'
  if (!withoutLeader && !isStale) throw refuse('no-leader')
}

const refuseOrigin = (origin: string) => refuse('origin-refused', { origin })

export function schedulerApi(options: SchedulerApiOptions): Api {
  const dialect = schedulerDialect(options.dialect)
  const router = memoize(() => createRouter(schedulerOperations, 'mux', ({ method }) => method))
  const rootRouter = memoize(() => createRouter(outsideOperations, 'mux', ({ method }) => method))

  function matchRoute(request: FastifyRequest): RouteMatch<SchedulerOperation> | undefined {
    return request.url.startsWith(wellKnownPrefix)
      ? rootRouter().find(pathBelow(request, ''), verbOf(request))
      : router().find(decodePath(pathBelow(request, apiPrefix)), verbOf(request))
  }

  function handle({ request, reply, world }: RequestInWorld): Answer | Deferred<Answer> {
    checkOrigin(request, optionsOf(world), refuseOrigin)
    const match = matchRoute(request)
    if (match === undefined)
      return failureAnswer(unknownPathReply(decodePath(pathBelow(request, apiPrefix))))
    const { route, params } = match
    const operation = operationForVerb(route, verbOf(request), request)
    for (const { checkPath } of route.operations.values()) checkPath?.(params)
    if (operation === undefined) {
      const query = new Query(request.query)
      for (const { beforeMethod } of route.operations.values()) beforeMethod?.(query)
      return failureAnswer(route.first.wrongMethod ?? invalidMethod)
    }
    request.operation = operation
    if (optionsOf(world).noLeader) checkLeader(operation, new Query(request.query))
    const context = contextOf({ request, reply, world, dialect, operation, params })
    return operation.run({ context, params })
  }

  return textApi({
    name: 'scheduler',
    journaled: { ...journaled, explanations: explanationsIn(dialect) },
    prefix: apiPrefix,
    paths: options.isDedicated ? ['/*'] : sharedPaths,
    coverage: () => schedulerCoverage(),
    openApi: (version) => schedulerDocument(options.dialect, version),
    statuses: schedulerOperationStatuses,
    find: (request) => {
      const route = matchRoute(request)?.route
      return route && operationForVerb(route, verbOf(request), request)
    },
    handle,
    ...(options.isDedicated && {
      outsidePrefix: { paths: outsideOperations.map(({ path }) => path), handle },
    }),
    renderRefusal: (refusal) => renderRefusal(refusal, dialect),
    unknownPath,
    unknownVerb: () => invalidMethod,
    redirectPath: (path) => cleanPath(path) ?? subtreePathOf(path),
    isPretty(query) {
      const parameters = new Query(query)
      return parameters.has('pretty') && parameters.value('pretty') !== '0'
    },
  })
}

/**
 * Returns the operation of a route that serves a request; undefined if the route does not accept
 * the method. A few operations accept only PUT or only POST, and some accept any method except HEAD
 * and OPTIONS.
 */
function operationForVerb(
  { operations, first }: Route<SchedulerOperation>,
  verb: string,
  { raw }: FastifyRequest,
): SchedulerOperation | undefined {
  const sentVerb = originalVerb(raw)
  const operation = operations.get(verb) ?? operations.get(sentVerb)
  if (operation?.refusesPut === true && sentVerb === 'PUT') return undefined
  const isRead = first.acceptsAnyMethod === true && sentVerb !== 'HEAD' && sentVerb !== 'OPTIONS'
  return operation ?? (isRead ? first : undefined)
}

/**
 * Returns the method of the request, or POST for PUT, because nearly all paths that write treat the
 * two methods alike (behaviour/scheduler#conventions).
 */
function verbOf(request: FastifyRequest): string {
  const verb = originalVerb(request.raw)
  return verb === 'PUT' ? 'POST' : verb
}
