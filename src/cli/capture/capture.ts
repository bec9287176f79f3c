import { loadYaml } from '../../../state/go/yaml.ts'
import { ConfigError } from '../../config-error.ts'
import type { Config } from '../config.ts'
import { flags } from '../flags/flags.ts'
import { withoutCredentials } from '../urls.ts'
import type { CaptureContext, CapturedFixtures } from './capture-context.ts'
import { captureMesh } from './capture-mesh.ts'
import { captureScheduler } from './capture-scheduler.ts'
import { captureSecrets } from './capture-secrets.ts'
import { RealServer, RealServerError } from './real-server.ts'

/** Capture function and token header of each service that can be captured. */
const services = {
  secrets: { header: 'X-Vault-Token', readFixtures: captureSecrets },
  scheduler: { header: 'X-Nomad-Token', readFixtures: captureScheduler },
  mesh: { header: 'X-Consul-Token', readFixtures: captureMesh },
} as const

/** Captured text, or one line with the reason for the failure. */
export type CaptureResult =
  | { readonly code: 0; readonly text: string }
  | { readonly code: 1; readonly line: string }

/**
 * Captures fixtures in YAML from a real server (behaviour/program#commands). Comments at the start
 * of the text list the parts that were left out, such as those that fixtures cannot express.
 *
 * @param problemsOf returns the problems that a start would find in fixtures
 * @throws {ConfigError} if the call names no server or no service, or the server's address is not
 *   a URL
 */
export async function capture(
  config: Config,
  problemsOf: (fixtures: unknown) => readonly string[],
): Promise<CaptureResult> {
  const { from, service, token, values } = config
  if (from === undefined) throw new ConfigError(`capture needs --${flags.from.name} URL`)
  if (service === undefined) {
    throw new ConfigError(`capture needs --${flags.service.name} ${flags.service.valueName}`)
  }
  const { header, readFixtures } = services[service]
  const server = new RealServer(
    flags.from.name,
    from,
    token === undefined ? {} : { [header]: token },
  )
  const context: CaptureContext = { includesValues: values, notes: [] }
  try {
    const captured = await readFixtures(server, context)
    const document = removeRejectedEntries(captured, context, problemsOf)
    return { code: 0, text: renderFixtures(document, server.url, service, context) }
  } catch (error) {
    if (!(error instanceof RealServerError)) throw error
    return { code: 1, line: `nothing captured: ${error.message}` }
  }
}

/**
 * Returns a copy without the entries that a start would reject, and adds a note for each of them.
 */
function removeRejectedEntries(
  captured: CapturedFixtures,
  { notes }: CaptureContext,
  problemsOf: (fixtures: unknown) => readonly string[],
): CapturedFixtures {
  const document = structuredClone(captured)
  for (let problems = problemsOf(document); problems.length > 0; ) {
    const entries = entryPaths(document)
    const paths = problems.map((problem) => entryOfProblem(entries, problem))
    // Entries of a list are removed from the end, so that the positions of earlier entries stay
    // valid.
    for (const [path, problem] of uniqueEntries(paths, problems).reverse()) {
      remove(document, path)
      notes.push(problem)
    }
    problems = problemsOf(document)
  }
  return document
}

type EntryPath = readonly string[]

/**
 * Returns the path of the entry that a problem is about. The problem begins with a JSON pointer to
 * the entry or into it, such as `/secrets/kv/x/y`. Throws if there is no such entry.
 */
function entryOfProblem(entries: ReadonlyMap<string, EntryPath>, problem: string): EntryPath {
  // A pointer may contain spaces, so a space does not always end it.
  const ends = [...problem.matchAll(/[/: ]/g)].map(({ index }) => index)
  for (const end of ends.reverse()) {
    const path = entries.get(problem.slice(0, end))
    if (path !== undefined) return path
  }
  throw new Error(`a problem of no entry: ${problem}`)
}

/**
 * Maximum number of names in the path of an entry, by section. Sections that group their entries,
 * for example by mount, have longer paths. Default: 3.
 */
const entryDepths: Readonly<Record<string, number>> = {
  ...{ kv: 4, transit: 4, totp: 4, oidc: 4, mfa: 4, quotas: 4 },
  ...{ pki: 5, ssh: 5, database: 5, logins: 5 },
}

/**
 * Returns the paths of the entries that can be removed on their own. The keys are JSON pointers.
 */
function entryPaths(document: CapturedFixtures): ReadonlyMap<string, EntryPath> {
  const paths = new Map<string, EntryPath>()
  const walk = (value: unknown, path: EntryPath) => {
    const [, section] = path
    const maxDepth = entryDepths[section ?? ''] ?? 3
    if (path.length >= 3) {
      paths.set(path.map((name) => `/${escapePointer(name)}`).join(''), path)
    }
    if (path.length === maxDepth || typeof value !== 'object' || value === null) return
    for (const [name, member] of Object.entries(value)) walk(member, [...path, name])
  }
  walk(document, [])
  return paths
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** Returns each entry once, with one of its problems. */
function uniqueEntries(paths: readonly EntryPath[], problems: readonly string[]) {
  const seen = new Map<string, readonly [EntryPath, string]>()
  for (const [at, path] of paths.entries()) {
    seen.set(JSON.stringify(path), [path, problems[at] ?? ''])
  }
  return [...seen.values()]
}

function valueAt(document: unknown, path: EntryPath): unknown {
  return path.reduce<unknown>(
    (each, name) =>
      typeof each === 'object' && each !== null ? Reflect.get(each, name) : undefined,
    document,
  )
}

function remove(document: CapturedFixtures, path: EntryPath): void {
  const parent = valueAt(document, path.slice(0, -1))
  const key = path.at(-1) ?? ''
  if (Array.isArray(parent)) parent.splice(Number(key), 1)
  else if (typeof parent === 'object' && parent !== null) Reflect.deleteProperty(parent, key)
}

function renderFixtures(
  document: CapturedFixtures,
  url: string,
  service: string,
  { includesValues, notes }: CaptureContext,
): string {
  const valuesNote = includesValues ? 'with values' : 'values are placeholders'
  const comments = [
    `# yaml-language-server: $schema=./node_modules/infra-understudy/dist/src/schema.json`,
    `# ${service} of ${withoutCredentials(url)}, ${valuesNote}`,
    // A line break would end the comment.
    ...notes.map((note) => `# left out: ${note.replaceAll(/\s+/g, ' ').trim()}`),
  ]
  const { stringify } = loadYaml()
  return `${comments.join('\n')}\n${stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })}`
}
