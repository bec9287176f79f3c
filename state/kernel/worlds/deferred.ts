import { commitsWrites } from '../refusal.ts'
import type { Change } from '../store/commits.ts'

/**
 * Describes how the work of a request goes on once something outside its world is done: a mail
 * delivered, a primary asked, a text encrypted, a wait over. Between two steps no transaction is
 * open, and other requests are served; the next step must look again at what it relies on.
 */
export class Deferred<out T> {
  readonly #wait: () => Promise<() => T | Deferred<T>>

  constructor(wait: () => Promise<() => T | Deferred<T>>) {
    this.#wait = wait
  }

  /** Does what is to be done outside and returns the next step. Called once the step before is committed. */
  wait(): Promise<() => T | Deferred<T>> {
    return this.#wait()
  }
}

/**
 * Ends a step of a request: `work` is done outside, then `next` with its result inside again. What
 * `work` refuses refuses the request; what was written before stays then.
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

/** Makes something of what a step returns, now or when it is there. */
export function mapResult<T, U>(result: T | Deferred<T>, map: (result: T) => U): U | Deferred<U> {
  if (!(result instanceof Deferred)) return map(result)
  return new Deferred(async () => {
    const next = await result.wait()
    return () => mapResult(next(), map)
  })
}

/** Goes through all steps of what belongs to no world's request. */
export function runToEnd<T>(result: T | Deferred<T>): T | Promise<T> {
  return result instanceof Deferred ? runRemainingSteps(result) : result
}

async function runRemainingSteps<T>(first: Deferred<T>): Promise<T> {
  let result: T | Deferred<T> = first
  while (result instanceof Deferred) result = (await result.wait())()
  return result
}

/** The world of a request, as far as going through its steps needs it. */
interface StepWorld {
  readonly ids: { state: unknown }
  readonly store: { applyRules(): void }
  runDueJobs(): void
  write<T>(work: () => T): T
}

/** Goes through the steps of requests, one after the other. */
export class StepRunner {
  readonly #world: StepWorld
  /** Follows the request whose step is being done. */
  trace: Trace | undefined

  constructor(world: StepWorld) {
    this.#world = world
  }

  /** Does all steps of a request: see `World.request`. */
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
async function awaitNextStep<T>(
  deferred: Deferred<T>,
  trace: Trace | undefined,
): Promise<() => T | Deferred<T>> {
  try {
    return await deferred.wait()
  } catch (error) {
    trace?.failed(error)
    throw error
  }
}

/** Follows a request through its steps: what it wrote, and why it was refused (behaviour/program#journal). */
export interface Trace {
  /** Told of each commit of the request, in order; the kernel's own tables are among the changes. */
  committed(changes: readonly Change[]): void
  /** Told of what ended it, a refusal or an exception. */
  failed(error: unknown): void
}
