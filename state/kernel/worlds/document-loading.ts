import { Mistakes, Refusal } from '../refusal.ts'

/**
 * Loads a part of a document. What it returns is undefined where the part was refused and the others
 * are loaded nevertheless, so that all mistakes are told at once.
 */
export type LoadPart = <T>(load: () => T) => T | undefined

/** Loads parts until one is refused. */
export const loadUntilRefused: LoadPart = (load) => load()

/** The loading of one document: its parts one after the other, with those that were refused. */
export class Loading {
  readonly #refused: Refusal[] = []
  readonly #write: LoadPart
  readonly #onPartLoaded: (() => void) | undefined

  /**
   * @param write undoes a part that is refused
   * @param onPartLoaded told of each part
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

  /** @throws {Mistakes} for all that was refused, if anything was */
  end(): void {
    const [first] = this.#refused
    if (first === undefined) return
    const problems = this.#refused.map(({ message }) => message)
    throw new Mistakes(problems.length === 1 ? first.reason : problems.join('; '), problems)
  }
}
