import { readdirSync, readFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import ts from '@typescript/typescript6'
import { createUnderstudy } from '../src/embedding/index.ts'

/**
 * Prints figures of the code's structure (`npm run structure`): lines of code, files, folders,
 * importers, and how much code two requests run.
 */

const root = fileURLToPath(new URL('..', import.meta.url))
const code = ['state', 'routes', 'src']

/** Returns the paths of the TypeScript files below the given folders, relative to the root. */
function filesBelow(folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => join(folder, file)),
  )
}

const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** Counts the lines of a file that contain code, which excludes comments and blank lines. */
function linesOfCode(file: string): number {
  const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.ES2023, true)
  const lines = new Set<number>()
  const lineAt = (position: number) => source.getLineAndCharacterOfPosition(position).line
  const visit = (node: ts.Node): void => {
    if (node.kind >= ts.SyntaxKind.FirstJSDocNode && node.kind <= ts.SyntaxKind.LastJSDocNode)
      return
    const children = node.getChildren(source)
    for (const child of children) visit(child)
    if (children.length > 0 || node.kind === ts.SyntaxKind.EndOfFileToken) return
    const last = lineAt(node.getEnd())
    for (let line = lineAt(node.getStart(source)); line <= last; line += 1) lines.add(line)
  }
  visit(source)
  return lines.size
}

/** Maps each imported file to the files that import it. */
function importersOf(files: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const importers = new Map<string, Set<string>>()
  for (const file of files) {
    for (const { fileName } of ts.preProcessFile(read(file)).importedFiles) {
      if (!fileName.startsWith('.')) continue
      const imported = normalize(join(dirname(file), fileName))
      importers.set(imported, (importers.get(imported) ?? new Set()).add(file))
    }
  }
  return importers
}

/** Counts the files whose only importer is in the same folder. */
function countWithImporterInFolder(files: readonly string[]): number {
  const importers = importersOf(files)
  return files.filter((file) => {
    const [first, ...others] = importers.get(file) ?? []
    return first !== undefined && others.length === 0 && dirname(first) === dirname(file)
  }).length
}

/** Returns the number of files directly in each folder, fullest folder first. */
function fullestFolders(files: readonly string[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>()
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)
}

/**
 * Counts the files and functions of `state`, `routes` and `src` that run while `work` runs. Returns
 * the counts as text.
 */
async function countExecuted(work: () => Promise<unknown>): Promise<string> {
  const session = new Session()
  session.connect()
  const post = <Reply>(method: string, params = {}) =>
    new Promise<Reply>((resolve, reject) => {
      session.post(method, params, (error, reply) => {
        if (error === null) resolve(reply as Reply)
        else reject(error)
      })
    })
  await post('Profiler.enable')
  await post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await post('Profiler.takePreciseCoverage')
  await work()
  interface Coverage {
    readonly result: readonly {
      readonly url: string
      readonly functions: readonly {
        readonly functionName: string
        readonly ranges: readonly { readonly count: number }[]
      }[]
    }[]
  }
  const { result } = await post<Coverage>('Profiler.takePreciseCoverage')
  session.disconnect()
  const projectScripts = result
    .filter(({ url }) =>
      code.some((folder) => url.startsWith(pathToFileURL(join(root, folder, '/')).href)),
    )
    .map(({ functions }) => functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).length)
    .filter((functions) => functions > 0)
  return `${projectScripts.length} files, ${projectScripts.reduce((sum, functions) => sum + functions, 0)} functions`
}

const job = {
  ID: 'web',
  TaskGroups: [
    { Name: 'web', Tasks: [{ Name: 'web', Driver: 'docker', Config: { image: 'nginx' } }] },
  ],
}

/**
 * Prints how much code runs for a key-value read and for the registration of a job. Each is
 * measured at its second run.
 */
async function printExecutedCode(): Promise<void> {
  const understudy = await createUnderstudy({ clock: 'frozen' })
  const headers = { 'x-secrets-token': 'root' }
  const path = '/v1/secret/data/app'
  await understudy.inject({ method: 'POST', url: path, headers, payload: { data: { a: 1 } } })
  const readKey = () => understudy.inject({ method: 'GET', url: path, headers })
  const register = (ID: string) => () =>
    understudy.inject({ method: 'POST', url: '/v1/jobs', payload: { Job: { ...job, ID } } })
  await readKey()
  await register('first')()
  console.log(`key-value read: ${await countExecuted(readKey)}`)
  console.log(`registration of a job: ${await countExecuted(register('second'))}`)
  await understudy.close()
}

/** Counts the operations of the four APIs. */
async function operationCount(): Promise<number> {
  const understudy = await createUnderstudy()
  const reply = await understudy.inject({ method: 'GET', url: '/_mock/coverage' })
  await understudy.close()
  const { services } = reply.json<{ services: { operations: unknown[] }[] }>()
  return services.reduce((sum, { operations }) => sum + operations.length, 0)
}

const files = filesBelow(code)
const lines = files.reduce((sum, file) => sum + linesOfCode(file), 0)
const operations = await operationCount()
console.log(`${lines} lines of code in ${files.length} files of ${code.join(', ')}`)
console.log(`${operations} operations, ${Math.round(lines / operations)} lines of code for each`)
console.log(`${countWithImporterInFolder(files)} files whose only importer is in the same folder`)
console.log('files side by side, fullest folders:')
const all = filesBelow([...code, 'inspector', 'scripts', 'test'])
for (const [folder, count] of fullestFolders(all).slice(0, 12)) console.log(`  ${count} ${folder}`)
await printExecutedCode()
