import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ParsedJson, readLongJson } from '../../state/json/long-json.ts'
import { memoize } from '../../state/kernel/memoize.ts'
import { type InParts, maxStepTime, runInTurns } from '../../state/kernel/parts.ts'
import type { JsonSchema } from '../../state/kernel/schema.ts'
import { storedSchema } from '../../state/kernel/shape/schema.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import { defaultWorldId } from '../../state/kernel/worlds/worlds.ts'
import type { Api } from '../http/api.ts'
import { connectionOf } from '../http/blocking/connection.ts'
import { hasTooManyValues, tooManyValuesError } from '../http/body-limit.ts'
import type { Operation } from '../http/declare/operation.ts'
import { InputError } from '../http/declare/validate.ts'
import { namedWorld, originOf, upToDateWorld } from '../http/journal-hooks/request-head.ts'
import { operationsDocument } from '../http/openapi/openapi-operations.ts'
import { pathBelow, readJsonBody, registerOperations } from '../http/register.ts'
import { createRouter, verbsAt } from '../http/router/router.ts'
import { listenerWorld } from '../http/sockets/listener-world.ts'
import type { ControlContext } from './context.ts'
import type { Coverage } from './coverage.ts'
import { HttpProblem, problemShape, sendProblem } from './errors.ts'
import { type InspectorFiles, redirectToPage, serveInspector, wantsPage } from './inspector.ts'
import { checkCaller, type SafetyOptions } from './safety.ts'
import { declaredDocument } from './state/document-schema.ts'
import { readDocumentBody } from './state/state-body.ts'
import { stateDocumentShape } from './state/state-shapes.ts'
import { traceSchema } from './trace/trace-schema.ts'
import { atPort } from './worlds/addresses.ts'
import type { ControlDependencies } from './worlds/control-dependencies.ts'
import { ProcessControl } from './worlds/process-control.ts'
import { provideWorld } from './worlds/process-operations.ts'
import type { WorldInfo } from './worlds/world-control.ts'

/**
 * Returns a short text for callers who open the server with a browser or curl: a description, and
 * links.
 *
 * @param origin scheme and host under which the caller reaches the server
 */
function welcome({ name, version, dialect, services }: WorldInfo, origin: string): string {
  const apis = Object.entries(services).map(([api, { url }]) => `  ${api.padEnd(9)} ${url}`)
  const endpoints = {
    ui: 'the inspector, for a browser',
    env: 'addresses and tokens, as variables that clients read',
    requests: 'what was asked, and /explain/<id> why it was answered so',
    coverage: 'every operation, and every choice that no specification makes',
    'openapi.json': 'the control plane; /openapi/<api> the others',
  }
  return [
    `${name} ${version}: a mock of these APIs, for tests; it speaks the ${dialect} dialect.`,
    '',
    ...apis,
    '',
    `The control plane is at ${origin}/_mock:`,
    '',
    ...Object.entries(endpoints).map(
      ([path, description]) => `  /_mock/${path.padEnd(12)} ${description}`,
    ),
    '',
  ].join('\n')
}

export interface ControlApiOptions extends ControlDependencies, SafetyOptions {
  /** The operations to serve: the result of `controlOperations` for the services of the process. */
  readonly operations: readonly Operation<ControlContext>[]
  /** Returns true while the fixtures are loaded and no listener is being opened or closed. */
  readonly ready: () => boolean
  /**
   * Function that returns the list of operations and choices, or only the part about one service.
   * Without this function, the list is empty.
   */
  readonly coverage?: ((service: string | undefined) => Coverage) | undefined
  /**
   * Function that returns the OpenAPI document of an API. Without this function, there are no
   * documents.
   */
  readonly serviceOpenApi?: ((service: string) => JsonSchema | undefined) | undefined
  /** The files of the inspector. Without them, there is no inspector. */
  readonly inspector?: InspectorFiles | undefined
  /** Handler that ends the process. Without it, requests to shut down are refused. */
  readonly shutdown?: (() => void) | undefined
}

const prefix = '/_mock'

/**
 * Paths whose request body is the document of a whole world, and the maximum size of such a body in
 * bytes (behaviour/program#bounds).
 */
const largeBodies = {
  paths: ['/state', '/worlds/:world/state'],
  bodyLimit: 2 * 1024 * 1024 * 1024,
}

/**
 * Maximum length in bytes of a body that is parsed without a pause. Parsing it takes a few
 * milliseconds.
 */
const maxShortBody = 1024 * 1024

/**
 * Operations whose bodies may contain a state document. The number of values in these bodies is not
 * limited.
 */
const stateOperations: ReadonlySet<string> = new Set(['importState', 'createWorld', 'provideWorld'])

/** Searches of the journal, which change nothing although their method is POST. */
const searchOperations: ReadonlySet<string> = new Set([
  'findRequests',
  'verifyRequests',
  'waitForRequests',
])

/**
 * Returns the id of the operation that a request calls; undefined if it calls none. A call on one
 * world has one id, whether its path is below `/worlds/{id}` or not.
 */
function calledOperationId({ operation }: FastifyRequest): string | undefined {
  return operation?.id.replace(/OfWorld$/, '')
}

function readBody(request: FastifyRequest): unknown {
  const { body } = request
  const operationId = calledOperationId(request)
  const isBounded = operationId !== undefined && !stateOperations.has(operationId)
  const rawBody = body instanceof ParsedJson ? body.bytes : body
  if (isBounded && isText(rawBody) && hasTooManyValues(rawBody)) throw tooManyValuesError()
  if (operationId !== 'importState') return readJsonBody(request)
  const document = readDocumentBody(request)
  // An empty object stands for a fresh world. A missing document is more likely a mistake, such as
  // an empty file.
  if ((document ?? null) === null) {
    throw new InputError(['body must be object: a state document, {} for a fresh world'])
  }
  return document
}

const isText = (body: unknown) => typeof body === 'string' || Buffer.isBuffer(body)

/**
 * Builds the control plane under `/_mock`, and the welcome page at `/`
 * (behaviour/program#control-plane).
 */
export function controlApi(options: ControlApiOptions): Api {
  const process = new ProcessControl(options)
  const openApi = memoize(() => controlOpenApi(options))
  const router = memoize(() => createRouter(options.operations, 'tree', ({ method }) => method))

  function contextOf(
    request: FastifyRequest,
    operation: Operation<ControlContext>,
    reply: FastifyReply,
  ): ControlContext {
    return {
      process,
      // `provideWorld` creates its world if the world does not exist, so its context has the
      // default world.
      world: operation === provideWorld ? process.world() : worldOf(request),
      namesWorld: namedWorld(request) !== undefined,
      origin: originFor(request),
      connection: connectionOf(request.raw, reply.raw),
      eventClient: {
        response: reply.raw,
        lastEventId: request.headers['last-event-id']?.toString(),
      },
      ready: options.ready(),
      shutdown: options.shutdown,
      coverage: (service) => options.coverage?.(service) ?? { services: [] },
      openApi,
      serviceOpenApi: (service) => options.serviceOpenApi?.(service),
    }
  }

  /**
   * Returns the origin of the addresses in a reply. A listener of one world cannot serve other
   * worlds, so requests to such a listener get the origin of the combined listener if it is open.
   */
  function originFor(request: FastifyRequest): string {
    const origin = originOf(request)
    const { control } = options.describe().ports
    const isWorldListener = listenerWorld(request.raw.socket) !== undefined
    return isWorldListener && control !== undefined ? atPort(origin, control) : origin
  }

  function worldOf(request: FastifyRequest) {
    const { world: id } = paramsOf(request)
    if (id === undefined) return process.worldControl(upToDateWorld(request, defaultWorldId))
    const world = options.worlds.get(id)
    // More jobs may have become due since `prepare` ran.
    world.runDueJobs()
    return process.worldControl(world)
  }

  /** Sends a problem with status 405 if the path supports other methods, otherwise with 404. */
  function notFound(request: FastifyRequest, reply: FastifyReply): void {
    const path = pathBelow(request, prefix)
    const methods = verbsAt(router(), path)
    const problem =
      methods.length > 0
        ? new HttpProblem(405, `${prefix}${path} takes ${methods.join(', ')} only`, {
            allow: methods.join(', '),
          })
        : new HttpProblem(404, `there is nothing at ${prefix}${path}; see ${prefix}/openapi.json`)
    sendProblem(problem, request, reply)
  }

  function welcomeReply(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    if (options.inspector !== undefined && wantsPage(request)) return redirectToPage(request, reply)
    const origin = originFor(request)
    return reply
      .type('text/plain; charset=utf-8')
      .send(welcome(worldOf(request).info(origin), origin))
  }

  function registerRoutes(app: FastifyInstance, _options: object, done: () => void): void {
    app.addHook('onRequest', (request, reply, next) => {
      reply.header('cache-control', 'no-store')
      const refusal = refusalOf(request, options)
      if (refusal !== undefined) {
        const { method, originalUrl: target } = request
        options.journals.unjournaledRequests.add({
          kind: 'refused-caller',
          detail: refusal.message,
          method,
          target,
        })
      }
      next(refusal)
    })
    app.addHook('preHandler', (request, _reply, next) => {
      const { world: id = namedWorld(request) ?? defaultWorldId } = paramsOf(request)
      const ready = runInTurns(prepare(request, options.worlds.find(id)))
      if (ready instanceof Promise) ready.then(() => next(), next)
      else next()
    })
    app.addHook('onResponse', (request, reply, next) => {
      const { method, originalUrl: target } = request
      const operationId = calledOperationId(request)
      const isChange = method !== 'GET' && method !== 'HEAD' && reply.statusCode < 400
      if (isChange && operationId !== undefined && !searchOperations.has(operationId)) {
        options.journals.unjournaledRequests.addControlCall({
          method,
          target,
          status: reply.statusCode,
        })
      }
      next()
    })
    app.removeAllContentTypeParsers()
    // Short bodies become strings, as in the four APIs. Longer bodies are parsed in parts.
    app.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (_request, body, next) => {
      next(null, body.length > maxShortBody ? body : body.toString())
    })
    app.setErrorHandler<FastifyError>(sendProblem)
    app.setNotFoundHandler(notFound)
    app.get('/', welcomeReply)
    if (options.inspector !== undefined) serveInspector(app, options.inspector)
    registerOperations(app, router, {
      context: contextOf,
      head: true,
      large: largeBodies,
      readBody,
    })
    done()
  }

  return {
    name: 'control',
    prefix,
    outsideWorlds: true,
    plugin: (app, _options, done) => {
      app.get('/', welcomeReply)
      app.register(registerRoutes, { prefix })
      done()
    },
    fail: sendProblem,
    notFound,
  }
}

function paramsOf(request: FastifyRequest): { readonly world?: string } {
  return request.params as { world?: string }
}

/**
 * Does the long work before a call of the control plane, with pauses in which other requests are
 * served: parses a long body and runs the due jobs of the world.
 */
function* prepare(request: FastifyRequest, world: World | undefined): InParts<void> {
  if (Buffer.isBuffer(request.body)) request.body = yield* readLongJson(request.body)
  while (world !== undefined && !world.runDueJobs(maxStepTime)) yield
}

/** Returns the error with which the caller is refused; undefined if the caller is accepted. */
function refusalOf(request: FastifyRequest, options: SafetyOptions): Error | undefined {
  try {
    const { protocol, headers } = request
    const path = wantsPage(request) ? '/ui' : pathBelow(request, prefix)
    checkCaller({ path, protocol, headers }, options)
    return undefined
  } catch (error) {
    if (error instanceof HttpProblem) return error
    throw error
  }
}

function controlOpenApi({ describe, worlds, operations }: ControlApiOptions): JsonSchema {
  return operationsDocument(operations, {
    title: 'Control plane',
    version: describe().version,
    description: 'Controls the worlds of a running understudy.',
    basePath: prefix,
    failure: { mediaType: 'application/problem+json', schema: storedSchema(problemShape) },
    schemas: { StateDocument: declaredDocument(worlds.services), Trace: traceSchema },
    componentNames: new Map([[stateDocumentShape, 'StateDocument']]),
    securitySchemes: {
      controlToken: {
        type: 'http',
        scheme: 'bearer',
        description: 'Required if one is configured',
      },
    },
  })
}
