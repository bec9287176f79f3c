import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { memoize } from '../../../state/kernel/memoize.ts'
import { Refusal } from '../../../state/kernel/refusal.ts'
import { callerOf } from '../../../state/platform/accounts/callers.ts'
import { recordTokenUse } from '../../../state/platform/accounts/tokens.ts'
import { refuse } from '../../../state/platform/messages.ts'
import type { Operation } from '../../http/declare/operation.ts'
import { worldOf } from '../../http/journal-hooks/request-head.ts'
import { registerOperations } from '../../http/register.ts'
import { createRouter } from '../../http/router/router.ts'
import { bearerOf } from '../bearer.ts'
import type { PlatformDialect } from '../dialect.ts'
import { renderRefusal } from '../errors.ts'
import { providerPrefix, providerProtocolOperations } from '../providers/provider-protocol.ts'
import { type RegistryContext, registryOperations, registryPrefix } from './registry.ts'

/**
 * Registers the registry's own protocols for modules and providers. These protocols use plain JSON
 * and report failures as lists of strings (behaviour/platform#beyond).
 */
export function registryRoutes(app: FastifyInstance, dialect: PlatformDialect): void {
  registerProtocol(app, registryPrefix, registryOperations, dialect)
  registerProtocol(app, providerPrefix, providerProtocolOperations, dialect)
}

function registerProtocol(
  app: FastifyInstance,
  prefix: string,
  operations: readonly Operation<RegistryContext>[],
  dialect: PlatformDialect,
): void {
  const router = memoize(() => createRouter(operations, 'tree', ({ method }) => method))

  function routes(inner: FastifyInstance, _options: object, done: () => void): void {
    inner.setErrorHandler<FastifyError>((error, _request, reply) => {
      const status =
        error instanceof Refusal ? renderRefusal(error, dialect).status : (error.statusCode ?? 500)
      return sendFailure(reply, status)
    })
    inner.setNotFoundHandler((_request, reply) => sendFailure(reply, 404))
    registerOperations(inner, router, {
      world: worldOf,
      context: (request: FastifyRequest, _operation, reply: FastifyReply) => {
        const world = worldOf(request)
        const caller = callerOf(world, bearerOf(request))
        if (caller === undefined) throw refuse('unauthorized')
        world.commitNow(() => recordTokenUse(world, caller.token))
        reply.headers(dialect.headers)
        return { world, caller, dialect, origin: request.worldOrigin }
      },
    })
    done()
  }

  app.register(routes, { prefix })
}

function sendFailure(reply: FastifyReply, status: number): FastifyReply {
  const messages: Readonly<Record<number, string>> = {
    400: 'bad request',
    401: 'unauthorized',
    404: 'not found',
  }
  return reply.code(status).send({ errors: [messages[status] ?? 'internal server error'] })
}
