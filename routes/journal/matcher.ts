import { compileGoRegex, type GoRegex, RegexError } from '../../state/go/regex.ts'
import { memoize } from '../../state/kernel/memoize.ts'
import { isObject } from '../../state/kernel/objects.ts'
import { InputError, pointerName } from '../http/declare/validate.ts'
import type { RequestRecord } from '../http/journal-hooks/request-record.ts'
import {
  callerOf,
  type Entry,
  entryOf,
  redactedBody,
  redactedHeaders,
  redactedQuery,
} from './entry.ts'
import type { Fingerprint } from './fingerprint.ts'
import { matchesGlob } from './glob.ts'
import type { Match } from './match-shapes.ts'
import { outcomeOf } from './outcome.ts'
import { bodyValue, pathOf, queryOf, sentToken } from './record-values.ts'

/** A property that a matching request must have. */
interface Criterion {
  /** JSON pointer into the entry. */
  readonly at: string
  readonly expected: unknown
  holds(view: RequestView): boolean
}

/** Request that a matcher examines. Values that several criteria need are cached. */
interface RequestView {
  readonly record: RequestRecord
  query(): ReturnType<typeof queryOf>
  redactedQuery(): ReturnType<typeof redactedQuery>
  body(): { readonly sent: unknown; readonly redacted: unknown }
}

/**
 * Maximum number of criteria of a matcher. Each criterion is compared with every request in the
 * journal.
 */
const maxCriteria = 1_000

/** A property in which a request differs from the expected request. */
export interface Difference {
  readonly at: string
  readonly expected: unknown
  readonly actual: unknown
}

/** The compiled form of a `Match`. */
export interface Matcher {
  matches(record: RequestRecord): boolean
  /**
   * Returns a weighted number of differences. A different path has slightly more weight than other
   * differences.
   */
  distance(record: RequestRecord): number
  /** Returns the differences between a request and the expected request. */
  differences(record: RequestRecord): readonly Difference[]
}

/**
 * Compiles a matcher. All of its members must match. Values that the journal hides can be matched
 * by the value itself or by its fingerprint, but regular expressions see only the fingerprint.
 *
 * @param place JSON pointer of the matcher within the request
 * @throws {InputError} for an invalid regular expression, too many criteria, and deep nesting
 */
export function matcherOf(match: Match, fingerprint: Fingerprint, place = '/match'): Matcher {
  const criteria = criteriaOf(match, fingerprint, place)
  if (criteria.length > maxCriteria) {
    throw new InputError([
      `${place} may have at most ${maxCriteria} criteria, not ${criteria.length}`,
    ])
  }
  const unmetCriteria = (record: RequestRecord) => {
    const view = viewOf(record, fingerprint)
    return criteria.filter(({ holds }) => !holds(view))
  }
  return {
    matches(record) {
      const view = viewOf(record, fingerprint)
      return criteria.every(({ holds }) => holds(view))
    },
    distance: (record) =>
      unmetCriteria(record).reduce((sum, { at }) => sum + (at === '/path' ? 1.5 : 1), 0),
    differences(record) {
      const failed = unmetCriteria(record)
      if (failed.length === 0) return []
      const entry = entryOf(record, fingerprint)
      return failed.map(({ at, expected }) => ({
        at,
        expected,
        actual: valueAt(entry, at) ?? null,
      }))
    },
  }
}

function viewOf(record: RequestRecord, fingerprint: Fingerprint): RequestView {
  return {
    record,
    query: memoize(() => queryOf(record)),
    redactedQuery: memoize(() => redactedQuery(record, fingerprint)),
    body: memoize(() => ({
      sent: bodyValue(record.body),
      redacted: redactedBody(record, fingerprint),
    })),
  }
}

function criteriaOf(match: Match, fingerprint: Fingerprint, place: string): readonly Criterion[] {
  const { service, operation, method, path, status, outcome, caller } = match
  const criteria: (Criterion | undefined)[] = [
    criterionFor('/service', service, ({ record }) => record.api.name === service),
    criterionFor('/operation', operation, ({ record }) => record.operation?.id === operation),
    criterionFor('/method', method, ({ record }) => isAmong(method, record.method)),
    criterionFor('/path', path, ({ record }) => matchesGlob(path ?? '', pathOf(record))),
    criterionFor(
      '/status',
      status,
      ({ record }) => record.status !== null && isAmong(status, record.status),
    ),
    criterionFor('/outcome', outcome, ({ record }) => outcomeOf(record) === outcome),
    criterionFor('/caller', caller, ({ record }) => isCaller(record, caller ?? '', fingerprint)),
  ]
  for (const [name, expected] of Object.entries(match.query ?? {})) {
    const at = `/query/${pointerName(name)}`
    const matches = textPredicate(expected, place + at)
    criteria.push({
      at,
      expected,
      holds: (view) =>
        matches([view.query()[name]].flat(), () => [view.redactedQuery()[name]].flat()),
    })
  }
  for (const [sent, expected] of Object.entries(match.headers ?? {})) {
    const name = sent.toLowerCase()
    const matches = textPredicate(expected, `${place}/headers/${pointerName(sent)}`)
    criteria.push({
      at: `/headers/${pointerName(name)}`,
      expected,
      holds: ({ record }) =>
        matches(plainHeader(record, name), () => [
          redactedHeaders({ [name]: record.headers[name] }, record, fingerprint)[name],
        ]),
    })
  }
  const bodyCriteriaList = match.body === undefined ? [] : bodyCriteria(match.body, place)
  return [...criteria.filter((criterion) => criterion !== undefined), ...bodyCriteriaList]
}

function criterionFor(at: string, expected: unknown, holds: Criterion['holds']) {
  return expected === undefined ? undefined : { at, expected, holds }
}

function isAmong<T>(expected: T | readonly T[] | undefined, actual: T): boolean {
  return Array.isArray(expected) ? expected.includes(actual) : expected === actual
}

function isCaller(record: RequestRecord, expected: string, fingerprint: Fingerprint): boolean {
  const token = sentToken(record)
  if (token === undefined) return false
  if (token === expected || fingerprint(token) === expected) return true
  return callerOf(record, fingerprint)?.name === expected
}

/**
 * Returns the value of a header in the request; for `authorization`, also the part after the
 * scheme.
 */
function plainHeader({ headers }: RequestRecord, name: string): readonly (string | undefined)[] {
  const value = headers[name]
  const text = Array.isArray(value) ? value.join(', ') : value
  return name === 'authorization' ? [text, text?.replace(/^\S+ /, '')] : [text]
}

type TextMatch = NonNullable<Match['headers']>[string]

/** Predicate over the values in the request and their redacted forms in the journal. */
type TextPredicate = (
  sent: readonly (string | undefined)[],
  redacted: () => readonly (string | undefined)[],
) => boolean

/**
 * Compiles a regular expression. For an invalid expression, throws an `InputError` that names its
 * position.
 */
function compilePattern(text: string, place: string): GoRegex {
  try {
    return compileGoRegex(text)
  } catch (error) {
    if (!(error instanceof RegexError)) throw error
    throw new InputError([`${place}/matches cannot be read: ${error.message}`])
  }
}

function textPredicate(expected: TextMatch, place: string): TextPredicate {
  if (typeof expected === 'string') {
    return (sent, redacted) => sent.includes(expected) || redacted().includes(expected)
  }
  if ('absent' in expected) return (sent) => sent.every((value) => value === undefined)
  const regex = compilePattern(expected.matches, place)
  return (_, redacted) => redacted().some((value) => value !== undefined && regex.test(value))
}

/**
 * Returns one criterion for each expected member, so that each difference is reported separately.
 * Throws `InputError` for an invalid regular expression and for deep nesting.
 */
function bodyCriteria(expected: unknown, place: string): readonly Criterion[] {
  const criteria: Criterion[] = []
  const add = (value: unknown, at: readonly string[]): void => {
    checkDepth(at.length, place)
    if (isObject(value) && !isOperator(value) && Object.keys(value).length > 0) {
      for (const [name, inner] of Object.entries(value)) add(inner, [...at, name])
      return
    }
    const pointer = ['/body', ...at.map(pointerName)].join('/')
    const matches = partPredicate(value, place + pointer)
    criteria.push({
      at: pointer,
      expected: value,
      holds: (view) => {
        const { sent, redacted } = view.body()
        return matches(valueBelow(sent, at), valueBelow(redacted, at))
      },
    })
  }
  add(expected, [])
  return criteria
}

/** Maximum nesting of the expected body. The comparison is recursive. */
const maxDepth = 500

function checkDepth(depth: number, place: string): void {
  if (depth > maxDepth) throw new InputError([`${place} is nested over ${maxDepth} levels deep`])
}

/** Predicate over a value in the request and its redacted form in the journal. */
type PartPredicate = (sent: unknown, redacted: unknown) => boolean

function partPredicate(expected: unknown, place: string, depth = 0): PartPredicate {
  checkDepth(depth, '/match')
  if (isOperator(expected)) {
    if ('absent' in expected) return (sent) => sent === undefined
    if ('contains' in expected) {
      return containsPredicate(expected['contains'], `${place}/contains`, depth + 1)
    }
    const regex = compilePattern(String(expected['matches']), place)
    return (_, redacted) => typeof redacted === 'string' && regex.test(redacted)
  }
  if (Array.isArray(expected)) {
    const each = expected.map((item, at) => partPredicate(item, `${place}/${at}`, depth + 1))
    return (sent, redacted) =>
      Array.isArray(sent) &&
      sent.length === each.length &&
      each.every((matches, at) => matches(sent[at], valueBelow(redacted, [String(at)])))
  }
  if (isObject(expected)) {
    const members = Object.entries(expected).map(
      ([name, inner]) =>
        [name, partPredicate(inner, `${place}/${pointerName(name)}`, depth + 1)] as const,
    )
    return (sent, redacted) =>
      isObject(sent) &&
      members.every(([name, matches]) =>
        matches(valueBelow(sent, [name]), valueBelow(redacted, [name])),
      )
  }
  return (sent, redacted) => isSameScalar(sent, expected) || isSameScalar(redacted, expected)
}

/**
 * Returns true if a scalar equals the expected scalar. A large integer also equals its rounded
 * form, because the expected number may have lost digits.
 */
function isSameScalar(value: unknown, expected: unknown): boolean {
  return value === expected || (typeof value === 'bigint' && Number(value) === expected)
}

function containsPredicate(expected: unknown, place: string, depth: number): PartPredicate {
  const matches = partPredicate(expected, place, depth)
  return (sent, redacted) => {
    if (typeof sent === 'string') {
      return (
        typeof expected === 'string' && (sent === expected || String(redacted).includes(expected))
      )
    }
    return (
      Array.isArray(sent) &&
      sent.some((item, at) => matches(item, valueBelow(redacted, [String(at)])))
    )
  }
}

const operators = ['matches', 'absent', 'contains']

/**
 * Returns true for the operators `{matches}`, `{absent: true}` and `{contains}`. Other objects are
 * parts of a body.
 */
function isOperator(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isObject(value)) return false
  const [name = '', ...more] = Object.keys(value)
  if (more.length > 0 || !operators.includes(name)) return false
  if (name === 'absent') return value[name] === true
  return name === 'contains' || typeof value[name] === 'string'
}

function valueBelow(value: unknown, at: readonly string[]): unknown {
  return at.reduce<unknown>((inner, name) => {
    if (Array.isArray(inner)) return inner[Number(name)]
    return isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined
  }, value)
}

function valueAt(entry: Entry, at: string): unknown {
  const names = at.split('/').slice(1)
  return valueBelow(
    entry,
    names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~')),
  )
}
