import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const measuresMemory = 'test/wire/platform/platform-upload-memory.test.ts'

/**
 * Runs the tests that start programs and browsers first. They take longest and mostly wait, so at
 * the end of the run a single worker would be busy with them. By default, Vitest starts with the
 * largest files.
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
    // Default exports of packages are not unwrapped, as in the built program.
    deps: { interopDefault: false },
    // This limit only ends tests that hang, because machines differ in speed. The benchmark
    // measures times.
    testTimeout: 30_000,
    // Tests make much short-lived data. More space for it saves a tenth of their CPU time, which the
    // garbage collector would take.
    execArgv: ['--max-semi-space-size=64'],
    // By default, Vitest leaves one core unused, which is half of a small machine.
    maxWorkers: '100%',
    sequence: { sequencer: WaitingFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [measuresMemory],
          // Modules have no mutable state, so test files can share loaded modules. Loading them for
          // each file would take as long as the tests.
          isolate: false,
        },
      },
      // Memory that other tests release would distort the measurements of this file.
      { extends: true, test: { name: 'alone', include: [measuresMemory] } },
    ],
    coverage: {
      provider: 'custom',
      customProviderModule: './test/support/coverage.ts',
      include: ['state/**/*.ts', 'routes/**/*.ts', 'src/**/*.ts'],
      // Code that only runs in child processes (test/wire/cli/command.test.ts, exec.test.ts) is not
      // measured.
      exclude: [
        'cli/cli',
        'cli/exec',
        'server/compile-module',
        'server/executable',
        'server/program',
        'server/program-exports',
      ].map((name) => `src/${name}.ts`),
      reporter: ['text-summary'],
      // Slightly below the current coverage. `npm run coverage` fails below them.
      thresholds: { statements: 97.9, branches: 93.9 },
    },
  },
})
