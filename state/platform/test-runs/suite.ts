import { int, list, nullable, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/world.ts'
import { optionsOf } from '../options.ts'
import { type Archive, archiveOf } from './archive.ts'
import { headsIn } from './heads.ts'

const placeShape = struct({
  line: int,
  column: int,
  end_column: int,
  byte: int,
  end_byte: int,
  code: text,
})

/** Where the head of a run block stands in its file (behaviour/platform#log). */
export interface RunPlace extends StoredOf<typeof placeShape> {}

/** The tests that an upload asks for. */
export const suiteShape = struct({
  /** The files that are tested, by path; null where a log makes names up. */
  files: nullable(
    list(
      struct({
        path: text,
        /** In the order in which they are written. */
        runs: list(struct({ name: text, place: nullable(placeShape) })),
      }),
    ),
  ),
  /** The directory that was asked for and is not there. */
  missing_directory: nullable(text),
  /** What a run that is forced to end would leave behind, as `type.name`. */
  planned: list(text),
})

/** What an upload says that is to be tested (behaviour/platform#test-files). */
export interface TestSuite extends StoredOf<typeof suiteShape> {}

/** What a run is asked to test. */
interface SuiteChoice {
  readonly test_directory: string
  readonly filters: readonly string[]
}

/** The suite of which nothing is known: the log makes files and names up. */
export const unknownSuite: TestSuite = { files: null, missing_directory: null, planned: [] }

/** The directory that need not be there. */
const usualDirectory = 'tests'

/**
 * Reads what a new run tests from the bytes of its configuration version, once: uploads that come
 * later change nothing of it.
 */
export function suiteOf(world: World, version: string, choice: SuiteChoice): TestSuite {
  if (!optionsOf(world).testNamesFromUpload) return unknownSuite
  const archive = archiveOf(world, version)
  return archive === undefined
    ? unknownSuite
    : suiteIn(archive, choice, optionsOf(world).testFileNames)
}

/** The suite of an archive. `endings` are those of test files' names. */
export function suiteIn(
  { files, paths }: Archive,
  { test_directory, filters }: SuiteChoice,
  endings: readonly string[],
): TestSuite {
  const directory = plainPath(test_directory)
  const isTest = (path: string) => endings.some((ending) => path.endsWith(ending))
  const tests = [...files.keys()].filter((path) => isTest(path))
  const counted = tests.filter((path) => {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    return folder === directory || (folder === '' && !isHidden(path))
  })
  const isThere = directory === '' || paths.some((path) => isAtOrBelow(path, directory))
  const isMissed = !isThere && directory !== usualDirectory && tests.length > 0
  const chosen = filters.length === 0 ? counted : counted.filter((path) => filters.includes(path))
  return {
    files:
      counted.length === 0
        ? null
        : chosen.sort(byCode).map((path) => ({ path, runs: runsIn(path, files.get(path)) })),
    missing_directory: isMissed ? test_directory : null,
    planned: plannedIn(files),
  }
}

/** Editors' own files in the root, which are no tests. */
function isHidden(name: string): boolean {
  return name.startsWith('.') || name.endsWith('~') || (name.startsWith('#') && name.endsWith('#'))
}

function plainPath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  return parts.join('/')
}

function isAtOrBelow(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`)
}

function byCode(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

function runsIn(path: string, content: Buffer | undefined) {
  const text = content?.toString('utf8') ?? ''
  if (path.endsWith('.json')) return namesInJson(text).map((name) => ({ name, place: null }))
  return headsIn(text, 'run', 1).map(({ labels: [name = ''], ...place }) => ({ name, place }))
}

/** The names of run blocks in JSON; none where that cannot be parsed. */
function namesInJson(text: string): string[] {
  const document = parsed(text)
  const run = isObject(document) ? document['run'] : undefined
  const blocks = Array.isArray(run) ? run : [run]
  return blocks.flatMap((block) => (isObject(block) ? Object.keys(block) : []))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The resources of the root module, in the order of its files. */
function plannedIn(files: ReadonlyMap<string, Buffer>): string[] {
  const roots = [...files].filter(([path]) => /^[^/]+\.tf$/.test(path))
  return roots
    .sort(([a], [b]) => byCode(a, b))
    .flatMap(([, content]) =>
      headsIn(content.toString('utf8'), 'resource', 2).map(({ labels }) => labels.join('.')),
    )
}
