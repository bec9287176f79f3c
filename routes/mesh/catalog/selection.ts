import { text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { Instance } from '../../../state/mesh/catalog/reads.ts'
import type { CatalogNode } from '../../../state/mesh/catalog/tables.ts'
import { nodeKey } from '../../../state/mesh/catalog/tables.ts'
import { refuse } from '../../../state/mesh/messages.ts'
import {
  allNamespaces,
  requireNamespaceForData,
} from '../../../state/mesh/namespaces/namespaces.ts'
import { optionsOf } from '../../../state/mesh/options.ts'
import { namespaceOf, rightChecker } from '../access.ts'
import type { MeshContext, ReadFlags } from '../operation.ts'
import { recordsOf, shownName } from './records.ts'

/** Query parameter for one or more tags that instances must have. */
export const tagParameter = {
  tag: described(
    text,
    'Only services with this tag, in any letter case. If sent several times, all tags are required',
  ),
}

export const metaParameter = {
  'node-meta': described(
    text,
    'Only nodes with this metadata, as `key:value`. If sent several times, all pairs are required',
  ),
}

export const nearParameter = {
  near: described(text, 'A node, `_agent` or `_ip`; entries with a network coordinate come first'),
}

/**
 * Parses the pairs `key:value` in `node-meta`. Without a colon, the value is empty. If a key has
 * several values, the last one counts.
 */
function requiredMeta({ query }: MeshContext): ReadonlyMap<string, string> {
  const pairs = query.all('node-meta').map((pair): [string, string] => {
    const at = pair.indexOf(':')
    return at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)]
  })
  return new Map(pairs)
}

/** Returns a predicate that accepts the nodes with the metadata in `node-meta`. */
export function nodeSelector(context: MeshContext): (node: CatalogNode) => boolean {
  const required = [...requiredMeta(context)]
  if (required.length === 0) return () => true
  const records = recordsOf(context.world, context.dialect)
  return (node) => {
    const meta = Object(records.node(node).record['Meta'])
    return required.every(([key, value]) => Object.hasOwn(meta, key) && meta[key] === value)
  }
}

/** Returns a predicate that accepts the instances that match `tag` and `node-meta`. */
export function instanceSelector(context: MeshContext): (instance: Instance) => boolean {
  const isNodeSelected = nodeSelector(context)
  const tags = context.query.all('tag').map((tag) => tag.toLowerCase())
  return ({ node, service }) =>
    tags.every((tag) => service.tags.some((each) => each.toLowerCase() === tag)) &&
    isNodeSelected(node)
}

/**
 * Orders entries by the parameter `near`. If the parameter names the server's node, the entries of
 * that node come first. Otherwise the order stays, because coordinates of other nodes have no
 * effect.
 */
export function withNearestFirst<T>(
  { query, world }: MeshContext,
  entries: readonly T[],
  nodeOf: (entry: T) => string,
): readonly T[] {
  const near = query.value('near')
  const serverNode = nodeKey(optionsOf(world).nodeName)
  if (near === undefined || !['_agent', '_ip', serverNode].includes(near.toLowerCase()))
    return entries
  const isOwn = (entry: T) => nodeKey(nodeOf(entry)) === serverNode
  return [...entries.filter(isOwn), ...entries.filter((entry) => !isOwn(entry))]
}

/**
 * Returns the namespace of a read. Throws a refusal for the wildcard and for an unknown namespace.
 */
export function readNamespaceOf(context: MeshContext): string {
  const namespace = namespaceOf(context)
  if (namespace === '*') throw refuse('namespace-wildcard')
  return requireNamespaceForData(context.world, namespace).name
}

/**
 * Returns the namespaces of a list: all namespaces for the wildcard, otherwise one. Throws a
 * refusal for an unknown namespace.
 */
export function readNamespacesOf(context: MeshContext): readonly string[] {
  if (namespaceOf(context) !== '*') return [readNamespaceOf(context)]
  return namespaceNames(context.world)
}

function namespaceNames(world: World): readonly string[] {
  return world.unobserved(() => allNamespaces(world).map(({ name }) => name))
}

/** Predicates that accept the nodes and services that a caller may read. */
export interface Visibility {
  node(node: string): boolean
  /** @param name the stored name of a service */
  service(namespace: string, name: string): boolean
}

/**
 * Returns predicates that accept the nodes and services that the caller of a request may read. The
 * operation must declare `node:read` and `service:read`.
 */
function visibilityOf(context: MeshContext): Visibility {
  return {
    node: (name) => rightChecker(context, 'node:read')({ name }),
    service: (namespace, name) =>
      rightChecker(context, 'service:read')({ name: shownName(context.dialect, name), namespace }),
  }
}

/** Filters entries by rights. Also returns whether any entry was left out. */
export function filterReadable<T>(entries: readonly T[], isVisible: (entry: T) => boolean) {
  const visible = entries.filter(isVisible)
  return { visible, isFiltered: visible.length < entries.length }
}

interface CatalogReading {
  readonly index: number
  readonly body: unknown
  readonly isFiltered?: boolean
}

/** Answers a read of the catalog. The read can block. */
export function readCatalog(
  context: MeshContext,
  find: (visibility: Visibility) => CatalogReading,
  flags: ReadFlags = {},
) {
  const read = () => {
    // The reference resolves the token before it parses the filter.
    void context.caller
    return find(visibilityOf(context))
  }
  return context.read(read, { showsConsistency: true, hasReadHeadersOnRefusal: true, ...flags })
}

/**
 * Throws a refusal if the name in a path is empty. The parameters of the read are checked first.
 */
export function requirePathName(
  context: MeshContext,
  name: string,
  rule: 'node-unsaid' | 'service-unsaid' | 'check-state-unsaid' | 'gateway-unsaid',
): void {
  context.checkReadParameters()
  if (name === '') throw refuse(rule)
}
