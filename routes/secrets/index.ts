import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../state/kernel/refusal.ts'
import type { Field } from '../../state/kernel/shape/kinds.ts'
import { mapResult } from '../../state/kernel/worlds/deferred.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import { indexState } from '../../state/secrets/index-state.ts'
import { optionsOf, usesIndexStates } from '../../state/secrets/options.ts'
import { requireUsableToken, type Token } from '../../state/secrets/tokens/tokens.ts'
import type { Api } from '../http/api.ts'
import type { DialectName } from '../http/declare/dialect.ts'
import { cleanTarget, redirect, worldOf } from '../http/journal-hooks/request-head.ts'
import type { JournaledApiOptions } from '../http/journal-hooks/request-record.ts'
import { originalVerb } from '../http/sockets/extra-verbs.ts'
import { secretsCoverage } from './coverage.ts'
import { apiHeader, secretsDialect } from './dialect/dialect.ts'
import { applyCors } from './dispatch/cross-origin.ts'
import { createDispatch } from './dispatch/dispatch.ts'
import { ocspRequestType } from './dispatch/request.ts'
import type { SecretsRequest } from './dispatch/secrets-request.ts'
import { secretsDocument, secretsOperationStatuses } from './documents/openapi-service.ts'
import { engineType, secretsEngines } from './engines.ts'
import { type ErrorReply, emptyErrorReply, errorReply, renderRefusal } from './envelope/errors.ts'
import { type RenderedOutcome, renderOutcome } from './envelope/outcome.ts'
import { secretsExplanations } from './explained/index.ts'
import { fieldInfo } from './fields/fields.ts'
import { refuse } from './messages.ts'
import { isLoginPage, serveLoginPage } from './oidc/login-page.ts'
import { serveIssuer } from './oidc/simulated-issuers.ts'
import type { SecretsOperation } from './operation.ts'
import { Replication } from './replication/replication.ts'
import { serveReplication } from './replication/routes.ts'
import { serveWebPage } from './web-page.ts'

/** Functions and names with which the journal interprets requests and finds the secrets in them. */
const journaledApi: JournaledApiOptions = {
  secretHeaders: [
    'x-secrets-token',
    'x-vault-token',
    'authorization',
    'x-secrets-mfa',
    'x-vault-mfa',
  ],
  // `access_token` and `id_token` occur in replies of simulated issuers. No operation declares
  // these replies.
  secretReplies: ['auth/client_token', 'wrap_info/token', 'access_token', 'id_token'],
  hidesUnroutedRequests: true,
  bodyShape(operation) {
    // The cast is safe: the journal passes only operations of this API.
    const { fields } = operation as SecretsOperation
    const members = Object.entries(fields).map(([name, field]): [string, Field] => [
      name,
      'presence' in field ? field : { shape: fieldInfo(field).shape, presence: 'optional' },
    ])
    return { kind: 'struct', name: '', fields: Object.fromEntries(members), others: undefined }
  },
  findCaller: (token, world) => requireUsableToken(world, token),
  describeCaller(caller) {
    // The cast is safe: the caller of a request is the row of its token.
    const { display_name, policies } = caller as Token
    return { name: display_name, policies }
  },
}

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * True if the path needs no client token. Set when the path is resolved. Only the secrets API
     * sets this member.
     */
    needsNoToken: boolean
    /**
     * State of a request to the secrets API. Set when a fault or the dispatcher first needs the
     * operation of the request.
     */
    secretsRequest: SecretsRequest | undefined
  }
}

/** Maximum size of a request body in bytes (behaviour/secrets#api-limits). */
const bodyLimit = 32 * 1024 * 1024

/**
 * HTTP methods of the route that serves all mounts. The dispatcher refuses those that the API does
 * not use.
 */
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

const asIs = (text: string): string => text

const cacheControl = 'no-store'
const transportSecurity = 'max-age=31536000; includeSubDomains'
const jsonType = 'application/json'

/**
 * Creates the secrets API: the mounts under `/v1/`, the web interface with its login pages, the
 * simulated issuers, and replication between processes. All mounts share one route, because callers
 * can add and remove mounts at any time.
 */
export function secretsApi(options: { readonly dialect: DialectName }): Api {
  const dialect = secretsDialect(options.dialect)
  const replication = new Replication()
  const dispatcher = createDispatch(secretsEngines, engineType, dialect, replication)
  const namespaceHeader = `${dialect.headerPrefix}Namespace`
  const indexHeader = `${dialect.headerPrefix}Index`

  function addHeaders({ headers, secretsRequest }: FastifyRequest, reply: FastifyReply): void {
    reply.header('cache-control', cacheControl)
    reply.header('strict-transport-security', transportSecurity)
    const namespace = apiHeader(headers, 'namespace')
    if (namespace !== undefined) reply.header(namespaceHeader, namespace)
    if (secretsRequest?.quotaHeaders !== undefined) reply.headers(secretsRequest.quotaHeaders)
  }

  function send(
    request: FastifyRequest,
    reply: FastifyReply,
    { status, text, bytes, open, contentType = jsonType, headers }: RenderedOutcome,
  ): FastifyReply {
    reply.code(status)
    addHeaders(request, reply)
    if (headers !== undefined) reply.headers(headers)
    reply.header('content-type', contentType)
    if (open !== undefined && request.record !== undefined) {
      return reply.send(open(reply.raw, request.record))
    }
    if (bytes !== undefined) return reply.send(Buffer.from(bytes))
    if (text === undefined) return reply.send()
    // With a custom serializer, Fastify does not change the content type.
    return reply.serializer(asIs).send(text)
  }

  function sendRendered(
    world: World,
    request: FastifyRequest,
    reply: FastifyReply,
    rendered: RenderedOutcome,
    indexBefore: number,
  ): FastifyReply {
    if (world.store.index('secrets') !== indexBefore && usesIndexStates(world)) {
      reply.header(indexHeader, indexState(world))
    }
    return send(request, reply, rendered)
  }

  function sendError(request: FastifyRequest, reply: FastifyReply, error: ErrorReply): void {
    const { status, body, headers } = error
    send(request, reply, { status, text: JSON.stringify(body), headers })
  }

  function fail(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
    if (error instanceof Refusal) {
      const { why } = error.detail
      if (why !== undefined) {
        const check = { name: error.rule, why }
        request.log.debug({ check, reqId: request.id }, 'refused by a check')
      }
      const { needsNoToken, secretsRequest } = request
      const input = secretsRequest?.neutralInput
      sendError(request, reply, renderRefusal(error, dialect, needsNoToken, input))
    } else if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
      const tooLargeRefusal = refuse(
        dispatcher.isUnenveloped(request) ? 'bare-body-too-large' : 'body-too-large',
      )
      sendError(request, reply, renderRefusal(tooLargeRefusal, dialect))
    } else if (error.statusCode !== undefined && error.statusCode < 500) {
      sendError(request, reply, errorReply(error.statusCode, error.message))
    } else {
      request.log.error({ err: error, reqId: request.id }, 'unexpected exception')
      sendError(request, reply, errorReply(500, 'internal error'))
    }
  }

  /**
   * Answers a request. Preflight requests are answered directly, and paths with empty, `.` or `..`
   * segments are redirected; all other requests go through the dispatcher. Most operations finish
   * synchronously, and no promise is returned for them. Refusals are thrown to the error handler.
   */
  function serve(request: FastifyRequest, reply: FastifyReply) {
    const world = worldOf(request)
    if (
      request.headers.origin !== undefined &&
      applyCors(world, request, reply, dialect) === 'preflight'
    ) {
      return send(request, reply, { status: 200, text: undefined })
    }
    const clean = cleanTarget(request)
    if (clean !== undefined) {
      addHeaders(request, reply)
      return redirect(reply, clean, originalVerb(request.raw), optionsOf(world).cleanPathStatus)
    }
    let indexBefore = 0
    const outcome = world.request(() => {
      indexBefore = world.store.index('secrets')
      return mapResult(dispatcher.dispatch(world, request), (outcome) =>
        renderOutcome(outcome, world.ids, dialect),
      )
    }, request.record)
    if (!(outcome instanceof Promise))
      return sendRendered(world, request, reply, outcome, indexBefore)
    return outcome.then((rendered) => sendRendered(world, request, reply, rendered, indexBefore))
  }

  /**
   * Answers a request with a verb that is not in `methods`. Fastify has read the body only for
   * verbs that it knows, such as QUERY. For other verbs, this function reads the body.
   */
  async function serveUnrouted(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    try {
      request.body ??= await textOf(request.raw)
      await serve(request, reply)
    } catch (error) {
      fail(error as FastifyError, request, reply)
    }
  }

  /**
   * Answers a request for which Fastify has no route. Serves unusual methods at endpoints that
   * accept every method, serves the web interface, and sends an error for all other requests.
   */
  function answerUnknown(request: FastifyRequest, reply: FastifyReply): void | Promise<void> {
    const isServed = request.url.startsWith('/v1/')
    if (isServed && dispatcher.acceptsAnyMethod(request)) return serveUnrouted(request, reply)
    if (!isServed && serveWebPage(request, reply) !== undefined) return undefined
    sendError(request, reply, emptyErrorReply(isServed ? 405 : 404))
    return undefined
  }

  function plugin(app: FastifyInstance, _options: object, done: () => void): void {
    app.setErrorHandler<FastifyError>(fail)
    app.decorateRequest('needsNoToken', false)
    app.decorateRequest('secretsRequest', undefined)
    serveReplication(app, replication)
    app.addContentTypeParser<Buffer>(ocspRequestType, { parseAs: 'buffer' }, (_, body, parsed) =>
      parsed(null, body.toString('latin1')),
    )
    app.route({
      method: methods,
      url: '/v1/*',
      bodyLimit,
      handler: serve,
    })
    app.route({
      method: ['GET', 'POST'],
      url: '/ui/:product/*',
      handler: (request, reply) =>
        isLoginPage(request) ? serveLoginPage(request, reply) : answerUnknown(request, reply),
    })
    app.route({
      method: ['GET', 'POST'],
      url: '/_mock/secrets/oidc/:issuer/*',
      handler: serveIssuer,
    })
    done()
  }

  return {
    ...journaledApi,
    explanations: secretsExplanations(dialect),
    name: 'secrets',
    findOperation: (request, world) => dispatcher.find(world, request),
    writeFailure(_status, errors = [], request, reply) {
      addHeaders(request, reply)
      reply.header('content-type', jsonType)
      return JSON.stringify({ errors })
    },
    prefix: '/v1',
    plugin,
    coverage: () => secretsCoverage(dialect.name),
    openApi: (version) => secretsDocument(dialect, version),
    statuses: secretsOperationStatuses,
    fail,
    unknownVerb: () => ({
      status: 405,
      headers: {
        'Cache-Control': cacheControl,
        'Strict-Transport-Security': transportSecurity,
        'Content-Type': jsonType,
      },
      body: JSON.stringify(emptyErrorReply(405).body),
    }),
    // Below /v1/, only requests with verbs that are not in `methods` reach this handler.
    notFound: answerUnknown,
  }
}

/** Reads the body of a request. Throws a refusal if the body exceeds the size limit. */
async function textOf(message: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of message) {
    size += chunk.length
    if (size > bodyLimit) throw refuse('bare-body-too-large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
