import fc from 'fast-check'
import type { Difference, KnownDifference, OracleApi } from './api.ts'
import { differencesBetween } from './compare.ts'
import type { OracleRequest, Target } from './request.ts'

/** A difference with the fewest requests that show it. */
export interface Finding extends Difference {
  readonly requests: readonly OracleRequest[]
}

/** Describes a search. */
export interface Search {
  readonly left: Target
  readonly right: Target
  /** Is asked, and says what is known already. */
  readonly api: OracleApi
  /** Requests of a sequence at most; 6 unless given. */
  readonly longest?: number
  readonly seed: number
  /** Sequences to try for each finding. */
  readonly runs: number
  /** How many kinds of differences are enough. */
  readonly most: number
  readonly onFinding?: (finding: Finding) => void
}

function isKnown({ kind, told }: KnownDifference, difference: Difference): boolean {
  const answers = [difference.left, difference.right].map((answer) => JSON.stringify(answer) ?? '')
  return kind.test(difference.kind) && answers.every((text) => told?.test(text) ?? true)
}

/** A finding without the requests that it is shown without. */
async function fewestRequests(
  finding: Finding,
  differences: (requests: readonly OracleRequest[]) => Promise<readonly Difference[]>,
): Promise<Finding> {
  let fewest = finding
  for (let at = finding.requests.length - 1; at >= 0; at--) {
    const requests = fewest.requests.filter((_, each) => each !== at)
    if (requests.length === 0) break
    const still = (await differences(requests)).find(({ kind }) => kind === finding.kind)
    if (still !== undefined) fewest = { ...still, requests }
  }
  return fewest
}

/**
 * Looks for differences between two servers: each kind is told once, with the fewest requests that
 * show it. The same seed tries the same sequences.
 */
export async function findDifferences(search: Search): Promise<readonly Finding[]> {
  const { left, right, api, runs } = search
  const sequences = api.sequences(search.longest ?? 6)
  const findings: Finding[] = []
  const isNews = (difference: Difference) =>
    !findings.some(({ kind }) => kind === difference.kind) &&
    !api.known.some((one) => isKnown(one, difference))
  const newsOf = async (requests: readonly OracleRequest[]) =>
    (await differencesBetween(api, left, right, requests)).filter(isNews)
  for (let round = 0; findings.length < search.most; round++) {
    let last: Finding | undefined
    const property = fc.asyncProperty(sequences, async (requests) => {
      const [news] = await newsOf(requests)
      // Shrinking ends with the smallest that failed, which is the last one seen to fail.
      if (news !== undefined) last = { ...news, requests }
      return news === undefined
    })
    const { failed } = await fc.check(property, { seed: search.seed + round, numRuns: runs })
    if (!failed || last === undefined) return findings
    const fewest = await fewestRequests(last, (requests) =>
      differencesBetween(api, left, right, requests),
    )
    findings.push(fewest)
    search.onFinding?.(fewest)
  }
  return findings
}
