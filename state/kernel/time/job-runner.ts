import { type InParts, isInParts, runParts } from '../parts.ts'
import { canContinue, type Draft, transactPart } from '../store/draft.ts'
import type { Store } from '../store/store.ts'
import { monotonicTime } from '../time.ts'
import type { IdState } from '../worlds/ids.ts'
import type { ScheduledJob } from './agenda.ts'
import type { Clock } from './clock.ts'

/** Milliseconds of a job's work between two pauses. */
const maxPartTime = 10

/**
 * Number of restarts after which a job runs to its end without a pause, so that other commits
 * cannot delay it for ever.
 */
const maxRestarts = 3

/** The members of a world that the job runner uses. */
export interface JobRunnerWorld {
  readonly store: Store
  readonly clock: Clock
  readonly ids: { state: IdState }
}

/** A job that has paused between two of its parts. */
interface PausedJob {
  readonly scheduledJob: ScheduledJob
  readonly rest: InParts<unknown>
  readonly draft: Draft
  /** State of the id generator at the pause. */
  readonly idState: IdState
  /** Instant that the world's clock shows while the job runs. */
  readonly at: number
}

/**
 * Runner of the jobs of a world, each in a transaction of its own. If a job in parts pauses, its
 * transaction pauses as well; until the job has finished, all readers see the world without the
 * job's writes. If anything else is committed in the meantime, the job begins again.
 */
export class JobRunner {
  readonly #world: JobRunnerWorld
  #paused: PausedJob | undefined
  #restarts = 0

  constructor(world: JobRunnerWorld) {
    this.#world = world
  }

  /** Returns the paused state of a job; undefined if the job has not begun or must begin again. */
  findPaused({ job, id }: ScheduledJob): PausedJob | undefined {
    const paused = this.#paused
    if (paused === undefined) return undefined
    const { scheduledJob, draft } = paused
    const isSame = scheduledJob.job === job && scheduledJob.id === id
    return isSame && canContinue(draft, this.#world.store) ? paused : undefined
  }

  /**
   * Runs a job, or its next parts, in a transaction. If the job throws, its writes and ids are
   * rolled back and the exception is thrown again.
   *
   * @param start begins the job; returns the remaining work of a job in parts
   * @returns false if the job has paused
   */
  run(scheduledJob: ScheduledJob, mayPause: boolean, start: () => unknown): boolean {
    const { store, clock, ids } = this.#world
    const paused = this.findPaused(scheduledJob)
    if (paused === undefined && this.#paused !== undefined) this.#restarts += 1
    this.#paused = undefined
    const idState = ids.state
    if (paused !== undefined) ids.state = paused.idState
    let rest: InParts<unknown> | undefined = paused?.rest
    const draft = this.#attempt(idState, () =>
      transactPart(
        store,
        () => {
          const work = rest ?? start()
          if (!isInParts(work)) return false
          rest = work
          return this.#runPart(work, mayPause && this.#restarts < maxRestarts)
        },
        paused?.draft,
      ),
    )
    if (draft === undefined || rest === undefined) {
      this.#restarts = 0
      return true
    }
    const at = paused?.at ?? clock.now()
    this.#paused = { scheduledJob, rest, draft, idState: ids.state, at }
    ids.state = idState
    return false
  }

  /**
   * Runs a function. If it throws, resets the id generator to `idState`, so that the ids are
   * generated again.
   */
  #attempt<T>(idState: IdState, work: () => T): T {
    try {
      return work()
    } catch (error) {
      this.#restarts = 0
      this.#world.ids.state = idState
      throw error
    }
  }

  /**
   * Runs work until it has finished. If the work may pause, stops at the first pause after
   * `maxPartTime`. Returns true if work remains.
   */
  #runPart(work: InParts<unknown>, mayPause: boolean): boolean {
    if (!mayPause) {
      runParts(work)
      return false
    }
    const start = monotonicTime()
    while (work.next().done !== true) {
      if (monotonicTime() - start >= maxPartTime) return true
    }
    return false
  }
}
