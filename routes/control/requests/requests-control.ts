import type { InputOf } from '../../../state/kernel/shape/values.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { Connection } from '../../http/blocking/connection.ts'
import { ControlPart, type ControlTools } from '../../http/declare/control-call.ts'
import { InputError } from '../../http/declare/validate.ts'
import type { Entry } from '../../journal/entry.ts'
import type { Journal } from '../../journal/journal.ts'
import {
  JournalQueries,
  type ListQuery,
  type OpenRequest,
  type RequestList,
} from '../../journal/journal-queries.ts'
import {
  type Match,
  matchShape,
  type Verification,
  verifyShape,
  waitShape,
} from '../../journal/match-shapes.ts'
import {
  checkRequestNames,
  type PlacedMatch,
  type RequestNames,
} from '../../journal/request-names.ts'
import { parseDuration } from '../clock/durations.ts'

/**
 * The requests to wait for, their number, and the maximum time to wait. The time is real time,
 * given as a Go duration or in milliseconds: 5 seconds by default, at most 10 minutes.
 */
export type WaitRequest = InputOf<typeof waitShape>

/** Default maximum time to wait, in milliseconds. */
const defaultTimeout = 5_000
/** Upper limit of the time to wait, in milliseconds. */
const maxTimeout = 600_000

/**
 * Control calls that search the requests in the journal of one world and wait for them
 * (behaviour/program#journal).
 */
export class RequestsControl extends ControlPart {
  readonly #queries: JournalQueries
  readonly #names: RequestNames | undefined

  constructor(journal: Journal, world: World, tools: ControlTools, names?: RequestNames) {
    super(world, tools)
    this.#queries = new JournalQueries(journal, world)
    this.#names = names
  }

  /** Returns the matching requests, oldest first. Throws `InputError` for an invalid matcher. */
  find(match: Match = {}): readonly Entry[] {
    this.check(matchShape, match, 'the matcher')
    this.#checkNames(match, '')
    return this.#queries.find(match, undefined, '').requests
  }

  /**
   * Returns at most `limit` matching requests, and the number of all matching requests. Throws
   * `InputError` for an invalid matcher.
   */
  search({ match, limit }: { readonly match?: Match; readonly limit?: number }): RequestList {
    this.#checkNames(match)
    return this.#queries.find(match, limit)
  }

  /**
   * Returns the requests that pass the filters, oldest first, with their total number and the
   * number of dropped requests. Throws `InputError` for an unknown service, and the refusals of
   * `Journal.record` for the id in `after`.
   */
  list(query: ListQuery): RequestList & { readonly dropped: number } {
    this.#checkNames({ service: query.service }, '')
    return { ...this.#queries.list(query), dropped: this.#queries.dropped }
  }

  /** Returns the requests that have no answer yet, oldest first, with their age. */
  open(): readonly OpenRequest[] {
    return this.#queries.open()
  }

  /**
   * Returns a request by its id. Throws an `absent` refusal for an unknown id, and a `GoneRefusal`
   * for a request that was dropped or has no answer yet.
   */
  get(id: string): Entry {
    return this.#queries.get(id)
  }

  /**
   * Asserts the number or the order of requests.
   *
   * @returns the number of matching requests; for a sequence, the number of its steps
   * @throws {VerificationError} with the requests that nearly match, if the assertion fails;
   *   {InputError} for an invalid verification
   */
  verify(verification: Verification): number {
    this.check(verifyShape, verification, 'the verification')
    const { match, sequence = [] } = verification
    const steps = sequence.map((step, at) => ({ match: step, place: `/sequence/${at}` }))
    checkRequestNames([{ match, place: '/match' }, ...steps], this.#names)
    return this.#queries.verify(verification)
  }

  /**
   * Waits in real time until the given number of requests match. Returns all matching requests; an
   * empty list if the caller disconnects.
   * @throws {WaitError} after the time limit or when the world ends; {InputError} for invalid input
   */
  async wait(request: WaitRequest, connection?: Connection): Promise<readonly Entry[]> {
    this.check(waitShape, request, 'what is waited for')
    const { match = {}, count = 1, timeout = defaultTimeout } = request
    this.#checkNames(match)
    const time = typeof timeout === 'number' ? timeout : parseDuration(timeout, '/timeout')
    if (!(time >= 0 && time <= maxTimeout)) {
      throw new InputError(['/timeout must be between 0 and 10m'])
    }
    return this.#queries.wait(match, count, time, connection)
  }

  /** Removes all requests and marks. The numbering of requests continues. */
  clear(): void {
    this.#queries.clear()
  }

  #checkNames(match: PlacedMatch['match'], place = '/match'): void {
    checkRequestNames([{ match, place }], this.#names)
  }
}
