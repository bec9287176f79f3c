import type { Shape } from '../../../state/kernel/shape/kinds.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { Connection } from '../../http/blocking/connection.ts'
import { InputError, type Validator } from '../../http/declare/validate.ts'
import type { Entry } from '../../journal/entry.ts'
import type { Journal } from '../../journal/journal.ts'
import { JournalQueries, type ListQuery, type RequestList } from '../../journal/journal-queries.ts'
import {
  type Match,
  matchShape,
  type Verification,
  verifyShape,
  waitShape,
} from '../../journal/match-shapes.ts'
import { parseDuration } from '../clock/durations.ts'

/** What is waited for, and for how long. */
export interface WaitRequest {
  readonly match?: Match | undefined
  /** Default: 1. */
  readonly count?: number | undefined
  /** Real time, as a Go duration or in milliseconds; default 5 seconds, at most 10 minutes. */
  readonly timeout?: string | number | undefined
}

/** In milliseconds. */
const defaultTimeout = 5_000
const maxTimeout = 600_000

/** The requests of one world that its journal keeps (behaviour/program#journal). */
export class RequestsControl {
  readonly #queries: JournalQueries
  readonly #validator: Validator

  constructor(journal: Journal, world: World, validator: Validator) {
    this.#queries = new JournalQueries(journal, world)
    this.#validator = validator
  }

  /** The requests that fit, oldest first. */
  find(match: Match = {}): readonly Entry[] {
    this.#check(matchShape, match, 'the matcher')
    return this.#queries.find(match, undefined, '').requests
  }

  /** The same as far as `limit`, with how many there are in all. */
  search({ match, limit }: { readonly match?: Match; readonly limit?: number }): RequestList {
    return this.#queries.find(match, limit)
  }

  /** Lists requests; oldest first. */
  list(query: ListQuery): RequestList & { readonly dropped: number } {
    return { ...this.#queries.list(query), dropped: this.#queries.dropped }
  }

  /** One request. */
  get(id: string): Entry {
    return this.#queries.get(id)
  }

  /**
   * Asserts how often something was asked, or in which order.
   *
   * @returns how many requests fit; of a sequence, how many steps it has
   * @throws {VerificationError} with the requests that come nearest
   */
  verify(verification: Verification): number {
    this.#check(verifyShape, verification, 'the verification')
    return this.#queries.verify(verification)
  }

  /**
   * Waits in real time until so many requests fit, and returns all that do.
   *
   * @throws {WaitError} when it takes too long
   */
  async wait(request: WaitRequest, connection?: Connection): Promise<readonly Entry[]> {
    this.#check(waitShape, request, 'what is waited for')
    const { match = {}, count = 1, timeout = defaultTimeout } = request
    const time = typeof timeout === 'number' ? timeout : parseDuration(timeout, '/timeout')
    if (!(time >= 0 && time <= maxTimeout)) {
      throw new InputError(['/timeout must be between 0 and 10m'])
    }
    return this.#queries.wait(match, count, time, connection)
  }

  /** Forgets every request; their names go on. */
  clear(): void {
    this.#queries.clear()
  }

  #check(shape: Shape, value: unknown, name: string): void {
    const problems = this.#validator.check(shape, value, name)
    if (problems.length > 0) throw new InputError(problems)
  }
}
