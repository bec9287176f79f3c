import { type InParts, runParts } from '../parts.ts'
import { monotonicTime, yieldToEventLoop } from '../time.ts'

/** Milliseconds of new work in a request before other requests get a turn. */
export const maxStepTime = 20

/** Number of changes by others after which a request is finished without further interruptions. */
const maxRestarts = 3

/** The part of a world that a request in parts needs. */
export interface PartsWorld {
  readonly ids: { state: unknown }
  readonly store: { readonly commits: number }
}

/** Result of a part, and the state of the id generator after it. */
interface PartResult {
  readonly value: unknown
  readonly idState: unknown
}

/**
 * Thrown to interrupt a request after some of its parts. The request is rolled back and runs again
 * from its beginning once `wait` has resolved; parts with a result are not repeated.
 */
export class Interruption {
  readonly parts: RequestParts
  readonly wait: () => Promise<void>

  constructor(parts: RequestParts, wait: () => Promise<void>) {
    this.parts = parts
    this.wait = wait
  }
}

/**
 * Results of the parts of one request, in the order of their calls. A request that is run again in
 * an unchanged world makes the same calls, and draws the same ids.
 */
export class RequestParts {
  readonly #world: PartsWorld
  #results: PartResult[] = []
  /** Work of the part that paused last, and the state of the id generator at the pause. */
  #paused: { readonly work: InParts<unknown>; readonly idState: unknown } | undefined
  /** Results of commits that stay when the request is run again. */
  readonly #commits: PartResult[] = []
  #resultsRead = 0
  #commitsRead = 0
  /** Time of the first new part of the present run, on the monotonic clock. */
  #newWorkSince: number | undefined
  /** Number of the world's commits when the request was interrupted. */
  #interruptedAt: number | undefined
  #restarts = 0
  /** True while a part runs. Parts within it are not parts of the request. */
  #isInPart = false

  constructor(world: PartsWorld) {
    this.#world = world
  }

  /** Begins the request again. Changes by others make earlier results invalid. */
  restart(): void {
    this.#resultsRead = 0
    this.#commitsRead = 0
    this.#newWorkSince = undefined
    const isEmpty = this.#results.length === 0 && this.#paused === undefined
    if (this.#interruptedAt === this.#world.store.commits || isEmpty) return
    this.#results = []
    this.#paused = undefined
    this.#restarts += 1
  }

  /** Records that the request was interrupted and rolled back. */
  interrupted(): void {
    this.#interruptedAt = this.#world.store.commits
  }

  /** Returns the result of the next part; see `World.part`. */
  run<T>(now: () => T, later: (() => Promise<T>) | undefined): T {
    if (this.#isInPart) return now()
    const known = this.#results[this.#resultsRead]
    if (known !== undefined) return this.#replayPart(known)
    const mayInterrupt = this.#restarts < maxRestarts
    if (mayInterrupt && later !== undefined) {
      const idState = this.#world.ids.state
      throw new Interruption(this, async () => {
        this.#results.push({ value: await later(), idState })
      })
    }
    const isLong =
      this.#newWorkSince !== undefined && monotonicTime() - this.#newWorkSince > maxStepTime
    if (mayInterrupt && isLong) throw new Interruption(this, yieldToEventLoop)
    this.#newWorkSince ??= monotonicTime()
    const value = this.#inPart(now)
    this.#results.push({ value, idState: this.#world.ids.state })
    this.#resultsRead += 1
    return value
  }

  /** Returns the result of the next part, whose work pauses; see `World.inParts`. */
  runInParts<T>(begin: () => InParts<T>): T {
    if (this.#isInPart) return runParts(begin())
    const known = this.#results[this.#resultsRead]
    if (known !== undefined) return this.#replayPart(known)
    const mayInterrupt = this.#restarts < maxRestarts
    const { ids } = this.#world
    if (this.#paused !== undefined) ids.state = this.#paused.idState
    // The same call in the same order began this work.
    const work = (this.#paused?.work as InParts<T> | undefined) ?? begin()
    this.#paused = undefined
    this.#newWorkSince ??= monotonicTime()
    const since = this.#newWorkSince
    let step = this.#inPart(() => work.next())
    while (step.done !== true) {
      if (mayInterrupt && monotonicTime() - since > maxStepTime) {
        this.#paused = { work, idState: ids.state }
        throw new Interruption(this, yieldToEventLoop)
      }
      step = this.#inPart(() => work.next())
    }
    this.#results.push({ value: step.value, idState: ids.state })
    this.#resultsRead += 1
    return step.value
  }

  /** Returns the result of the next commit that stays; see `World.commitNow`. */
  commit<T>(commitNow: () => T): T {
    const known = this.#commits[this.#commitsRead]
    this.#commitsRead += 1
    if (known !== undefined) return this.#replay(known)
    const value = commitNow()
    this.#commits.push({ value, idState: this.#world.ids.state })
    return value
  }

  #inPart<T>(work: () => T): T {
    this.#isInPart = true
    try {
      return work()
    } finally {
      this.#isInPart = false
    }
  }

  #replayPart<T>(known: PartResult): T {
    this.#resultsRead += 1
    return this.#replay(known)
  }

  #replay<T>({ value, idState }: PartResult): T {
    this.#world.ids.state = idState
    // The same call in the same order had this result.
    return value as T
  }
}
