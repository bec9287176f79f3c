import { type InParts, maxStepTime } from '../parts.ts'
import { canContinue, continueDraft, type Draft, type PausingStore } from '../store/draft.ts'
import { monotonicTime, yieldToEventLoop } from '../time.ts'

/**
 * Maximum number of restarts of a request because the world has changed. After that, the request
 * runs without interruptions.
 */
const maxRestarts = 3

/** The members of a world that a request in parts uses. */
export interface PartsWorld {
  readonly ids: { state: unknown }
  readonly store: PausingStore
}

/**
 * Treatment of the writes of a part that pauses: the request keeps them, or they are undone at the
 * end of the part.
 */
export type PartWrites = 'kept' | 'undone'

interface PausedPart {
  readonly work: InParts<unknown>
  /** State of the id generator at the pause. */
  readonly idState: unknown
  /** Draft with the writes so far; undefined if the part must not write. */
  readonly draft: Draft | undefined
}

/** Result of a part, and the state of the id generator after it. */
interface PartResult {
  readonly value: unknown
  readonly idState: unknown
}

/**
 * Exception that interrupts a request between or within its parts. The request is rolled back and
 * runs again from its beginning once `wait` has resolved; parts that have a result are not
 * repeated.
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
 * Results of the parts of one request, in the order of their calls. If a request runs again in an
 * unchanged world, it makes the same calls as before and draws the same ids.
 */
export class RequestParts {
  readonly #world: PartsWorld
  #results: PartResult[] = []
  /** The part that paused last. */
  #paused: PausedPart | undefined
  /** Results of `commitNow` calls, which stay valid when the request runs again. */
  readonly #commits: PartResult[] = []
  #resultsRead = 0
  #commitsRead = 0
  /**
   * Time, on the monotonic clock, at which the present run began its first part without an earlier
   * result; undefined before that.
   */
  #newWorkSince: number | undefined
  /** The store's number of commits and restores when the request was interrupted. */
  #interruptedAt: { readonly commits: number; readonly epoch: number } | undefined
  #restarts = 0
  /** True after a part whose writes are kept. */
  #hasWritten = false
  /** True while a part runs. A part that is called within another part runs at once. */
  #isInPart = false

  constructor(world: PartsWorld) {
    this.#world = world
  }

  /**
   * Prepares another run of the request. Discards the earlier results if anything was committed or
   * restored since the interruption.
   */
  restart(): void {
    this.#resultsRead = 0
    this.#commitsRead = 0
    this.#newWorkSince = undefined
    const isEmpty = this.#results.length === 0 && this.#paused === undefined
    const interruptedAt = this.#interruptedAt
    if (isEmpty || (interruptedAt && canContinue(interruptedAt, this.#world.store))) return
    this.#results = []
    this.#paused = undefined
    this.#restarts += 1
  }

  /** Records the point at which the request was interrupted and rolled back. */
  recordInterruption(): void {
    const { commits, feed } = this.#world.store
    this.#interruptedAt = { commits, epoch: feed.epoch }
  }

  /**
   * Returns the result of the next part. If an earlier run has this result, the part does not run
   * again. Throws an `Interruption` if `later` does the work of the part, or if the run has taken
   * too long; see `World.part`.
   */
  run<T>(now: () => T, later: (() => Promise<T>) | undefined): T {
    if (this.#isInPart) return now()
    const earlierResult = this.#results[this.#resultsRead]
    if (earlierResult !== undefined) return this.#replayPart(earlierResult)
    const mayInterrupt = this.#mayInterrupt
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
    const value = this.#runInsidePart(now)
    this.#results.push({ value, idState: this.#world.ids.state })
    this.#resultsRead += 1
    return value
  }

  /**
   * Returns the result of the next part, whose work pauses. If an earlier run has this result, the
   * part does not run again. Throws an `Interruption` if the work has taken too long at a pause;
   * see `World.inParts`.
   *
   * @param runAtOnce does the work without a pause
   */
  runInParts<T>(
    startWork: () => InParts<T>,
    writes: PartWrites | undefined,
    runAtOnce: () => T,
  ): T {
    const { ids, store } = this.#world
    // A pause can put only the writes of the part itself into a draft, not earlier writes of the
    // request.
    if (this.#isInPart || (writes !== undefined && store.hasWrites)) return runAtOnce()
    const earlierResult = this.#results[this.#resultsRead]
    if (earlierResult !== undefined) return this.#replayPart(earlierResult)
    const idsBefore = ids.state
    const paused = this.#paused
    this.#paused = undefined
    if (paused !== undefined) ids.state = paused.idState
    // Each run makes the same calls in the same order, so paused work was begun by this call in an
    // earlier run.
    const work = (paused?.work as InParts<T> | undefined) ?? startWork()
    const before = continueDraft(store, paused?.draft)
    this.#newWorkSince ??= monotonicTime()
    const since = this.#newWorkSince
    let step = this.#runInsidePart(() => work.next())
    while (step.done !== true) {
      if (this.#mayInterrupt && monotonicTime() - since > maxStepTime) {
        this.#paused = { work, idState: ids.state, draft: writes && store.suspend(before) }
        throw new Interruption(this, yieldToEventLoop)
      }
      step = this.#runInsidePart(() => work.next())
    }
    if (writes === 'undone') {
      store.discardWrites(before)
      ids.state = idsBefore
    }
    // Writes of a part are not repeated in another run, so the request must end without another
    // interruption.
    if (writes === 'kept') this.#hasWritten = true
    this.#results.push({ value: step.value, idState: ids.state })
    this.#resultsRead += 1
    return step.value
  }

  get #mayInterrupt(): boolean {
    return this.#restarts < maxRestarts && !this.#hasWritten
  }

  /**
   * Returns the result of the next `commitNow` call. If an earlier run has this result, nothing is
   * committed again; see `World.commitNow`.
   */
  commit<T>(commitNow: () => T): T {
    const earlierResult = this.#commits[this.#commitsRead]
    this.#commitsRead += 1
    if (earlierResult !== undefined) return this.#replay(earlierResult)
    const value = commitNow()
    this.#commits.push({ value, idState: this.#world.ids.state })
    return value
  }

  #runInsidePart<T>(work: () => T): T {
    this.#isInPart = true
    try {
      return work()
    } finally {
      this.#isInPart = false
    }
  }

  #replayPart<T>(earlierResult: PartResult): T {
    this.#resultsRead += 1
    return this.#replay(earlierResult)
  }

  #replay<T>({ value, idState }: PartResult): T {
    this.#world.ids.state = idState
    // Each run makes the same calls in the same order, so an earlier run of this call had this
    // result.
    return value as T
  }
}
