import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** An import of one file by another. Paths begin at the root of the project. */
export interface Import {
  readonly path: string
  /** The imported names; `*` if the whole module is imported. */
  readonly names: readonly string[]
}

const wholeModule: readonly string[] = ['*']

/**
 * Returns the imports of the source files below some folders, by file. Imports of types and
 * re-exports count; imports of packages do not.
 */
export function readImports(
  root: string,
  folders: readonly string[],
): ReadonlyMap<string, readonly Import[]> {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => join(folder, file)),
  )
  return new Map(
    files.map((file) => [file, importsOf(file, readFileSync(join(root, file), 'utf8'))]),
  )
}

function importsOf(file: string, text: string): readonly Import[] {
  const pathOf = (specifier: string) => normalize(join(dirname(file), specifier))
  const statements = text.matchAll(
    /^(?:import|export)(?: type)? (?:(\{[^}]*\}|[^'{]*) from )?'(\.[^']+)'/gm,
  )
  // A dynamic import imports the whole module; `typeof import('…').name` imports one name.
  const expressions = text.matchAll(/\bimport\('(\.[^']+)'\)(?:\.(?!then\b)(\w+))?/g)
  return [
    ...Array.from(statements, ([, clause = '', specifier = '']) => ({
      path: pathOf(specifier),
      names: clause.startsWith('{') ? namesIn(clause) : wholeModule,
    })),
    ...Array.from(expressions, ([, specifier = '', name]) => ({
      path: pathOf(specifier),
      names: name === undefined ? wholeModule : [name],
    })),
  ]
}

/** Returns the names that a clause such as `{ a, type B, c as d }` imports. */
function namesIn(clause: string): readonly string[] {
  return Array.from(clause.matchAll(/[{,]\s*(?:type )?(\w+)/g), ([, name = '']) => name)
}

/**
 * Returns the functions, variables, classes and enums that a file declares and exports. Types are
 * left out: generated declarations of other modules may need an exported type that no source
 * imports.
 */
export function exportedValues(text: string): readonly string[] {
  const declarations = text.matchAll(
    /^export (?:async |abstract )?(?:const|let|function\*?|class|enum) (\w+)/gm,
  )
  return Array.from(declarations, ([, name = '']) => name)
}
