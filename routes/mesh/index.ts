import type { FastifyReply, FastifyRequest } from 'fastify'
import { memoize } from '../../state/kernel/memoize.ts'
import type { JsonSchema } from '../../state/kernel/schema.ts'
import { text, uint } from '../../state/kernel/shape/kinds.ts'
import { described } from '../../state/kernel/shape/members.ts'
import type { Deferred } from '../../state/kernel/worlds/deferred.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import { type MeshCaller, meshCaller } from '../../state/mesh/acl/callers.ts'
import { aclPolicies, aclRoles } from '../../state/mesh/acl/tables.ts'
import type { AgentFiles } from '../../state/mesh/file-definitions.ts'
import { refuse } from '../../state/mesh/messages.ts'
import { hasNamespaces, optionsOf } from '../../state/mesh/options.ts'
import type { Api } from '../http/api.ts'
import { accessText } from '../http/declare/access.ts'
import type { DialectName } from '../http/declare/dialect.ts'
import type { Answer, Method } from '../http/declare/operation.ts'
import { parameters } from '../http/declare/parameters.ts'
import { decodePath } from '../http/decode-path.ts'
import { cleanPath } from '../http/journal-hooks/request-head.ts'
import type { JournaledApiOptions } from '../http/journal-hooks/request-record.ts'
import { statusesOf } from '../http/openapi/operation-statuses.ts'
import { textApiDocument } from '../http/openapi/text-api-document.ts'
import { Query } from '../http/query.ts'
import { pathBelow } from '../http/register.ts'
import { createRouter } from '../http/router/router.ts'
import { originalVerb } from '../http/sockets/extra-verbs.ts'
import { failureAnswer, type RequestInWorld, textApi } from '../http/text-api.ts'
import { checkOrigin } from '../http/web-pages.ts'
import { createCheckRunner } from './agent/check-calls.ts'
import { contextOf } from './context.ts'
import { apiPrefix, meshCoverage } from './coverage.ts'
import { bodyScalarSchemas } from './decode.ts'
import { type MeshDialect, type MeshHeaders, meshDialect } from './dialect.ts'
import { methodNotAllowed, renderRefusal, rootReply, unknownPath } from './errors.ts'
import { explanationsIn } from './explained/index.ts'
import type { MeshOperation } from './operation.ts'
import { meshOperations } from './operations.ts'

/**
 * Headers that every response of the API has, apart from redirects, refused paths and unknown
 * paths. Only the names are used here. The page at `/ui/` has none of these headers.
 */
const commonHeaders: MeshHeaders = { 'Default-ACL-Policy': '' }

function removeCommonHeaders(reply: FastifyReply, dialect: MeshDialect): void {
  for (const name of Object.keys(dialect.headers(commonHeaders))) reply.removeHeader(name)
}

const htmlType = 'text/html; charset=utf-8'

/** Page that replaces the product's web interface. */
const page = `<!doctype html>
<html lang="en">
<title>Service mesh</title>
<p>This server is a stand-in and has no web interface of its own. The API is at <code>/v1</code>.</p>
</html>
`

/**
 * Returns the handler of the paths outside the API. `/` and `/ui` redirect to `/ui/`
 * (behaviour/mesh#conventions).
 */
function webPages(dialect: MeshDialect) {
  return {
    paths: ['/', '/ui', '/ui/', '/ui/*'],
    handle({ request, reply }: RequestInWorld): Answer {
      removeCommonHeaders(reply, dialect)
      const { originalUrl, url } = request
      const [path = ''] = url.split('?', 1)
      if (path.startsWith('/ui/')) {
        return { status: 200, headers: { 'content-type': htmlType }, body: Buffer.from(page) }
      }
      const world = originalUrl.slice(0, Math.max(0, originalUrl.length - url.length))
      const location = `${world}/ui/`
      const body = Buffer.from(`<a href="${location}">Moved Permanently</a>.\n\n`)
      return { status: 301, headers: { location, 'content-type': htmlType }, body }
    },
  }
}

/**
 * Parameters that every request accepts (behaviour/mesh#conventions, behaviour/mesh#namespace and
 * behaviour/mesh#token).
 */
const commonParameters = parameters({
  ns: described(text, 'Namespace'),
  partition: described(text, '`default`'),
  dc: described(text, 'Datacenter; there is only one'),
  token: described(text, 'Token; takes precedence over the header'),
  pretty: described(text, 'Indent the JSON of the reply; the value is ignored'),
})

/** Parameters of reads (behaviour/mesh#reads). */
const readParameters = parameters({
  index: described(uint, 'Wait until the data has a higher index'),
  wait: described(text, 'Maximum time to wait, as a Go duration'),
  stale: described(text, 'Any server may answer; the value is ignored'),
  consistent: described(
    text,
    'The leader confirms with the other servers first; the value is ignored',
  ),
  cached: described(text, 'The agent may answer from its cache; the value is ignored'),
  leader: described(text, 'The default mode of reads, without `stale`; the value is ignored'),
  max_stale: described(text, 'Maximum age of a stale result, as a Go duration'),
})

export function meshDocument(dialect: DialectName, version: string): JsonSchema {
  return textApiDocument(meshOperations, {
    dialect,
    version,
    title: dialect === 'vendor' ? 'Consul HTTP API' : 'Service Mesh API',
    basePath: apiPrefix,
    tokenHeader: dialect === 'vendor' ? 'X-Consul-Token' : 'X-Mesh-Token',
    bodies: { ignoresUnknown: false, scalarSchemas: bodyScalarSchemas },
    access: ({ access }) => accessText(access),
    isOpen: ({ access }) => access === 'anyone',
    parameters: ({ method }) => [...(method === 'GET' ? [readParameters] : []), commonParameters],
    failures: commonFailures,
  })
}

/**
 * Returns the failure statuses that an operation may have without declaring them. 401 depends on
 * the path of the operation, and 403 on its access.
 */
function commonFailures({ path, access }: MeshOperation): readonly number[] {
  return [
    400,
    ...(path.startsWith('/acl/') ? [401] : []),
    ...(access === 'anyone' ? [] : [403]),
    500,
  ]
}

/** Rules by which the journal finds secrets and callers in requests to this API. */
const journaled: JournaledApiOptions = {
  secretHeaders: ['x-mesh-token', 'x-consul-token', 'authorization'],
  secretParameters: ['token'],
  findCaller: (token, world) => meshCaller(world, token),
  describeCaller(caller, world) {
    // The cast is safe: only this API sets the callers of its requests.
    const { token } = caller as MeshCaller
    if (token === undefined) return {}
    const policies = token.policies.map((id) => world.table(aclPolicies).get(id)?.name ?? id)
    const roles = token.roles.map((id) => world.table(aclRoles).get(id)?.name ?? id)
    return { name: token.description, policies: [...policies, ...roles] }
  },
}

interface MeshApiOptions {
  readonly dialect: DialectName
  /**
   * True if the API has its own port, which serves all of `/v1`. On a shared port, only
   * `sharedPaths` are served (behaviour/program#http).
   */
  readonly isDedicated: boolean
  /** Configuration files that a reload of the agent reads. */
  readonly files?: AgentFiles | undefined
}

/** Paths below `/v1` that the mesh serves on a shared port. */
const sharedPaths = ['/namespace', '/namespace/*', '/namespaces', '/namespaces/*']

/** Methods in the order in which the reference lists the methods of a path. */
const methods: readonly Method[] = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE']

const namespacePath = /^\/namespaces?(?:\/|$)/

/** Pattern of the paths that a server answers even without a leader. */
const leaderlessPaths = /^\/(?:(?:agent|status)\/|event\/list$)/

/**
 * Prefix of the paths of prepared queries. Unlike in other paths, a segment after the ID, such as
 * `execute`, is never part of the ID.
 */
const queryPrefix = '/query/'

const lastParameter = /^(\/.*)\/:[^/:]+$/

/**
 * Returns the paths that lead to an operation only with a slash at the end. These are the paths
 * before a final path parameter, unless the path without the slash is also an operation.
 */
function foldersOf(paths: readonly string[]): ReadonlySet<string> {
  const known = new Set(paths)
  const folders = paths.flatMap((path) => lastParameter.exec(path)?.[1] ?? [])
  return new Set(folders.filter((folder) => !known.has(folder)))
}

/**
 * Throws a refusal for a request that needs a leader. Stale reads and requests to `leaderlessPaths`
 * need none. Called while there is no leader (option `noLeader`).
 */
function checkLeader({ method, path }: MeshOperation, query: Query): void {
  const isStale = method === 'GET' && query.has('stale')
  if (!isStale && !leaderlessPaths.test(path)) throw refuse('no-leader')
}

const refuseOrigin = (origin: string) => refuse('origin-refused', { origin })

const printablePattern = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u

/**
 * Returns whether a path contains a character that Go does not count as printable. As in Go, bytes
 * that are not UTF-8 are replaced with a printable character (behaviour/mesh#conventions).
 */
function isUnprintable(path: string): boolean {
  if (!path.includes('%')) return !printablePattern.test(path)
  // Node decodes the bytes of a path as Latin-1. Together with the percent-encoded bytes, they form
  // UTF-8.
  const bytes = path.replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
  return !printablePattern.test(Buffer.from(bytes, 'latin1').toString('utf8'))
}

export function meshApi(options: MeshApiOptions): Api {
  const dialect = meshDialect(options.dialect)
  const checkRunner = createCheckRunner(dialect)
  const router = memoize(() => createRouter(meshOperations, 'mux', ({ method }) => method))

  const folders = memoize(() => foldersOf(meshOperations.map(({ path }) => apiPrefix + path)))

  /**
   * Returns the route of a request. If the matching route ends with a fixed segment after a name
   * and does not accept the method, that segment counts as part of the name. The result is then the
   * shorter route that ends with the name (behaviour/mesh#conventions).
   */
  function matchRoute(request: FastifyRequest, verb: string) {
    const routeMatch = router().find(decodePath(pathBelow(request, apiPrefix)), verb)
    if (routeMatch === undefined || routeMatch.route.operations.has(verb)) return routeMatch
    const { path } = routeMatch.route
    if (path.startsWith(queryPrefix)) return routeMatch
    const parent = router().routes.find(
      (place) => place.path.includes(':') && path.startsWith(`${place.path}/`),
    )
    if (parent === undefined) return routeMatch
    const name = parent.path.slice(parent.path.lastIndexOf(':') + 1)
    const value = `${routeMatch.params[name]}${path.slice(parent.path.length)}`
    return { route: parent, params: { ...routeMatch.params, [name]: value } }
  }

  /**
   * Returns the canonical form of a path, to which the request is redirected; undefined if the path
   * is canonical already (behaviour/mesh#conventions).
   */
  function redirectTarget(path: string): string | undefined {
    const cleanedPath = cleanPath(path)
    if (cleanedPath !== undefined) return cleanedPath
    return options.isDedicated && folders().has(path) ? `${path}/` : undefined
  }

  function handle({ request, reply, world }: RequestInWorld): Answer | Deferred<Answer> {
    const { callChecks } = optionsOf(world)
    if (options.isDedicated && callChecks !== false) checkRunner.watch(world)
    checkOrigin(request, optionsOf(world), refuseOrigin)
    const path = pathBelow(request, apiPrefix)
    const verb = originalVerb(request.raw)
    const routeMatch = matchRoute(request, verb)
    if (routeMatch === undefined || (namespacePath.test(path) && !hasNamespaces(world))) {
      removeCommonHeaders(reply, dialect)
      return failureAnswer(unknownPath)
    }
    const { route, params } = routeMatch
    const operation = route.operations.get(verb)
    if (operation === undefined) {
      const offeredMethods = methods.filter((method) => route.operations.has(method))
      reply.header('allow', ['OPTIONS', ...offeredMethods].join(','))
      return verb === 'OPTIONS' ? { status: 200, body: '' } : failureAnswer(methodNotAllowed(verb))
    }
    request.operation = operation
    const query = new Query(request.query)
    if (optionsOf(world).noLeader) checkLeader(operation, query)
    const context = contextOf({
      ...{ request, reply, world, dialect, operation, query, params },
      files: options.files,
    })
    return operation.run({ context, params })
  }

  return textApi({
    name: 'mesh',
    journaled: { ...journaled, explanations: explanationsIn(dialect) },
    prefix: apiPrefix,
    paths: options.isDedicated ? ['/*'] : sharedPaths,
    coverage: () => meshCoverage(),
    openApi: (version) => meshDocument(options.dialect, version),
    statuses: () => statusesOf(meshOperations, commonFailures),
    find: (request) => {
      const verb = originalVerb(request.raw)
      return matchRoute(request, verb)?.route.operations.get(verb)
    },
    handle,
    onClose: () => checkRunner.close(),
    renderRefusal: (refusal) => renderRefusal(refusal, dialect),
    unknownPath,
    unknownVerb: methodNotAllowed,
    rootReply,
    redirectPath: redirectTarget,
    refusesPath: isUnprintable,
    hasTypeWithoutBody: true,
    acceptsInvalidUtf8: options.isDedicated,
    ...(options.isDedicated && { outsidePrefix: webPages(dialect) }),
    isPretty: (query) => new Query(query).has('pretty'),
    // This header is set for every path. For unknown paths, `handle` removes the header again
    // (behaviour/mesh#conventions).
    setCommonHeaders: (reply, world: World) => {
      reply.headers(dialect.headers({ 'Default-ACL-Policy': optionsOf(world).defaultPolicy }))
    },
  })
}
