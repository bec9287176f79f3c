import { Refusal, type RefusalDetail, type RefusalKind } from '../kernel/refusal.ts'

/**
 * How the secrets API words a refusal beyond its kind (1-secrets-decisions.md section 0).
 * - `raised`: the texts arrive as the list that errors raised by a handler form (`W`).
 * - `bare`: the body is `{"errors": []}`; the message is only for the journal (`E[]`).
 * - `internal`: 500 in every dialect, where the specification's table has no better kind.
 * - `internalInReference`: a caller's mistake that the reference reports as an internal error; the
 *   vendor dialect follows it (`R5`).
 * - `invalidInReference`: 400 in the reference whatever the kind; the vendor dialect follows it.
 * - `check`: which of several checks with one text it was, for logs and the journal.
 */
export interface SecretsRefusalDetail extends RefusalDetail {
  readonly raised?: boolean
  readonly bare?: boolean
  readonly internal?: boolean
  readonly internalInReference?: boolean
  readonly invalidInReference?: boolean
  readonly check?: FailedCheck
  /** Several messages at once, for raised refusals. */
  readonly messages?: readonly string[]
}

/** Why a caller was refused, where the answer does not tell. */
export interface FailedCheck {
  /** Short, in kebab case: `date-skew`. */
  readonly name: string
  /** For people. */
  readonly why: string
}

/** `E"message"` with the status of the kind. */
export function refusal(
  kind: RefusalKind,
  message: string,
  detail: SecretsRefusalDetail = {},
): Refusal {
  return new Refusal(kind, message, detail)
}

/** 400 `E"message"`: the request is wrong. */
export function invalid(message: string): Refusal {
  return refusal('invalid', message)
}

/** 404 `E[]`: what was asked for is not there. */
export function absent(reason = 'there is nothing at this path'): Refusal {
  return refusal('absent', reason, { bare: true })
}

/** `W"message"`, the form of errors that a handler raises. */
export function raised(
  kind: RefusalKind,
  messages: string | readonly string[],
  detail: SecretsRefusalDetail = {},
): Refusal {
  const all = typeof messages === 'string' ? [messages] : messages
  return new Refusal(kind, all.join('; '), { ...detail, raised: true, messages: all })
}

/** Errors in one text, as the list that `W` and errors within errors form (section 0). */
export function errorList(messages: readonly string[]): string {
  const count = messages.length === 1 ? '1 error' : `${messages.length} errors`
  return `${count} occurred:\n${messages.map((message) => `\t* ${message}\n`).join('')}\n`
}

/** 403 `E"permission denied"`: no valid token. */
export function tokenRefused(): Refusal {
  return refusal('denied', 'permission denied')
}

/** 403 `W"permission denied"`: the policies do not allow it. */
export function aclDenied(): Refusal {
  return raised('denied', 'permission denied')
}

/** 404 `W"unsupported path"`. */
export function unsupportedPath(): Refusal {
  return raised('absent', 'unsupported path')
}

/** 405 `W"unsupported operation"`. */
export function unsupportedOperation(): Refusal {
  return raised('unsupported', 'unsupported operation')
}
