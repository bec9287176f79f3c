import type { Archive } from '../../kernel/archives/tar-reader.ts'
import { isObject } from '../../kernel/objects.ts'
import { int, list, nullable, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { readArchive } from './archive.ts'
import { findBlockHeads } from './block-heads.ts'

const locationShape = struct({
  line: int,
  column: int,
  end_column: int,
  byte: int,
  end_byte: int,
  code: text,
})

/** Location of the head of a run block in its file, for the diagnostics in the log. */
export interface RunBlockLocation extends StoredOf<typeof locationShape> {}

export const suiteShape = struct({
  /** Test files; null if they are unknown, so that the log uses made-up names. */
  files: nullable(
    list(
      struct({
        path: text,
        /** Run blocks in the order of the file. */
        runs: list(struct({ name: text, place: nullable(locationShape) })),
      }),
    ),
  ),
  /**
   * Test directory of the run, if the log warns that this directory does not exist; otherwise null.
   */
  missing_directory: nullable(text),
  /** Addresses of the resources that a force-canceled run may leave behind. */
  planned: list(text),
})

/** The tests of an uploaded configuration (behaviour/platform#test-files). */
export interface TestSuite extends StoredOf<typeof suiteShape> {}

/** Selection of the tests that a run executes. */
interface SuiteSelection {
  readonly test_directory: string
  readonly filters: readonly string[]
}

/**
 * Suite of a test run whose upload cannot be read, or must not be read because of the option
 * `testNamesFromUpload`. The log uses made-up names.
 */
export const unknownSuite: TestSuite = { files: null, missing_directory: null, planned: [] }

/** Directory whose absence causes no warning. */
const defaultDirectory = 'tests'

/**
 * Reads the tests of a new run from its configuration version. Returns `unknownSuite` if the upload
 * cannot be read or the option `testNamesFromUpload` is off. Callers store the result in the run,
 * so that later uploads do not change it.
 */
export function readSuite(world: World, version: string, selection: SuiteSelection): TestSuite {
  if (!optionsOf(world).testNamesFromUpload) return unknownSuite
  const archive = readArchive(world, version)
  return archive === undefined
    ? unknownSuite
    : suiteOfArchive(archive, selection, optionsOf(world).testFileNames)
}

/** Returns the selected tests in an archive. `fileEndings` are the file name endings of tests. */
export function suiteOfArchive(
  { files, paths }: Archive,
  { test_directory, filters }: SuiteSelection,
  fileEndings: readonly string[],
): TestSuite {
  const directory = normalizedPath(test_directory)
  const isTest = (path: string) => fileEndings.some((ending) => path.endsWith(ending))
  const tests = [...files.keys()].filter((path) => isTest(path))
  const candidates = tests.filter((path) => {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    // Tests are in the test directory or the root directory. Hidden files in the root directory are
    // not tests, unless the root directory is the test directory.
    return folder === directory || (folder === '' && !path.startsWith('.'))
  })
  const exists = directory === '' || paths.some((path) => isAtOrBelow(path, directory))
  const isMissing = !exists && directory !== defaultDirectory && tests.length > 0
  const selectedPaths =
    filters.length === 0 ? candidates : candidates.filter((path) => filters.includes(path))
  return {
    files:
      candidates.length === 0
        ? null
        : selectedPaths
            .sort(compareCodeUnits)
            .map((path) => ({ path, runs: runBlocksIn(path, files.get(path)) })),
    missing_directory: isMissing ? test_directory : null,
    planned: plannedResources(files),
  }
}

function normalizedPath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  return parts.join('/')
}

function isAtOrBelow(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`)
}

function compareCodeUnits(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

function runBlocksIn(path: string, content: Buffer | undefined) {
  const text = content?.toString('utf8') ?? ''
  if (path.endsWith('.json')) return runNamesInJson(text).map((name) => ({ name, place: null }))
  return findBlockHeads(text, 'run', 1).map(({ labels: [name = ''], ...place }) => ({
    name,
    place,
  }))
}

/** Returns the names of the run blocks in a JSON file; empty for invalid JSON. */
function runNamesInJson(text: string): string[] {
  const document = parseJson(text)
  const run = isObject(document) ? document['run'] : undefined
  const blocks = Array.isArray(run) ? run : [run]
  return blocks.flatMap((block) => (isObject(block) ? Object.keys(block) : []))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the addresses of the resources in the root module, ordered by file name. */
function plannedResources(files: ReadonlyMap<string, Buffer>): string[] {
  const rootFiles = [...files].filter(([path]) => /^[^/]+\.tf$/.test(path))
  return rootFiles
    .sort(([a], [b]) => compareCodeUnits(a, b))
    .flatMap(([, content]) =>
      findBlockHeads(content.toString('utf8'), 'resource', 2).map(({ labels }) => labels.join('.')),
    )
}
