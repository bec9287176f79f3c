import type { Shape } from '../../state/kernel/shape/kinds.ts'
import type { World } from '../../state/kernel/world.ts'
import type { Connection } from '../http/connection.ts'
import { InputError, type Validator } from '../http/validate.ts'
import type { Entry } from '../journal/entry.ts'
import type { Journal } from '../journal/journal.ts'
import {
  type Match,
  matchShape,
  type Verification,
  verifyShape,
  waitShape,
} from '../journal/match-shapes.ts'
import { type Found, type Listing, Questions } from '../journal/questions.ts'
import { parseDuration } from './durations.ts'

/** What is waited for, and for how long. */
export interface Waiting {
  readonly match?: Match | undefined
  /** Default: 1. */
  readonly count?: number | undefined
  /** Real time, as a Go duration or in milliseconds; default 5 seconds, at most 10 minutes. */
  readonly timeout?: string | number | undefined
}

/** In milliseconds. */
const usualTimeout = 5_000
const longestTimeout = 600_000

/** The requests of one world that its journal keeps (behaviour/program#journal). */
export class RequestsControl {
  readonly #questions: Questions
  readonly #validator: Validator

  constructor(journal: Journal, world: World, validator: Validator) {
    this.#questions = new Questions(journal, world)
    this.#validator = validator
  }

  /** The requests that fit, oldest first. */
  find(match: Match = {}): readonly Entry[] {
    this.#check(matchShape, match, 'the matcher')
    return this.#questions.find(match, undefined, '').requests
  }

  /** The same as far as `limit`, with how many there are in all. */
  search({ match, limit }: { readonly match?: Match; readonly limit?: number }): Found {
    return this.#questions.find(match, limit)
  }

  /** Lists requests; oldest first. */
  list(listing: Listing): Found & { readonly dropped: number } {
    return { ...this.#questions.list(listing), dropped: this.#questions.dropped }
  }

  /** One request. */
  get(id: string): Entry {
    return this.#questions.get(id)
  }

  /**
   * Asserts how often something was asked, or in which order.
   *
   * @returns how many requests fit; of a sequence, how many steps it has
   * @throws {VerificationError} with the requests that come nearest
   */
  verify(verification: Verification): number {
    this.#check(verifyShape, verification, 'the verification')
    return this.#questions.verify(verification)
  }

  /**
   * Waits in real time until so many requests fit, and returns all that do.
   *
   * @throws {WaitError} when it takes too long
   */
  async wait(waiting: Waiting, connection?: Connection): Promise<readonly Entry[]> {
    this.#check(waitShape, waiting, 'what is waited for')
    const { match = {}, count = 1, timeout = usualTimeout } = waiting
    const time = typeof timeout === 'number' ? timeout : parseDuration(timeout, '/timeout')
    if (!(time >= 0 && time <= longestTimeout)) {
      throw new InputError(['/timeout must be between 0 and 10m'])
    }
    return this.#questions.wait(match, count, time, connection)
  }

  /** Forgets every request; their names go on. */
  clear(): void {
    this.#questions.clear()
  }

  #check(shape: Shape, value: unknown, name: string): void {
    const problems = this.#validator.check(shape, value, name)
    if (problems.length > 0) throw new InputError(problems)
  }
}
