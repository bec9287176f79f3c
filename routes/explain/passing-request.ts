import type {
  Amendment,
  Correction,
  Diagnosis,
  ExplainedRequest,
} from '../http/journal-hooks/api-explanations.ts'
import type { RequestRecord } from '../http/journal-hooks/request-record.ts'
import type { Fingerprint } from '../journal/fingerprint.ts'
import { mapScalars } from '../journal/redact.ts'
import { generalCorrection } from './general-corrections.ts'
import type { Redactor } from './redactor.ts'

/** Way to avoid a refusal (behaviour/program#explanations). */
export interface WouldPass {
  /** One sentence that describes the change. */
  readonly change: string
  /** Request that avoids the refusal; secrets are replaced by their fingerprints. */
  readonly request?: PassingRequest
}

interface PassingRequest {
  readonly method: string
  /** Path with its query, below the world's prefix. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

interface DiagnosedRequest {
  readonly record: RequestRecord
  readonly request: ExplainedRequest
  /** Rule of the refusal; null if the request was not refused. */
  readonly rule: string | null
  readonly diagnosis: Diagnosis | undefined
}

/**
 * Headers that a suggested request leaves out: those that clients set automatically, and the header
 * that names the world.
 */
const clientHeaders: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'user-agent',
  'accept',
  'accept-encoding',
  'accept-language',
  'sec-fetch-mode',
  'x-mock-world',
])

/** Methods without a request body. */
const readMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'LIST'])

/** Returns the change that makes a request pass; null if no such change is known. */
export function wouldPassOf(
  refused: DiagnosedRequest,
  redactor: Redactor,
  fingerprint: Fingerprint,
): WouldPass | null {
  const { record, diagnosis } = refused
  const correction = diagnosis?.request === undefined ? correctionOf(refused) : undefined
  const change = changeText(diagnosis?.change, correction?.change)
  const amendment = diagnosis?.request ?? correction?.request
  if (change === undefined) return null
  const text = redactor.redactText(/[.!?]$/.test(change) ? change : `${change}.`)
  if (amendment === undefined) return { change: text }
  return { change: text, request: amendRequest(record.method, amendment, redactor, fingerprint) }
}

/**
 * Returns the API's correction of a refused request or, if the API has none, a general correction.
 * Returns undefined if the request was not refused, if it was sent to the wrong API or dialect, if
 * the API knows that no request can pass, or if no correction is found.
 */
function correctionOf({ record, request, rule, diagnosis }: DiagnosedRequest) {
  const { explanations } = record.api
  if (rule === null || explanations === undefined || diagnosis?.isMisdirected) return undefined
  const correction = explanations.correct?.(request, rule)
  if (correction !== undefined) return correction ?? undefined
  const addresses = explanations.addresses(request.world)
  return generalCorrection(request, rule, { addresses, prefix: record.api.prefix })
}

/** Joins the advice of a diagnosis and of a correction with "or"; undefined if there is neither. */
function changeText(advice: string | undefined, change: Correction['change']): string | undefined {
  if (advice === undefined || change === undefined) return advice ?? change
  return `${advice}, or ${change.slice(0, 1).toLowerCase()}${change.slice(1)}`
}

function amendRequest(
  method: string,
  amendment: Amendment,
  redactor: Redactor,
  fingerprint: Fingerprint,
): PassingRequest {
  const { headers: changed = {} } = amendment
  const all = { ...redactor.headers, ...changed, ...redactor.redactHeaders(changed) }
  const headers = Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) =>
      value === undefined || clientHeaders.has(name) ? [] : [[name, redactor.redactText(value)]],
    ),
  )
  const verb = amendment.method ?? method
  const sentBody = verb !== method && readMethods.has(verb) ? undefined : redactor.body
  const body =
    amendment.body === undefined
      ? sentBody
      : mapScalars(amendment.body(sentBody, fingerprint), (each) =>
          typeof each === 'string' ? redactor.redactText(each) : each,
        )
  return {
    method: verb,
    path:
      redactor.redactText(amendment.path ?? redactor.path) +
      queryText({ ...redactor.query, ...amendment.query }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(body === undefined ? {} : { body }),
  }
}

function queryText(query: Readonly<Record<string, string | readonly string[] | undefined>>) {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, each]),
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}
