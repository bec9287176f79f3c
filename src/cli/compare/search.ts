import { Ids } from '../../../state/kernel/worlds/ids.ts'
import type {
  ComparedApi,
  Difference,
  KnownDifference,
  NormalizationRules,
} from './compared-api.ts'
import { type Answer, type ComparedRequest, memberOf, sendAll, type Target } from './request.ts'
import { type Finding, shrink } from './shrink.ts'

type WordMap = Readonly<Record<string, string>>

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** Patterns of generated texts in all APIs, with their placeholders. */
const commonReplacements: NormalizationRules['replacements'] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<time>'],
  [uuid, '<id>'],
]

/**
 * Returns a part of a reply in comparable form: with placeholders for ids, times and other
 * generated values, with `words` of the product replaced, without ignored members, and with members
 * in order.
 */
export function normalize(value: unknown, rules: NormalizationRules, words: WordMap = {}): unknown {
  const kinds = [...commonReplacements, ...rules.replacements]
  const normalizeText = (original: string) => {
    const renamed = Object.entries(words).reduce(
      (each, [from, to]) => each.replaceAll(from, to),
      original,
    )
    return kinds.reduce((each, [kind, replacement]) => each.replace(kind, replacement), renamed)
  }
  const normalizeValue = (each: unknown): unknown => {
    if (typeof each === 'string') return normalizeText(each)
    if (Array.isArray(each)) return sortIfGenerated(each.map(normalizeValue), each)
    if (typeof each !== 'object' || each === null) return each
    const comparedEntries = Object.entries(each).filter(
      ([name]) => rules.ignoredMembers?.has(name) !== true,
    )
    const members = comparedEntries.map(
      ([name, member]) =>
        [
          normalizeText(name),
          rules.placeholderFor(name, member) ?? normalizeValue(member),
        ] as const,
    )
    return Object.fromEntries(members.sort(([one], [other]) => (one < other ? -1 : 1)))
  }
  return normalizeValue(value)
}

/**
 * Returns a list in a stable order if all its items have generated ids, because the order of such a
 * list follows the ids. Returns any other list unchanged.
 */
function sortIfGenerated(items: readonly unknown[], originals: readonly unknown[]) {
  const byId = originals.every((item) =>
    ['ID', 'AccessorID'].some((name) => isGeneratedId(memberOf(item, name))),
  )
  if (!byId) return items
  return items
    .map((item) => [JSON.stringify(item), item] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, item]) => item)
}

function isGeneratedId(value: unknown): boolean {
  return typeof value === 'string' && value.replace(uuid, '') === '' && value !== ''
}

/**
 * Sends the same requests to two servers and then cleans up. Returns the differences between the
 * replies. Two replies differ in their statuses or, if the statuses are equal, in members of their
 * bodies.
 */
export async function differencesBetween(
  api: ComparedApi,
  left: Target,
  right: Target,
  requests: readonly ComparedRequest[],
): Promise<readonly Difference[]> {
  const { before, after } = api
  const allRequests = [...before, ...requests, ...after]
  const [leftAnswers, rightAnswers] = await Promise.all(
    [left, right].map(async (target) => {
      const answers = await sendAll(target, allRequests, api)
      await api.cleanUp?.(target, answers)
      return answers.map((answer) => normalizedAnswer(answer, api, target.words))
    }),
  )
  return requests.flatMap((request, at) => {
    const position = before.length + at
    return differencesOf(request, leftAnswers?.[position], rightAnswers?.[position])
  })
}

function normalizedAnswer(answer: Answer, rules: NormalizationRules, words: WordMap | undefined) {
  return { status: answer.status, body: normalize(answer.body, rules, words) }
}

/** Maximum number of differing members that are reported for a reply. */
const maxDifferingMembers = 50

function differencesOf(
  request: ComparedRequest,
  left: Answer | undefined,
  right: Answer | undefined,
): readonly Difference[] {
  const { operation } = request
  if (left?.status !== right?.status) {
    const kind = `${operation}: status ${left?.status} → ${right?.status}`
    return [{ kind, request, left, right }]
  }
  const paths: string[] = []
  for (const path of differingPaths(left?.body, right?.body, '')) {
    if (paths.push(path) === maxDifferingMembers) break
  }
  return paths.map((path) => ({
    ...{ kind: `${operation}: ${left?.status}${path}`, request },
    ...{ left: left?.body, right: right?.body },
  }))
}

/**
 * Tolerance for remaining lifetimes, in seconds, because the servers answer one after the other.
 */
const ttlTolerance = 2

/** Yields the paths at which two values differ. */
function* differingPaths(left: unknown, right: unknown, path: string): Iterable<string> {
  if (Object.is(left, right)) return
  if (typeof left === 'number' && typeof right === 'number' && /\.ttl$/.test(path)) {
    if (Math.abs(left - right) > ttlTolerance) yield path
    return
  }
  const bothObjects =
    typeof left === 'object' && typeof right === 'object' && left !== null && right !== null
  if (!bothObjects || Array.isArray(left) !== Array.isArray(right)) {
    yield path
    return
  }
  for (const name of [...new Set([...Object.keys(left), ...Object.keys(right)])].sort()) {
    yield* differingPaths(Reflect.get(left, name), Reflect.get(right, name), `${path}.${name}`)
  }
}

/** Known difference, and the number of times it occurred. */
interface KnownOccurrence {
  readonly kind: string
  readonly reason: string
  readonly times: number
}

export interface SearchResult {
  /** Findings in the order in which they occurred, one for each kind. */
  readonly findings: readonly Finding[]
  readonly known: readonly KnownOccurrence[]
  /** Number of sequences that were tried. */
  readonly tried: number
}

interface SearchSettings {
  readonly left: Target
  readonly right: Target
  /** API that generates the requests and lists the known differences. */
  readonly api: ComparedApi
  /** Maximum number of requests in a sequence. Default: 6. */
  readonly maxRequests?: number
  readonly seed: string
  /** Number of sequences to try. */
  readonly runs: number
  /** Number of findings after which the search ends. Default: no limit. */
  readonly maxFindings?: number
  readonly onFinding?: (finding: Finding) => void
  /** Returns true to end the search before the next sequence. */
  isStopped?(): boolean
}

/**
 * Searches for differences between two servers. Each kind is reported once, with the fewest
 * requests that show it. Searches with equal seeds try equal sequences.
 */
export async function findDifferences(settings: SearchSettings): Promise<SearchResult> {
  const { left, right, api, runs, maxFindings = Number.POSITIVE_INFINITY } = settings
  const random = new Ids(settings.seed)
  const sequences = api.sequences(settings.maxRequests ?? 6)
  const findings = new Map<string, Finding>()
  const known = new Map<string, KnownOccurrence>()
  const differences = (requests: readonly ComparedRequest[]) =>
    differencesBetween(api, left, right, requests)
  // Shrinking ignores known differences. A shorter sequence often shows only a known difference of
  // the same kind, and the cause of the unknown difference would be lost.
  const unknownDifferences = async (requests: readonly ComparedRequest[]) =>
    (await differences(requests)).filter((each) => knownReason(each, api.known) === undefined)
  const requiredMembers = api.requiredMembers ?? new Set()
  let tried = 0
  while (tried < runs && findings.size < maxFindings && settings.isStopped?.() !== true) {
    const requests = sequences(random)
    tried += 1
    // For each reply, only the first unknown difference is reported, and the first difference of
    // each known reason.
    const reported = new Map<ComparedRequest, Set<string | undefined>>()
    for (const difference of await differences(requests)) {
      const { kind, request } = difference
      const reason = knownReason(difference, api.known)
      const reasons = reported.get(request) ?? new Set()
      if (reasons.has(reason)) continue
      reported.set(request, reasons.add(reason))
      if (reason !== undefined) {
        known.set(kind, { kind, reason, times: (known.get(kind)?.times ?? 0) + 1 })
      } else if (!findings.has(kind) && findings.size < maxFindings) {
        const finding = await shrink(
          { ...difference, requests },
          requiredMembers,
          unknownDifferences,
        )
        findings.set(kind, finding)
        settings.onFinding?.(finding)
      }
    }
  }
  return { findings: [...findings.values()], known: [...known.values()], tried }
}

/** Returns the reason of a known difference; undefined if the difference is not known. */
function knownReason({ kind, left, right }: Difference, known: readonly KnownDifference[]) {
  const answers = [left, right].map((answer) => JSON.stringify(answer) ?? '')
  return known.find(
    (one) => one.kind.test(kind) && answers.every((text) => one.answers?.test(text) ?? true),
  )?.reason
}
