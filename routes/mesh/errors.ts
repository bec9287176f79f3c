import { Refusal, type RefusalKind } from '../../state/kernel/refusal.ts'
import type { MeshRefusalDetail } from '../../state/mesh/refusals.ts'
import type { ErrorReply } from '../http/text-api.ts'

/** What an address that nothing serves is told. */
export const unknownPath: ErrorReply = {
  status: 404,
  text: 'Invalid URL path: not a recognized HTTP API endpoint\n',
}

/** What a known address is told of a method that it does not have. */
export function methodNotAllowed(method: string): ErrorReply {
  return { status: 405, text: `method ${method} not allowed` }
}

const statuses: Readonly<Record<RefusalKind, number>> = {
  invalid: 400,
  denied: 403,
  absent: 404,
  conflict: 500,
  unsupported: 401,
  unavailable: 500,
  upstream: 500,
  precondition: 500,
}

/** A domain refusal in the API's own shape. */
export function renderRefusal({ kind, message: text, detail }: Refusal): ErrorReply {
  const { tooLarge }: MeshRefusalDetail = detail
  if (tooLarge) return { status: 413, text }
  const status = statuses[kind]
  // The HTTP layer tells by the text; what the layer itself finds missing stays 404.
  const isDenied = status === 500 && /Permission denied|ACL not found/.test(text)
  return { status: isDenied ? 403 : status, text }
}

/** Any error in the API's own shape; undefined for what nobody expected. */
export function renderError(error: Error & { statusCode?: number }): ErrorReply | undefined {
  if (error instanceof Refusal) return renderRefusal(error)
  const { statusCode = 500, message: text } = error
  return statusCode < 500 ? { status: statusCode, text } : undefined
}
