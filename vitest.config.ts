import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const measuresMemory = 'test/wire/platform/platform-upload-memory.test.ts'

/**
 * What starts programs and browsers takes longest and waits most: it comes first, or one worker would be
 * at it alone in the end. By itself Vitest begins with the largest files.
 */
class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const waits = ({ moduleId }: TestSpecification) =>
      /[/]test[/](wire|inspector)[/]/.test(moduleId)
    return [...sorted.filter(waits), ...sorted.filter((file) => !waits(file))]
  }
}

export default defineConfig({
  test: {
    // Packages come as Node hands them to the built program, not unwrapped.
    deps: { interopDefault: false },
    // It ends what hangs; how long something takes is for the benchmark, and machines differ.
    testTimeout: 30_000,
    // By default one core is left over, which on a small machine is half of it.
    maxWorkers: '100%',
    sequence: { sequencer: WaitingFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [measuresMemory],
          // Nothing mutable lives at module level, so test files can share what they import: loading
          // it anew for each file would take as long as the tests.
          isolate: false,
        },
      },
      // What other tests let go would falsify its figures.
      { extends: true, test: { name: 'alone', include: [measuresMemory] } },
    ],
    coverage: {
      provider: 'v8',
      include: ['state/**/*.ts', 'routes/**/*.ts', 'src/**/*.ts'],
      // What runs in processes of its own (test/wire/cli/command.test.ts, exec.test.ts) is not counted.
      exclude: [
        'cli/cli',
        'cli/exec',
        'server/compile-module',
        'server/executable',
        'server/program',
        'server/program-exports',
      ].map((name) => `src/${name}.ts`),
      reporter: ['text-summary'],
      // Just below what the suite reaches: they only ever rise.
      thresholds: { statements: 98.1, branches: 94.2 },
    },
  },
})
