import { textOf } from './format.ts'
import type { Recorder } from './recorder.ts'

/** Default world with the data of the samples and scripts, which can be restored. */
export class FilledWorld {
  readonly #recorder: Recorder
  readonly #state: object
  #snapshot: string

  private constructor(recorder: Recorder, state: object, snapshot: string) {
    this.#recorder = recorder
    this.#state = state
    this.#snapshot = snapshot
  }

  static async keep(recorder: Recorder): Promise<FilledWorld> {
    const { body } = await recorder.control('GET', '/state')
    return new FilledWorld(recorder, JSON.parse(textOf(body)), await takeSnapshot(recorder))
  }

  /**
   * Restores the filled world. A reset deletes snapshots; in that case, the state is imported
   * again.
   */
  async restore(): Promise<void> {
    const recorder = this.#recorder
    await recorder.finishBatch()
    const { status } = await recorder.control('POST', `/snapshots/${this.#snapshot}/restore`)
    if (status < 400) return
    const imported = await recorder.control('PUT', '/state', this.#state)
    if (imported.status >= 400) {
      throw new Error(`the state cannot be imported: ${textOf(imported.body)}`)
    }
    this.#snapshot = await takeSnapshot(recorder)
  }
}

async function takeSnapshot(recorder: Recorder): Promise<string> {
  const { body } = await recorder.control('POST', '/snapshots', { name: 'filled' })
  return JSON.parse(textOf(body)).id
}
