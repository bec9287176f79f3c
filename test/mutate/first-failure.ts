import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunnerTestCase } from 'vitest'
import { TestRunner } from 'vitest'

declare global {
  /** Records that the changed code ran. */
  var mutantReached: () => void
  /** Name of the one mutant in the loaded code that has an effect. */
  var activeMutant: string
}

/** Vitest's runner in the process of the tests: the first test that fails ends the run. */
export default class FirstFailure extends TestRunner {
  #failed = false

  constructor(...parameters: ConstructorParameters<typeof TestRunner>) {
    super(...parameters)
    const folder = String(process.env['MUTANT_FOLDER'])
    globalThis.activeMutant = readFileSync(join(folder, 'active'), 'utf8')
    let isReached = false
    globalThis.mutantReached = () => {
      if (isReached) return
      isReached = true
      writeFileSync(join(folder, 'reached'), '')
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
