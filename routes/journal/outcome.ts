import { Refusal } from '../../state/kernel/refusal.ts'
import type { RequestRecord } from '../http/journal-hooks/request-record.ts'

/**
 * Outcome of a request (behaviour/program#journal): `faulted` if a fault decided the answer,
 * `aborted` if no answer was sent, `unmatched` if no operation has the method and path.
 */
export type RequestOutcome = 'served' | 'refused' | 'faulted' | 'unmatched' | 'aborted'

export const outcomes = ['served', 'refused', 'faulted', 'unmatched', 'aborted'] as const

/** Kinds of the refusals that APIs throw for an unknown path or verb. */
const unknownPathKinds: ReadonlySet<string> = new Set(['absent', 'unsupported'])

/** Rules that hide unknown paths from callers without rights. */
const maskingRules: ReadonlySet<string> = new Set(['acl-denied', 'token-refused'])

export function outcomeOf({
  status,
  failure,
  operation,
  isFaulted,
}: RequestRecord): RequestOutcome {
  if (isFaulted) return 'faulted'
  if (status === null) return 'aborted'
  if (failure === undefined && status < 400) return 'served'
  if (operation === undefined) {
    const isUnknown =
      failure instanceof Refusal
        ? unknownPathKinds.has(failure.kind) || maskingRules.has(failure.rule)
        : status === 404 || status === 405
    return isUnknown ? 'unmatched' : 'refused'
  }
  // Some operations, such as the health check, report a state by their status.
  if (failure === undefined && status !== 404 && operation.reply[status] !== undefined) {
    return 'served'
  }
  return 'refused'
}
