import { STATUS_CODES } from 'node:http'
import { Refusal } from '../../state/kernel/refusal.ts'
import { withoutTail } from '../../state/kernel/trimming.ts'
import type { Address, Asked, Diagnosis } from '../http/explains.ts'
import type { RequestRecord } from '../http/visit.ts'
import { addressesAt } from './addresses.ts'
import { bodyValue, pathOf, queryOf, sentToken } from './facts.ts'
import { Digest } from './journal.ts'
import { outcomeOf, type RequestOutcome } from './outcome.ts'

/** Returns a request as explanations see it. */
export function askedOf(record: RequestRecord): Asked {
  const { world, method, headers, operation, caller, status, failure, at, api } = record
  const body = bodyValue(record.body)
  const refusal = failure instanceof Refusal ? failure : undefined
  return {
    world,
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
    at,
    neighbours: api.neighbours?.() ?? [],
    earlier: () =>
      [...record.worldRecords.records()]
        .filter((other) => other.number < record.number && other.api.name === api.name)
        .reverse(),
  }
}

/**
 * Finds the caller's mistake behind a refusal (behaviour/program#explanations), or what a served request
 * tells by the status of a failure; undefined where the answer says all that is known.
 */
export function diagnosisOf(record: RequestRecord): Diagnosis | undefined {
  const outcome = outcomeOf(record)
  const { explains } = record.api
  if (outcome === 'served' && (record.status ?? 0) >= 400) return explains?.tells?.(askedOf(record))
  if (outcome !== 'refused' && outcome !== 'unmatched') return undefined
  const asked = askedOf(record)
  const lost = isLost(asked, outcome) ? lostWay(record, asked) : undefined
  return lost ?? explains?.diagnose?.(asked)
}

/**
 * Recognizes a request that found no operation, but is nearly one that would: the other dialect's, or
 * one of another API.
 */
export function misdirectionOf(record: RequestRecord): Diagnosis | undefined {
  return lostWay(record, askedOf(record))
}

function lostWay({ api: { explains }, world }: RequestRecord, asked: Asked): Diagnosis | undefined {
  return explains?.lost?.(asked) ?? misdirection(asked, explains?.addresses(world) ?? [])
}

/** Tells whether a request found no operation, or was turned away before it could. */
function isLost({ operation, refusal }: Asked, outcome: RequestOutcome): boolean {
  return outcome === 'unmatched' || (operation === undefined && refusal?.kind === 'denied')
}

/** The rule by which a request was not served, kebab case; null for one that was. */
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

/** Other spellings of a path, by the mistake of writing it so. */
const spellings: readonly (readonly [
  rule: string,
  what: string,
  mend: (path: string) => string,
])[] = [
  ['double-slash', 'has slashes in a row', (path) => path.replaceAll(/\/{2,}/g, '/')],
  ['trailing-slash', 'ends with a slash', (path) => withoutTail(path, '/')],
  ['trailing-slash', 'ends without a slash', (path) => `${withoutTail(path, '/')}/`],
  ['trailing-dot', 'ends with a dot', (path) => withoutTail(path, '.')],
  ['prefix-missing', 'lacks the prefix /v1', (path) => `/v1${path}`],
  ['prefix-missing', 'lacks the prefix /api/v2', (path) => `/api/v2${path}`],
  ['letter-case', 'is written in capitals', (path) => path.toLowerCase()],
]

/** Recognizes a request that no operation takes, but that is nearly one. */
function misdirection(asked: Asked, own: readonly Address[]): Diagnosis | undefined {
  const { path } = asked
  const here = addressesAt(own, path)
  // Who has no token is told of that first.
  if (asked.refusal?.rule === 'token-refused') return here.length > 0 ? undefined : wrongApi(asked)
  if (here.length > 0) return wrongVerb(asked, here)
  const others = asked.neighbours.flatMap(({ addresses }) => addresses(asked.world))
  for (const [rule, what, mend] of spellings) {
    const mended = mend(path)
    const known = rule === 'prefix-missing' ? [...own, ...others] : own
    if (mended === path || addressesAt(known, mended).length === 0) continue
    return {
      rule,
      because: `${path} ${what}; the operation is at ${mended}`,
      change: `Send it to ${mended}`,
      request: { path: mended },
    }
  }
  return wrongApi(asked)
}

/** The request is one of another API of the mock. */
function wrongApi({ method, path, neighbours, world }: Asked): Diagnosis | undefined {
  for (const { name, url, addresses, ownPort } of neighbours) {
    const there = addressesAt(addresses(world), path)
    if (!there.some((address) => address.method === method)) continue
    const at = url()
    const missing = ownPort ? `, on a port of its own (--${name}-port)` : ''
    const where = at === undefined ? missing : ` at ${at}`
    return {
      rule: 'wrong-api',
      because: `${method} ${path} is an operation of the ${name} API, not of the one that was asked`,
      change: `Send it to the ${name} API${where}`,
      isMisdirected: true,
    }
  }
  return undefined
}

function wrongVerb({ method, path }: Asked, here: readonly Address[]): Diagnosis | undefined {
  const verbs = [...new Set(here.map((address) => address.method))]
  const [only] = verbs
  if (verbs.includes(method)) return undefined
  return {
    rule: 'method-not-allowed',
    because: `${path} takes ${verbs.join(', ')}, not ${method}`,
    change: `Send it with ${verbs.join(' or ')}`,
    ...(only === undefined ? {} : { request: { method: only } }),
  }
}
