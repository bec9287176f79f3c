import { commitsWrites } from '../refusal.ts'
import type { Change } from '../store/commits.ts'

/**
 * Work of a request that continues after something outside its world has happened: a mail was
 * delivered, a primary answered, a text was encrypted, a wait ended. Between two steps no
 * transaction is open and other requests are served, so the next step must read again whatever it
 * relies on.
 */
export class Deferred<out T> {
  readonly #wait: () => Promise<() => T | Deferred<T>>

  constructor(wait: () => Promise<() => T | Deferred<T>>) {
    this.#wait = wait
  }

  /**
   * Does the outside work and resolves to the next step. Called once the previous step is
   * committed.
   */
  wait(): Promise<() => T | Deferred<T>> {
    return this.#wait()
  }
}

/**
 * Runs work outside the transaction, then `next(result)` in a new one. If `work` refuses, the
 * request is refused; writes of earlier steps stay.
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

/** Maps the result of a step, now or when it is available. */
export function mapResult<T, U>(result: T | Deferred<T>, map: (result: T) => U): U | Deferred<U> {
  if (!(result instanceof Deferred)) return map(result)
  return new Deferred(async () => {
    const next = await result.wait()
    return () => mapResult(next(), map)
  })
}

/** Runs all steps of work that is not part of a request to a world. */
export function runToEnd<T>(result: T | Deferred<T>): T | Promise<T> {
  return result instanceof Deferred ? runRemainingSteps(result) : result
}

async function runRemainingSteps<T>(first: Deferred<T>): Promise<T> {
  let result: T | Deferred<T> = first
  while (result instanceof Deferred) result = (await result.wait())()
  return result
}

/** The members of a world that a step runner uses. */
interface StepWorld {
  readonly ids: { state: unknown }
  readonly store: { applyRules(): void }
  runDueJobs(): void
  write<T>(work: () => T): T
}

/** Runner for the steps of requests, one after another. */
export class StepRunner {
  readonly #world: StepWorld
  /** Trace of the request whose step is running. */
  trace: Trace | undefined

  constructor(world: StepWorld) {
    this.#world = world
  }

  /** Runs all steps of a request: see `World.request`. */
  run<T>(work: () => T | Deferred<T>, trace: Trace | undefined): T | Promise<T> {
    const result = this.#step(work, trace)
    return result instanceof Deferred ? this.#runRemainingSteps(result, trace) : result
  }

  #step<T>(work: () => T, trace: Trace | undefined): T {
    const world = this.#world
    world.runDueJobs()
    this.trace = trace
    try {
      return world.write(() => {
        const idState = world.ids.state
        try {
          const result = work()
          world.store.applyRules()
          return result
        } catch (error) {
          if (!commitsWrites(error)) world.ids.state = idState
          trace?.failed(error)
          throw error
        }
      })
    } finally {
      this.trace = undefined
    }
  }

  async #runRemainingSteps<T>(first: Deferred<T>, trace: Trace | undefined): Promise<T> {
    let result: T | Deferred<T> = first
    while (result instanceof Deferred)
      result = this.#step(await awaitNextStep(result, trace), trace)
    return result
  }
}

/** Waits for a request's next step. */
async function awaitNextStep<T>(deferred: Deferred<T>, trace: Trace | undefined) {
  try {
    return await deferred.wait()
  } catch (error) {
    trace?.failed(error)
    throw error
  }
}

/** Observer of a request: its writes, and why it was refused (behaviour/program#journal). */
export interface Trace {
  /**
   * Receives each commit of the request, in order, including changes to the kernel's own tables.
   */
  committed(changes: readonly Change[]): void
  /** Receives the refusal or exception that ended the request. */
  failed(error: unknown): void
}
