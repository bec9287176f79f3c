import { map, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import { trimSlashes } from '../../kernel/trimming.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { refuse } from './messages.ts'

/** A namespace. The root namespace is no row: it always is. */
const namespaceShape = struct({
  /** Five base62 characters; `root` for the root namespace. */
  id: text,
  /** From the root, with a closing slash: `a/b/`; empty for the root namespace. */
  path: text,
  custom_metadata: map(text),
})
export interface Namespace extends StoredOf<typeof namespaceShape> {}

/** By path. */
export const namespaces = defineTable({
  service: 'secrets',
  name: 'namespaces',
  shape: namespaceShape,
})

/** The namespace of requests that name none; it always exists and has no row. */
export const rootNamespace: Namespace = { id: 'root', path: '', custom_metadata: {} }

/** A request's namespace and what is left of its path. */
interface ResolvedPath {
  readonly namespace: Namespace
  readonly path: string
}

/**
 * Splits header and path into namespace and path: joined, the longest existing prefix wins, however
 * the caller split them (behaviour/secrets#api-namespaces). Refuses a header that names no namespace.
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

/** `/a/b`, `a/b` and `a/b/` are all `a/b/`; the root namespace is the empty string. */
export function canonicalNamespace(text: string): string {
  if (text === '') return ''
  const trimmed = trimSlashes(text)
  return trimmed === '' || trimmed === 'root' ? '' : `${trimmed}/`
}

/** Refuses what only the enterprise edition has (behaviour/secrets#namespace-header). */
export function checkNamespacesFeature(world: World): void {
  if (optionsOf(world).edition === 'community') {
    throw refuse('namespaces-not-enabled')
  }
}

/** The namespaces anywhere below one, in order of path. */
export function namespacesBelow(world: World, { path }: Pick<Namespace, 'path'>): Namespace[] {
  const below = world.table(namespaces).rows(path)
  return Array.from(below).filter((namespace) => namespace.path !== path)
}

/** The namespace directly below another that a path from there leads into. */
export function namespaceAlong(
  world: World,
  parent: Pick<Namespace, 'path'>,
  path: string,
): Namespace | undefined {
  return world.table(namespaces).get(parent.path + path.slice(0, path.indexOf('/') + 1))
}
