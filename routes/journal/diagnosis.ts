import { STATUS_CODES } from 'node:http'
import { memoizeByKey } from '../../state/kernel/memoize.ts'
import { Refusal } from '../../state/kernel/refusal.ts'
import { trimEndOf } from '../../state/kernel/trimming.ts'
import type {
  Diagnosis,
  ExplainedRequest,
  OperationAddress,
} from '../http/journal-hooks/api-explanations.ts'
import type { RequestRecord } from '../http/journal-hooks/request-record.ts'
import { outcomeOf, type RequestOutcome } from './outcome.ts'
import { bodyValue, pathOf, queryOf, sentToken } from './record-values.ts'
import { Digest } from './retained-body.ts'

/**
 * Counts the literal segments of an address pattern that a path matches, starting at `at` in the
 * pattern and at `from` in the path. Returns undefined if the path does not match.
 */
function countLiterals(pattern: readonly string[], segments: readonly string[], at = 0, from = at) {
  let literalCount = 0
  for (let offset = 0; at + offset < pattern.length; offset += 1) {
    const [part = '', segment] = [pattern[at + offset], segments[from + offset]]
    if (segment === undefined) return undefined
    if (part.startsWith('*')) {
      const others = countLiteralsAfterWildcard(pattern, segments, at + offset + 1, from + offset)
      return others === undefined ? undefined : literalCount + others
    }
    if (part === segment) literalCount += 1
    else if (!part.startsWith(':') || segment === '') return undefined
  }
  return segments.length - from === pattern.length - at ? literalCount : undefined
}

/**
 * Counts the matching literal segments after a wildcard. The wildcard takes at least one segment,
 * and all segments that the rest of the pattern does not need. Returns undefined if the path does
 * not match.
 */
function countLiteralsAfterWildcard(
  pattern: readonly string[],
  segments: readonly string[],
  at: number,
  from: number,
): number | undefined {
  if (segments.length - from === 1 && segments[from] === '') return undefined
  const end = segments.length - (pattern.length - at)
  return end > from ? countLiterals(pattern, segments, at, end) : undefined
}

export const segmentsOf = memoizeByKey((address: OperationAddress): readonly string[] =>
  address.path.split('/'),
)

/**
 * Returns the addresses that match the path and have the most literal segments in common with the
 * path. Several addresses can match if operations differ only in their method.
 */
export function addressesAt(
  addresses: readonly OperationAddress[],
  path: string,
): readonly OperationAddress[] {
  let best = -1
  let found: OperationAddress[] = []
  const segments = path.split('/')
  for (const address of addresses) {
    const literalCount = countLiterals(segmentsOf(address), segments)
    if (literalCount === undefined || literalCount < best) continue
    if (literalCount > best) found = []
    best = literalCount
    found.push(address)
  }
  return found
}

/** Returns a copy of a request in the form that explanations use. */
export function explainedRequestOf(record: RequestRecord): ExplainedRequest {
  const { method, headers, operation, caller, status, failure, at, api } = record
  const body = bodyValue(record.body)
  const refusal = failure instanceof Refusal ? failure : undefined
  return {
    // `worldAfter` returns the state right after the request, so the explanation stays the same
    // when the world changes.
    world: record.worldRecords.worldAfter(record),
    method,
    path: pathOf(record),
    query: queryOf(record),
    headers,
    body: body instanceof Digest ? undefined : body,
    operation,
    caller,
    token: sentToken(record),
    status,
    refusal,
    rule: refusal?.rule ?? record.rule,
    reason: refusal?.reason ?? record.reason,
    at,
    siblings: api.siblings?.() ?? [],
    earlier: () =>
      [...record.worldRecords.records()]
        .filter((other) => other.number < record.number && other.api.name === api.name)
        .reverse(),
  }
}

/**
 * Returns the caller's mistake that led to a refusal (behaviour/program#explanations), or to an
 * answer that reports a failure although the operation was served. Returns undefined if no mistake
 * is known.
 */
export function diagnosisOf(record: RequestRecord): Diagnosis | undefined {
  const outcome = outcomeOf(record)
  const { explanations } = record.api
  if (outcome === 'served' && ((record.status ?? 0) >= 400 || record.rule !== ''))
    return explanations?.diagnoseServed?.(explainedRequestOf(record))
  if (outcome !== 'refused' && outcome !== 'unmatched') return undefined
  const request = explainedRequestOf(record)
  const misdirection = isMisrouted(request, outcome)
    ? diagnoseMisdirection(record, request)
    : undefined
  return misdirection ?? explanations?.diagnose?.(request)
}

/**
 * Returns a diagnosis of a request that matched no operation. The mistake is in the path or the
 * method, or the path belongs to the other dialect or to another API. Returns undefined if no such
 * mistake is found.
 */
export function misdirectionDiagnosis(record: RequestRecord): Diagnosis | undefined {
  return diagnoseMisdirection(record, explainedRequestOf(record))
}

function diagnoseMisdirection(
  { api: { explanations } }: RequestRecord,
  request: ExplainedRequest,
): Diagnosis | undefined {
  return (
    explanations?.diagnoseMisdirected?.(request) ??
    unmatchedDiagnosis(request, explanations?.addresses(request.world) ?? [])
  )
}

/**
 * Returns a diagnosis of a request on a shared port, if the path of the request also belongs to
 * another API that has its own port. Returns undefined if no other API has the path and method.
 */
export function sharedPathDiagnosis(record: RequestRecord): Diagnosis | undefined {
  const { api, method, world } = record
  const path = pathOf(record)
  // This code runs for every refused request. Comparing the beginnings of paths is fast, and rules
  // out most APIs before all addresses are compared.
  const siblings = api.siblings?.().filter(({ hasDedicatedPort, addresses }) => {
    return hasDedicatedPort && headsOf(addresses(world)).has(headOf(path))
  })
  return siblings && diagnoseWrongApi({ method, path, siblings, world })
}

const headsOf = memoizeByKey(
  (addresses: readonly OperationAddress[]) => new Set(addresses.map(({ path }) => headOf(path))),
)

/** Returns the first two segments of a path, such as `/v1/kv`. */
function headOf(path: string): string {
  return path.split('/', 3).join('/')
}

/**
 * Returns true if a request matched no operation, or if the request was refused before it could
 * match an operation.
 */
function isMisrouted({ operation, refusal }: ExplainedRequest, outcome: RequestOutcome): boolean {
  return outcome === 'unmatched' || (operation === undefined && refusal?.kind === 'denied')
}

/**
 * Returns the rule, in kebab case, that refused a request; null if the request was not refused.
 * Without a rule of the API, returns a general one, such as `unknown-path` or the phrase of the
 * status.
 */
export function ruleOf(record: RequestRecord): string | null {
  const outcome = outcomeOf(record)
  if (outcome !== 'refused' && outcome !== 'unmatched') return null
  const { failure, status } = record
  const found = diagnosisOf(record)?.rule
  if (found !== undefined) return found
  const rule = failure instanceof Refusal ? failure.rule : record.rule
  if (rule !== '') return rule
  if (outcome === 'unmatched') return status === 405 ? 'method-not-allowed' : 'unknown-path'
  const phrase = STATUS_CODES[status ?? 500] ?? 'refused'
  return phrase.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
}

/**
 * Corrections of common mistakes in paths, each with the rule of its diagnosis and a description of
 * the mistake.
 */
const pathCorrections: readonly (readonly [
  rule: string,
  flaw: string,
  correct: (path: string) => string,
])[] = [
  ['double-slash', 'has consecutive slashes', (path) => path.replaceAll(/\/{2,}/g, '/')],
  ['trailing-slash', 'ends with a slash', (path) => trimEndOf(path, '/')],
  ['trailing-slash', 'does not end with a slash', (path) => `${trimEndOf(path, '/')}/`],
  ['trailing-dot', 'ends with a dot', (path) => trimEndOf(path, '.')],
  ['prefix-missing', 'lacks the prefix /v1', (path) => `/v1${path}`],
  ['prefix-missing', 'lacks the prefix /api/v2', (path) => `/api/v2${path}`],
  ['letter-case', 'has uppercase letters', (path) => path.toLowerCase()],
]

/**
 * Returns a diagnosis of an unmatched request that almost matches an operation; undefined if no
 * operation is near.
 */
function unmatchedDiagnosis(request: ExplainedRequest, ownAddresses: readonly OperationAddress[]) {
  const { path } = request
  const addressesHere = addressesAt(ownAddresses, path)
  // A missing token takes precedence over other mistakes.
  if (request.refusal?.rule === 'token-refused')
    return addressesHere.length > 0 ? undefined : diagnoseWrongApi(request)
  if (addressesHere.length > 0) return diagnoseWrongVerb(request, addressesHere)
  const others = request.siblings.flatMap(({ addresses }) => addresses(request.world))
  for (const [rule, flaw, correct] of pathCorrections) {
    const correctedPath = correct(path)
    const known = rule === 'prefix-missing' ? [...ownAddresses, ...others] : ownAddresses
    if (correctedPath === path || addressesAt(known, correctedPath).length === 0) continue
    return {
      rule,
      because: `${path} ${flaw}; the operation is at ${correctedPath}`,
      change: `Send the request to ${correctedPath}`,
      request: { path: correctedPath },
    }
  }
  return diagnoseWrongApi(request)
}

/**
 * Returns a diagnosis of a request that was meant for another API of the mock; undefined if no
 * other API has its path and method.
 */
function diagnoseWrongApi({
  method,
  path,
  siblings,
  world,
}: Pick<ExplainedRequest, 'method' | 'path' | 'siblings' | 'world'>): Diagnosis | undefined {
  for (const { name, url, addresses, hasDedicatedPort } of siblings) {
    const addressesThere = addressesAt(addresses(world), path)
    if (!addressesThere.some((address) => address.method === method)) continue
    const at = url()
    const missing = hasDedicatedPort ? `, on its own port (--${name}-port)` : ''
    const where = at === undefined ? missing : ` at ${at}`
    return {
      rule: 'wrong-api',
      because: `${method} ${path} is an operation of the ${name} API, not of the API that received the request`,
      change: `Send the request to the ${name} API${where}`,
      isMisdirected: true,
    }
  }
  return undefined
}

function diagnoseWrongVerb(
  { method, path }: ExplainedRequest,
  addressesHere: readonly OperationAddress[],
) {
  const verbs = [...new Set(addressesHere.map((address) => address.method))]
  if (verbs.includes(method)) return undefined
  const [first] = verbs
  // A caller that writes probably meant an operation that writes.
  const intendedMethod = writeMethods.has(method)
    ? (verbs.find((verb) => writeMethods.has(verb)) ?? first)
    : first
  return {
    rule: 'method-not-allowed',
    because: `${path} accepts ${verbs.join(', ')}, not ${method}`,
    change: `Send the request with ${verbs.join(' or ')}`,
    ...(intendedMethod === undefined ? {} : { request: { method: intendedMethod } }),
  }
}

/** Methods that send a body. */
const writeMethods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])
