import { Ids } from '../../../state/kernel/worlds/ids.ts'
import type { ComparedApi, Difference, KnownDifference } from './compared-api.ts'
import { differencesBetween } from './differences.ts'
import type { ComparedRequest, Target } from './request.ts'
import { type Finding, shrink } from './shrink.ts'

/** Known difference, and the number of times it occurred. */
export interface KnownOccurrence {
  readonly kind: string
  readonly reason: string
  readonly times: number
}

/** Result of a search. */
export interface SearchResult {
  /** Findings in the order in which they occurred, one for each kind. */
  readonly findings: readonly Finding[]
  readonly known: readonly KnownOccurrence[]
  /** Number of sequences that were tried. */
  readonly tried: number
}

/** Settings of a search. */
export interface SearchSettings {
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
 * requests that show it. Equal seeds try equal sequences.
 */
export async function findDifferences(settings: SearchSettings): Promise<SearchResult> {
  const { left, right, api, runs, maxFindings = Number.POSITIVE_INFINITY } = settings
  const random = new Ids(settings.seed)
  const sequences = api.sequences(settings.maxRequests ?? 6)
  const findings = new Map<string, Finding>()
  const known = new Map<string, KnownOccurrence>()
  const differences = (requests: readonly ComparedRequest[]) =>
    differencesBetween(api, left, right, requests)
  const requiredMembers = api.requiredMembers ?? new Set()
  let tried = 0
  while (tried < runs && findings.size < maxFindings && settings.isStopped?.() !== true) {
    const requests = sequences(random)
    tried += 1
    for (const difference of await differences(requests)) {
      const { kind } = difference
      const reason = knownReason(difference, api.known)
      if (reason !== undefined) {
        known.set(kind, { kind, reason, times: (known.get(kind)?.times ?? 0) + 1 })
      } else if (!findings.has(kind) && findings.size < maxFindings) {
        const finding = await shrink({ ...difference, requests }, requiredMembers, differences)
        findings.set(kind, finding)
        settings.onFinding?.(finding)
      }
    }
  }
  return { findings: [...findings.values()], known: [...known.values()], tried }
}

/** Returns the reason of a known difference; undefined if the difference is not known. */
function knownReason(
  { kind, left, right }: Difference,
  known: readonly KnownDifference[],
): string | undefined {
  const answers = [left, right].map((answer) => JSON.stringify(answer) ?? '')
  return known.find(
    (one) => one.kind.test(kind) && answers.every((text) => one.answers?.test(text) ?? true),
  )?.reason
}
