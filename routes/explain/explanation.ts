import { renderMessage } from '../../state/kernel/message.ts'
import type { StoredOf } from '../../state/kernel/shape/values.ts'
import type { ExplainedRequest, OperationAddress } from '../http/journal-hooks/api-explanations.ts'
import type { RequestRecord } from '../http/journal-hooks/request-record.ts'
import { redactTokens } from '../http/redact-url.ts'
import { diagnosisOf, explainedRequestOf, ruleOf } from '../journal/diagnosis.ts'
import { redactedPath } from '../journal/entry.ts'
import type { Fingerprint } from '../journal/fingerprint.ts'
import { outcomeOf, type RequestOutcome } from '../journal/outcome.ts'
import { sentToken } from '../journal/record-values.ts'
import type { explanationShape } from './explain-shapes.ts'
import { type NearestOperation, nearestTo } from './nearest.ts'
import { type WouldPass, wouldPassOf } from './passing-request.ts'
import { redactorFor } from './redactor.ts'

type Step = StoredOf<typeof explanationShape>['steps'][number]

interface Verdict {
  readonly outcome: RequestOutcome
  readonly rule: string | null
  readonly because: string
}

/**
 * Returns the steps of an explanation: the choice of the world, the recorded checks and, for a
 * served request, the operation. A failed step is the last one. If a request was refused before its
 * API handled it, no checks were recorded, and the rule of the refusal determines the failed step.
 * A faulted or aborted request has only the first step.
 */
function stepsOf(
  record: RequestRecord,
  request: ExplainedRequest,
  { outcome, rule, because }: Verdict,
): readonly Step[] {
  const { api, operation, world, checksMade, hasPassedChecks } = record
  const first: Step = { check: 'world', passed: true, detail: world.id }
  const all = api.explanations?.checks ?? []
  const checks =
    checksMade === 0
      ? all.filter(
          ({ applies, rules }) => (applies?.(request) ?? true) || rules.includes(request.rule),
        )
      : all.filter((_check, at) => (checksMade & (1 << at)) !== 0)
  const operationStep: Step = {
    check: 'operation',
    passed: true,
    ...(operation && { detail: operation.id }),
  }
  if (rule === null) {
    const passed = [
      first,
      ...checks.map(({ name }) => ({ check: name, passed: true })),
      operationStep,
    ]
    return outcome === 'served' ? passed : [first]
  }
  const fallbackCheck = outcome === 'unmatched' ? 'route' : 'operation'
  const failing =
    checksMade === 0
      ? (failingCheck(checks, [rule, request.rule]) ?? fallbackCheck)
      : hasPassedChecks
        ? fallbackCheck
        : (checks.at(-1)?.name ?? fallbackCheck)
  const at = checks.findIndex(({ name }) => name === failing)
  const before = at < 0 ? checks : checks.slice(0, at)
  return [
    first,
    ...before.map(({ name }) => ({ check: name, passed: true })),
    { check: failing, passed: false, detail: because },
  ]
}

function failingCheck(
  checks: readonly { name: string; rules: readonly string[] }[],
  rules: readonly string[],
) {
  return checks.find((check) => rules.some((rule) => check.rules.includes(rule)))?.name
}

/** The explanation of the answer to a request, without secrets (behaviour/program#explanations). */
export type Explanation = Omit<StoredOf<typeof explanationShape>, 'wouldPass'> & {
  readonly wouldPass: WouldPass | null
}

/**
 * Returns the explanation of the answer to a request. Fingerprints replace the secrets of the
 * request.
 */
export function explain(record: RequestRecord, fingerprint: Fingerprint): Explanation {
  const { api, method, operation, status } = record
  const outcome = outcomeOf(record)
  const rule = ruleOf(record)
  const request = explainedRequestOf(record)
  const diagnosis = diagnosisOf(record)
  const redactor = redactorFor(record, fingerprint)
  const reason = diagnosis?.because ?? reasonOf(record, request, outcome)
  const because = joinLines(redactor.redactText(asSentence(reason)))
  return {
    id: record.id,
    request: { method, path: redactedPath(record, fingerprint) },
    status,
    outcome,
    rule,
    because,
    spec:
      diagnosis?.spec ?? operation?.spec ?? api.explanations?.spec ?? 'behaviour/program#journal',
    decision: api.explanations?.choicesByRule?.[rule ?? ''] ?? null,
    steps: stepsOf(record, request, { outcome, rule, because }),
    nearest: isUnrouted(outcome, rule) ? nearestOf(record, fingerprint) : [],
    wouldPass: wouldPassOf({ record, request, rule, diagnosis }, redactor, fingerprint),
  }
}

/** Returns one sentence that says why a request was not served; undefined if it was served. */
export function becauseOf(record: RequestRecord, fingerprint: Fingerprint): string | undefined {
  const outcome = outcomeOf(record)
  if (outcome === 'served') return undefined
  const reason =
    diagnosisOf(record)?.because ?? reasonOf(record, explainedRequestOf(record), outcome)
  return joinLines(redactorFor(record, fingerprint).redactText(asSentence(reason)))
}

/**
 * Returns the operations that the caller of a request probably meant.
 *
 * @param addresses addresses of the request's API; looked up if left out
 */
export function nearestOf(
  record: RequestRecord,
  fingerprint: Fingerprint,
  addresses?: readonly OperationAddress[],
): NearestOperation[] {
  const request = explainedRequestOf(record)
  const { world } = request
  const path = redactTokens(request.path, sentToken(record), fingerprint)
  return nearestTo({ ...request, path }, addresses ?? addressesOf({ api: record.api, world }))
}

/**
 * Returns the addresses at which clients reach the operations of a request's API in its world;
 * empty if the API declares none.
 */
export function addressesOf({
  api,
  world,
}: Pick<RequestRecord, 'api' | 'world'>): readonly OperationAddress[] {
  return api.explanations?.addresses(world) ?? []
}

function isUnrouted(outcome: RequestOutcome, rule: string | null): boolean {
  return outcome === 'unmatched' || rule === 'method-not-allowed'
}

function reasonOf(
  { fault, operation }: RequestRecord,
  request: ExplainedRequest,
  outcome: RequestOutcome,
): string {
  const { method, path, refusal, status } = request
  if (outcome === 'served') return `${operation?.id ?? path} answered with ${status}`
  if (outcome === 'aborted') return 'the client disconnected before an answer was sent'
  if (outcome === 'faulted') return `the fault ${fault ?? ''} was applied`
  if (refusal !== undefined) return renderMessage(refusal.reason)
  if (outcome === 'unmatched') return `no operation is at ${method} ${path}`
  return `${operation?.id ?? path} answered with ${status}`
}

/**
 * Returns a text on one line: joins items of a list with semicolons, and other lines with spaces.
 * The caller must redact secrets first, because secrets may contain line breaks.
 */
function joinLines(text: string): string {
  return text
    .split(lineBreak)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .reduce((joined, line) => {
      if (!line.startsWith('* ')) return joined === '' ? line : `${joined} ${line}`
      return `${joined}${joined.endsWith(':') || joined === '' ? '' : ';'} ${line.slice(2)}`
    }, '')
}

const lineBreak = /[\n\r\v\f\u0085\u2028\u2029]/

/** Trims a text, and appends a full stop unless the text ends with `.`, `!` or `?`. */
function asSentence(text: string): string {
  const trimmed = text.trim()
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`
}
