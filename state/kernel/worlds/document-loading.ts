import { Mistakes, Refusal } from '../refusal.ts'

/**
 * Function that runs `load` for one part of a document. Returns its result, or undefined if the
 * part was refused and loading continues, so that all refusals are reported together.
 */
export type LoadPart = <T>(load: () => T) => T | undefined

/** Loads a part without catching its refusal, so that loading ends at the first refusal. */
export const loadUntilRefused: LoadPart = (load) => load()

/** Loader of one document, part by part. Collects the refusals of the parts. */
export class PartLoader {
  readonly #refusals: Refusal[] = []
  readonly #loadInTransaction: LoadPart
  readonly #onPartLoaded: (() => void) | undefined

  /**
   * @param loadInTransaction calls `load`, rolls its writes back if it throws, and throws the
   *   exception again
   * @param onPartLoaded called after each part, whether loaded or refused
   */
  constructor(loadInTransaction: <T>(load: () => T) => T, onPartLoaded?: () => void) {
    this.#loadInTransaction = loadInTransaction
    this.#onPartLoaded = onPartLoaded
  }

  readonly part: LoadPart = (load) => {
    try {
      return this.#loadInTransaction(load)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      this.#refusals.push(error)
      return undefined
    } finally {
      this.#onPartLoaded?.()
    }
  }

  /**
   * Ends the loading.
   *
   * @throws {Mistakes} with one problem per refused part, if any part was refused
   */
  end(): void {
    const [first] = this.#refusals
    if (first === undefined) return
    const problems = this.#refusals.map(({ message }) => message)
    throw new Mistakes(problems.length === 1 ? first.reason : problems.join('; '), problems)
  }
}
