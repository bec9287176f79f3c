import { Refusal, type RefusalKind } from '../kernel/refusal.ts'
import type { SecretsRefusalDetail } from './common-texts.ts'

/** What refusals that have no name yet may say besides. */
interface UnnamedDetail extends SecretsRefusalDetail {
  readonly messages?: readonly string[]
}

/** `E"message"` with the status of the kind. */
export function refusal(kind: RefusalKind, message: string, detail: UnnamedDetail = {}): Refusal {
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
  detail: UnnamedDetail = {},
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
