import { STATUS_CODES } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { stringifyJson } from '../../state/kernel/deep-json.ts'
import { Mistakes, Refusal, type RefusalKind } from '../../state/kernel/refusal.ts'
import { constant, int, list, text } from '../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../state/kernel/shape/members.ts'
import { GoneRefusal } from '../journal/journal.ts'
import { nearMissShape } from '../journal/match-shapes.ts'

/** A failure in the format of RFC 9457. */
export const problemShape = struct({
  type: constant('about:blank'),
  title: described(text, 'Meaning of the status'),
  status: int,
  detail: text,
  requestId: described(text, 'Id of the request in the log'),
  problems: optional(
    described(list(text), 'One line per mistake in the input, beginning with its position'),
  ),
  count: optional(described(int, 'Number of matching requests')),
  nearMisses: optional(described(list(nearMissShape), 'Nearest requests')),
})

const statuses: Record<RefusalKind, number> = {
  invalid: 400,
  denied: 403,
  absent: 404,
  conflict: 409,
  unsupported: 405,
  unavailable: 503,
  upstream: 502,
  precondition: 412,
}

/**
 * Failure of the control plane with an explicit HTTP status. The failure may add headers and
 * members to the reply.
 */
export class HttpProblem extends Error {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Members that the reply has in addition to those of `problemShape`. */
  readonly members: Readonly<Record<string, unknown>>

  constructor(
    status: number,
    detail: string,
    headers: Readonly<Record<string, string>> = {},
    members: Readonly<Record<string, unknown>> = {},
  ) {
    super(detail)
    this.name = 'HttpProblem'
    this.status = status
    this.headers = headers
    this.members = members
  }
}

/** Any thrown error. Fastify's own errors have a `statusCode`. */
type Failure = Error & { readonly statusCode?: number | undefined }

interface RenderedProblem {
  readonly status: number
  readonly detail: string
  readonly problems?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
  readonly members?: Readonly<Record<string, unknown>>
}

/**
 * Sends a failure of the control plane as problem+json (behaviour/program#control-plane, RFC 9457).
 * Logs an unexpected exception and sends it as status 500.
 */
export function sendProblem(error: Failure, request: FastifyRequest, reply: FastifyReply): void {
  const { status, detail, problems, headers, members } = renderProblem(error, request)
  if (headers !== undefined) reply.headers(headers)
  reply
    .code(status)
    .type('application/problem+json')
    .send(
      stringifyJson({
        type: 'about:blank',
        title: STATUS_CODES[status] ?? 'Error',
        status,
        detail,
        ...(problems === undefined ? {} : { problems }),
        requestId: request.id,
        ...members,
      }),
    )
}

function renderProblem(error: Failure, request: FastifyRequest): RenderedProblem {
  if (error instanceof HttpProblem) {
    const { status, message: detail, headers, members } = error
    return { status, detail, headers, members }
  }
  if (error instanceof GoneRefusal) return { status: 410, detail: error.message }
  if (error instanceof Refusal) {
    const status = statuses[error.kind]
    const { message: detail } = error
    return error instanceof Mistakes
      ? { status, detail, problems: error.problems }
      : { status, detail }
  }
  // Errors that Fastify throws, such as for a body that is too large or a malformed URL.
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return { status: error.statusCode, detail: error.message }
  }
  request.log.error({ err: error, reqId: request.id }, 'unexpected exception in the control plane')
  return { status: 500, detail: `unexpected exception; the log has it under ${request.id}` }
}
