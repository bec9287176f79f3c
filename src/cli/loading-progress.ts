import { monotonicTime } from '../../state/kernel/time.ts'

/** Milliseconds of loading before the first message is shown. */
const quietPeriod = 1000

/** Milliseconds between two updates on a terminal. */
const updateInterval = 250

/** Line that announces a long text before it is parsed. */
export const loadingLine = 'loading fixtures: …\n'

/** Output and clock of the progress message. */
interface ProgressSettings {
  readonly write: (text: string) => unknown
  /** True if the output is a terminal, where lines can be overwritten. */
  readonly isTerminal: boolean
  /** Start time of the loading, on the same clock as `now`. */
  readonly startedAt: number
  /** True if `loadingLine` has already been written. */
  readonly isAnnounced?: boolean
  /** Clock in milliseconds with any origin; tests replace it. */
  readonly now?: () => number
}

/**
 * Progress message for fixtures that take longer than a second to load. A terminal shows the number
 * of loaded entries in one line; other outputs get one line. The duration follows at the end.
 */
export class LoadingProgress {
  readonly #write: (text: string) => unknown
  readonly #isTerminal: boolean
  readonly #now: () => number
  readonly #startedAt: number
  #entries = 0
  #isShown = false
  /** Earliest time of the next update, on the clock of `now`. */
  #nextUpdate: number

  constructor({
    write,
    isTerminal,
    startedAt,
    isAnnounced,
    now = monotonicTime,
  }: ProgressSettings) {
    this.#write = write
    this.#isTerminal = isTerminal
    this.#now = now
    this.#startedAt = startedAt
    this.#nextUpdate =
      isAnnounced && !isTerminal ? Number.POSITIVE_INFINITY : startedAt + quietPeriod
  }

  readonly countLoadedEntry = (): void => {
    this.#entries += 1
    // Reading the clock for every entry would slow down the loading.
    if (this.#entries % 100 === 0) this.update()
  }

  /** Writes the current count, if an update is due. */
  update(): void {
    const now = this.#now()
    if (now < this.#nextUpdate) return
    this.#nextUpdate = this.#isTerminal ? now + updateInterval : Number.POSITIVE_INFINITY
    const entries = this.#entries === 0 ? '' : ` ${formatCount(this.#entries)} entries`
    this.#isShown = true
    this.#write(
      this.#isTerminal ? `\rloading fixtures: …${entries}` : `loading fixtures: …${entries}\n`,
    )
  }

  /** Removes the message from a terminal after a refused start. */
  cancel(): void {
    if (this.#isTerminal && this.#isShown) this.#write('\r\u001b[K')
  }

  /** Writes the duration, if the loading was slow. */
  end(): void {
    const duration = this.#now() - this.#startedAt
    if (duration < quietPeriod) return
    const line = `loading fixtures: ${formatCount(this.#entries)} entries in ${(duration / 1000).toFixed(1)} s`
    this.#write(this.#isTerminal ? `\r\u001b[K${line}\n` : `${line}\n`)
  }
}

function formatCount(count: number): string {
  return count.toLocaleString('en-GB')
}
