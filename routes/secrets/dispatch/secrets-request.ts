import { TLSSocket } from 'node:tls'
import type { FastifyRequest } from 'fastify'
import { parseGoBoolean } from '../../../state/go/booleans.ts'
import type { JsonObject } from '../../../state/kernel/json.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { Mount } from '../../../state/secrets/mounts/mounts.ts'
import { type Namespace, rootNamespace } from '../../../state/secrets/namespaces/namespaces.ts'
import type { Token } from '../../../state/secrets/tokens/tokens.ts'
import type { RouteMatch } from '../../http/router/routes.ts'
import { connectionOf } from '../../http/sockets/client-socket.ts'
import { originalVerb } from '../../http/sockets/extra-verbs.ts'
import { apiHeader } from '../dialect/dialect.ts'
import type { FieldError } from '../fields/fields.ts'
import { refuse } from '../messages.ts'
import type {
  Call,
  Engine,
  ProcessServices,
  RequestInfo,
  SecretsAccess,
  SecretsOperation,
  SecretsRoute,
  Verb,
  Wrapping,
} from '../operation.ts'
import { headerToken } from './caller.ts'
import type { LimitByQuota, QuotaHeaders } from './quota-limit.ts'
import type { EnforceRateLimit } from './rate-limit.ts'
import { firstValue, type Query, requestPath, verbOf } from './request.ts'

/**
 * The namespace, mount, engine, route and operation that a request addresses, as far as they exist.
 */
export interface Target {
  readonly namespace: Namespace
  /** Path relative to the namespace. */
  readonly path: string
  readonly mount: Mount | undefined
  readonly engine: Engine | undefined
  readonly match: RouteMatch<SecretsOperation> | undefined
  readonly operation: SecretsOperation | undefined
  /** Access that the operation requires in the world; undefined without an operation. */
  readonly access: SecretsAccess | undefined
}

const unresolvedTarget: Target = {
  namespace: rootNamespace,
  path: '',
  mount: undefined,
  engine: undefined,
  match: undefined,
  operation: undefined,
  access: undefined,
}

/** The parts of a dispatcher that the checks of a request use. */
export interface DispatchServices {
  /** The services that handlers receive. */
  readonly process: ProcessServices
  readonly enforceRateLimit: EnforceRateLimit
  readonly limitByQuota: LimitByQuota
  /**
   * Returns the route of a path below `sys/`; undefined for other paths and if no route matches.
   * Called before the namespace and the mount are known.
   */
  systemRoute(path: string): SecretsRoute | undefined
  /**
   * Returns the target of a request. Refuses a namespace that the request cannot use. Also refuses
   * an operation that exists only in the root namespace if the request names another namespace.
   */
  resolve(request: SecretsRequest): Target
}

/** A request before its operation runs. Each check stores its results in members of the request. */
export class SecretsRequest implements RequestInfo {
  readonly world: World
  readonly http: FastifyRequest
  readonly services: DispatchServices
  readonly method: string
  readonly headers: FastifyRequest['headers']
  readonly query: Query
  readonly clientToken: string
  /** True once `parse` has set the verb and the path. */
  #isParsed = false
  verb: Verb = 'read'
  /** Decoded path below `/v1/`. The path of a list ends with a slash, except at bare endpoints. */
  path = ''
  /** True when the caller asks for help instead of calling the operation. */
  isHelp = false
  /**
   * The route of a path below `sys/`. Undefined for other paths. Also undefined for help requests,
   * which are handled in the same way on every path.
   */
  systemRoute: SecretsRoute | undefined
  systemOperation: SecretsOperation | undefined
  /**
   * Whether the path is a bare endpoint, which has its own messages for invalid bodies. False for
   * help requests.
   */
  isUnenveloped = false
  /** Whether the path refuses a wrong verb before the seal and the body are checked. */
  isVerbCheckedFirst = false
  /**
   * The fields from the body or, for reads, lists and deletes, from the query, under the names that
   * the caller used.
   */
  input: JsonObject = {}
  wrapping: Wrapping | undefined
  /**
   * Headers about the rate limit quota that applies to the request; undefined if replies do not
   * contain such headers.
   */
  quotaHeaders: QuotaHeaders | undefined
  target = unresolvedTarget
  /**
   * Token of the caller. Undefined until the token is checked, and on paths that require no token.
   */
  token: Token | undefined
  /**
   * The fields of `input` under the specification's names, if the engine has vendor names for its
   * fields; otherwise as sent. Empty until access is checked.
   */
  neutralInput: JsonObject = {}
  /** The fields after conversion, as handlers receive them. */
  values: unknown
  /**
   * Error of the first field that could not be converted. Undefined before the conversion and if
   * every field was converted.
   */
  fieldError: FieldError | undefined
  /**
   * The call of the operation. Access checks build it early for operations with an existence check.
   */
  call: Call | undefined

  constructor(world: World, http: FastifyRequest, services: DispatchServices) {
    this.world = world
    this.http = http
    this.services = services
    this.method = http.method
    this.headers = http.headers
    this.query = http.query as Query
    this.clientToken = headerToken(http)
  }

  get id(): string {
    return this.http.id
  }

  get peer(): string {
    return this.http.ip
  }

  get clientCertificate(): string | undefined {
    const socket = connectionOf(this.http.raw.socket)
    if (!(socket instanceof TLSSocket)) return undefined
    return socket.getPeerX509Certificate()?.toString() ?? ''
  }

  get origin(): string {
    return this.http.worldOrigin
  }

  header(name: string): string | undefined {
    return firstValue(this.headers[name])
  }

  /** Value of the namespace header; empty if it is missing. */
  get namespaceHeader(): string {
    return apiHeader(this.headers, 'namespace') ?? ''
  }

  /**
   * Parses the verb and the path. Throws a refusal for a relative path, an invalid escape, an
   * unknown method or an invalid `list`. After a successful call, further calls have no effect.
   */
  parse(): void {
    if (this.#isParsed) return
    const { method, query } = this
    const path = requestPath(this.http.url)
    if (path.includes('..') && path.split('/').includes('..')) throw refuse('path-relative')
    const systemRoute = this.services.systemRoute(path)
    const takesAnyMethod = systemRoute?.first.methods === 'any'
    const verb = verbOf(method, takesAnyMethod)
    const list = method === 'GET' ? firstValue(query['list']) : undefined
    const lists = list === undefined || list === '' ? false : parseGoBoolean(list)
    if (lists === undefined) throw refuse('list-no-boolean')
    const help = firstValue(query['help'])
    this.isHelp = help !== undefined && help !== ''
    // Help requests are handled in the same way on every path, so the route of the path has no
    // effect on them.
    if (!this.isHelp) this.systemRoute = systemRoute
    this.isUnenveloped = this.systemRoute?.first.unenveloped === true
    this.isVerbCheckedFirst =
      this.isUnenveloped || this.systemRoute?.first.methods === 'checked-first'
    if (this.isUnenveloped) {
      // Bare endpoints ignore `list=true`. There, only the method LIST makes a request a list.
      const isList = lists && originalVerb(this.http.raw) === 'LIST'
      this.verb = takesAnyMethod ? 'write' : isList ? 'list' : verb
      this.path = path
    } else {
      this.verb = lists ? 'list' : verb
      this.path = lists && !path.endsWith('/') ? `${path}/` : path
    }
    this.systemOperation = operationFor(this.systemRoute, this.verb, method)
    this.#isParsed = true
  }

  /**
   * Finds the namespace, mount and operation, and stores them in `target`. See
   * `DispatchServices.resolve` for the refusals.
   */
  resolve(): void {
    this.target = this.services.resolve(this)
  }
}

/**
 * Returns the operation of a route for a verb; undefined if there is none. For HEAD, returns an
 * operation only if it supports HEAD.
 */
function operationFor(route: SecretsRoute | undefined, verb: Verb, method: string) {
  const operation = route?.operations.get(verb)
  if (method !== 'HEAD') return operation
  return operation?.methods === 'head' || operation?.methods === 'any' ? operation : undefined
}
