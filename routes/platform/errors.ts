import { Refusal, type RefusalKind } from '../../state/kernel/refusal.ts'
import type { PlatformRefusalDetail } from '../../state/platform/refusals.ts'
import type { PlatformDialect } from './dialect.ts'

/** One JSON:API error object (2-platform-decisions.md section 1.3). */
export interface ErrorObject {
  /** The HTTP status as text. */
  readonly status: string
  readonly title: string
  readonly detail?: string
  readonly source?: { readonly pointer: string }
}

/** A failure as it goes out. */
export interface ErrorReply {
  readonly status: number
  readonly errors: readonly ErrorObject[]
  readonly headers?: Readonly<Record<string, string>>
}

/** A refusal for reasons that only HTTP knows. */
export class HttpRefusal extends Refusal {
  readonly reply: ErrorReply

  constructor(reply: ErrorReply) {
    super('invalid', reply.errors[0]?.title ?? 'refused')
    this.reply = reply
  }
}

const titles: Readonly<Record<number, string>> = {
  400: 'bad request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not found',
  409: 'transition not allowed',
  413: 'payload too large',
  422: 'unprocessable entity',
  500: 'internal server error',
  504: 'gateway timeout',
}

/** One object with the usual title of a status. */
export function errorReply(status: number, detail?: string): ErrorReply {
  const object = { status: String(status), title: titles[status] ?? 'error' }
  return { status, errors: [detail === undefined ? object : { ...object, detail }] }
}

/** 415 (E415). */
export function invalidContentType(): HttpRefusal {
  const detail = 'content-type must be application/vnd.api+json'
  return new HttpRefusal({
    status: 415,
    errors: [{ status: '415', title: 'invalid content type', detail }],
  })
}

/** 429 (E429). */
export function tooManyRequests(): HttpRefusal {
  const detail = "You have exceeded the API's rate limit."
  return new HttpRefusal({
    status: 429,
    errors: [{ status: '429', title: 'Too many requests', detail }],
    headers: { 'retry-after': '1' },
  })
}

const statuses: Readonly<Record<RefusalKind, number>> = {
  invalid: 422,
  denied: 401,
  absent: 404,
  conflict: 409,
  unsupported: 404,
  unavailable: 503,
  upstream: 500,
  precondition: 409,
}

const upstream = { rejected: 401, failed: 500, 'timed-out': 504 } as const

/** A domain refusal in the API's own shape. */
export function renderRefusal(refusal: Refusal, dialect: PlatformDialect): ErrorReply {
  if (refusal instanceof HttpRefusal) return refusal.reply
  const { attributes, badRequest, failure, expired }: PlatformRefusalDetail = refusal.detail
  if (attributes !== undefined) {
    return {
      status: 422,
      errors: attributes.map(({ attribute, message }) => {
        const names = attribute.split('/').map((name) => dialect.out(name))
        return {
          status: '422',
          title: 'invalid attribute',
          detail: `${spoken(names.at(-1) ?? '')} ${message}`,
          source: { pointer: `/data/attributes/${names.join('/')}` },
        }
      }),
    }
  }
  if (badRequest) return errorReply(400, refusal.message)
  if (expired) return errorReply(403)
  if (failure !== undefined) return errorReply(upstream[failure], refusal.message)
  const status = statuses[refusal.kind]
  return status === 422 ? errorReply(422, refusal.message) : errorReply(status)
}

/** An attribute's name in a sentence: `Idp cert`. */
function spoken(attribute: string): string {
  const words = attribute.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
