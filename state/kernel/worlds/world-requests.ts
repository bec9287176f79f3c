import type { InParts } from '../parts.ts'
import type { Store } from '../store/store.ts'
import { type Deferred, type RequestObserver, StepRunner } from './deferred.ts'
import type { Ids } from './ids.ts'
import type { PartWrites } from './request-parts.ts'

/** Base of `World` that runs requests in steps and keeps them in order. */
export abstract class WorldRequests {
  abstract readonly store: Store
  abstract readonly ids: Ids
  readonly #stepRunner = new StepRunner(this)

  abstract write<T>(work: () => T): T

  abstract runDueJobs(maxTime?: number): boolean

  /**
   * Answers a request: runs due jobs, then `work` as one transaction. If `work` throws, its writes
   * and ids are rolled back, unless the exception is a refusal with `commitWrites`. If `work`
   * returns a `Deferred`, the request continues in later steps, each in a transaction of its own.
   *
   * @param observer observer of the request, but not of the due jobs that run before the request
   */
  request<T>(work: () => T | Deferred<T>, observer?: RequestObserver): T | Promise<T> {
    return this.#stepRunner.run(work, observer)
  }

  /**
   * Commits a part of a request at once, even if the rest of the request is refused. Throws an
   * `Error` if the request has written anything before.
   */
  commitNow<T>(work: () => T): T {
    return this.#stepRunner.commitNow(() => this.store.commitNow(work))
  }

  /**
   * Runs a part of a request that may take long, so that requests to other worlds can run after it.
   * For this, the request is rolled back and runs again later; parts that have a result are not
   * repeated.
   *
   * @param now does the work without a pause; it may draw ids but not write
   * @param later does the same work as `now`, in another thread or in turns, without using the
   *   world
   */
  part<T>(now: () => T, later?: () => Promise<T>): T {
    return this.#stepRunner.part(now, later)
  }

  /**
   * Runs a part of a request that pauses, so that requests to other worlds can run in between. If
   * the world changes during a pause, the request begins again. If the request has already written,
   * a part that may write runs without a pause. After a part whose writes are kept, the request is
   * not interrupted any more.
   *
   * @param writes the treatment of the writes of the part; without it, the part must not write
   */
  inParts<T>(start: () => InParts<T>, writes?: PartWrites): T {
    return this.#stepRunner.inParts(start, writes)
  }

  /** Runs `work` in a transaction, rolls back its writes and ids, and returns its result. */
  dryRun<T>(work: () => T): T {
    return this.#stepRunner.dryRun(work)
  }

  /**
   * Runs work that concerns the world as a whole, outside of any transaction. The work begins after
   * earlier requests that were interrupted, and yields to other worlds when it pauses. Later
   * requests of this world wait until the work has ended.
   */
  runAlone<T>(start: () => InParts<T>): T | Promise<T> {
    return this.#stepRunner.runAlone(start)
  }

  /**
   * Observer of the request whose step is running; undefined if no step runs or the request has no
   * observer.
   */
  get requestObserver(): RequestObserver | undefined {
    return this.#stepRunner.observer
  }
}
