import { loadYaml } from '../state/go/yaml.ts'
import { trimEndOf } from '../state/kernel/trimming.ts'
import { captureMesh } from './capture-mesh.ts'
import { captureScheduler } from './capture-scheduler.ts'
import { captureSecrets } from './capture-secrets.ts'
import type { Captured, Taking } from './captured.ts'
import type { Config } from './config.ts'
import { ConfigError } from './config-error.ts'
import { flags } from './flags.ts'
import { NoAnswer, RealServer } from './real-server.ts'

/** The services that can be captured: their tokens' header, and what is taken. */
const services = {
  secrets: { header: 'X-Vault-Token', take: captureSecrets },
  scheduler: { header: 'X-Nomad-Token', take: captureScheduler },
  mesh: { header: 'X-Consul-Token', take: captureMesh },
} as const

/** The text to print, or one line that says why there is none. */
export type CaptureResult =
  | { readonly code: 0; readonly text: string }
  | { readonly code: 1; readonly line: string }

/**
 * Writes fixtures of what a real server has (behaviour/program#commands): mounts, policies, names of
 * keys, namespaces and jobs. What fixtures cannot say is left out, and told in a comment.
 *
 * @param problemsOf tells what a start has against fixtures
 * @throws {ConfigError} for a call that does not say from where, or what
 */
export async function capture(
  config: Config,
  problemsOf: (fixtures: unknown) => readonly string[],
): Promise<CaptureResult> {
  const { from, service, token, values } = config
  if (from === undefined) throw new ConfigError(`capture needs --${flags.from.name} URL`)
  if (service === undefined) {
    throw new ConfigError(`capture needs --${flags.service.name} ${flags.service.value}`)
  }
  const { header, take } = services[service]
  const server = new RealServer(
    flags.from.name,
    from,
    token === undefined ? {} : { [header]: token },
  )
  const taking: Taking = { values, notes: [] }
  try {
    const captured = await take(server, taking)
    const document = loadable(captured, taking, problemsOf)
    return { code: 0, text: written(document, server.url, service, taking) }
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    return { code: 1, line: `nothing captured: ${error.message}` }
  }
}

/** The document without the entries that a start would refuse, each of which gets a note. */
function loadable(
  captured: Captured,
  { notes }: Taking,
  problemsOf: (fixtures: unknown) => readonly string[],
): Captured {
  const document = structuredClone(captured)
  for (let problems = problemsOf(document); problems.length > 0; ) {
    const entries = entriesIn(document)
    const places = problems.map((problem) => entryOf(entries, problem))
    // The last of a list first: those before it keep their places.
    for (const [place, problem] of unique(places, problems).reverse()) {
      remove(document, place)
      notes.push(problem)
    }
    problems = problemsOf(document)
  }
  return document
}

type Place = readonly string[]

/** The entry that a problem's pointer leads into: `/secrets/mounts/x`, `/secrets/kv/x/y`. */
function entryOf(entries: ReadonlyMap<string, Place>, problem: string): Place {
  // A pointer may have spaces, so its end is not told by one.
  const ends = [...problem.matchAll(/[/: ]/g)].map(({ index }) => index)
  for (const end of ends.reverse()) {
    const place = entries.get(problem.slice(0, end))
    if (place !== undefined) return place
  }
  throw new Error(`a problem of no entry: ${problem}`)
}

/** Everything that can be left out alone, by its pointer. */
function entriesIn(document: Captured): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>()
  const walk = (value: unknown, place: Place) => {
    const [, part] = place
    const deepest = part === 'kv' || part === 'transit' ? 4 : 3
    if (place.length >= 3) {
      places.set(place.map((name) => `/${pointerName(name)}`).join(''), place)
    }
    if (place.length === deepest || typeof value !== 'object' || value === null) return
    for (const [name, member] of Object.entries(value)) walk(member, [...place, name])
  }
  walk(document, [])
  return places
}

function pointerName(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** Each entry once, with a problem of it. */
function unique(
  places: readonly Place[],
  problems: readonly string[],
): (readonly [Place, string])[] {
  const seen = new Map<string, readonly [Place, string]>()
  for (const [at, place] of places.entries()) {
    seen.set(JSON.stringify(place), [place, problems[at] ?? ''])
  }
  return [...seen.values()]
}

function found(document: unknown, place: Place): unknown {
  return place.reduce<unknown>(
    (each, name) =>
      typeof each === 'object' && each !== null ? Reflect.get(each, name) : undefined,
    document,
  )
}

function remove(document: Captured, place: Place): void {
  const parent = found(document, place.slice(0, -1))
  const last = place.at(-1) ?? ''
  if (Array.isArray(parent)) parent.splice(Number(last), 1)
  else if (typeof parent === 'object' && parent !== null) Reflect.deleteProperty(parent, last)
}

function written(
  document: Captured,
  url: string,
  service: string,
  { values, notes }: Taking,
): string {
  const about = values ? 'with values' : 'values are placeholders'
  const head = [
    `# yaml-language-server: $schema=./node_modules/infra-understudy/dist/src/schema.json`,
    `# ${service} of ${withoutCredentials(url)}, ${about}`,
    ...notes.map((note) => `# left out: ${note}`),
  ]
  const { stringify } = loadYaml()
  return `${head.join('\n')}\n${stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })}`
}

function withoutCredentials(url: string): string {
  const address = new URL(url)
  address.username = ''
  address.password = ''
  return trimEndOf(address.href, '/')
}
