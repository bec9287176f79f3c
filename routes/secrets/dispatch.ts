import type { FastifyRequest } from 'fastify'
import { quoteGo } from '../../state/kernel/go-text.ts'
import type { JsonObject } from '../../state/kernel/json.ts'
import type { World } from '../../state/kernel/world.ts'
import { type AccessRequest, allows } from '../../state/secrets/acl.ts'
import { type Mount, mountOf } from '../../state/secrets/mounts.ts'
import {
  canonicalNamespace,
  type Namespace,
  resolveNamespace,
  rootNamespace,
} from '../../state/secrets/namespaces.ts'
import { optionsOf } from '../../state/secrets/options.ts'
import {
  aclDenied,
  invalid,
  refusal,
  tokenRefused,
  unsupportedOperation,
  unsupportedPath,
} from '../../state/secrets/refusals.ts'
import { isSealed } from '../../state/secrets/seal.ts'
import { authenticate, spendUse, type Token } from '../../state/secrets/tokens.ts'
import { contentTypeOf } from '../http/content-type.ts'
import { apiHeader } from './dialect.ts'
import { FieldError, fieldErrorText } from './fields.ts'
import { helpOutcome } from './help.ts'
import type { Call, Engine, Operation, PathRow, RequestFacts, Verb } from './operation.ts'
import type { Outcome } from './outcome.ts'
import { withParameterWarnings } from './parameter-warnings.ts'
import { compilePaths, type PathMatch } from './paths.ts'
import {
  bodyFields,
  checkPatchType,
  type ParsedRequest,
  parseRequest,
  queryFields,
  requestPath,
  wrapTtlOf,
} from './request.ts'

/** An engine with its paths compiled: once for each process, whatever is mounted where. */
interface CompiledEngine {
  readonly engine: Engine
  readonly match: (path: string) => PathMatch | undefined
}

/** What a request turned out to be about. */
interface Target {
  readonly namespace: Namespace
  readonly verb: Verb
  /** From the namespace. */
  readonly path: string
  readonly mount: Mount | undefined
  readonly engine: Engine | undefined
  readonly found: PathMatch | undefined
  readonly operation: Operation | undefined
}

/** The parts of a call that are known before it is let in. */
type CallBase = Pick<Call, 'world' | 'input' | 'token' | 'request'> & {
  /** Seconds for which the answer is to be wrapped; undefined when it is not. */
  readonly wrapTtl: number | undefined
}

/** Everything between HTTP and the engines. */
export interface Dispatcher {
  /** Answers a request of the secrets API. */
  dispatch(world: World, request: FastifyRequest): Outcome | Promise<Outcome>
  /** Whether a request goes to a bare endpoint, which words the failures of its body itself. */
  isBare(request: FastifyRequest): boolean
}

/**
 * Builds the dispatcher over the engines a process knows. The order of checks is that of
 * 1-secrets-decisions.md section 1: body (and wrapping header), sealed, path, namespace, open path,
 * token, ACL, route, method, fields, handler.
 */
export function createDispatch(
  engines: readonly Engine[],
  engineType: (mount: Mount) => string,
): Dispatcher {
  const compiled = new Map<string, CompiledEngine>(
    engines.map((engine) => [engine.type, { engine, match: compilePaths(engine.paths) }]),
  )
  const system = compiled.get('system')

  /** The system's own path, known before namespace and mounts are: for the checks before them. */
  function systemRow(path: string): PathRow | undefined {
    return path.startsWith('sys/') ? system?.match(path.slice('sys/'.length))?.row : undefined
  }

  function locate(world: World, request: FastifyRequest, parsed: ParsedRequest): Target {
    const { verb } = parsed
    const header = apiHeader(request.headers, 'namespace') ?? ''
    if (canonicalNamespace(header) !== '' && optionsOf(world).edition === 'community') {
      throw refusal('denied', 'namespaces feature not enabled')
    }
    const { namespace, path } = resolveNamespace(world, header, parsed.path)
    const mount = mountOf(world, namespace, path)
    const at = mount === undefined ? undefined : compiled.get(engineType(mount))
    const found = mount === undefined ? undefined : at?.match(path.slice(mount.path.length))
    if (found?.row.rootOnly === true && namespace.id !== rootNamespace.id) {
      throw invalid('operation unavailable in namespaces')
    }
    const operation = found?.row.operations[verb]
    return { namespace, verb, path, mount, engine: at?.engine, found, operation }
  }

  function dispatch(world: World, request: FastifyRequest): Outcome | Promise<Outcome> {
    const parsed = parseRequest(request)
    const { verb, help } = parsed
    // Help is the same for every path: what is special about one does not count then.
    const early = help ? undefined : systemRow(parsed.path)
    const bare = early?.bare === true
    if (bare ? !offers(early, verb, request.method) : request.method === 'HEAD') {
      throw refusal('unsupported', 'method not allowed', { bare: true })
    }
    const input = inputOf(request, parsed, bare)
    const wrapTtl = bare ? undefined : wrapTtlOf(apiHeader(request.headers, 'wrap-ttl'))
    if (optionsOf(world).require_request_header) checkRequestHeader(request)
    const worksSealed = bare && early.operations[verb]?.open === true
    if (!worksSealed && isSealed(world)) throw refusal('unavailable', 'Service is sealed')
    if (verb === 'write' && parsed.path.endsWith('/')) {
      throw invalid("cannot write to a path ending in '/'")
    }
    const target = locate(world, request, parsed)
    if (help) {
      enter(world, request)
      return helpOutcome(target.path, target.mount, target.engine)
    }
    const { operation } = target
    request.operation = operation
    const token = operation?.open === true ? undefined : enter(world, request)
    const base: CallBase = { world, input, token, request: new FastifyFacts(request), wrapTtl }
    if (token !== undefined && operation?.anyToken !== true) {
      if (!allows(world, token, accessOf(base, target))) throw aclDenied()
    }
    return answer(base, target)
  }

  return { dispatch, isBare: ({ url }) => systemRow(requestPath(url))?.bare === true }
}

function inputOf(
  request: FastifyRequest,
  { verb, query }: ParsedRequest,
  bare: boolean,
): JsonObject {
  if (verb !== 'write' && verb !== 'patch') return queryFields(query)
  const contentType = contentTypeOf(request.raw)
  if (verb === 'patch') checkPatchType(contentType)
  return bodyFields(request.body as string | undefined, contentType, bare)
}

/** Whether a path has an operation for a verb; HEAD only where it says so. */
function offers({ operations }: PathRow, verb: Verb, method: string): boolean {
  const operation = operations[verb]
  return operation !== undefined && (method !== 'HEAD' || operation.head === true)
}

function checkRequestHeader(request: FastifyRequest): void {
  if (apiHeader(request.headers, 'request') !== 'true') {
    throw refusal('precondition', 'missing "X-Secrets-Request" header')
  }
}

/** Knows the caller and counts the call (1-secrets-decisions.md section 1, Token). */
function enter(world: World, request: FastifyRequest): Token {
  const text = apiHeader(request.headers, 'token') || bearer(request)
  if (!text) throw tokenRefused()
  const token = authenticate(world, text)
  spendUse(world, token)
  return token
}

const bearerScheme = 'Bearer '

/** The first bearer token among the values of `Authorization`, of which Node keeps only the first. */
function bearer({ headers: { authorization }, raw }: FastifyRequest): string | undefined {
  if (authorization === undefined) return undefined
  const value = authorization.startsWith(bearerScheme)
    ? authorization
    : raw.rawHeaders.find(
        (text, at, all) =>
          at % 2 === 1 &&
          text.startsWith(bearerScheme) &&
          all[at - 1]?.toLowerCase() === 'authorization',
      )
  return value?.slice(bearerScheme.length).trim()
}

function accessOf(base: CallBase, target: Target): AccessRequest {
  const { namespace, verb, path, operation } = target
  return {
    operation: verb === 'write' ? writeCapability(base, target) : verb,
    path: namespace.path + path,
    sudo: operation?.sudo ?? false,
    input: base.input,
    wrapTtl: base.wrapTtl,
  }
}

/** Whether a write creates or updates: only paths with an existence check can create. */
function writeCapability(base: CallBase, { mount, found, ...target }: Target): 'create' | 'update' {
  const exists = found?.row.exists
  if (exists === undefined || mount === undefined) return 'update'
  return exists(callOf(base, target, mount, found, undefined)) ? 'update' : 'create'
}

function answer(base: CallBase, target: Target): Outcome | Promise<Outcome> {
  const { path, mount, engine, found, operation } = target
  if (mount === undefined) {
    throw refusal('absent', `no handler for route ${quoteGo(path)}. route entry not found.`)
  }
  if (found === undefined) {
    if (engine?.unmatched === undefined) throw unsupportedPath()
    return engine.unmatched(callOf(base, target, mount, undefined, undefined))
  }
  if (operation === undefined) throw unsupportedOperation()
  const call = callOf(base, target, mount, found, convert(operation, found.row, base.input))
  // Reads and lists write nothing, so they need no transaction around them.
  const outcome =
    target.verb === 'read' || target.verb === 'list'
      ? operation.run(call)
      : base.world.write(() => operation.run(call))
  return outcome instanceof Promise
    ? outcome.then((settled) => withParameterWarnings(settled, operation, found, base.input))
    : withParameterWarnings(outcome, operation, found, base.input)
}

function convert(operation: Operation, row: PathRow, input: JsonObject): unknown {
  try {
    return operation.convert(input)
  } catch (error) {
    if (!(error instanceof FieldError)) throw error
    throw invalid(fieldErrorText(error, row.exists !== undefined))
  }
}

function callOf(
  { world, input, token, request }: CallBase,
  { namespace, verb, path }: Pick<Target, 'namespace' | 'verb' | 'path'>,
  mount: Mount,
  found: PathMatch | undefined,
  fields: unknown,
): Call {
  const params = found?.params ?? {}
  return { world, namespace, verb, mount, path, params, fields, input, token, request }
}

/** What handlers see of a Fastify request. A class, because a literal with a getter is slow to make. */
class FastifyFacts implements RequestFacts {
  readonly #request: FastifyRequest

  constructor(request: FastifyRequest) {
    this.#request = request
  }

  get id(): string {
    return this.#request.id
  }

  get method(): string {
    return this.#request.method
  }

  get origin(): string {
    return this.#request.worldOrigin
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name]
    return typeof value === 'string' ? value : value?.[0]
  }
}
