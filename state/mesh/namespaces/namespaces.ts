import { quoteGo } from '../../go/text.ts'
import { float, list, map, nullable, text, textOf, uint } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { meshTable } from '../indexes.ts'
import { refuse } from '../messages.ts'
import { optionsOf } from '../options.ts'

const labelPattern = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/

/** Reserved names, in addition to the name of the product (behaviour/mesh#namespace). */
const reservedNames: ReadonlySet<string> = new Set(['system', 'universal', 'operator', 'root'])

/** Returns the row key of a name. Names are case-insensitive. */
export function namespaceKey(name: string): string {
  return name.toLowerCase()
}

/** Throws a refusal if a name is not a DNS label of at most 63 characters. */
export function checkLabel(name: string): void {
  if (labelPattern.test(name)) return
  throw refuse('no-label', { quoted: quoteGo(name) })
}

/**
 * Throws a refusal if a name is reserved.
 * @param product name of the product, which is also reserved: `mesh`, or the vendor's
 */
export function checkNotReserved(name: string, product: string): void {
  const key = namespaceKey(name)
  if (key !== product && !reservedNames.has(key)) return
  throw refuse('namespace-reserved', { name })
}

const idList = nullable(list(text))

/** Shape of a stored namespace. Replies contain the members in this order. */
export const namespaceShape = struct({
  /** Name of the namespace in the spelling of the request that created it. */
  name: textOf({ pattern: '^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$' }),
  description: text,
  /**
   * IDs of the policies and roles that apply to every token of the namespace. `acls`, or a list in
   * it, is null if the request did not contain it.
   */
  acls: nullable(struct({ policy_defaults: idList, role_defaults: idList })),
  meta: map(text),
  /**
   * Time at which the namespace was marked for deletion, in milliseconds since 1970; null if it is
   * not marked.
   */
  deleted_at: nullable(float),
  create_index: uint,
  modify_index: uint,
})

/** A namespace (behaviour/mesh#api-namespaces; behaviour/mesh#namespace). */
export interface Namespace extends StoredOf<typeof namespaceShape> {}

/** Namespaces by `namespaceKey` of the name. */
export const namespaces = meshTable('namespaces', namespaceShape, { secrets: 'none' })

/** Name under which the index of namespaces is stored. */
export const namespaceDataKind = 'namespaces'

/** Name of the builtin namespace, which always exists. */
export const defaultNamespace = 'default'

/** Looks up a namespace by its name, which is case-insensitive; undefined if it does not exist. */
export function namespaceNamed(world: World, name: string): Namespace | undefined {
  return world.table(namespaces).get(namespaceKey(name))
}

/** Cached list of `allNamespaces`, with the change count of the table when the list was built. */
interface SortedNamespaces {
  changes: number
  all: readonly Namespace[]
}

const createNamespaceCache = (): SortedNamespaces => ({ changes: -1, all: [] })

/**
 * Returns all namespaces, including those marked for deletion, in byte order of their names. Every
 * call returns the same list object until a namespace changes.
 */
export function allNamespaces(world: World): readonly Namespace[] {
  const table = world.table(namespaces)
  const last = world.derived(optionsOf(world), createNamespaceCache)
  // Reading the size observes the whole table, so that every new or deleted namespace wakes the
  // blocking reads of this list.
  if (last.changes !== table.changes || last.all.length !== table.size) {
    last.changes = table.changes
    // Names are ASCII, so the order of code units equals byte order.
    last.all = [...table.rows()].sort((a, b) => (a.name < b.name ? -1 : 1))
  }
  return last.all
}

/**
 * Returns whether a namespace is marked for deletion. The data of such a namespace are read-only.
 */
export function isMarkedForDeletion({ deleted_at }: Namespace): boolean {
  return deleted_at !== null
}

/**
 * Returns the namespace that a request reads or deletes. Throws a refusal (404) if it does not
 * exist.
 */
export function requireNamespace(world: World, name: string): Namespace {
  const namespace = namespaceNamed(world, name)
  if (namespace === undefined) throw refuse('namespace-absent', { name })
  return namespace
}

/**
 * Returns the namespace whose data a request reads or writes. Throws a refusal (500) if the
 * namespace does not exist.
 */
export function requireNamespaceForData(world: World, name: string): Namespace {
  const namespace = namespaceNamed(world, name)
  if (namespace === undefined) throw refuse('namespace-absent-for-data', { name })
  return namespace
}

/**
 * Returns the namespace whose data a request writes. Throws a refusal if it does not exist or is
 * marked for deletion.
 */
export function requireWritableNamespace(world: World, name: string): Namespace {
  const namespace = requireNamespaceForData(world, name)
  refuseMarkedForDeletion(namespace)
  return namespace
}

/** Throws a refusal if a namespace is marked for deletion (behaviour/mesh#namespace-writes). */
export function refuseMarkedForDeletion(namespace: Namespace): void {
  if (!isMarkedForDeletion(namespace)) return
  throw refuse('namespace-marked', { name: namespace.name })
}
