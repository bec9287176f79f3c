import { writeFileSync } from 'node:fs'
import type { RunnerTestCase } from 'vitest'
import { TestRunner } from 'vitest'

declare global {
  /** Records that the changed code ran. */
  var mutantReached: () => void
}

/** Vitest's runner in the process of the tests: the first test that fails ends the run. */
export default class FirstFailure extends TestRunner {
  #failed = false

  constructor(...parameters: ConstructorParameters<typeof TestRunner>) {
    super(...parameters)
    let isReached = false
    globalThis.mutantReached = () => {
      if (isReached) return
      isReached = true
      writeFileSync(String(process.env['MUTANT_REACHED']), '')
    }
  }

  override onAfterRunTask(test: RunnerTestCase): void {
    super.onAfterRunTask(test)
    if (test.result?.state !== 'fail') return
    this.#failed = true
    this.cancel('test-failure')
  }

  override importFile(...parameters: Parameters<TestRunner['importFile']>): unknown {
    return this.#failed ? undefined : super.importFile(...parameters)
  }
}
