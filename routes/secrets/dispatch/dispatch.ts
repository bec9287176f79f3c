import type { FastifyRequest } from 'fastify'
import { Refusal } from '../../../state/kernel/refusal.ts'
import type { Deferred } from '../../../state/kernel/worlds/deferred.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { isAuthMount, type Mount, mountOf } from '../../../state/secrets/mounts/mounts.ts'
import {
  canonicalNamespace,
  checkNamespacesFeature,
  findNamespaceById,
  hasNamespaces,
  type Namespace,
  namespaceIdOf,
  resolveNamespace,
  rootNamespace,
} from '../../../state/secrets/namespaces/namespaces.ts'
import { findToken } from '../../../state/secrets/tokens/rows.ts'
import { runChecks } from '../../http/declare/checks.ts'
import { createRouter } from '../../http/router/router.ts'
import type { Router } from '../../http/router/routes.ts'
import { effectiveAccess } from '../access.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'
import { createDocumentation } from '../documents/documentation.ts'
import { bareOutcome, type SecretsOutcome } from '../envelope/outcome.ts'
import { refuse } from '../messages.ts'
import type { Engine, SecretsOperation, SecretsRoute } from '../operation.ts'
import type { Replication } from '../replication/replication.ts'
import { checkEdition, requestChecks } from './checks.ts'
import { handleRequest, wrapOutcome, wrappedOperation } from './handle-request.ts'
import { createQuotaLimit } from './quota-limit.ts'
import { createRateLimit } from './rate-limit.ts'
import { requestPath } from './request.ts'
import { RequestCounts } from './request-counts.ts'
import { type DispatchServices, SecretsRequest, type Target } from './secrets-request.ts'

/** An engine with its compiled routes. All worlds and mounts of the process share it. */
interface CompiledEngine {
  readonly engine: Engine
  readonly router: Router<SecretsOperation>
}

/** Functions that find and call the operation of an HTTP request. */
interface Dispatcher {
  /**
   * Checks a request, counts it for metrics, and runs its operation; a help request returns
   * documentation instead. Throws the refusal of the first check that fails, or of the operation.
   * Called inside `world.request`.
   */
  dispatch(world: World, request: FastifyRequest): SecretsOutcome | Deferred<SecretsOutcome>
  /**
   * Returns the operation that a request names, even if the caller may not call it. Returns
   * undefined in each of these cases: no operation matches; the request is malformed; the request's
   * namespace or the world's edition excludes the operation.
   */
  find(world: World, request: FastifyRequest): SecretsOperation | undefined
  /**
   * Returns whether a request goes to a bare endpoint, which has its own messages for invalid
   * bodies. Throws a refusal for an invalid escape in the path.
   */
  isUnenveloped(request: FastifyRequest): boolean
  /** Returns whether a request goes to an endpoint that accepts every HTTP method as a write. */
  acceptsAnyMethod(request: FastifyRequest): boolean
}

/** Creates a dispatcher that all worlds of the process share. */
export function createDispatch(
  engines: readonly Engine[],
  engineType: (mount: Mount) => string,
  dialect: SecretsDialect,
  replication: Replication,
): Dispatcher {
  const compiled = new Map<string, CompiledEngine>(
    engines.map((engine) => [
      engine.type,
      {
        engine,
        router: createRouter(engine.operations, engine.order ?? 'mounts', ({ verb }) => verb),
      },
    ]),
  )
  const system = compiled.get('system')
  const enforceRateLimit = createRateLimit()
  const documentation = createDocumentation(
    (mount) => compiled.get(engineType(mount))?.router.routes ?? [],
    dialect,
  )
  const requestCounts = new RequestCounts()
  const metricsPrefix = dialect.metricsPrefix
  const process = { documentation, replication, requestCounts, metricsPrefix }
  const limitByQuota = createQuotaLimit()
  const services: DispatchServices = {
    process,
    enforceRateLimit,
    limitByQuota,
    systemRoute,
    resolve,
  }

  function systemRoute(path: string): SecretsRoute | undefined {
    if (!path.startsWith('sys/')) return undefined
    return system?.router.find(path.slice('sys/'.length), '')?.route
  }

  function resolve(request: SecretsRequest): Target {
    const { world, verb, path: fullPath, namespaceHeader } = request
    if (canonicalNamespace(namespaceHeader) !== '') {
      checkNamespacesFeature(world)
      // An operation that exists only in the root namespace is refused even if the namespace in the
      // header does not exist.
      if (systemRoute(fullPath)?.first.rootOnly === true) throw refuse('unavailable-in-namespaces')
    }
    const { namespace: requested, path } = resolveNamespace(world, namespaceHeader, fullPath)
    const namespace = subjectNamespace(request, path) ?? requested
    // A path that lacks the trailing slash of a mount also finds the mount. The engine then gets an
    // empty path.
    const mount = mountOf(world, namespace, path) ?? mountOf(world, namespace, `${path}/`)
    const compiledEngine = mount === undefined ? undefined : compiled.get(engineType(mount))
    const match =
      mount === undefined
        ? undefined
        : compiledEngine?.router.find(path.slice(mount.path.length), verb)
    if (match?.route.first.rootOnly === true && namespace.id !== rootNamespace.id) {
      throw refuse('unavailable-in-namespaces')
    }
    const operation = match?.route.operations.get(verb)
    const access = operation === undefined ? undefined : effectiveAccess(operation, world)
    return { namespace, path, mount, engine: compiledEngine?.engine, match, operation, access }
  }

  /**
   * Returns the `SecretsRequest` of an HTTP request. The first call creates this object, and later
   * calls for the same world return it again: a fault may look up the operation before the request
   * is dispatched.
   */
  function requestOf(world: World, http: FastifyRequest): SecretsRequest {
    if (http.secretsRequest?.world !== world) {
      http.secretsRequest = new SecretsRequest(world, http, services)
    }
    return http.secretsRequest
  }

  return {
    dispatch(world, http) {
      const request = requestOf(world, http)
      runChecks(requestChecks, request, http.record)
      const { isHelp, token, target, wrapping, verb } = request
      const { mount } = target
      if (mount !== undefined) {
        requestCounts.count(world, verb, mount.path, http.needsNoToken && isAuthMount(mount))
      }
      if (isHelp) {
        const reader = { world, namespace: target.namespace, token }
        return bareOutcome(documentation.help(reader, target.path))
      }
      if (wrapping === undefined || wrapping.ttl === 0) return handleRequest(request)
      if (target.operation !== undefined) http.operation = wrappedOperation(target.operation)
      return wrapOutcome(handleRequest(request), request, wrapping)
    },
    find(world, http) {
      try {
        const request = requestOf(world, http)
        request.parse()
        request.resolve()
        checkEdition(request)
        return request.target.operation
      } catch (error) {
        if (error instanceof Refusal) return undefined
        throw error
      }
    },
    isUnenveloped: ({ url }) => systemRoute(requestPath(url))?.first.unenveloped === true,
    // Paths that accept any method contain no characters that need decoding, so the raw URL is
    // compared.
    acceptsAnyMethod: ({ url }) =>
      systemRoute(url.slice('/v1/'.length).replace(/\?.*/, ''))?.first.methods === 'any',
  }
}

const selfPaths: ReadonlySet<string> = new Set([
  'auth/token/lookup-self',
  'auth/token/renew-self',
  'auth/token/revoke-self',
])

const tokenPaths: ReadonlySet<string> = new Set([
  'auth/token/lookup',
  'auth/token/renew',
  'auth/token/revoke',
  'auth/token/revoke-orphan',
])

const leasePath = /^sys\/leases\/(?:lookup$|(?:renew|revoke)(?:$|\/))/

/**
 * Returns the namespace of the token or lease that a request concerns, if that namespace handles
 * the request (behaviour/secrets#namespace-header). Policies then apply to the path in that
 * namespace, not in the namespace that the header and the path name. Returns undefined for other
 * requests.
 *
 * @param path relative to the namespace that the header and the path name
 */
function subjectNamespace(request: SecretsRequest, path: string): Namespace | undefined {
  const { world, clientToken, input } = request
  if (!hasNamespaces(world)) return undefined
  if (path.startsWith('auth/token/')) {
    if (selfPaths.has(path)) return namespaceOfCaller(request)
    if (!tokenPaths.has(path)) return undefined
    const token = input['token']
    if (token === undefined) {
      return path === 'auth/token/lookup' && clientToken !== ''
        ? namespaceOfCaller(request)
        : undefined
    }
    return typeof token === 'string'
      ? findNamespaceById(world, namespaceIdOf(token.replace(/^(?:hv)?[bs]\./, '')))
      : undefined
  }
  if (!leasePath.test(path)) return undefined
  const leaseInPath = path.replace(/^sys\/leases\/[a-z]+\/?/, '')
  const lease = input['lease_id'] ?? leaseInPath
  if (typeof lease !== 'string') return undefined
  return findNamespaceById(world, namespaceIdOf(lease.slice(lease.lastIndexOf('/') + 1)))
}

function namespaceOfCaller({ world, clientToken }: SecretsRequest): Namespace | undefined {
  const token = findToken(world, clientToken)
  if (token === undefined) return undefined
  return token.namespace === rootNamespace.id
    ? rootNamespace
    : findNamespaceById(world, token.namespace)
}
