import { Mistakes, Refusal } from '../refusal.ts'

/**
 * A function that loads a part of a document. Returns undefined if the part was refused and loading
 * continues, so that all mistakes are reported together.
 */
export type LoadPart = <T>(load: () => T) => T | undefined

/** Loads parts until one is refused, and then throws that refusal. */
export const loadUntilRefused: LoadPart = (load) => load()

/** Loading of one document: its parts in order, and the refusals so far. */
export class Loading {
  readonly #refused: Refusal[] = []
  readonly #write: LoadPart
  readonly #onPartLoaded: (() => void) | undefined

  /**
   * @param write rolls back a part that is refused
   * @param onPartLoaded called after each part
   */
  constructor(write: <T>(load: () => T) => T, onPartLoaded?: () => void) {
    this.#write = write
    this.#onPartLoaded = onPartLoaded
  }

  readonly part: LoadPart = (load) => {
    try {
      return this.#write(load)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      this.#refused.push(error)
      return undefined
    } finally {
      this.#onPartLoaded?.()
    }
  }

  /**
   * Ends the loading.
   *
   * @throws {Mistakes} with every refusal, if there was any
   */
  end(): void {
    const [first] = this.#refused
    if (first === undefined) return
    const problems = this.#refused.map(({ message }) => message)
    throw new Mistakes(problems.length === 1 ? first.reason : problems.join('; '), problems)
  }
}
