import { Meanwhile } from './meanwhile.ts'
import { keepsWrites } from './refusal.ts'
import type { Trace } from './trace.ts'

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
