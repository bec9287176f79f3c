import { renderMessage } from '../../state/kernel/message.ts'
import type { StoredOf } from '../../state/kernel/shape/values.ts'
import type {
  Amendment,
  Diagnosis,
  ExplainedRequest,
  OperationAddress,
} from '../http/journal-hooks/api-explanations.ts'
import type { RequestRecord } from '../http/journal-hooks/request-record.ts'
import { diagnosisOf, explainedRequestOf, ruleOf } from '../journal/diagnosis.ts'
import { redactedPath } from '../journal/entry.ts'
import type { Fingerprint } from '../journal/fingerprint.ts'
import { outcomeOf, type RequestOutcome } from '../journal/outcome.ts'
import type { explanationShape } from './explain-shapes.ts'
import { type Nearest, nearestTo } from './nearest.ts'
import { type Redactor, redactorFor } from './redactor.ts'
import { stepsOf } from './steps.ts'
import { type WouldPass, wouldPassOf } from './would-pass.ts'

/** Explanation of a request's answer, without secrets (behaviour/program#explanations). */
export type Explanation = Omit<StoredOf<typeof explanationShape>, 'wouldPass'> & {
  readonly wouldPass: WouldPass | null
}

/** Explains an answered request. */
export function explain(record: RequestRecord, fingerprint: Fingerprint): Explanation {
  const { api, method, operation, status } = record
  const outcome = outcomeOf(record)
  const rule = ruleOf(record)
  const request = explainedRequestOf(record)
  const diagnosis = diagnosisOf(record)
  const redactor = redactorFor(record, fingerprint)
  const because = redactor.text(sentence(diagnosis?.because ?? reasonOf(record, request, outcome)))
  return {
    id: record.id,
    request: { method, path: redactedPath(record, fingerprint) },
    status,
    outcome,
    rule,
    because,
    spec:
      diagnosis?.spec ?? operation?.spec ?? api.explanations?.spec ?? 'behaviour/program#journal',
    decision: api.explanations?.decisions?.[rule ?? ''] ?? null,
    steps: stepsOf(record, request, { outcome, rule, because }),
    nearest: isUnrouted(outcome, rule) ? nearestOf(record) : [],
    wouldPass: wouldPassFor(record, diagnosis, redactor),
  }
}

/** Returns the reason, in one sentence, why a request was not served; undefined if it was. */
export function becauseOf(record: RequestRecord, fingerprint: Fingerprint): string | undefined {
  const outcome = outcomeOf(record)
  if (outcome === 'served') return undefined
  const reason =
    diagnosisOf(record)?.because ?? reasonOf(record, explainedRequestOf(record), outcome)
  return redactorFor(record, fingerprint).text(sentence(reason))
}

/**
 * Returns the operations that a request probably meant.
 *
 * @param addresses addresses of the request's API; looked up if left out
 */
export function nearestOf(record: RequestRecord, addresses = addressesOf(record)): Nearest[] {
  return nearestTo(explainedRequestOf(record), addresses)
}

/** Returns the operations of a request's API as clients address them in its world. */
export function addressesOf({
  api,
  world,
}: Pick<RequestRecord, 'api' | 'world'>): readonly OperationAddress[] {
  return api.explanations?.addresses(world) ?? []
}

function isUnrouted(outcome: RequestOutcome, rule: string | null): boolean {
  return outcome === 'unmatched' || rule === 'method-not-allowed'
}

function wouldPassFor(
  record: RequestRecord,
  diagnosis: Diagnosis | undefined,
  redactor: Redactor,
): WouldPass | null {
  return diagnosis === undefined ? null : wouldPassOf(record, diagnosis, redactor)
}

function reasonOf(
  { fault, operation }: RequestRecord,
  request: ExplainedRequest,
  outcome: RequestOutcome,
): string {
  const { method, path, refusal, status } = request
  if (outcome === 'served') return `${operation?.id ?? path} answered with ${status}`
  if (outcome === 'aborted') return 'the client went away before there was an answer'
  if (outcome === 'faulted') return `the fault ${fault ?? ''} was applied`
  if (refusal !== undefined) return renderMessage(refusal.reason)
  if (outcome === 'unmatched') return `no operation is at ${method} ${path}`
  return `${operation?.id ?? path} answered with ${status}`
}

/** Formats a text as a sentence with a full stop. */
function sentence(text: string): string {
  const trimmed = text.trim()
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`
}
