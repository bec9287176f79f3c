import type { DialectName } from '../../../state/kernel/shape/dialect.ts'
import type { SentRequest } from '../../../state/platform/deliveries/sent-requests.ts'

/** Names of the headers with the signature of a body, by kind of request and dialect. */
const signatureHeaders = {
  'run-task': { neutral: 'X-Ent-Task-Signature', vendor: 'X-TFC-Task-Signature' },
  notification: {
    neutral: 'X-Ent-Notification-Signature',
    vendor: 'X-TFE-Notification-Signature',
  },
} as const

/** Returns the headers with which a dialect sends a notification or the call of a run task. */
export function headersOf(
  { kind, signature, base }: Pick<SentRequest, 'kind' | 'signature' | 'base'>,
  dialect: DialectName,
): Readonly<Record<string, string>> {
  return {
    'Content-Type': 'application/json',
    'User-Agent': `TFC/1.0 (+${base}; TFC)`,
    [signatureHeaders[kind][dialect]]: signature,
  }
}
