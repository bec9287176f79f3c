import { definedMembers } from '../../state/kernel/objects.ts'
import { formatTimestamp, monotonicTime, setAlarm } from '../../state/kernel/time.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import { InputError } from '../http/declare/validate.ts'
import type { RequestRecord } from '../http/journal-hooks/request-record.ts'
import { type Entry, entryOf, redactedPath } from './entry.ts'
import { type Fingerprint, fingerprintOf } from './fingerprint.ts'
import type { Journal } from './journal.ts'
import type { Count, Match, Verification } from './match-shapes.ts'
import { type Matcher, matcherOf } from './matcher.ts'
import { formatNearMisses, type NearMiss, nearMissesOf } from './near-misses.ts'

/** Matching requests, up to a limit. `total` is the number of all matching requests. */
export interface RequestList {
  readonly requests: readonly Entry[]
  readonly total: number
}

/** A request that has no answer yet. */
export interface OpenRequest {
  readonly id: string
  readonly service: string
  readonly method: string
  readonly path: string
  /** Time on the world's clock when the request arrived. */
  readonly at: string
  /** Age in milliseconds of real time. */
  readonly ageMs: number
  /** Age in milliseconds on the world's clock. */
  readonly worldAgeMs: number
}

/** Error for a failed assertion about the journal. */
export class VerificationError extends Error {
  /** Number of matching requests; for a sequence, the number of its steps that were matched. */
  readonly count: number
  readonly nearMisses: readonly NearMiss[]

  constructor(text: string, count: number, nearMisses: readonly NearMiss[]) {
    super(text + formatNearMisses(nearMisses))
    this.name = 'VerificationError'
    this.count = count
    this.nearMisses = nearMisses
  }
}

/** Error for a wait that ended before enough requests matched: by its timeout or with the world. */
export class WaitError extends VerificationError {}

/** Filters for a list of requests, and its maximum length. */
export interface ListQuery {
  readonly after?: string | undefined
  readonly limit?: number | undefined
  readonly outcome?: Match['outcome']
  readonly service?: string | undefined
}

/** A caller that waits and may disconnect. */
interface ClosableClient {
  onClose(onClientGone: () => void): () => void
}

/** Queries about the journal of a world (behaviour/program#journal). */
export class JournalQueries {
  readonly #journal: Journal
  readonly #fingerprint: Fingerprint

  constructor(journal: Journal, world: World) {
    this.#journal = journal
    this.#fingerprint = fingerprintOf(world.seed)
  }

  /**
   * Returns the requests that pass the filters, oldest first. `total` includes requests up to
   * `after`. Throws the refusals of `Journal.record` for an invalid `after`.
   */
  list({ after, limit = Number.POSITIVE_INFINITY, outcome, service }: ListQuery): RequestList {
    const matcher = this.#matcher(definedMembers({ outcome, service }))
    const afterRecord = after === undefined ? undefined : this.#journal.record(after)
    const shown: RequestRecord[] = []
    let total = 0
    let isPastStart = afterRecord === undefined
    for (const record of this.#journal.records()) {
      if (matcher.matches(record)) {
        total += 1
        if (isPastStart && shown.length < limit) shown.push(record)
      }
      if (record === afterRecord) isPastStart = true
    }
    return { requests: shown.map((record) => this.#entry(record)), total }
  }

  /** Returns the requests that have no answer yet, oldest first. */
  open(): readonly OpenRequest[] {
    const { world } = this.#journal
    return [...this.#journal.openRecords()].map((record) => ({
      id: record.id,
      service: record.api.name,
      method: record.method,
      path: redactedPath(record, this.#fingerprint),
      at: formatTimestamp(record.at),
      ageMs: Math.round(monotonicTime() - record.startedAt),
      worldAgeMs: world.clock.now() - record.at,
    }))
  }

  /**
   * Returns the request with an id. Throws the refusals of `Journal.record` if the journal has no
   * such request.
   */
  get(id: string): Entry {
    return this.#entry(this.#journal.record(id))
  }

  /**
   * Returns at most `limit` matching requests, oldest first. Throws `InputError` for an invalid
   * matcher.
   * @param place position of the matcher in the request, for messages
   */
  find(match: Match = {}, limit = Number.POSITIVE_INFINITY, place?: string): RequestList {
    const matching = this.#matchingRecords(this.#matcher(match, place))
    return {
      requests: matching.slice(0, limit).map((record) => this.#entry(record)),
      total: matching.length,
    }
  }

  /**
   * Asserts the number or the order of requests.
   *
   * @returns the number of matching requests; for a sequence, the number of its steps
   * @throws {VerificationError} if the assertion fails; {InputError} for members that exclude each
   *   other and for an invalid matcher
   */
  verify({ match, count, sequence, strict }: Verification): number {
    if (sequence === undefined) {
      if (strict !== undefined) throw new InputError(['/strict requires /sequence'])
      return this.#verifyCount(match ?? {}, count ?? {})
    }
    const problems = [
      ...(match === undefined ? [] : ['/match and /sequence are mutually exclusive']),
      ...(count === undefined ? [] : ['/count and /sequence are mutually exclusive']),
    ]
    if (problems.length > 0) throw new InputError(problems)
    return this.#verifySequence(sequence, strict === true)
  }

  /**
   * Waits until the given number of requests match. Resolves to all matching requests, or to an
   * empty list if the client disconnects.
   *
   * @param timeout in milliseconds of real time
   * @throws {WaitError} after the timeout, and when the world ends; {InputError} for an invalid
   *   matcher
   */
  wait(
    match: Match,
    count: number,
    timeout: number,
    client?: ClosableClient,
  ): Promise<readonly Entry[]> {
    const matcher = this.#matcher(match)
    return new Promise((resolve, reject) => {
      const stop = () => {
        unfollow()
        alarm.cancel()
        unwatch()
        stopWatchingClient?.()
      }
      const resolveIfMatched = () => {
        const matching = this.#matchingRecords(matcher)
        if (matching.length < count) return false
        stop()
        resolve(matching.map((record) => this.#entry(record)))
        return true
      }
      const unfollow = this.#journal.follow(
        (record) => void (matcher.matches(record) && resolveIfMatched()),
      )
      const fail = (when: string) => {
        stop()
        const matched = this.#matchingRecords(matcher).length
        const nearMisses = nearMissesOf(this.#journal.records(), matcher)
        reject(
          new WaitError(
            `${when}, ${matched} of ${count} requests were received`,
            matched,
            nearMisses,
          ),
        )
      }
      const alarm = setAlarm(timeout, () => fail(`after ${timeout} ms`), true)
      const { world } = this.#journal
      const unwatch = world.store.watchers.watchReplacement(() => {
        if (world.closed) fail('when the world ended')
      })
      const stopWatchingClient = client?.onClose(() => {
        stop()
        resolve([])
      })
      resolveIfMatched()
    })
  }

  /** Removes all requests and marks. The numbering of requests continues. */
  clear(): void {
    this.#journal.clear()
  }

  /** Number of requests that the journal has dropped since the journal was cleared. */
  get dropped(): number {
    return this.#journal.dropped
  }

  #verifyCount(match: Match, count: Count): number {
    const { exactly, atLeast, atMost } = count
    const matcher = this.#matcher(match)
    const matched = this.#matchingRecords(matcher).length
    const isDefault = exactly === undefined && atLeast === undefined && atMost === undefined
    const holds = isDefault
      ? matched >= 1
      : (exactly === undefined || matched === exactly) &&
        (atLeast === undefined || matched >= atLeast) &&
        (atMost === undefined || matched <= atMost)
    if (holds) return matched
    const text = `${matched} requests match ${JSON.stringify(match)}, not ${formatCount(count)}`
    throw new VerificationError(text, matched, nearMissesOf(this.#journal.records(), matcher))
  }

  #verifySequence(sequence: readonly Match[], strict: boolean): number {
    const steps = sequence.map((match, at) => this.#matcher(match, `/sequence/${at}`))
    const records = [...this.#journal.records()]
    const starts = strict
      ? records.flatMap((record, at) => (steps[0]?.matches(record) ? [at] : []))
      : [0]
    let best: SequenceProgress = { matchedSteps: 0, rest: records }
    for (const start of starts) {
      const progress = strict
        ? strictProgress(records.slice(start), steps)
        : looseProgress(records, steps)
      if (progress.matchedSteps === steps.length) return steps.length
      if (progress.matchedSteps > best.matchedSteps) best = progress
    }
    const missing = steps[best.matchedSteps]
    const text = `step ${best.matchedSteps + 1} of ${steps.length}, ${JSON.stringify(sequence[best.matchedSteps])}, was not received${strict ? ' next' : ''}`
    const nearMisses = missing === undefined ? [] : nearMissesOf(best.rest, missing)
    throw new VerificationError(text, best.matchedSteps, nearMisses)
  }

  #matcher(match: Match, place?: string): Matcher {
    return matcherOf(match, this.#fingerprint, place)
  }

  #matchingRecords(matcher: Matcher): RequestRecord[] {
    return [...this.#journal.records()].filter((record) => matcher.matches(record))
  }

  #entry(record: RequestRecord): Entry {
    return entryOf(record, this.#fingerprint)
  }
}

/**
 * The number of matched steps of a sequence, and the requests among which the next step was
 * searched.
 */
interface SequenceProgress {
  readonly matchedSteps: number
  readonly rest: readonly RequestRecord[]
}

function looseProgress(records: readonly RequestRecord[], steps: readonly Matcher[]) {
  let from = 0
  for (const [matchedSteps, step] of steps.entries()) {
    const at = records.findIndex((record, place) => place >= from && step.matches(record))
    if (at < 0) return { matchedSteps, rest: records.slice(from) }
    from = at + 1
  }
  return { matchedSteps: steps.length, rest: [] }
}

/**
 * Matches steps that follow each other directly. Between two matched requests, only requests to
 * services to which no matched request went are allowed.
 */
function strictProgress(records: readonly RequestRecord[], steps: readonly Matcher[]) {
  let matchedSteps = 0
  let from = 0
  const services = new Set<string>()
  const requestsBetween: { readonly service: string; readonly after: number }[] = []
  for (const [place, record] of records.entries()) {
    const step = steps[matchedSteps]
    if (step === undefined) break
    const service = record.api.name
    if (step.matches(record)) {
      services.add(service)
      matchedSteps += 1
      from = place + 1
    } else if (services.has(service)) break
    else requestsBetween.push({ service, after: matchedSteps })
  }
  // Only now is it known which services the matched requests used.
  const intruder = requestsBetween.find(
    ({ service, after }) => services.has(service) && after < matchedSteps,
  )
  return { matchedSteps: intruder?.after ?? matchedSteps, rest: records.slice(from) }
}

function formatCount({ exactly, atLeast, atMost }: Count): string {
  const parts = [
    ...(exactly === undefined ? [] : [`exactly ${exactly}`]),
    ...(atLeast === undefined ? [] : [`at least ${atLeast}`]),
    ...(atMost === undefined ? [] : [`at most ${atMost}`]),
  ]
  return parts.length === 0 ? 'at least 1' : parts.join(' and ')
}
