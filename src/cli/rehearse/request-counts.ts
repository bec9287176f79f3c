import type { RehearsedRequest } from '../../embedding/rehearsed-worlds.ts'

/** Effect of a failure on the requests of one run. */
interface RequestCounts {
  /** Number of requests that the failure changed. */
  readonly hits: number
  /**
   * Number of requests that repeat an affected request, up to and including the first repetition
   * that was served.
   */
  readonly retries: number
}

/**
 * Counts the requests that the failure of a trial changed, and their repetitions
 * (behaviour/program#commands).
 *
 * @param isHit returns true if the failure changed a request
 */
export function countRequests(
  requests: readonly RehearsedRequest[],
  isHit: (request: RehearsedRequest) => boolean,
): RequestCounts {
  const unservedTargets = new Set<string>()
  let hits = 0
  let retries = 0
  for (const request of requests) {
    const { world, service, method, path } = request
    const target = `${world} ${service} ${method} ${path}`
    const wasHit = isHit(request)
    if (unservedTargets.has(target)) retries += 1
    if (wasHit) hits += 1
    if (wasHit) unservedTargets.add(target)
    else if (request.outcome === 'served') unservedTargets.delete(target)
  }
  return { hits, retries }
}

/** Returns true if a fault was applied to the request. */
export function wasFaulted({ fault }: RehearsedRequest): boolean {
  return fault !== null
}

/**
 * Returns a predicate for failures without faults, such as a sealed node. The predicate returns
 * true if no baseline request of the operation had the same status as the tested request.
 */
export function differsFromBaseline(
  baselineRequests: readonly RehearsedRequest[],
): (request: RehearsedRequest) => boolean {
  const answers = new Set(baselineRequests.map(answerKey))
  return (request) => !answers.has(answerKey(request))
}

function answerKey({ service, operation, status }: RehearsedRequest): string {
  return `${service} ${operation} ${status}`
}
