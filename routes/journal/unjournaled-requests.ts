import { monotonicTime } from '../../state/kernel/time.ts'

/** Request that reached no world. */
interface UnjournaledRequest {
  /** Time on the monotonic clock, in milliseconds. */
  readonly time: number
  /** Kind of the failure, in kebab case. */
  readonly kind: string
  /** Description of the failure, in one sentence. */
  readonly detail: string
  readonly method?: string | undefined
  /** Path as sent, with its query. */
  readonly target?: string | undefined
}

/** Call of the control plane that changed something. */
interface ControlCall {
  /** Time on the monotonic clock, in milliseconds. */
  readonly time: number
  readonly method: string
  /** Path as sent, with its query. */
  readonly target: string
  readonly status: number
}

/** Maximum number of entries of each list; the oldest are dropped. */
const maxEntries = 1_000

/**
 * Requests to a process that are in no journal: requests that reached no world, and calls of the
 * control plane that changed something (behaviour/program#traces).
 */
export class UnjournaledRequests {
  readonly #requests: UnjournaledRequest[] = []
  readonly #controlCalls: ControlCall[] = []
  #isCollecting = false

  /**
   * Starts collecting. Requests before this call are not kept: only traces show the collected
   * requests.
   */
  collect(): void {
    this.#isCollecting = true
  }

  /** Adds a request that reached no world. Does nothing before `collect` is called. */
  add(request: Omit<UnjournaledRequest, 'time'>): void {
    if (!this.#isCollecting) return
    addBounded(this.#requests, { time: monotonicTime(), ...request })
  }

  addControlCall(call: Omit<ControlCall, 'time'>): void {
    if (!this.#isCollecting) return
    addBounded(this.#controlCalls, { time: monotonicTime(), ...call })
  }

  /** Returns the requests that reached no world, oldest first. */
  list(): readonly UnjournaledRequest[] {
    return [...this.#requests]
  }

  /** Returns the calls of the control plane that changed something, oldest first. */
  controlCalls(): readonly ControlCall[] {
    return [...this.#controlCalls]
  }
}

function addBounded<T>(entries: T[], entry: T): void {
  entries.push(entry)
  if (entries.length > maxEntries) entries.shift()
}
