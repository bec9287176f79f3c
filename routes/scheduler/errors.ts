import { Refusal, type RefusalKind } from '../../state/kernel/refusal.ts'
import { type SchedulerRefusalDetail, schedulerMessages } from '../../state/scheduler/messages.ts'
import type { ErrorReply } from '../http/text-api.ts'
import type { SchedulerDialect } from './dialect.ts'

/** The answer at an address that nothing serves (behaviour/scheduler#conventions). */
export const unknownPath: ErrorReply = { status: 404, text: '' }

/** The answers below addresses whose last part says what is to be done (behaviour/scheduler#beyond). */
const unknownPathReplies: ReadonlyMap<string, ErrorReply> = new Map([
  ['/client/allocation/', { status: 404, text: 'resource not found' }],
  ['/client/fs/', { status: 404, text: 'Invalid method' }],
  ['/operator/keyring/', { status: 405, text: 'Invalid method' }],
])

/** The answer at a path below the prefix that nothing serves. */
export function unknownPathReply(path: string): ErrorReply {
  for (const [prefix, reply] of unknownPathReplies) if (path.startsWith(prefix)) return reply
  return unknownPath
}

/** The answer of a known address to a method that it does not have. */
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
 * Renders a refusal in the API's own shape: one that carries a code keeps it, else the end of the text
 * decides (behaviour/scheduler#agent).
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

/** Renders any error in the API's own shape; undefined for what nobody expected. */
export function renderError(
  error: Error & { statusCode?: number },
  dialect: SchedulerDialect,
): ErrorReply | undefined {
  if (error instanceof Refusal) return renderRefusal(error, dialect)
  const { statusCode = 500, message: text } = error
  return statusCode < 500 ? { status: statusCode, text } : undefined
}
