import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fileOf, readDocument } from './support/files.ts'

/** Areas that serve all APIs alike, so that their files must not name single APIs. */
const areas = ['routes/control', 'routes/faults', 'src', 'inspector']

/**
 * Files that may name APIs: the list of services and of their clients' variables, public types of
 * the package, commands for single products, flags that are named after an API, and the inspector's
 * views of single tables and services.
 */
const exceptions = [
  'src/services.ts',
  'src/api-names.ts',
  'src/client-variables.ts',
  'src/embedding/index.ts',
  'src/embedding/world-types.ts',
  'src/embedding/matchers.ts',
  'src/preset-names.ts',
  'src/cli/as/',
  'src/cli/capture/',
  'src/cli/compare/',
  'src/cli/flags/',
  'src/cli/commands.ts',
  'src/cli/config.ts',
  'src/cli/development-server.ts',
  'inspector/parts/deciding-lines.tsx',
  'inspector/pure/',
  'inspector/screens/machines/',
  'inspector/screens/requests/policies.tsx',
  'inspector/screens/services/',
  'inspector/screens/state/',
  'inspector/screens/time/timeline.tsx',
  'inspector/source/live-source.ts',
]

/** Returns code without comments and without the paths of its imports. */
function codeOf(file: string): string {
  return readDocument(file)
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/^\s*\/\/.*$/gm, '')
    .replace(/\bfrom '[^']*'/g, '')
}

/** An API's name as a list entry, a member, or part of an identifier, or the number of the APIs. */
const apiName =
  /['.](?:secrets|platform|mesh|scheduler)\b|\b(?:mesh|scheduler)\w*|\bfour APIs\b|\w*(?:Platform|Mesh|Scheduler|Secrets(?=Api|Control|Info|Options|Tables))\w*/g

test('only its own folders and the list of services name an API (behaviour/program#walls)', () => {
  const files = areas.flatMap((area) =>
    readdirSync(fileOf(area), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => join(area, file)),
  )
  const named = files
    .filter((file) => !exceptions.some((exception) => file.startsWith(exception)))
    .flatMap((file) => (codeOf(file).match(apiName) ?? []).map((name) => `${file}: ${name}`))
  expect(named).toEqual([])
})
