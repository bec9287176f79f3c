import type { InParts } from '../parts.ts'
import type { Store } from '../store/store.ts'
import { type Deferred, StepRunner, type Trace } from './deferred.ts'
import type { Ids } from './ids.ts'
import type { PartWrites } from './request-parts.ts'

/** The requests of a world: each is answered in steps, in the order of the requests. */
export abstract class WorldRequests {
  abstract readonly store: Store
  abstract readonly ids: Ids
  readonly #stepRunner = new StepRunner(this)

  abstract write<T>(work: () => T): T

  abstract runDueJobs(maxTime?: number): boolean

  /**
   * Answers a request: runs due jobs, then `work` as one transaction. A refusal leaves no trace:
   * writes are rolled back and generated ids are returned to the generator, unless the refusal has
   * `commitWrites`. Work that returns a `Deferred` continues in further steps, each a transaction
   * of its own.
   *
   * @param trace receives what the request does; due jobs that run before it are not included
   */
  request<T>(work: () => T | Deferred<T>, trace?: Trace): T | Promise<T> {
    return this.#stepRunner.run(work, trace)
  }

  /**
   * Commits a part of a request that stays even if the rest is refused. The request must not have
   * written anything before.
   */
  commitNow<T>(work: () => T): T {
    return this.#stepRunner.commitNow(() => this.store.commitNow(work))
  }

  /**
   * Runs a part of a request that may take long; other worlds get a turn between two parts. The
   * request is then rolled back and runs again, but parts with a result are not repeated.
   *
   * @param now does the work without a pause; it may draw ids but not write
   * @param later does the same work in another thread or in turns, without using the world
   */
  part<T>(now: () => T, later?: () => Promise<T>): T {
    return this.#stepRunner.part(now, later)
  }

  /**
   * Runs a part of a request that pauses, so that other worlds get a turn. The world does not
   * change during a pause. A request that has written before does the work without a pause. After a
   * part whose writes are kept, the request is not interrupted any more.
   *
   * @param writes the treatment of the writes of the part; without it, the part must not write
   */
  inParts<T>(start: () => InParts<T>, writes?: PartWrites): T {
    return this.#stepRunner.inParts(start, writes)
  }

  /** Runs `work`, rolls it back, including ids, and returns its result. */
  dryRun<T>(work: () => T): T {
    return this.#stepRunner.dryRun(work)
  }

  /**
   * Runs work that concerns the world as a whole, outside of any transaction. The work begins after
   * earlier requests that were interrupted, and yields to other worlds when it pauses; later
   * requests of this world wait until it has ended.
   */
  alone<T>(start: () => InParts<T>): T | Promise<T> {
    return this.#stepRunner.runAlone(start)
  }

  /** Observer of the request whose step is running, if any. */
  get trace(): Trace | undefined {
    return this.#stepRunner.trace
  }
}
