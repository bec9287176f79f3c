import type { FastifyRequest } from 'fastify'
import type { Deferred } from '../../../state/kernel/meanwhile.ts'
import { Refusal } from '../../../state/kernel/refusal.ts'
import type { World } from '../../../state/kernel/world.ts'
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
import { originalVerb } from '../../http/extra-verbs.ts'
import { createRouter } from '../../http/router.ts'
import type { Router } from '../../http/routing.ts'
import { apiHeader, type SecretsDialect } from '../dialect/dialect.ts'
import { withNeutralFields } from '../dialect/vendor-names.ts'
import { createDocumentation } from '../documents/documentation.ts'
import { bare as bareOutcome, type SecretsOutcome } from '../envelope/outcome.ts'
import {
  type Call,
  type Engine,
  effectiveAccess,
  type SecretsOperation,
  type SecretsPlace,
  type Verb,
} from '../operation.ts'
import type { Replication } from '../replication/replication.ts'
import { refuse } from '../texts.ts'
import {
  accessOf,
  answer,
  type CallBase,
  needsNoToken,
  preparedCall,
  type Target,
  wrapAnswer,
  wrappedOperation,
} from './answer.ts'
import { authenticate, headerToken } from './caller.ts'
import { createRateLimit } from './rate-limit.ts'
import {
  checkIndexState,
  checkRequestHeader,
  FastifyFacts,
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
  isBare(request: FastifyRequest): boolean
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
    const found =
      mount === undefined ? undefined : at?.router.find(path.slice(mount.path.length), verb)
    if (found?.route.first.rootOnly === true && namespace.id !== rootNamespace.id) {
      throw refuse('unavailable-in-namespaces')
    }
    if (found?.route.first.enterprise === true && optionsOf(world).edition === 'community') {
      throw refuse('enterprise-only')
    }
    const operation = found?.route.operations.get(verb)
    return { namespace, verb, path, mount, engine: at?.engine, found, operation }
  }

  function dispatch(
    world: World,
    request: FastifyRequest,
  ): SecretsOutcome | Deferred<SecretsOutcome> {
    const sent = parseRequest(request, acceptsAnyVerb)
    const options = optionsOf(world)
    if (options.rateLimit > 0 && !isSealed(world)) {
      countRequest(world, sent.path, options.rateLimit)
    }
    // Help is the same for every path: what is special about one does not count then.
    const early = sent.help ? undefined : systemPlace(sent.sentPath)
    const bare = early?.first.unenveloped === true
    const parsed = bare ? asBare(sent, early, request) : sent
    const { verb, help } = parsed
    if (bare || early?.first.checksVerbFirst === true) {
      if (!offers(early, verb, request.method)) throw refuse('method-not-allowed')
    } else if (request.method === 'HEAD') throw refuse('method-not-allowed')
    const first = early?.operations.get(verb)
    request.operation = first
    const closed = first?.worksWhileSealed !== true && (isSealed(world) || isPaused(world, options))
    if (bare && closed) throw refuse('sealed')
    const input = help ? {} : requestFields(request, parsed, bare ? first : undefined)
    const asked = bare ? undefined : wrappingOf(request)
    if (options.require_request_header) checkRequestHeader(request)
    if (closed) throw refuse('sealed')
    if ((verb === 'write' || verb === 'patch') && parsed.path.endsWith('/') && !help) {
      throw refuse('write-to-folder')
    }
    const secondary = isDrSecondary(world)
    // A secondary makes no tokens, wrapping ones neither: its data are the primary's.
    const wrapping = secondary ? undefined : asked
    if (secondary) {
      replication.follow(world)
      if (first?.onSecondary !== true || help) {
        throw refuse('disabled-on-secondary')
      }
    }
    if (options.indexHeaders && !bare && usesIndexStates(world, options))
      checkIndexState(world, request)
    const target = locate(world, request, parsed)
    if (help) {
      const token = authenticate(world, headerToken(request), request.ip)
      const reader = { world, namespace: target.namespace, token }
      return bareOutcome(documentation.help(reader, target.path))
    }
    const { operation } = target
    request.operation = operation
    const facts = new FastifyFacts(request)
    request.needsNoToken = needsNoToken(target, world)
    const facing = { world, input, request: facts }
    // Some paths look at the token before they say that they do not offer the verb.
    const { resolveToken, precheck: vets } = operation ?? target.found?.route.first ?? {}
    if (operation === undefined) vets?.(facing)
    const token = request.needsNoToken
      ? undefined
      : authenticate(world, resolveToken?.(facing) ?? facts.clientToken, request.ip)
    if (request.record !== undefined) request.record.caller = token
    if (token !== undefined && resolveToken === undefined) {
      if (!isTokenValidIn(target.namespace, token)) throw refuse('acl-denied')
    }
    const fields = target.engine?.hasVendorFields === true ? withNeutralFields(input) : input
    const base: CallBase = {
      world,
      input: fields,
      sent: input,
      bodyless: isBodyless(request),
      direct: parsed.path.startsWith('sys/'),
      token,
      request: facts,
      wrapping,
      process,
    }
    let prepared: Call | undefined
    if (
      token !== undefined &&
      (operation === undefined || effectiveAccess(operation, world) !== 'token')
    ) {
      prepared = preparedCall(base, target)
      const access = accessOf(base, target, prepared)
      if (!allows(world, token, access)) throw refuse('acl-denied').withDetails({ access })
    }
    if (wrapping === undefined || wrapping.ttl === 0) return answer(base, target, prepared)
    if (operation !== undefined) request.operation = wrappedOperation(operation)
    return wrapAnswer(answer(base, target, prepared), world, wrapping, target)
  }

  function find(world: World, request: FastifyRequest): SecretsOperation | undefined {
    try {
      const sent = parseRequest(request, acceptsAnyVerb)
      const early = systemPlace(sent.sentPath)
      const parsed = early?.first.unenveloped === true ? asBare(sent, early, request) : sent
      return locate(world, request, parsed).operation
    } catch (error) {
      if (error instanceof Refusal) return undefined
      throw error
    }
  }

  return {
    dispatch,
    find,
    isBare: ({ url }) => systemPlace(requestPath(url))?.first.unenveloped === true,
    // Such paths have nothing in them that is encoded.
    acceptsAnyVerb: ({ url }) => acceptsAnyVerb(url.slice('/v1/'.length).replace(/\?.*/, '')),
  }
}

/**
 * The request as a bare endpoint sees it: `list=true` says nothing to it, only the verb LIST does,
 * and to some every verb is a write.
 */
function asBare(
  parsed: ParsedRequest,
  { first }: SecretsPlace,
  { raw }: FastifyRequest,
): ParsedRequest {
  const { verb, sentPath: path } = parsed
  if (first.acceptsAnyVerb === true) return { ...parsed, verb: 'write', path }
  const lists = verb === 'list' && originalVerb(raw) !== 'LIST'
  return { ...parsed, verb: lists ? 'read' : verb, path }
}

/** Tells whether a path has an operation for a verb; HEAD only where it says so. */
function offers(place: SecretsPlace | undefined, verb: Verb, method: string): boolean {
  const operation = place?.operations.get(verb)
  if (operation === undefined) return false
  return method !== 'HEAD' || operation.supportsHead === true || operation.acceptsAnyVerb === true
}
