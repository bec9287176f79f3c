import type { Refusal, RefusalKind } from '../../state/kernel/refusal.ts'
import { type ErrorReply, statusByKind } from '../http/text-api.ts'
import type { MeshDialect } from './dialect.ts'

export const unknownPath: ErrorReply = {
  status: 404,
  text: 'Invalid URL path: not a recognized HTTP API endpoint\n',
}

export const rootReply: ErrorReply = {
  status: 404,
  text: "Invalid URL path: if attempting to use the HTTP API, ensure the path starts with '/v1/'\n",
}

export function methodNotAllowed(method: string): ErrorReply {
  return { status: 405, text: `method ${method} not allowed` }
}

const statuses: Readonly<Record<RefusalKind, number>> = { ...statusByKind, unsupported: 401 }

/** Rules about the size of requests. A refusal by one of these rules has the status 413. */
const sizeRules: ReadonlySet<string> = new Set([
  'value-too-large',
  'value-too-large-before-1.21',
  'txn-too-large',
  'txn-too-large-before-1.21',
  'txn-too-long',
])

/** Converts a refusal to the status and text of a reply in the wording of the dialect. */
export function renderRefusal(
  { kind, rule, reason: message }: Refusal,
  dialect: MeshDialect,
): ErrorReply {
  const text = dialect.renderMessage(message)
  if (sizeRules.has(rule)) return { status: 413, text }
  const status = statuses[kind]
  const isDenied = status === 500 && rule !== 'event-token-unknown' && isDeniedMessage(text)
  return { status: isDenied ? 403 : status, text }
}

/**
 * Returns whether an error with this text gets the status 403. The reference searches the whole
 * text, including names that the text quotes. Errors of event operations are not searched, so
 * `renderRefusal` excludes the rule `event-token-unknown`.
 */
function isDeniedMessage(text: string): boolean {
  return text.includes('Permission denied') || text.includes('ACL not found')
}
