import type { Change } from './commits.ts'
import { keepsWrites } from './refusal.ts'

/**
 * Describes how the work of a request goes on once something outside its world is done: a mail
 * delivered, a primary asked, a text encrypted, a wait over. Between two steps no transaction is
 * open, and other requests are served; the next step must look again at what it relies on.
 */
export class Meanwhile<out T> {
  readonly #wait: () => Promise<() => T | Meanwhile<T>>

  constructor(wait: () => Promise<() => T | Meanwhile<T>>) {
    this.#wait = wait
  }

  /** Does what is to be done outside and returns the next step. Called once the step before is committed. */
  wait(): Promise<() => T | Meanwhile<T>> {
    return this.#wait()
  }
}

/**
 * Ends a step of a request: `work` is done outside, then `next` with its result inside again. What
 * `work` refuses refuses the request; what was written before stays then.
 */
export function meanwhile<R, T>(
  work: () => Promise<R>,
  next: (result: R) => T | Meanwhile<T>,
): Meanwhile<T> {
  return new Meanwhile(async () => {
    const result = await work()
    return () => next(result)
  })
}

/** Makes something of what a step returns, now or when it is there. */
export function finish<T, U>(result: T | Meanwhile<T>, change: (result: T) => U): U | Meanwhile<U> {
  if (!(result instanceof Meanwhile)) return change(result)
  return new Meanwhile(async () => {
    const next = await result.wait()
    return () => finish(next(), change)
  })
}

/** Goes through all steps of what belongs to no world's request. */
export function done<T>(result: T | Meanwhile<T>): T | Promise<T> {
  return result instanceof Meanwhile ? goOn(result) : result
}

async function goOn<T>(first: Meanwhile<T>): Promise<T> {
  let reached: T | Meanwhile<T> = first
  while (reached instanceof Meanwhile) reached = (await reached.wait())()
  return reached
}

/** The world of a request, as far as going through its steps needs it. */
interface Stage {
  readonly ids: { state: unknown }
  readonly store: { hold(): void }
  settle(): void
  write<T>(work: () => T): T
}

/** Goes through the steps of requests, one after the other. */
export class Steps {
  readonly #stage: Stage
  /** Follows the request whose step is being done. */
  trace: Trace | undefined

  constructor(stage: Stage) {
    this.#stage = stage
  }

  /** Does all steps of a request: see `World.request`. */
  run<T>(work: () => T | Meanwhile<T>, trace: Trace | undefined): T | Promise<T> {
    const result = this.#step(work, trace)
    return result instanceof Meanwhile ? this.#goOn(result, trace) : result
  }

  #step<T>(work: () => T, trace: Trace | undefined): T {
    const stage = this.#stage
    stage.settle()
    this.trace = trace
    try {
      return stage.write(() => {
        const drawn = stage.ids.state
        try {
          const result = work()
          stage.store.hold()
          return result
        } catch (error) {
          if (!keepsWrites(error)) stage.ids.state = drawn
          trace?.failed(error)
          throw error
        }
      })
    } finally {
      this.trace = undefined
    }
  }

  async #goOn<T>(first: Meanwhile<T>, trace: Trace | undefined): Promise<T> {
    let result: T | Meanwhile<T> = first
    while (result instanceof Meanwhile) result = this.#step(await nextOf(result, trace), trace)
    return result
  }
}

/** Waits for a request's next step. */
async function nextOf<T>(
  work: Meanwhile<T>,
  trace: Trace | undefined,
): Promise<() => T | Meanwhile<T>> {
  try {
    return await work.wait()
  } catch (error) {
    trace?.failed(error)
    throw error
  }
}

/** Follows a request through its steps: what it wrote, and why it was refused (behaviour/program#journal). */
export interface Trace {
  /** Told of each commit of the request, in order; the kernel's own tables are among the changes. */
  wrote(changes: readonly Change[]): void
  /** Told of what ended it, a refusal or an exception. */
  failed(error: unknown): void
}
