import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
import { idOf } from './draw.ts'
import { applyMutant, applySwitches, type Mutant } from './mutators.ts'
import { TestProcess } from './test-process.ts'

/** Failed test, or a whole file if it could not be loaded. */
export interface Failure {
  readonly file: string
  /** Names of the groups and of the test, joined by spaces. */
  readonly test: string | undefined
}

/**
 * Way in which the tests get a changed file: `switch` uses the code that is loaded, which has all
 * mutants in functions; `reload` loads the file and all that import it again.
 */
export type Way = 'switch' | 'reload'

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
  /** Folder with the messages to and from the process of the tests. */
  readonly #folder: string
  readonly #source: { file: string; text: string }
  readonly #switched: ReadonlySet<string>
  #runs = 0

  private constructor(
    root: string,
    vitest: Vitest,
    parts: {
      tests: TestProcess
      folder: string
      source: { file: string; text: string }
      switched: ReadonlySet<string>
    },
  ) {
    this.#root = root
    this.#vitest = vitest
    this.#tests = parts.tests
    this.#folder = parts.folder
    this.#source = parts.source
    this.#switched = parts.switched
  }

  /** Starts a session in which the given mutants can be run. */
  static async start(root: string, mutants: readonly Mutant[]): Promise<Session> {
    const folder = mkdtempSync(join(tmpdir(), 'mutate-'))
    const tests = new TestProcess({ MUTANT_FOLDER: folder }, silence)
    /** Source file that the next run loads in its changed form, and the changed text. */
    const source = { file: '', text: '' }
    const inFunctions = switchableByFile(mutants)
    const switchedTexts = new Map(
      [...inFunctions].map(([file, list]) => {
        const named = list.map((mutant) => ({ name: idOf(mutant), mutant }))
        return [join(root, file), applySwitches(readFileSync(join(root, file), 'utf8'), named)]
      }),
    )
    const switched = new Set([...inFunctions.values()].flat().map(idOf))
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
            transform(_code: string, id: string) {
              const code = id === source.file ? source.text : switchedTexts.get(id)
              return code === undefined ? undefined : { code, map: null }
            },
          },
        ],
      },
    )
    return new Session(root, vitest, { tests, folder, source, switched })
  }

  /** Returns the ways to run the tests with a mutant, fastest first. */
  waysOf(mutant: Mutant): readonly Way[] {
    return this.#switched.has(idOf(mutant)) ? ['switch', 'reload'] : ['reload']
  }

  /** Runs test files until the first test fails, with a mutant or without one. */
  async run(
    files: readonly string[],
    mutant?: { readonly mutant: Mutant; readonly way: Way },
    test?: string,
  ): Promise<Run> {
    this.#serve(mutant?.way === 'reload' ? mutant.mutant : undefined)
    writeFileSync(join(this.#folder, 'active'), mutant?.way === 'switch' ? idOf(mutant.mutant) : '')
    this.#runs += 1
    if (this.#runs % runsPerProcess === 0) this.#tests.end()
    const marker = join(this.#folder, 'reached')
    rmSync(marker, { force: true })
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
      reached: existsSync(marker),
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
    this.#reloadTests()
    for (const file of [before, this.#source.file]) if (file !== '') this.#invalidate(file)
  }

  /** Marks the files of the tests as changed, because test helpers keep apps from earlier runs. */
  #reloadTests(): void {
    for (const { moduleGraph } of Object.values(this.#vitest.vite.environments)) {
      for (const { file } of moduleGraph.idToModuleMap.values()) {
        if (file?.startsWith(join(this.#root, 'test/'))) this.#tests.changed.add(file)
      }
    }
  }

  /** Marks as changed: a file, and all files that import it. */
  #invalidate(file: string): void {
    this.#vitest.invalidateFile(file)
    const changed = new Set([file])
    for (const environment of Object.values(this.#vitest.vite.environments)) {
      const { moduleGraph } = environment
      // The loop adds to the set and so also visits indirect importers.
      for (const id of changed) {
        for (const module of moduleGraph.getModulesByFile(id) ?? []) {
          for (const importer of module.importers) if (importer.file) changed.add(importer.file)
        }
      }
    }
    for (const id of changed) this.#tests.changed.add(id)
  }
}

/** Returns the mutants in functions by file, without those that overlap with an earlier one. */
function switchableByFile(mutants: readonly Mutant[]): ReadonlyMap<string, readonly Mutant[]> {
  const byFile = new Map<string, Mutant[]>()
  for (const mutant of mutants) {
    const list = byFile.get(mutant.file) ?? []
    const overlaps = list.some(({ start, end }) => mutant.start < end && start < mutant.end)
    if (mutant.inFunction && !overlaps) byFile.set(mutant.file, [...list, mutant])
  }
  return byFile
}

/** Returns the full name of a test as patterns of names match it. */
function nameOf(test: TestCase): string {
  return test.fullName.replaceAll(' > ', ' ')
}
