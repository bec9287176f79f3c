import { type InParts, maxStepTime, runInTurns, runParts } from '../parts.ts'
import { commitsWrites } from '../refusal.ts'
import type { Change } from '../store/commits.ts'
import { yieldToEventLoop } from '../time.ts'
import { Interruption, type PartsWorld, type PartWrites, RequestParts } from './request-parts.ts'

/**
 * Work of a request that continues after something outside its world has happened: a mail was
 * delivered, a primary answered, a text was encrypted, a wait ended. Between two steps no
 * transaction is open and other requests are served, so the next step must read all data again.
 */
export class Deferred<out T> {
  readonly #wait: () => Promise<() => T | Deferred<T>>

  constructor(wait: () => Promise<() => T | Deferred<T>>) {
    this.#wait = wait
  }

  /**
   * Does the work outside the world and resolves to the next step. Called after the previous step
   * is committed.
   */
  wait(): Promise<() => T | Deferred<T>> {
    return this.#wait()
  }
}

/**
 * Returns a deferred that runs `work` outside the transaction, then `next(result)` in a new one. If
 * `work` throws a refusal, the request is refused, but the writes of earlier steps stay.
 */
export function defer<R, T>(
  work: () => Promise<R>,
  next: (result: R) => T | Deferred<T>,
): Deferred<T> {
  return new Deferred(async () => {
    const result = await work()
    return () => next(result)
  })
}

/** Maps the result of a step: at once, or in a new deferred if the result is not available yet. */
export function mapResult<T, U>(result: T | Deferred<T>, map: (result: T) => U): U | Deferred<U> {
  if (!(result instanceof Deferred)) return map(result)
  return new Deferred(async () => {
    const next = await result.wait()
    return () => mapResult(next(), map)
  })
}

/**
 * Runs all steps of work that is not part of a request to a world. Returns the result, or a promise
 * of it if the work is deferred.
 */
export function runToEnd<T>(result: T | Deferred<T>): T | Promise<T> {
  return result instanceof Deferred ? runRemainingSteps(result) : result
}

async function runRemainingSteps<T>(first: Deferred<T>): Promise<T> {
  let result: T | Deferred<T> = first
  while (result instanceof Deferred) result = (await result.wait())()
  return result
}

/** The members of a world that `StepRunner` uses. */
interface StepWorld extends PartsWorld {
  readonly store: PartsWorld['store'] & { applyRules(): void }
  runDueJobs(maxTime?: number): boolean
  write<T>(work: () => T): T
}

/**
 * Runner of a world's requests, step by step. While the first step of a request is interrupted,
 * later requests wait.
 */
export class StepRunner {
  readonly #world: StepWorld
  /** Trace of the request whose step is running. */
  observer: RequestObserver | undefined
  /** Parts of the request whose first step is running; undefined before the first part. */
  #parts: RequestParts | undefined
  /**
   * True while the running work may be interrupted, which is possible only in the first step of a
   * request.
   */
  #isInterruptible = false
  /**
   * Promise that resolves when the first step of the last queued request, or the last queued work,
   * has ended; undefined while nothing is queued.
   */
  #lastQueued: Promise<void> | undefined

  constructor(world: StepWorld) {
    this.#world = world
  }

  /** Runs all steps of a request: see `World.request`. */
  run<T>(work: () => T | Deferred<T>, observer: RequestObserver | undefined): T | Promise<T> {
    if (this.#lastQueued !== undefined) return this.#enqueue(work, observer, undefined)
    const result = this.#firstStep(work, observer, undefined)
    if (result instanceof Interruption) return this.#enqueue(work, observer, result)
    return result instanceof Deferred ? this.#runRemainingSteps(result, observer) : result
  }

  /** Runs a part of a request: see `World.part`. */
  part<T>(now: () => T, later: (() => Promise<T>) | undefined): T {
    return this.#isInterruptible ? this.#partsOfRequest().run(now, later) : now()
  }

  /** Runs a part of a request that pauses: see `World.inParts`. */
  inParts<T>(start: () => InParts<T>, writes: PartWrites | undefined): T {
    const run = () => runParts(start())
    const runAtOnce = () => {
      if (writes === 'undone') return this.dryRun(run)
      return writes === 'kept' ? this.#world.write(run) : run()
    }
    return this.#isInterruptible
      ? this.#partsOfRequest().runInParts(start, writes, runAtOnce)
      : runAtOnce()
  }

  /** Runs `work` and rolls it back: see `World.dryRun`. */
  dryRun<T>(work: () => T): T {
    const { ids, store } = this.#world
    const idState = ids.state
    const rollback = new Error('undone')
    let outcome: { readonly result: T } | undefined
    try {
      store.transact(() => {
        outcome = { result: work() }
        throw rollback
      })
    } catch (error) {
      if (error !== rollback) throw error
    } finally {
      ids.state = idState
    }
    if (outcome === undefined) throw rollback
    return outcome.result
  }

  /** Commits a part of a request exactly once, even if the request is interrupted and run again. */
  commitNow<T>(commitNow: () => T): T {
    return this.#isInterruptible ? this.#partsOfRequest().commit(commitNow) : commitNow()
  }

  #partsOfRequest(): RequestParts {
    this.#parts ??= new RequestParts(this.#world)
    return this.#parts
  }

  /**
   * Runs a request after the queued requests, so that the requests of a world stay in order. The
   * next request waits only for the first step of this request.
   */
  async #enqueue<T>(
    work: () => T | Deferred<T>,
    observer: RequestObserver | undefined,
    interruption: Interruption | undefined,
  ): Promise<T> {
    const result = await this.#queue(
      this.#runUninterrupted(work, observer, interruption, this.#lastQueued),
    )
    return result instanceof Deferred ? this.#runRemainingSteps(result, observer) : result
  }

  /**
   * Makes later requests wait until a queued piece of work has ended. Returns the promise of the
   * work.
   */
  #queue<T>(queued: Promise<T>): Promise<T> {
    const clearLastQueued = () => {
      if (this.#lastQueued === completion) this.#lastQueued = undefined
    }
    const completion: Promise<void> = queued.then(clearLastQueued, clearLastQueued)
    this.#lastQueued = completion
    return queued
  }

  /** Runs work outside of any transaction, after the queued requests: see `World.runAlone`. */
  runAlone<T>(start: () => InParts<T>): T | Promise<T> {
    const before = this.#lastQueued
    const result =
      before === undefined ? runInTurns(start()) : before.then(() => runInTurns(start()))
    return result instanceof Promise ? this.#queue(result) : result
  }

  async #runUninterrupted<T>(
    work: () => T | Deferred<T>,
    observer: RequestObserver | undefined,
    interruption: Interruption | undefined,
    before: Promise<void> | undefined,
  ): Promise<T | Deferred<T>> {
    await before
    let result = interruption ?? this.#firstStep(work, observer, undefined)
    while (result instanceof Interruption) {
      await awaitStep(result, observer)
      result = this.#firstStep(work, observer, result.parts)
    }
    return result
  }

  #firstStep<T>(
    work: () => T,
    observer: RequestObserver | undefined,
    parts: RequestParts | undefined,
  ): T | Interruption {
    try {
      return this.#step(work, observer, true, parts)
    } catch (error) {
      if (!(error instanceof Interruption)) throw error
      error.parts.recordInterruption()
      return error
    }
  }

  #step<T>(
    work: () => T,
    observer: RequestObserver | undefined,
    isInterruptible = false,
    parts?: RequestParts,
  ): T {
    const world = this.#world
    if (!world.runDueJobs(isInterruptible ? maxStepTime : Infinity)) {
      throw new Interruption(parts ?? new RequestParts(world), yieldToEventLoop)
    }
    this.observer = observer
    this.#parts = parts
    this.#isInterruptible = isInterruptible
    try {
      return world.write(() => {
        const idState = world.ids.state
        parts?.restart()
        try {
          const result = work()
          world.store.applyRules()
          return result
        } catch (error) {
          if (!commitsWrites(error)) world.ids.state = idState
          if (!(error instanceof Interruption)) observer?.failed(error)
          throw error
        }
      })
    } finally {
      this.observer = undefined
      this.#parts = undefined
      this.#isInterruptible = false
    }
  }

  async #runRemainingSteps<T>(
    first: Deferred<T>,
    observer: RequestObserver | undefined,
  ): Promise<T> {
    let result: T | Deferred<T> = first
    while (result instanceof Deferred)
      result = this.#step(await awaitStep(result, observer), observer)
    return result
  }
}

/**
 * Waits for the next step of a request. If waiting fails, reports the exception to the observer and
 * throws it again.
 */
async function awaitStep<T>(
  step: { readonly wait: () => Promise<T> },
  observer: RequestObserver | undefined,
): Promise<T> {
  try {
    return await step.wait()
  } catch (error) {
    observer?.failed(error)
    throw error
  }
}

/** Observer of a request's writes, and of the reason why it failed (behaviour/program#journal). */
export interface RequestObserver {
  /**
   * Receives each commit of the request, in order, including changes to the kernel's own tables.
   */
  committed(changes: readonly Change[]): void
  /** Receives the refusal or exception that ended the request. */
  failed(error: unknown): void
}
