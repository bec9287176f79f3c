import { monotonicTime } from '../../state/kernel/time.ts'

/** In milliseconds until anything is said, and between two figures on a terminal. */
const quietPeriod = 1000
const updateInterval = 250

/** Said once where no figures can be shown. */
export const loadingLine = 'loading fixtures: …\n'

/** Where the note goes. */
interface ProgressSettings {
  readonly write: (text: string) => unknown
  /** True where a line can be written over. */
  readonly isTerminal: boolean
  /** When the loading began, by the same clock as `now`. */
  readonly startedAt: number
  /** True where `loadingLine` has been written already. */
  readonly announced?: boolean
  /** In milliseconds, from anywhere; given by tests. */
  readonly now?: () => number
}

/**
 * Says that fixtures are loaded, once that takes longer than a second: on a terminal one line with
 * the entries so far, elsewhere one line, and in the end how long it took.
 */
export class LoadingProgress {
  readonly #write: (text: string) => unknown
  readonly #isTerminal: boolean
  readonly #now: () => number
  readonly #startedAt: number
  #entries = 0
  /** When there is something to say next. */
  #nextUpdate: number

  constructor({ write, isTerminal, startedAt, announced, now = monotonicTime }: ProgressSettings) {
    this.#write = write
    this.#isTerminal = isTerminal
    this.#now = now
    this.#startedAt = startedAt
    this.#nextUpdate = announced && !isTerminal ? Number.POSITIVE_INFINITY : startedAt + quietPeriod
  }

  /** Counts an entry that is loaded. */
  readonly entryLoaded = (): void => {
    this.#entries += 1
    // Looking at the clock for each of them would be a part of what takes long.
    if (this.#entries % 100 === 0) this.update()
  }

  /** Says how far it is, if it is time to. */
  update(): void {
    const now = this.#now()
    if (now < this.#nextUpdate) return
    this.#nextUpdate = this.#isTerminal ? now + updateInterval : Number.POSITIVE_INFINITY
    const entries = this.#entries === 0 ? '' : ` ${formatCount(this.#entries)} entries`
    this.#write(
      this.#isTerminal ? `\rloading fixtures: …${entries}` : `loading fixtures: …${entries}\n`,
    )
  }

  /** Says how long it took, if that was long. */
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
