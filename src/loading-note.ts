import { monotonicTime } from '../state/kernel/time.ts'

/** In milliseconds until anything is said, and between two figures on a terminal. */
const patience = 1000
const pause = 250

/** Said once where no figures can be shown. */
export const loadingLine = 'loading fixtures: …\n'

/** Where the note goes. */
interface NoteSettings {
  readonly write: (text: string) => unknown
  /** True where a line can be written over. */
  readonly terminal: boolean
  /** When the loading began, by the same clock as `now`. */
  readonly begun: number
  /** True where `loadingLine` has been written already. */
  readonly announced?: boolean
  /** In milliseconds, from anywhere; given by tests. */
  readonly now?: () => number
}

/**
 * Says that fixtures are loaded, once that takes longer than a second: on a terminal one line with
 * the entries so far, elsewhere one line, and in the end how long it took.
 */
export class LoadingNote {
  readonly #write: (text: string) => unknown
  readonly #terminal: boolean
  readonly #now: () => number
  readonly #begun: number
  #entries = 0
  /** When there is something to say next. */
  #due: number

  constructor({ write, terminal, begun, announced, now = monotonicTime }: NoteSettings) {
    this.#write = write
    this.#terminal = terminal
    this.#now = now
    this.#begun = begun
    this.#due = announced && !terminal ? Number.POSITIVE_INFINITY : begun + patience
  }

  /** Counts an entry that is loaded. */
  readonly loaded = (): void => {
    this.#entries += 1
    // Looking at the clock for each of them would be a part of what takes long.
    if (this.#entries % 100 === 0) this.look()
  }

  /** Says how far it is, if it is time to. */
  look(): void {
    const now = this.#now()
    if (now < this.#due) return
    this.#due = this.#terminal ? now + pause : Number.POSITIVE_INFINITY
    const entries = this.#entries === 0 ? '' : ` ${shown(this.#entries)} entries`
    this.#write(
      this.#terminal ? `\rloading fixtures: …${entries}` : `loading fixtures: …${entries}\n`,
    )
  }

  /** Says how long it took, if that was long. */
  end(): void {
    const took = this.#now() - this.#begun
    if (took < patience) return
    const line = `loading fixtures: ${shown(this.#entries)} entries in ${(took / 1000).toFixed(1)} s`
    this.#write(this.#terminal ? `\r\u001b[K${line}\n` : `${line}\n`)
  }
}

function shown(count: number): string {
  return count.toLocaleString('en-GB')
}
