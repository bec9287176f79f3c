import type { FastifyRequest } from 'fastify'
import type { World } from '../../state/kernel/worlds/world.ts'
import { type Caller, isSiteAdmin } from '../../state/platform/accounts/callers.ts'
import { recordTokenUse } from '../../state/platform/accounts/tokens.ts'
import { refuse, requireFound } from '../../state/platform/messages.ts'
import { optionsOf } from '../../state/platform/options.ts'
import { isRateLimitEnforced } from '../../state/platform/rate-limit.ts'
import { resultOfToken } from '../../state/platform/run-tasks/callback.ts'
import { type Run, runWithId } from '../../state/platform/runs/runs.ts'
import { type Check, runChecks, runOperationCheck } from '../http/declare/checks.ts'
import { type RequestCheck, takesBody } from '../http/journal-hooks/api-explanations.ts'
import { bearerOf } from './bearer.ts'
import { checkContentType } from './json-api/body.ts'
import type { PlatformOperation } from './operation.ts'
import type { RateLimitResult } from './rate-limit.ts'
import type { CacheableRead, ReplyCache } from './reply-cache.ts'

/** Caller, origin and rate limit of a request, resolved once. */
export interface ResolvedRequest extends RateLimitResult {
  readonly world: World
  /**
   * Value of the request's member `worldOrigin`, stored here because each access to that member
   * computes the value anew.
   */
  readonly origin: string
  /** The caller; undefined if the request has no valid token. */
  readonly caller: Caller | undefined
}

/** A request to a known operation. The checks fill in its caller and its subject. */
interface PlatformRequest {
  readonly world: World
  /** Method as the client sent it. */
  readonly method: string
  readonly http: FastifyRequest
  readonly operation: PlatformOperation
  readonly resolved: ResolvedRequest
  readonly replies: ReplyCache
  caller: Caller
  /** Object that the path names; undefined if the reply comes from the cache. */
  subject: unknown
  /** Access to the reply cache; undefined if the reply must not be kept. */
  read: CacheableRead | undefined
  /**
   * Run for which the platform called the run task that sends this request; undefined for other
   * callers.
   */
  taskRun?: Run | undefined
}

interface PlatformCheck extends Check<PlatformRequest> {
  readonly applies?: (request: Pick<PlatformRequest, 'world' | 'method'>) => boolean
}

/**
 * Checks of a request before its operation, in order (behaviour/platform#order-of-checks and
 * behaviour/platform#authentication).
 */
const requestChecks: readonly PlatformCheck[] = [
  {
    name: 'route',
    rules: ['unknown-path', 'method-not-allowed', 'wrong-api'],
    run() {
      // A request whose path or method is unknown is answered before the checks run.
    },
  },
  {
    name: 'token',
    rules: [
      'unauthorized',
      'token-missing',
      'token-in-wrong-header',
      'token-scheme-wrong',
      'token-unknown',
      'token-revoked',
      'token-expired',
    ],
    run(request) {
      const { world, operation, resolved } = request
      if (operation.access === 'anyone') return
      if (resolved.caller === undefined) {
        request.taskRun = operation.findForTask && runOfTask(world, bearerOf(request.http))
        if (request.taskRun !== undefined) return
        const isHidden = operation.access === 'admin' && !optionsOf(world).adminUnauthorized
        throw refuse(isHidden ? 'not-found' : 'unauthorized')
      }
      request.caller = resolved.caller
    },
  },
  {
    name: 'rate limit',
    rules: ['rate-exceeded'],
    applies: ({ world }) => isRateLimitEnforced(world),
    run({ resolved }) {
      if (resolved.isExceeded) throw refuse('rate-exceeded')
    },
  },
  {
    name: 'subject',
    rules: [
      'not-found',
      'admin-only',
      'hidden',
      'workspace-right-missing',
      'organization-right-missing',
      'related-unknown',
      'absent-above',
      'wrong-kind-of-id',
    ],
    run(request) {
      const { world, http, operation, resolved, replies, caller, taskRun: run } = request
      const params = http.params as Record<string, string>
      if (run !== undefined) {
        request.subject = requireFound(operation.findForTask?.({ world, params, run }))
        return
      }
      if (operation.access === 'admin' && !isSiteAdmin(caller)) throw refuse('not-found')
      if (operation.access !== 'anyone') {
        world.commitNow(() => recordTokenUse(world, caller.token))
      }
      request.read = replies.begin(http, world, resolved.origin, caller.token.text)
      // A kept reply needs no lookup: replies are kept only after a successful lookup in the same
      // state.
      if (request.read?.kept === undefined) {
        request.subject = operation.find({ world, caller, params })
      }
    },
  },
  {
    name: 'content type',
    rules: ['content-type-unknown'],
    applies: ({ method }) => method !== 'GET' && method !== 'HEAD',
    run({ http, world, operation }) {
      if (operation.bytes === true) return
      checkContentType(http, optionsOf(world).strictContentType)
    },
  },
]

/**
 * Returns the run for which the platform called a run task with this token; undefined for other
 * tokens.
 */
function runOfTask(world: World, token: string | undefined): Run | undefined {
  const result = token === undefined ? undefined : resultOfToken(world, token)
  return result && runWithId(world, result.run)
}

/** Check of the body. An operation runs this check when it first reads its body. */
const bodyCheck: RequestCheck = {
  name: 'body',
  rules: [
    'body-unreadable',
    'data-missing',
    'data-no-list',
    'type-missing',
    'type-wrong',
    'attributes-missing',
    'attributes-wrong',
  ],
  applies: takesBody,
}

/** All checks in order, as explanations list them. */
export const checks: readonly RequestCheck[] = [...requestChecks, bodyCheck]

/** Caller without an identity, for operations that anyone may call. */
const anonymousCaller: Caller = {
  token: {
    id: '',
    text: '',
    kind: 'user',
    owner: '',
    user: '',
    description: null,
    created_at: 0,
    last_used_at: null,
    expired_at: null,
  },
  user: {
    id: '',
    username: '',
    email: '',
    site_admin: false,
    service_account: false,
    created_at: 0,
  },
}

/**
 * Runs the checks that precede an operation, and returns the caller, the subject and the access to
 * the reply cache. Adds the checks to the record of the request, and records the use of the
 * caller's token. Throws the refusal of the first check that fails.
 */
export function checkRequest(
  http: FastifyRequest,
  operation: PlatformOperation,
  resolved: ResolvedRequest,
  replies: ReplyCache,
): Pick<PlatformRequest, 'caller' | 'subject' | 'read'> {
  const { world } = resolved
  const request: PlatformRequest = {
    world,
    method: http.method,
    http,
    operation,
    resolved,
    replies,
    caller: anonymousCaller,
    subject: undefined,
    read: undefined,
  }
  runChecks(requestChecks, request, http.record)
  return request
}

/**
 * Reads the body of a request inside its operation, and records the check of the body. Throws the
 * refusal of `read`.
 */
export function checkBody<T>({ record, body }: FastifyRequest, read: (body: unknown) => T): T {
  return runOperationCheck(requestChecks.length, record, () => read(body))
}
