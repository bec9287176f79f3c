import { Refusal, type RefusalKind } from '../../state/kernel/refusal.ts'
import { type SchedulerRefusalDetail, schedulerMessages } from '../../state/scheduler/messages.ts'
import type { ErrorReply } from '../http/text-api.ts'
import type { SchedulerDialect } from './dialect.ts'

/** Reply to an unknown path (behaviour/scheduler#conventions). */
export const unknownPath: ErrorReply = { status: 404, text: '' }

/**
 * Replies to unknown paths by their last segment, for paths that end with the name of an action
 * (behaviour/scheduler#beyond).
 */
const unknownPathReplies: ReadonlyMap<string, ErrorReply> = new Map([
  ['/client/allocation/', { status: 404, text: 'resource not found' }],
  ['/client/fs/', { status: 404, text: 'Invalid method' }],
  ['/operator/keyring/', { status: 405, text: 'Invalid method' }],
])

/** Returns the reply to an unknown path below the prefix. */
export function unknownPathReply(path: string): ErrorReply {
  for (const [prefix, reply] of unknownPathReplies) if (path.startsWith(prefix)) return reply
  return unknownPath
}

/** Reply to a method that the path does not support. */
export const invalidMethod: ErrorReply = { status: 405, text: 'Invalid method' }

const statusByKind: Readonly<Record<RefusalKind, number>> = {
  invalid: 400,
  denied: 403,
  absent: 404,
  conflict: 500,
  unsupported: 405,
  unavailable: 500,
  upstream: 500,
  precondition: 500,
}

const permissionDenied = schedulerMessages['permission-denied'].text
const registrationDisabled = schedulerMessages['registration-closed'].text

/**
 * Renders a refusal as the API reports it. A refusal with a status code keeps it; otherwise the end
 * of the text determines the status (behaviour/scheduler#agent).
 */
export function renderRefusal(
  { kind, reason: message, detail }: Refusal,
  dialect: SchedulerDialect,
): ErrorReply {
  const { status, index }: SchedulerRefusalDetail = detail
  const text = dialect.renderMessage(message)
  if (index !== undefined) {
    const headers = dialect.headers({ Index: String(index) })
    return { status: status ?? statusByKind[kind], text, headers }
  }
  if (status !== undefined) return { status, text }
  if (text.endsWith(permissionDenied)) return { status: 403, text: permissionDenied }
  if (text.endsWith(registrationDisabled)) return { status: 403, text: registrationDisabled }
  return { status: statusByKind[kind], text }
}

/** Renders an error as the API reports it. Returns undefined for unexpected errors. */
export function renderError(
  error: Error & { statusCode?: number },
  dialect: SchedulerDialect,
): ErrorReply | undefined {
  if (error instanceof Refusal) return renderRefusal(error, dialect)
  const { statusCode = 500, message: text } = error
  return statusCode < 500 ? { status: statusCode, text } : undefined
}
