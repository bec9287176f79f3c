import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { memoize } from '../../state/kernel/memoize.ts'
import type { JsonSchema } from '../../state/kernel/schema.ts'
import { storedSchema } from '../../state/kernel/shape/schema.ts'
import { defaultWorldId } from '../../state/kernel/worlds/worlds.ts'
import type { Api } from '../http/api.ts'
import { connectionOf } from '../http/blocking/connection.ts'
import { hasTooManyValues, tooManyValues } from '../http/body-limit.ts'
import type { Operation } from '../http/declare/operation.ts'
import { originOf, upToDateWorld } from '../http/journal-hooks/request-head.ts'
import { operationsDocument } from '../http/openapi/openapi-operations.ts'
import { maxTextLength } from '../http/parse-long-json.ts'
import { pathBelow, readJsonBody, registerOperations } from '../http/register.ts'
import { createRouter, verbsAt } from '../http/router/router.ts'
import { listenerWorld } from '../http/sockets/listener-world.ts'
import type { ControlContext } from './context.ts'
import type { Coverage } from './coverage.ts'
import { HttpProblem, sendProblem } from './errors.ts'
import { type InspectorFiles, redirectToPage, serveInspector, wantsPage } from './inspector.ts'
import { checkCaller, type SafetyOptions } from './safety.ts'
import { problemShape, stateDocumentShape } from './shapes.ts'
import { declaredDocument } from './state/document-schema.ts'
import { welcome } from './welcome.ts'
import { atPort } from './worlds/addresses.ts'
import type { ControlDependencies } from './worlds/control-dependencies.ts'
import { ProcessControl } from './worlds/process-control.ts'
import { provideWorld } from './worlds/process-operations.ts'

/** The settings of the control plane. */
export interface ControlApiOptions extends ControlDependencies, SafetyOptions {
  /** The operations that it serves: `controlOperations` of the process's services. */
  readonly operations: readonly Operation<ControlContext>[]
  /** Tells whether fixtures are in and every listener accepts. */
  readonly ready: () => boolean
  /** Returns the ledger, or one service's part of it; left out, the ledger is empty. */
  readonly coverage?: ((service: string | undefined) => Coverage) | undefined
  /** The document of one of the process's APIs; left out, none is there. */
  readonly serviceOpenApi?: ((service: string) => JsonSchema | undefined) | undefined
  /** The inspector's files; left out, there is no inspector. */
  readonly inspector?: InspectorFiles | undefined
  /** Ends the process; left out, shutting down is refused. */
  readonly shutdown?: (() => void) | undefined
}

const prefix = '/_mock'

/** Where documents are put that hold a whole world, uploads included, and how long they may be (behaviour/program#bounds). */
const largeBodies = {
  paths: ['/state', '/worlds/:world/state'],
  bodyLimit: 2 * 1024 * 1024 * 1024,
}

/** The operations that take a world, which may have any number of values. */
const stateOperations: ReadonlySet<string> = new Set(['importState', 'createWorld', 'provideWorld'])

function readBody(request: FastifyRequest): unknown {
  const { operation, body } = request
  const isBounded = operation !== undefined && !stateOperations.has(operation.id)
  if (isBounded && isText(body) && hasTooManyValues(body)) throw tooManyValues()
  return readJsonBody(request)
}

const isText = (body: unknown) => typeof body === 'string' || Buffer.isBuffer(body)

/** The control plane under `/_mock` (behaviour/program#control-plane). */
export function controlApi(options: ControlApiOptions): Api {
  const process = new ProcessControl(options)
  const openApi = memoize(() => describe(options))
  const router = memoize(() => createRouter(options.operations, 'tree', ({ method }) => method))

  function contextOf(
    request: FastifyRequest,
    operation: Operation<ControlContext>,
    reply: FastifyReply,
  ): ControlContext {
    return {
      process,
      // The one that is to be made is not there yet.
      world: operation === provideWorld ? process.world() : worldOf(request),
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

  /** A listener of a world's own is no way to the others. */
  function originFor(request: FastifyRequest): string {
    const origin = originOf(request)
    const { control } = options.describe().ports
    const isWorldListener = listenerWorld(request.raw.socket) !== undefined
    return isWorldListener && control !== undefined ? atPort(origin, control) : origin
  }

  function worldOf(request: FastifyRequest) {
    const { world: id } = request.params as { world?: string }
    if (id === undefined) return process.worldControl(upToDateWorld(request, defaultWorldId))
    const world = options.worlds.get(id)
    // The app has done this for the world of the request only.
    world.runDueJobs()
    return process.worldControl(world)
  }

  /** 405 for a path that knows other methods, else 404. */
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

  function routes(app: FastifyInstance, _options: object, done: () => void): void {
    app.addHook('onRequest', (request, reply, next) => {
      reply.header('cache-control', 'no-store')
      next(refusalOf(request, options))
    })
    app.removeAllContentTypeParsers()
    // What is short is a text, as elsewhere; what is longer may be too long for one.
    app.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (_request, body, next) => {
      next(null, body.length > maxTextLength ? body : body.toString())
    })
    app.setErrorHandler<FastifyError>(sendProblem)
    app.setNotFoundHandler(notFound)
    app.get('/', welcomeReply)
    if (options.inspector !== undefined) serveInspector(app, options.inspector)
    registerOperations(app, router, {
      validator: options.validator,
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
      app.register(routes, { prefix })
      done()
    },
    fail: sendProblem,
    notFound,
  }
}

/** Why the caller may not come in. */
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

function describe({ describe, worlds, operations }: ControlApiOptions): JsonSchema {
  return operationsDocument(operations, {
    title: 'Control plane',
    version: describe().version,
    description: 'Drives the worlds of a running understudy.',
    basePath: prefix,
    failure: { mediaType: 'application/problem+json', schema: storedSchema(problemShape) },
    schemas: { StateDocument: declaredDocument(worlds.services) },
    componentNames: new Map([[stateDocumentShape, 'StateDocument']]),
    securitySchemes: {
      controlToken: { type: 'http', scheme: 'bearer', description: 'Where one is configured' },
    },
  })
}
