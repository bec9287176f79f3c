import {
  type Answer,
  type ComparedRequest,
  formatRequest,
  type ReplyVariable,
  sendAll,
  type Target,
} from '../../src/cli/compare/request.ts'

/**
 * Sequences of requests that the mock and the real server both receive, and how their replies are
 * compared.
 */
export interface FixedRequests {
  readonly name: string
  readonly sequences: readonly (readonly ComparedRequest[])[]
  readonly variables?: readonly ReplyVariable[]
  /** True if both servers have ACLs; otherwise neither has. */
  readonly usesAcl?: true
  /** Brings both servers into the same state. */
  prepare?(mock: Target, server: Target): Promise<void>
  /** Returns the part of a reply that both servers must have in common. */
  digest(answer: Answer, request: ComparedRequest): string
  /** Waits until a server has done what the requests asked for. */
  waitForJob?(target: Target, request: ComparedRequest): Promise<void>
  /** Intended differences, by `operation: mock → server` and, if given, by method and path. */
  readonly known: readonly {
    readonly kind: RegExp
    readonly request?: RegExp
    readonly reason: string
  }[]
}

/** Difference between the replies to a request. */
export interface FixedDifference {
  readonly kind: string
  readonly request: string
}

/** Sends all sequences to both servers and returns the differences that are not intended. */
export async function compareFixedRequests(
  { sequences, variables = [], prepare, digest, waitForJob, known }: FixedRequests,
  mock: Target,
  server: Target,
): Promise<readonly FixedDifference[]> {
  await prepare?.(mock, server)
  const differences: FixedDifference[] = []
  const context = { variables, ...(waitForJob && { waitForCompletion: waitForJob }) }
  for (const requests of sequences) {
    const [left, right] = await Promise.all([
      sendAll(mock, requests, context),
      sendAll(server, requests, context),
    ])
    for (const [at, request] of requests.entries()) {
      const digests = [left[at], right[at]].map((each) => (each ? digest(each, request) : ''))
      if (digests[0] === digests[1]) continue
      const kind = `${request.operation}: ${digests.join(' → ')}`
      const requestText = formatRequest(request)
      const isKnown = known.some(
        (each) => each.kind.test(kind) && (each.request?.test(requestText) ?? true),
      )
      if (!isKnown) differences.push({ kind, request: requestText })
    }
  }
  return differences
}

/** Returns status and text of a failure; of a success the status and the number of entries. */
export function briefDigest({ status, body }: Answer): string {
  if (status >= 400) return `${status} ${String(body ?? '')}`
  return Array.isArray(body) ? `${status} ${body.length} entries` : String(status)
}
