import type { Amendment, Diagnosis } from '../http/journal-hooks/api-explanations.ts'
import type { RequestRecord } from '../http/journal-hooks/request-record.ts'
import type { Redactor } from './redactor.ts'

/** Way to avoid a refusal (behaviour/program#explanations). */
export interface WouldPass {
  /** One sentence that describes the change. */
  readonly change: string
  /** Request that avoids the refusal; secrets are replaced by their fingerprints. */
  readonly request?: PassingRequest
}

/** Request as it should be sent. */
export interface PassingRequest {
  readonly method: string
  /** Path with its query, below the world's prefix. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** Headers that clients set automatically. */
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
const reads: ReadonlySet<string> = new Set(['GET', 'HEAD', 'LIST'])

/** Returns the change that makes a request pass; null if it is not known. */
export function wouldPassOf(
  { method }: RequestRecord,
  { change, request }: Diagnosis,
  redactor: Redactor,
): WouldPass | null {
  if (change === undefined) return null
  const text = redactor.text(/[.!?]$/.test(change) ? change : `${change}.`)
  if (request === undefined) return { change: text }
  return { change: text, request: amendRequest(method, request, redactor) }
}

function amendRequest(method: string, change: Amendment, redactor: Redactor): PassingRequest {
  const { headers: changed = {} } = change
  const all = { ...redactor.headers, ...changed, ...redactor.redactHeaders(changed) }
  const headers = Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) =>
      value === undefined || clientHeaders.has(name) ? [] : [[name, redactor.text(value)]],
    ),
  )
  const verb = change.method ?? method
  const sent = verb !== method && reads.has(verb) ? undefined : redactor.body
  const body = change.body === undefined ? sent : change.body(sent)
  return {
    method: verb,
    path:
      redactor.text(change.path ?? redactor.path) +
      queryText({ ...redactor.query, ...change.query }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(body === undefined ? {} : { body }),
  }
}

function queryText(
  query: Readonly<Record<string, string | readonly string[] | undefined>>,
): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, each]),
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}
