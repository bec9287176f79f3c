import { keysIndex, lastIndexWithPrefix, observeKeysNear } from '../../../state/mesh/kv/keys.ts'
import type { MeshContext } from '../operation.ts'

/**
 * Indexes of a blocking read while the key or prefix does not exist: the index at the start, and
 * the index of the last write that woke the read (behaviour/mesh#blocking).
 */
export class AbsentKeyIndexes {
  readonly #context: MeshContext
  /** Namespace of the read; undefined for all namespaces. */
  readonly #namespace: string | undefined
  readonly #key: string
  readonly #isBlocking: boolean
  #initialIndex: number | undefined
  #lastIndex = 0
  /** Prefix of the row keys whose writes wake the read. */
  #observedPrefix: string | undefined

  constructor(context: MeshContext, namespace: string | undefined, key: string) {
    this.#context = context
    this.#namespace = namespace
    this.#key = key
    this.#isBlocking = (context.query.value('index') ?? '0') !== '0'
  }

  get initialIndex(): number {
    return this.#initialIndex ?? this.#lastIndex
  }

  get lastIndex(): number {
    return this.#lastIndex
  }

  /**
   * Updates the indexes. Called by each attempt that finds nothing: at the start, and after each
   * write that woke the read.
   */
  recordAttempt(): void {
    const { world } = this.#context
    if (this.#initialIndex === undefined) {
      this.#lastIndex = keysIndex(world, this.#namespace)
      this.#initialIndex = this.#lastIndex
    } else if (this.#observedPrefix !== undefined) {
      this.#lastIndex = Math.max(
        this.#lastIndex,
        lastIndexWithPrefix(world, this.#observedPrefix) ?? 0,
      )
    }
    if (this.#isBlocking && this.#namespace !== undefined)
      this.#observedPrefix = observeKeysNear(world, this.#namespace, this.#key)
  }

  /**
   * Discards the initial index, so that a later absence starts with a new one. Called by an attempt
   * that finds something.
   */
  end(): void {
    this.#initialIndex = undefined
  }
}
