import { Ids } from '../../state/kernel/ids.ts'
import type { ComparedApi, Difference, KnownDifference } from './api.ts'
import { differencesBetween } from './differences.ts'
import type { ComparedRequest, Target } from './request.ts'
import { type Finding, shrunk } from './shrink.ts'

/** A difference that is known, and how often it was met. */
export interface Met {
  readonly kind: string
  readonly reason: string
  readonly times: number
}

/** What a search found. */
export interface Found {
  /** Each kind once, in the order in which they were met. */
  readonly findings: readonly Finding[]
  readonly known: readonly Met[]
  /** Sequences that were tried. */
  readonly tried: number
}

/** Describes a search. */
export interface Search {
  readonly left: Target
  readonly right: Target
  /** Is asked, and says what is known already. */
  readonly api: ComparedApi
  /** Requests of a sequence at most; 6 unless given. */
  readonly longest?: number
  readonly seed: string
  /** Sequences to try. */
  readonly runs: number
  /** How many kinds of differences are enough; all unless given. */
  readonly most?: number
  readonly onFinding?: (finding: Finding) => void
  /** Ends the search before the next sequence. */
  isEnded?(): boolean
}

/**
 * Looks for differences between two servers: each kind is told once, with the fewest requests that
 * show it. The same seed tries the same sequences.
 */
export async function findDifferences(search: Search): Promise<Found> {
  const { left, right, api, runs, most = Number.POSITIVE_INFINITY } = search
  const chance = new Ids(search.seed)
  const sequences = api.sequences(search.longest ?? 6)
  const findings = new Map<string, Finding>()
  const known = new Map<string, Met>()
  const differences = (requests: readonly ComparedRequest[]) =>
    differencesBetween(api, left, right, requests)
  const kept = api.kept ?? new Set()
  let tried = 0
  while (tried < runs && findings.size < most && search.isEnded?.() !== true) {
    const requests = sequences(chance)
    tried += 1
    for (const difference of await differences(requests)) {
      const { kind } = difference
      const reason = reasonFor(difference, api.known)
      if (reason !== undefined) {
        known.set(kind, { kind, reason, times: (known.get(kind)?.times ?? 0) + 1 })
      } else if (!findings.has(kind) && findings.size < most) {
        const finding = await shrunk({ ...difference, requests }, kept, differences)
        findings.set(kind, finding)
        search.onFinding?.(finding)
      }
    }
  }
  return { findings: [...findings.values()], known: [...known.values()], tried }
}

/** Why a difference is known; undefined where it is none. */
function reasonFor(
  { kind, left, right }: Difference,
  known: readonly KnownDifference[],
): string | undefined {
  const answers = [left, right].map((answer) => JSON.stringify(answer) ?? '')
  return known.find(
    (one) => one.kind.test(kind) && answers.every((text) => one.told?.test(text) ?? true),
  )?.reason
}
