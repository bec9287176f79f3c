import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/**
 * Tests that run programs, browsers or this tool. Such tests do not import the changed file, so no
 * import leads to them.
 */
const apart =
  /^test\/(?:(?:wire|package|clients|inspector|oracle|mutate|scripts|bench)\/|(?:readme|docs|links)\.test)/

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

/** Weight of a word in the code around the change, relative to a word of the path. */
const codeWeight = 0.4

/** Index that sorts tests by their nearness to a source file. */
export class NearestTests {
  /** Files that import the key, by path. */
  readonly #importers = new Map<string, string[]>()
  /** Words of the path and of the text of each test. */
  readonly #tests = new Map<string, { readonly path: Words; readonly text: Words }>()

  constructor(root: string) {
    for (const file of filesBelow(root, ['state', 'routes', 'src', 'test'])) {
      const text = readFileSync(join(root, file), 'utf8')
      for (const other of importedBy(file, text)) {
        const importers = this.#importers.get(other) ?? []
        this.#importers.set(other, importers)
        importers.push(file)
      }
      if (file.endsWith('.test.ts') && !apart.test(file)) {
        this.#tests.set(file, { path: wordsOf(withoutExtension(file)), text: wordsOf(text) })
      }
    }
  }

  /**
   * Returns the test files that import a source file, directly or through others, nearest first.
   * Shared words count more, the fewer tests have them, because imports say little: most tests
   * import a whole API.
   *
   * @param code code around the change
   */
  of(source: string, code = ''): readonly string[] {
    const distances = new Map([[source, 0]])
    // The loop adds to the map and so also visits indirect importers.
    for (const [file, distance] of distances) {
      for (const importer of this.#importers.get(file) ?? []) {
        if (!distances.has(importer)) distances.set(importer, distance + 1)
      }
    }
    const ofPath = wordsOf(withoutExtension(source))
    const words = [...ofPath, ...[...wordsOf(code)].filter((word) => !ofPath.has(word))]
    const weights = words.map(
      (word, at) => this.#rarity(word) * (at < ofPath.size ? 1 : codeWeight),
    )
    const ranked = [...this.#tests].flatMap(([file, { path, text }]) => {
      const distance = distances.get(file)
      if (distance === undefined) return []
      const shared = words.map((word, index) => {
        const weight = weights[index] ?? 0
        return (path.has(word) ? weight : 0) + (text.has(word) ? weight / 2 : 0)
      })
      // Tests directly in `test/` cover the whole project and are slow, so they rank lower.
      const far = dirname(file) === 'test' ? 5 : 0
      return [{ file, rank: distance + far - shared.reduce((sum, weight) => sum + weight, 0) }]
    })
    return ranked
      .sort((a, b) => a.rank - b.rank || (a.file < b.file ? -1 : 1))
      .map(({ file }) => file)
  }

  /** Returns the rarity of a word: 0 if all tests have the word, more if fewer tests do. */
  #rarity(word: string): number {
    const having = [...this.#tests.values()].filter(
      ({ path, text }) => path.has(word) || text.has(word),
    )
    return having.length === 0 ? 0 : Math.log(this.#tests.size / having.length)
  }
}

type Words = ReadonlySet<string>

const withoutExtension = (file: string): string => file.replace(/(?:\.test)?\.ts$/, '')

/** Returns the words of a text in the singular and in lower case: identifiers have several. */
function wordsOf(text: string): Words {
  const words = text.match(/[A-Z]?[a-z\d]{2,}/g) ?? []
  return new Set(words.map((word) => word.toLowerCase().replace(/s$/, '')))
}
