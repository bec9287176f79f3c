import type { FastifyRequest } from 'fastify'
import { Refusal } from '../../../state/kernel/refusal.ts'
import type { Deferred } from '../../../state/kernel/worlds/deferred.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { type Mount, mountOf } from '../../../state/secrets/mounts/mounts.ts'
import {
  canonicalNamespace,
  checkNamespacesFeature,
  resolveNamespace,
  rootNamespace,
} from '../../../state/secrets/namespaces/namespaces.ts'
import { optionsOf, usesIndexStates } from '../../../state/secrets/options.ts'
import { allows } from '../../../state/secrets/policies/acl.ts'
import { isDrSecondary, isPaused } from '../../../state/secrets/replication/modes.ts'
import { isSealed } from '../../../state/secrets/seal/seal.ts'
import { isTokenValidIn } from '../../../state/secrets/tokens/rows.ts'
import { createRouter } from '../../http/router/router.ts'
import type { Router } from '../../http/router/routes.ts'
import { originalVerb } from '../../http/sockets/extra-verbs.ts'
import { apiHeader, type SecretsDialect } from '../dialect/dialect.ts'
import { withNeutralFields } from '../dialect/vendor-names.ts'
import { createDocumentation } from '../documents/documentation.ts'
import { bare as bareOutcome, type SecretsOutcome } from '../envelope/outcome.ts'
import { refuse } from '../messages.ts'
import {
  type Call,
  type Engine,
  effectiveAccess,
  type SecretsOperation,
  type SecretsPlace,
  type Verb,
} from '../operation.ts'
import type { Replication } from '../replication/replication.ts'
import { authenticate, headerToken } from './caller.ts'
import {
  accessRequestOf,
  type CallBase,
  handleRequest,
  needsNoToken,
  prepareCall,
  type Target,
  wrapOutcome,
  wrappedOperation,
} from './handle-request.ts'
import { createRateLimit } from './rate-limit.ts'
import {
  checkIndexState,
  checkRequestHeader,
  FastifyRequestInfo,
  isBodyless,
  type ParsedRequest,
  parseRequest,
  requestFields,
  requestPath,
  wrappingOf,
} from './request.ts'

/** An engine with its paths compiled: once for each process, whatever is mounted where. */
interface CompiledEngine {
  readonly engine: Engine
  readonly router: Router<SecretsOperation>
}

/** Everything between HTTP and the engines. */
interface Dispatcher {
  /** Answers a request of the secrets API; inside `world.request`. */
  dispatch(world: World, request: FastifyRequest): SecretsOutcome | Deferred<SecretsOutcome>
  /** Returns the operation that a request names, whether or not it may be called. */
  find(world: World, request: FastifyRequest): SecretsOperation | undefined
  /**
   * Tells whether a request goes to a bare endpoint, which words the failures of its body itself.
   */
  isUnenveloped(request: FastifyRequest): boolean
  /** Tells whether a request goes to an endpoint that takes every verb for a write. */
  acceptsAnyVerb(request: FastifyRequest): boolean
}

/**
 * Builds the dispatcher over the engines a process knows. The order of checks is that of
 * behaviour/secrets#order-of-checks: body (and wrapping header), sealed, path, DR gate, namespace, open
 * path, token, ACL, route, method, fields, handler. Bare endpoints: verb, sealed, body.
 */
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
  const countRequest = createRateLimit()
  const documentation = createDocumentation(
    (mount) => compiled.get(engineType(mount))?.router.routes ?? [],
    dialect,
  )
  const process = { documentation, replication }

  /** The system's own path, known before namespace and mounts are: for the checks before them. */
  function systemPlace(path: string): SecretsPlace | undefined {
    if (!path.startsWith('sys/')) return undefined
    return system?.router.find(path.slice('sys/'.length), '')?.route
  }

  function acceptsAnyVerb(path: string): boolean {
    return systemPlace(path)?.first.acceptsAnyVerb === true
  }

  function locate(world: World, request: FastifyRequest, parsed: ParsedRequest): Target {
    const { verb } = parsed
    const header = apiHeader(request.headers, 'namespace') ?? ''
    if (canonicalNamespace(header) !== '') {
      checkNamespacesFeature(world)
      // The header alone decides: no namespace has these, one that does not exist neither.
      if (systemPlace(parsed.path)?.first.rootOnly === true)
        throw refuse('unavailable-in-namespaces')
    }
    const { namespace, path } = resolveNamespace(world, header, parsed.path)
    // A mount named without its slash is found, and its engine answers for its empty path.
    const mount = mountOf(world, namespace, path) ?? mountOf(world, namespace, `${path}/`)
    const at = mount === undefined ? undefined : compiled.get(engineType(mount))
    const match =
      mount === undefined ? undefined : at?.router.find(path.slice(mount.path.length), verb)
    if (match?.route.first.rootOnly === true && namespace.id !== rootNamespace.id) {
      throw refuse('unavailable-in-namespaces')
    }
    if (match?.route.first.enterprise === true && optionsOf(world).edition === 'community') {
      throw refuse('enterprise-only')
    }
    const operation = match?.route.operations.get(verb)
    return { namespace, verb, path, mount, engine: at?.engine, match, operation }
  }

  function dispatch(
    world: World,
    request: FastifyRequest,
  ): SecretsOutcome | Deferred<SecretsOutcome> {
    const parsedRequest = parseRequest(request, acceptsAnyVerb)
    const options = optionsOf(world)
    if (options.rateLimit > 0 && !isSealed(world)) {
      countRequest(world, parsedRequest.path, options.rateLimit)
    }
    // Help is the same for every path: what is special about one does not count then.
    const systemMatch = parsedRequest.help ? undefined : systemPlace(parsedRequest.rawPath)
    const bare = systemMatch?.first.unenveloped === true
    const effectiveRequest = bare
      ? toUnenvelopedRequest(parsedRequest, systemMatch, request)
      : parsedRequest
    const { verb, help } = effectiveRequest
    if (bare || systemMatch?.first.checksVerbFirst === true) {
      if (!supportsVerb(systemMatch, verb, request.method)) throw refuse('method-not-allowed')
    } else if (request.method === 'HEAD') throw refuse('method-not-allowed')
    const systemOperation = systemMatch?.operations.get(verb)
    request.operation = systemOperation
    const isUnavailable =
      systemOperation?.worksWhileSealed !== true && (isSealed(world) || isPaused(world, options))
    if (bare && isUnavailable) throw refuse('sealed')
    const input = help
      ? {}
      : requestFields(request, effectiveRequest, bare ? systemOperation : undefined)
    const requestedWrapping = bare ? undefined : wrappingOf(request)
    if (options.require_request_header) checkRequestHeader(request)
    if (isUnavailable) throw refuse('sealed')
    if ((verb === 'write' || verb === 'patch') && effectiveRequest.path.endsWith('/') && !help) {
      throw refuse('write-to-folder')
    }
    const onSecondary = isDrSecondary(world)
    // A secondary makes no tokens, wrapping ones neither: its data are the primary's.
    const wrapping = onSecondary ? undefined : requestedWrapping
    if (onSecondary) {
      replication.follow(world)
      if (systemOperation?.onSecondary !== true || help) {
        throw refuse('disabled-on-secondary')
      }
    }
    if (options.indexHeaders && !bare && usesIndexStates(world, options))
      checkIndexState(world, request)
    const target = locate(world, request, effectiveRequest)
    if (help) {
      const token = authenticate(world, headerToken(request), request.ip)
      const reader = { world, namespace: target.namespace, token }
      return bareOutcome(documentation.help(reader, target.path))
    }
    const { operation } = target
    request.operation = operation
    const requestInfo = new FastifyRequestInfo(request)
    request.needsNoToken = needsNoToken(target, world)
    const unauthenticatedCall = { world, input, request: requestInfo }
    // Some paths look at the token before they say that they do not offer the verb.
    const { resolveToken, precheck: vets } = operation ?? target.match?.route.first ?? {}
    if (operation === undefined) vets?.(unauthenticatedCall)
    const token = request.needsNoToken
      ? undefined
      : authenticate(
          world,
          resolveToken?.(unauthenticatedCall) ?? requestInfo.clientToken,
          request.ip,
        )
    if (request.record !== undefined) request.record.caller = token
    if (token !== undefined && resolveToken === undefined) {
      if (!isTokenValidIn(target.namespace, token)) throw refuse('acl-denied')
    }
    const fields = target.engine?.hasVendorFields === true ? withNeutralFields(input) : input
    const base: CallBase = {
      world,
      input: fields,
      rawInput: input,
      hasNoBody: isBodyless(request),
      isSystemPath: effectiveRequest.path.startsWith('sys/'),
      token,
      request: requestInfo,
      wrapping,
      process,
    }
    let prepared: Call | undefined
    if (
      token !== undefined &&
      (operation === undefined || effectiveAccess(operation, world) !== 'token')
    ) {
      prepared = prepareCall(base, target)
      const access = accessRequestOf(base, target, prepared)
      if (!allows(world, token, access)) throw refuse('acl-denied').withDetails({ access })
    }
    if (wrapping === undefined || wrapping.ttl === 0) return handleRequest(base, target, prepared)
    if (operation !== undefined) request.operation = wrappedOperation(operation)
    return wrapOutcome(handleRequest(base, target, prepared), world, wrapping, target)
  }

  function find(world: World, request: FastifyRequest): SecretsOperation | undefined {
    try {
      const parsedRequest = parseRequest(request, acceptsAnyVerb)
      const systemMatch = systemPlace(parsedRequest.rawPath)
      const effectiveRequest =
        systemMatch?.first.unenveloped === true
          ? toUnenvelopedRequest(parsedRequest, systemMatch, request)
          : parsedRequest
      return locate(world, request, effectiveRequest).operation
    } catch (error) {
      if (error instanceof Refusal) return undefined
      throw error
    }
  }

  return {
    dispatch,
    find,
    isUnenveloped: ({ url }) => systemPlace(requestPath(url))?.first.unenveloped === true,
    // Such paths have nothing in them that is encoded.
    acceptsAnyVerb: ({ url }) => acceptsAnyVerb(url.slice('/v1/'.length).replace(/\?.*/, '')),
  }
}

/**
 * The request as a bare endpoint sees it: `list=true` says nothing to it, only the verb LIST does,
 * and to some every verb is a write.
 */
function toUnenvelopedRequest(
  parsed: ParsedRequest,
  { first }: SecretsPlace,
  { raw }: FastifyRequest,
): ParsedRequest {
  const { verb, rawPath: path } = parsed
  if (first.acceptsAnyVerb === true) return { ...parsed, verb: 'write', path }
  const lists = verb === 'list' && originalVerb(raw) !== 'LIST'
  return { ...parsed, verb: lists ? 'read' : verb, path }
}

/** Tells whether a path has an operation for a verb; HEAD only where it says so. */
function supportsVerb(place: SecretsPlace | undefined, verb: Verb, method: string): boolean {
  const operation = place?.operations.get(verb)
  if (operation === undefined) return false
  return method !== 'HEAD' || operation.supportsHead === true || operation.acceptsAnyVerb === true
}
