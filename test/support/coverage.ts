import type { Profiler } from 'node:inspector'
import v8 from '@vitest/coverage-v8'
import { V8CoverageProvider } from '@vitest/coverage-v8/dist/provider.js'

/** Coverage of the scripts that one test file ran. */
interface Coverage {
  readonly result: readonly Profiler.ScriptCoverage[]
}

/** Number of test files whose coverage is merged at once. */
const filesPerMerge = 100

/**
 * Vitest's provider, except that it merges the coverage of many test files at once. Vitest merges
 * the coverage of each file into everything before it, which takes half a minute for 600 files.
 */
class BatchedCoverageProvider extends V8CoverageProvider {
  override readCoverageFiles(
    handlers: Parameters<V8CoverageProvider['readCoverageFiles']>[0],
  ): Promise<void> {
    let files = 0
    let result: Profiler.ScriptCoverage[] = []
    const merge = () => {
      handlers.onFileRead({ result })
      result = []
    }
    return super.readCoverageFiles<Coverage>({
      ...handlers,
      onFileRead(coverage) {
        result.push(...coverage.result)
        files += 1
        if (files % filesPerMerge === 0) merge()
      },
      onFinished(project, environment) {
        merge()
        return handlers.onFinished(project, environment)
      },
    })
  }
}

export default { ...v8, getProvider: async () => new BatchedCoverageProvider() }
