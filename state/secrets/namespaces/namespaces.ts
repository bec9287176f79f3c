import { map, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { trimSlashes } from '../../kernel/trimming.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { secretsTable } from '../table.ts'
import { refuse } from './messages.ts'

const namespaceShape = struct({
  /** Five base62 characters; `root` for the root namespace. */
  id: text,
  /** Path from the root, with a trailing slash: `a/b/`; empty for the root namespace. */
  path: text,
  custom_metadata: map(text),
})
export interface Namespace extends StoredOf<typeof namespaceShape> {}

/** The part of a namespace that row keys contain. */
export type InNamespace = Pick<Namespace, 'id'>

/** Namespaces by path. */
export const namespaces = secretsTable('namespaces', namespaceShape, { secrets: 'none' })

/** Default namespace of requests. The root namespace always exists and has no row. */
export const rootNamespace: Namespace = { id: 'root', path: '', custom_metadata: {} }

/** A request's namespace, and the request's path within that namespace. */
interface ResolvedPath {
  readonly namespace: Namespace
  readonly path: string
}

/**
 * Splits the namespace header and the path of a request into a namespace and a path within that
 * namespace. Joins header and path, and selects the longest prefix that is an existing namespace.
 * Callers may therefore put a namespace into the header or into the path
 * (behaviour/secrets#api-namespaces).
 * @throws Refusal for a header with an unknown namespace
 */
export function resolveNamespace(world: World, header: string, path: string): ResolvedPath {
  const table = world.table(namespaces)
  const headerNamespace = canonicalNamespace(header)
  if (table.size === 0 && headerNamespace === '') return { namespace: rootNamespace, path }
  if (headerNamespace !== '' && !table.has(headerNamespace)) throw refuse('namespace-not-found')
  const fullPath = headerNamespace + path
  let namespace = rootNamespace
  for (let slash = fullPath.indexOf('/'); slash >= 0; slash = fullPath.indexOf('/', slash + 1)) {
    const found = table.get(fullPath.slice(0, slash + 1))
    if (found === undefined) break
    namespace = found
  }
  return { namespace, path: fullPath.slice(namespace.path.length) }
}

/**
 * Normalizes the path of a namespace: `/a/b`, `a/b` and `a/b/` become `a/b/`. The strings `/` and
 * `root` become the empty path of the root namespace.
 */
export function canonicalNamespace(text: string): string {
  if (text === '') return ''
  const trimmed = trimSlashes(text)
  return trimmed === '' || trimmed === 'root' ? '' : `${trimmed}/`
}

/**
 * Throws a refusal in the community edition, which has no namespaces
 * (behaviour/secrets#namespace-header).
 */
export function checkNamespacesFeature(world: World): void {
  if (optionsOf(world).edition === 'community') throw refuse('namespaces-not-enabled')
}

/** Returns whether a world has a namespace other than the root namespace. */
export function hasNamespaces(world: World): boolean {
  return world.table(namespaces).size > 0
}

/**
 * Returns the namespace id after the last period of a token or lease id; empty for the root
 * namespace, whose ids have no period.
 */
export function namespaceIdOf(text: string): string {
  const period = text.lastIndexOf('.')
  return period < 0 ? '' : text.slice(period + 1)
}

/**
 * Finds a namespace by id. Returns undefined for an unknown id, and for the root namespace, which
 * has no row.
 */
export function findNamespaceById(world: World, id: string): Namespace | undefined {
  if (id === '') return undefined
  for (const each of world.table(namespaces).rows()) if (each.id === id) return each
  return undefined
}

/** Returns all descendants of a namespace, sorted by path. */
export function namespacesBelow(world: World, { path }: Pick<Namespace, 'path'>): Namespace[] {
  const below = world.table(namespaces).rows(path)
  return Array.from(below).filter((namespace) => namespace.path !== path)
}

/**
 * Returns the child namespace whose name is the first segment of a path; undefined if there is no
 * such child.
 */
export function childNamespaceOnPath(
  world: World,
  parent: Pick<Namespace, 'path'>,
  path: string,
): Namespace | undefined {
  return world.table(namespaces).get(parent.path + path.slice(0, path.indexOf('/') + 1))
}
