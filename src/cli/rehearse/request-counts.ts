import type { Entry } from '../../../routes/journal/entry.ts'

/** The facts of a journal's entry that are counted. */
export type CountedRequest = Pick<
  Entry,
  'service' | 'operation' | 'method' | 'path' | 'status' | 'outcome' | 'fault'
>

/** What became of a run's requests. */
export interface RequestCounts {
  /** Requests that the failure changed. */
  readonly hits: number
  /** Requests like one that was hit, later, until one of them was served. */
  readonly retries: number
}

/**
 * Counts the requests of a rehearsal (behaviour/program#commands).
 *
 * @param isHit tells whether the failure changed a request
 */
export function countRequests(
  requests: readonly CountedRequest[],
  isHit: (request: CountedRequest) => boolean,
): RequestCounts {
  const unserved = new Set<string>()
  let hits = 0
  let retries = 0
  for (const request of requests) {
    const target = `${request.service} ${request.method} ${request.path}`
    const hit = isHit(request)
    if (unserved.has(target)) retries += 1
    if (hit) hits += 1
    if (hit) unserved.add(target)
    else if (request.outcome === 'served') unserved.delete(target)
  }
  return { hits, retries }
}

/** Tells the requests to which a fault was applied. */
export function wasFaulted({ fault }: CountedRequest): boolean {
  return fault !== null
}

/**
 * Tells the requests that a failure without faults changed, a sealed node, say: no request for the
 * same operation had such a status when all was well.
 */
export function differsFromBaseline(
  baselineRequests: readonly CountedRequest[],
): (request: CountedRequest) => boolean {
  const answers = new Set(baselineRequests.map(answerKey))
  return (request) => !answers.has(answerKey(request))
}

function answerKey({ service, operation, status }: CountedRequest): string {
  return `${service} ${operation} ${status}`
}
