import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { modulesWithMessages } from './support/documentation/messages.ts'
import { exportedValues, readImports } from './support/imports.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Returns the names of the folders in a folder of the project. */
const foldersIn = (folder: string) =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)

const languages = ['json', 'go', 'hcl', 'filter']
const apis = foldersIn('state').filter((name) => name !== 'kernel' && !languages.includes(name))

/** Nested folders that count as separate areas: fault declarations and presets. */
const innerAreas = ['routes/faults/declare/', ...apis.map((api) => `routes/${api}/presets/`)]

/** Returns the area of a file: `state/mesh`, `routes/http`, `src`, `inspector`. */
function areaOf(file: string): string {
  const inner = innerAreas.find((folder) => file.startsWith(folder))
  if (inner !== undefined) return inner.slice(0, -1)
  const [top = '', next = ''] = file.split('/')
  return ['src', 'inspector'].includes(top) ? top : `${top}/${next}`
}

/** Areas that the files of an area may import, in addition to their own. */
const allowedImports = new Map<string, readonly string[]>()
const shared = ['kernel', ...languages].map((name) => `state/${name}`)
allowedImports.set('state/kernel', [])
for (const language of languages) allowedImports.set(`state/${language}`, shared)
for (const api of apis) allowedImports.set(`state/${api}`, shared)
allowedImports.set('routes/http', shared)
const declaringFaults = ['routes/http', 'routes/journal', 'routes/faults/declare']
for (const api of apis) {
  allowedImports.set(`routes/${api}`, ['routes/http', `state/${api}`, ...shared])
  // Presets make the API itself fail.
  allowedImports.set(`routes/${api}/presets`, [...declaringFaults, `state/${api}`, ...shared])
}
const allOfState = [...shared, ...apis.map((api) => `state/${api}`)]
allowedImports.set('routes/journal', ['routes/http', ...shared])
allowedImports.set('routes/faults/declare', ['routes/http', 'routes/journal', ...shared])
allowedImports.set('routes/faults', [...declaringFaults, ...shared])
allowedImports.set('routes/explain', ['routes/http', 'routes/journal', ...shared])
const journalFolders = ['routes/http', 'routes/journal', 'routes/explain']
allowedImports.set('routes/report', [...journalFolders, ...shared])
allowedImports.set('routes/events', ['routes/http', 'routes/journal', ...shared])
const observers = [...journalFolders, 'routes/faults', 'routes/report', 'routes/events']
allowedImports.set('routes/control', [...observers, 'routes/faults/declare', ...shared])
// A trace shows what every part of the control plane shows; the program hands it to the control.
allowedImports.set('routes/trace', [
  'routes/control',
  ...observers,
  'routes/faults/declare',
  ...shared,
])
const allOfRoutes = [
  ...foldersIn('routes').map((name) => `routes/${name}`),
  ...innerAreas.map((folder) => folder.slice(0, -1)),
]
allowedImports.set('src', [...allOfRoutes, ...allOfState])
allowedImports.set('inspector', [...allOfRoutes, ...allOfState])

/** Known violations of a rule. Entries are removed with their cause; none is added. */
const knownCycles: readonly string[] = []
const knownFolderCycles: readonly string[] = []

const sourceImports = readImports(root, ['state', 'routes', 'src', 'inspector'])

type Graph = ReadonlyMap<string, ReadonlySet<string>>

/** Returns every source file with the files that it imports, imports of types included. */
function toGraph(imports: ReturnType<typeof readImports>): Graph {
  return new Map(
    [...imports].map(([file, imported]) => [file, new Set(imported.map(({ path }) => path))]),
  )
}

/** Returns every area with the areas that it imports. */
function folderGraph(files: Graph): Graph {
  const folders = new Map<string, Set<string>>()
  for (const [file, imported] of files) {
    const from = areaOf(file)
    const to = folders.get(from) ?? new Set()
    for (const other of imported) if (areaOf(other) !== from) to.add(areaOf(other))
    folders.set(from, to)
  }
  return folders
}

const edges = (graph: Graph) =>
  [...graph].flatMap(([from, to]) => [...to].map((other) => `${from} -> ${other}`))

function without(graph: Graph, removedEdges: readonly string[]): Graph {
  return new Map(
    [...graph].map(([from, to]) => [
      from,
      new Set([...to].filter((other) => !removedEdges.includes(`${from} -> ${other}`))),
    ]),
  )
}

/** Returns each cycle once: its nodes in order, with the first one repeated at the end. */
function cyclesOf(graph: Graph): readonly string[] {
  const cycles: string[] = []
  const done = new Set<string>()
  const path: string[] = []
  const visit = (node: string) => {
    const begin = path.indexOf(node)
    if (begin !== -1) return void cycles.push([...path.slice(begin), node].join(' -> '))
    if (done.has(node)) return
    path.push(node)
    for (const next of graph.get(node) ?? []) visit(next)
    path.pop()
    done.add(node)
  }
  for (const node of graph.keys()) visit(node)
  return cycles
}

describe('behaviour/program#walls: imports between areas', () => {
  const files = toGraph(sourceImports)
  const folders = folderGraph(files)

  test('every import leads to a file of the project', () => {
    const unresolved = edges(files).filter((edge) => !files.has(edge.split(' -> ')[1] ?? ''))
    expect(unresolved).toEqual([])
  })

  test('every area imports only areas below it, and no API imports another', () => {
    const upwards = edges(files).filter((edge) => {
      const [from = '', to = ''] = edge.split(' -> ').map(areaOf)
      return from !== to && !allowedImports.get(from)?.includes(to)
    })
    expect(upwards).toEqual([])
  })

  test("the scheduler's cluster imports its records, and its jobs import both, never the reverse", () => {
    const order = ['records', 'cluster', 'jobs'].map((name) => `state/scheduler/${name}/`)
    const upwards = edges(files).filter((edge) => {
      const [from = -1, to = -1] = edge
        .split(' -> ')
        .map((file) => order.findIndex((folder) => file.startsWith(folder)))
      return from !== -1 && to > from
    })
    expect(upwards).toEqual([])
  })

  test("the inspector's pure functions import each other, and types of state/", () => {
    const pure = 'inspector/pure/'
    const outside = edges(files).filter((edge) => {
      const [from = '', to = ''] = edge.split(' -> ')
      if (!from.startsWith(pure) || to.startsWith(pure)) return false
      const text = readFileSync(join(root, from), 'utf8')
      const valueImports = text.matchAll(/^import (?!type\b)[^;']*?from '(\.[^']+)'/gm)
      const isValue = [...valueImports].some(
        ([, path = '']) => normalize(join(dirname(from), path)) === to,
      )
      return isValue || !to.startsWith('state/')
    })
    expect(outside).toEqual([])
  })

  test('every area is listed', () => {
    const areas = [...new Set([...files.keys()].map(areaOf))]
    expect(areas.filter((area) => !allowedImports.has(area))).toEqual([])
  })

  test.each([
    ['folder', folders, knownFolderCycles],
    ['file', files, knownCycles],
  ] as const)('no %s imports itself through others, types included', (_, graph, known) => {
    expect(cyclesOf(without(graph, known))).toEqual([])
    // An exception without a cycle has to be removed.
    const needed = known.filter(
      (edge) =>
        cyclesOf(
          without(
            graph,
            known.filter((other) => other !== edge),
          ),
        ).length > 0,
    )
    expect(known.filter((edge) => !needed.includes(edge))).toEqual([])
  })
})

describe('behaviour/program#walls: code without users', () => {
  /** Returns true for files with which builds, the package or the command begin. */
  const isEntry = (file: string) =>
    file.startsWith('src/embedding/') ||
    ['src/cli/cli.ts', 'src/server/executable.ts', 'inspector/main.tsx'].includes(file)

  test('every module is imported by another one, tests aside', () => {
    const builds = readImports(root, ['scripts'])
    const imports = [...sourceImports.values(), ...builds.values()].flat()
    const imported = new Set(imports.map(({ path }) => path))
    const unused = [...sourceImports.keys()].filter((file) => !imported.has(file))
    expect(unused.filter((file) => !isEntry(file))).toEqual([])
  })

  test('every exported function, constant and class is imported by another module or by a test', () => {
    // The reference of errors reads the exports of these modules.
    const documented = new Set(apis.flatMap(modulesWithMessages))
    const used = new Map<string, Set<string>>()
    const others = readImports(root, ['scripts', 'test'])
    for (const { path, names } of [...sourceImports.values(), ...others.values()].flat()) {
      const known = used.get(path) ?? new Set()
      for (const name of names) known.add(name)
      used.set(path, known)
    }
    const unused = [...sourceImports.keys()].flatMap((file) => {
      const names = used.get(file) ?? new Set()
      if (names.has('*') || isEntry(file) || documented.has(file)) return []
      return exportedValues(readFileSync(join(root, file), 'utf8'))
        .filter((name) => !names.has(name))
        .map((name) => `${file}: ${name}`)
    })
    expect(unused).toEqual([])
  })
})
