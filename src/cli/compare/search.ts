import { Ids } from '../../../state/kernel/worlds/ids.ts'
import type { ComparedApi, Difference, KnownDifference } from './compared-api.ts'
import { differencesBetween } from './differences.ts'
import type { ComparedRequest, Target } from './request.ts'
import { type Finding, shrink } from './shrink.ts'

/** A difference that is known, and how often it was met. */
export interface KnownOccurrence {
  readonly kind: string
  readonly reason: string
  readonly times: number
}

/** What a search found. */
export interface SearchResult {
  /** Each kind once, in the order in which they were met. */
  readonly findings: readonly Finding[]
  readonly known: readonly KnownOccurrence[]
  /** Sequences that were tried. */
  readonly tried: number
}

/** Describes a search. */
export interface SearchSettings {
  readonly left: Target
  readonly right: Target
  /** Is asked, and says what is known already. */
  readonly api: ComparedApi
  /** Requests of a sequence at most; 6 unless given. */
  readonly maxRequests?: number
  readonly seed: string
  /** Sequences to try. */
  readonly runs: number
  /** How many kinds of differences are enough; all unless given. */
  readonly maxFindings?: number
  readonly onFinding?: (finding: Finding) => void
  /** Ends the search before the next sequence. */
  isStopped?(): boolean
}

/**
 * Looks for differences between two servers: each kind is told once, with the fewest requests that
 * show it. The same seed tries the same sequences.
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

/** Why a difference is known; undefined where it is none. */
function knownReason(
  { kind, left, right }: Difference,
  known: readonly KnownDifference[],
): string | undefined {
  const answers = [left, right].map((answer) => JSON.stringify(answer) ?? '')
  return known.find(
    (one) => one.kind.test(kind) && answers.every((text) => one.answers?.test(text) ?? true),
  )?.reason
}
