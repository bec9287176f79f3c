import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'

/** Tests that run programs, browsers or this tool: they do not import the changed file. */
const apart = /^test\/(?:wire|package|clients|inspector|oracle|mutate|scripts|bench)\//

/** Returns the `.ts` files below folders of a project, by their paths from its root. */
export function filesBelow(root: string, folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name))
      .sort(),
  )
}

/** Returns the files that a text imports at run time. */
export function importedBy(file: string, text: string): readonly string[] {
  const statements = text.matchAll(
    /(?:^|\n)(?:import|export)\s+(?!type\b)(?:[^'"]*?\sfrom\s+)?'(\.[^']+)'|\bimport\('(\.[^']+)'\)/g,
  )
  return [...statements].map(([, path = '', lazy = '']) => {
    return normalize(join(dirname(file), path === '' ? lazy : path))
  })
}

/** Tests by their nearness to a source file. */
export class NearestTests {
  /** Files that import a file. */
  readonly #importers = new Map<string, string[]>()

  constructor(root: string) {
    for (const file of filesBelow(root, ['state', 'routes', 'src', 'test'])) {
      for (const other of importedBy(file, readFileSync(join(root, file), 'utf8'))) {
        const importers = this.#importers.get(other) ?? []
        this.#importers.set(other, importers)
        importers.push(file)
      }
    }
  }

  /** Returns the test files that import a source file, directly or through others, nearest first. */
  of(source: string): readonly string[] {
    const distances = new Map([[source, 0]])
    // The map grows while it is walked.
    for (const [file, distance] of distances) {
      for (const importer of this.#importers.get(file) ?? []) {
        if (!distances.has(importer)) distances.set(importer, distance + 1)
      }
    }
    const tests = [...distances.keys()].filter(
      (file) => file.endsWith('.test.ts') && !apart.test(file),
    )
    const rank = new Map(
      tests.map((file) => [file, (distances.get(file) ?? 0) - similarity(source, file)]),
    )
    return tests.sort((a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0) || (a < b ? -1 : 1))
  }
}

/** Returns how much the place of a test resembles that of a source file, in steps of imports. */
function similarity(source: string, test: string): number {
  const [top, ...folders] = dirname(source).split('/')
  const [testTop, ...testFolders] = dirname(test).split('/').slice(1)
  const shared = folders.findIndex((folder, index) => folder !== testFolders[index])
  const words = wordsOf(test)
  const named = wordsOf(source).some((word) => words.includes(word))
  return (
    (shared === -1 ? folders.length : shared) * 1.5 + (top === testTop ? 1 : 0) + (named ? 2 : 0)
  )
}

function wordsOf(file: string): readonly string[] {
  return basename(file).replace(/\..*/, '').split('-')
}
