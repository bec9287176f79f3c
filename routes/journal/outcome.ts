import { STATUS_CODES } from 'node:http'
import { Refusal } from '../../state/kernel/refusal.ts'
import type { Visit } from '../http/visit.ts'

/** What became of a request (CONTROL section 2). */
export type Outcome = 'served' | 'refused' | 'faulted' | 'unmatched' | 'aborted'

export const outcomes = ['served', 'refused', 'faulted', 'unmatched', 'aborted'] as const

/** The kinds of refusals that say that a path, or its verb, is not there. */
const unknownKinds: ReadonlySet<string> = new Set(['absent', 'unsupported'])

/** Returns what became of a request. */
export function outcomeOf({ status, failure, operation, isFaulted }: Visit): Outcome {
  if (isFaulted) return 'faulted'
  if (status === null) return 'aborted'
  if (failure === undefined && status < 400) return 'served'
  if (operation === undefined) {
    const isUnknown =
      failure instanceof Refusal
        ? unknownKinds.has(failure.kind) || failure.rule === 'acl-denied'
        : status === 404 || status === 405
    return isUnknown ? 'unmatched' : 'refused'
  }
  // Some operations tell by their status how things are: health, for one.
  if (failure === undefined && status !== 404 && operation.reply[status] !== undefined) {
    return 'served'
  }
  return 'refused'
}

/** The rule by which a request was not served, kebab case; null for one that was. */
export function ruleOf(visit: Visit): string | null {
  const outcome = outcomeOf(visit)
  if (outcome !== 'refused' && outcome !== 'unmatched') return null
  const { failure, status } = visit
  const rule = failure instanceof Refusal ? failure.rule : visit.rule
  if (rule !== '') return rule
  if (outcome === 'unmatched') return status === 405 ? 'method-not-allowed' : 'unknown-path'
  const phrase = STATUS_CODES[status ?? 500] ?? 'refused'
  return phrase.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
}
