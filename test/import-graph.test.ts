import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Folders of a folder of the project. */
const foldersIn = (folder: string) =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)

const languages = ['json', 'go', 'hcl']
const apis = foldersIn('state').filter((name) => name !== 'kernel' && !languages.includes(name))

/** `state/mesh`, `routes/http`, `src`: the folder that a file belongs to. */
function areaOf(file: string): string {
  const [top = '', next = ''] = file.split('/')
  return top === 'src' ? top : `${top}/${next}`
}

/** What the files of each area may import beside each other; an area that is not here may nothing. */
const allowedImports = new Map<string, readonly string[]>()
const shared = ['kernel', ...languages].map((name) => `state/${name}`)
allowedImports.set('state/kernel', [])
for (const language of languages) allowedImports.set(`state/${language}`, shared)
for (const api of apis) allowedImports.set(`state/${api}`, shared)
allowedImports.set('routes/http', shared)
for (const api of apis)
  allowedImports.set(`routes/${api}`, ['routes/http', `state/${api}`, ...shared])
const allOfState = [...shared, ...apis.map((api) => `state/${api}`)]
allowedImports.set('routes/journal', ['routes/http', ...shared])
// Presets let the services themselves fail.
allowedImports.set('routes/faults', ['routes/http', 'routes/journal', ...allOfState])
allowedImports.set('routes/explain', ['routes/http', 'routes/journal', ...shared])
const journalFolders = ['routes/http', 'routes/journal', 'routes/explain']
allowedImports.set('routes/report', [...journalFolders, ...shared])
allowedImports.set('routes/events', ['routes/http', 'routes/journal', ...shared])
const observers = [...journalFolders, 'routes/faults', 'routes/report', 'routes/events']
allowedImports.set('routes/control', [...observers, ...allOfState])
allowedImports.set('src', [...foldersIn('routes').map((name) => `routes/${name}`), ...allOfState])

/** What stands against a rule as yet; each entry goes with its cause, none is added. */
const knownCycles: readonly string[] = []
const knownFolderCycles: readonly string[] = []

type Graph = ReadonlyMap<string, ReadonlySet<string>>

/** Every file and the files that it imports, for types alone or not. */
function readGraph(): Graph {
  const files = ['state', 'routes', 'src'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(folder, file)),
  )
  return new Map(
    files.map((file) => {
      const text = readFileSync(join(root, file), 'utf8')
      const named = text.matchAll(/(?:\bfrom|\bimport\(?)\s*'(\.[^']+)'/g)
      return [
        file,
        new Set([...named].map(([, path = '']) => normalize(join(dirname(file), path)))),
      ]
    }),
  )
}

/** The same between areas. */
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

/** Every way round, once: the nodes in order, the first one again at the end. */
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

describe('behaviour/program#walls: walls that hold by themselves', () => {
  const files = readGraph()
  const folders = folderGraph(files)

  test('every import leads to a file of the project', () => {
    const unresolved = edges(files).filter((edge) => !files.has(edge.split(' -> ')[1] ?? ''))
    expect(unresolved).toEqual([])
  })

  test('every area imports what is below it, and no API another one', () => {
    const upwards = edges(files).filter((edge) => {
      const [from = '', to = ''] = edge.split(' -> ').map(areaOf)
      return from !== to && !allowedImports.get(from)?.includes(to)
    })
    expect(upwards).toEqual([])
  })

  test("the scheduler's records stand below its cluster, which stands below its jobs", () => {
    const order = ['records', 'cluster', 'jobs'].map((name) => `state/scheduler/${name}/`)
    const upwards = edges(files).filter((edge) => {
      const [from = -1, to = -1] = edge
        .split(' -> ')
        .map((file) => order.findIndex((folder) => file.startsWith(folder)))
      return from !== -1 && to > from
    })
    expect(upwards).toEqual([])
  })

  test('every area has its place', () => {
    const areas = [...new Set([...files.keys()].map(areaOf))]
    expect(areas.filter((area) => !allowedImports.has(area))).toEqual([])
  })

  test.each([
    ['folder', folders, knownFolderCycles],
    ['file', files, knownCycles],
  ] as const)('no %s imports itself by way of others, types included', (_, graph, known) => {
    expect(cyclesOf(without(graph, known))).toEqual([])
    // An exception whose cause is gone goes too.
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
