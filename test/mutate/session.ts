import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  BaseSequencer,
  createVitest,
  escapeTestName,
  type TestCase,
  type TestSpecification,
  type Vitest,
} from 'vitest/node'
import { applyMutant, type Mutant } from './mutators.ts'
import { TestProcess } from './test-process.ts'

/** A test, or a whole file if it could not be loaded. */
export interface Failure {
  readonly file: string
  /** Names of the groups and of the test, joined by spaces. */
  readonly test: string | undefined
}

export interface Run {
  readonly failure: Failure | undefined
  /** True if the process had to be ended. */
  readonly hung: boolean
  /** True if the changed code ran. */
  readonly reached: boolean
}

/** Milliseconds after which a test that waits has failed. */
const testTimeout = 10_000

/** Milliseconds without a message after which a process is ended. */
const silence = 15_000

/**
 * Runs after which the process of the tests is replaced, because it retains the memory of old
 * modules.
 */
const runsPerProcess = 150

/**
 * Runs test files in the order in which they are listed. Vitest's own order begins with the slowest
 * files, but the nearest files are those that probably fail.
 */
class ListedOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files
  }
}

/** Vitest in this process, with one process for tests that stays alive between runs. */
export class Session {
  readonly #root: string
  readonly #vitest: Vitest
  readonly #tests: TestProcess
  readonly #marker: string
  readonly #source: { file: string; text: string }
  #runs = 0

  private constructor(
    root: string,
    vitest: Vitest,
    parts: { tests: TestProcess; marker: string; source: { file: string; text: string } },
  ) {
    this.#root = root
    this.#vitest = vitest
    this.#tests = parts.tests
    this.#marker = parts.marker
    this.#source = parts.source
  }

  static async start(root: string): Promise<Session> {
    const marker = join(mkdtempSync(join(tmpdir(), 'mutate-')), 'reached')
    const tests = new TestProcess({ MUTANT_REACHED: marker }, silence)
    /** The source file that is served with a mutant, and its changed text. */
    const source = { file: '', text: '' }
    const vitest = await createVitest(
      'test',
      {
        config: false,
        root,
        watch: false,
        include: ['test/**/*.test.ts'],
        deps: { interopDefault: false },
        isolate: false,
        maxWorkers: 1,
        sequence: { sequencer: ListedOrder },
        pool: tests,
        runner: join(root, 'test/mutate/first-failure.ts'),
        testTimeout,
        hookTimeout: testTimeout,
        reporters: [{}],
        dangerouslyIgnoreUnhandledErrors: true,
      },
      {
        plugins: [
          {
            name: 'mutant',
            enforce: 'pre',
            transform: (_code: string, id: string) =>
              id === source.file ? { code: source.text, map: null } : undefined,
          },
        ],
      },
    )
    return new Session(root, vitest, { tests, marker, source })
  }

  /** Runs test files until the first test fails, with a mutant or without one. */
  async run(files: readonly string[], mutant: Mutant | undefined, test?: string): Promise<Run> {
    this.#serve(mutant)
    this.#runs += 1
    if (this.#runs % runsPerProcess === 0) this.#tests.end()
    rmSync(this.#marker, { force: true })
    const project = this.#vitest.projects[0]
    if (project === undefined) throw new Error('Vitest has no project')
    const options =
      test === undefined
        ? undefined
        : { testNamePattern: new RegExp(`^${escapeTestName(test, false)}$`) }
    const specifications = files.map((file) =>
      project.createSpecification(join(this.#root, file), options),
    )
    const result = await this.#vitest.runTestSpecifications(specifications)
    // Vitest also returns the modules of earlier runs.
    const testModules = result.testModules.filter((module) =>
      files.includes(module.relativeModuleId),
    )
    process.exitCode = 0
    const failed = testModules.flatMap((module) => [...module.children.allTests('failed')])
    const broken = testModules.find((module) => module.errors().length > 0)
    const [first] = failed
    return {
      failure:
        first !== undefined
          ? { file: first.module.relativeModuleId, test: nameOf(first) }
          : broken && { file: broken.relativeModuleId, test: undefined },
      hung: this.#tests.lost,
      reached: existsSync(this.#marker),
    }
  }

  async close(): Promise<void> {
    this.#tests.end()
    await this.#vitest.close()
  }

  /** Serves a mutant in the next run, and the original text of the file that was changed before. */
  #serve(mutant: Mutant | undefined): void {
    const before = this.#source.file
    this.#source.file = mutant === undefined ? '' : join(this.#root, mutant.file)
    if (mutant !== undefined) {
      this.#source.text = applyMutant(readFileSync(this.#source.file, 'utf8'), mutant)
    }
    for (const file of [before, this.#source.file]) if (file !== '') this.#invalidate(file)
  }

  /**
   * Marks as changed: a file, all files that import it, and the files of the tests, because test
   * helpers keep apps that were built from the old modules.
   */
  #invalidate(file: string): void {
    this.#vitest.invalidateFile(file)
    const changed = new Set([file])
    for (const environment of Object.values(this.#vitest.vite.environments)) {
      const { moduleGraph } = environment
      for (const module of moduleGraph.idToModuleMap.values()) {
        if (module.file?.startsWith(join(this.#root, 'test/'))) changed.add(module.file)
      }
      // The set grows while it is walked.
      for (const id of changed) {
        for (const module of moduleGraph.getModulesByFile(id) ?? []) {
          for (const importer of module.importers) if (importer.file) changed.add(importer.file)
        }
      }
    }
    for (const id of changed) this.#tests.changed.add(id)
  }
}

/** Returns the full name of a test as patterns of names match it. */
function nameOf(test: TestCase): string {
  return test.fullName.replaceAll(' > ', ' ')
}
