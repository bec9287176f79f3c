import { map, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { trimSlashes } from '../../kernel/trimming.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { secretsTable } from '../table.ts'
import { refuse } from './messages.ts'

/** A namespace. The root namespace always exists and has no row. */
const namespaceShape = struct({
  /** Id of five base62 characters; `root` for the root namespace. */
  id: text,
  /** Path from the root, with a closing slash: `a/b/`; empty for the root namespace. */
  path: text,
  custom_metadata: map(text),
})
export interface Namespace extends StoredOf<typeof namespaceShape> {}

/** The members of a namespace that row keys depend on. */
export type InNamespace = Pick<Namespace, 'id'>

/** Namespaces by path. */
export const namespaces = secretsTable('namespaces', namespaceShape, { secrets: 'none' })

/** The namespace of requests that name none; it always exists and has no row. */
export const rootNamespace: Namespace = { id: 'root', path: '', custom_metadata: {} }

/** A request's namespace, and the request's path within that namespace. */
interface ResolvedPath {
  readonly namespace: Namespace
  readonly path: string
}

/**
 * Splits the namespace header and the path of a request into a namespace and a path within it. Both
 * are joined, and the longest prefix that names an existing namespace wins, however the caller
 * divided them (behaviour/secrets#api-namespaces). Refuses a header that names no namespace.
 */
export function resolveNamespace(world: World, header: string, path: string): ResolvedPath {
  const table = world.table(namespaces)
  const named = canonicalNamespace(header)
  if (table.size === 0 && named === '') return { namespace: rootNamespace, path }
  if (named !== '' && !table.has(named)) throw refuse('namespace-not-found')
  const fullPath = named + path
  let namespace = rootNamespace
  for (let slash = fullPath.indexOf('/'); slash >= 0; slash = fullPath.indexOf('/', slash + 1)) {
    const found = table.get(fullPath.slice(0, slash + 1))
    if (found === undefined) break
    namespace = found
  }
  return { namespace, path: fullPath.slice(namespace.path.length) }
}

/**
 * Normalizes the path of a namespace: `/a/b`, `a/b` and `a/b/` become `a/b/`. The root namespace is
 * the empty string.
 */
export function canonicalNamespace(text: string): string {
  if (text === '') return ''
  const trimmed = trimSlashes(text)
  return trimmed === '' || trimmed === 'root' ? '' : `${trimmed}/`
}

/**
 * Refuses a request for namespaces, an enterprise feature, in other editions
 * (behaviour/secrets#namespace-header).
 */
export function checkNamespacesFeature(world: World): void {
  if (optionsOf(world).edition === 'community') throw refuse('namespaces-not-enabled')
}

/** Returns whether a world has namespaces other than the root. */
export function hasNamespaces(world: World): boolean {
  return world.table(namespaces).size > 0
}

/**
 * Returns the namespace id at the end of a token or of the last part of a lease id; empty if there
 * is none.
 */
export function namespaceIdOf(text: string): string {
  const period = text.lastIndexOf('.')
  return period < 0 ? '' : text.slice(period + 1)
}

/** Returns the namespace with this id. The root namespace, which has no row, is never returned. */
export function findNamespaceById(world: World, id: string): Namespace | undefined {
  if (id === '') return undefined
  for (const each of world.table(namespaces).rows()) if (each.id === id) return each
  return undefined
}

/** Returns all descendant namespaces, in order of path. */
export function namespacesBelow(world: World, { path }: Pick<Namespace, 'path'>): Namespace[] {
  const below = world.table(namespaces).rows(path)
  return Array.from(below).filter((namespace) => namespace.path !== path)
}

/** Returns the child namespace that the first segment of a path names, if any. */
export function namespaceAlong(
  world: World,
  parent: Pick<Namespace, 'path'>,
  path: string,
): Namespace | undefined {
  return world.table(namespaces).get(parent.path + path.slice(0, path.indexOf('/') + 1))
}
