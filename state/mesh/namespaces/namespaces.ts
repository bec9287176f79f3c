import { quoteGo } from '../../go/text.ts'
import { float, list, map, nullable, text, textOf, uint } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { meshName } from '../indexes.ts'
import { refuse } from '../messages.ts'
import { optionsOf } from '../options.ts'

const labelPattern = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/

/** Names that no namespace can have, beside the product's own (behaviour/mesh#namespace). */
const reservedNames: ReadonlySet<string> = new Set(['system', 'universal', 'operator', 'root'])

/** Names are the same in any letter case: rows are kept under this form. */
export function namespaceKey(name: string): string {
  return name.toLowerCase()
}

/** Refuses a name that is no DNS label of at most 63 characters. */
export function checkLabel(name: string): void {
  if (labelPattern.test(name)) return
  throw refuse('no-label', { quoted: quoteGo(name) })
}

/**
 * Refuses a reserved name.
 *
 * @param product the product's own name: `mesh`, or the vendor's
 */
export function checkNotReserved(name: string, product: string): void {
  const key = namespaceKey(name)
  if (key !== product && !reservedNames.has(key)) return
  throw refuse('namespace-reserved', { name })
}

const idList = nullable(list(text))

/** A namespace, in the order in which it is told. */
export const namespaceShape = struct({
  /** As it was first spelled. */
  name: textOf({ pattern: '^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$' }),
  description: text,
  /** IDs of the policies and roles that its tokens have by default; null when not sent. */
  acls: nullable(struct({ policy_defaults: idList, role_defaults: idList })),
  meta: map(text),
  /** When its deletion was asked for; null while it was not. */
  deleted_at: nullable(float),
  create_index: uint,
  modify_index: uint,
})

/** A namespace (behaviour/mesh#api-namespaces; behaviour/mesh#namespace). */
export interface Namespace extends StoredOf<typeof namespaceShape> {}

/** By `namespaceKey` of the name. */
export const namespaces = defineTable({
  service: meshName,
  name: 'namespaces',
  shape: namespaceShape,
})

/** The kind of data that namespaces are, as their index is noted. */
export const namespaceDataKind = 'namespaces'

/** The namespace that always exists. */
export const defaultNamespace = 'default'

/** The namespace of this name, in any letter case. */
export function namespaceNamed(world: World, name: string): Namespace | undefined {
  return world.table(namespaces).get(namespaceKey(name))
}

/** The namespaces as they were put in order last, and how often they had changed by then. */
interface SortedNamespaces {
  changes: number
  all: readonly Namespace[]
}

const emptyOrder = (): SortedNamespaces => ({ changes: -1, all: [] })

/**
 * Every namespace, those marked for deletion included, in byte order of the names; the same list until
 * one changes.
 */
export function allNamespaces(world: World): readonly Namespace[] {
  const table = world.table(namespaces)
  const last = world.derived(optionsOf(world), emptyOrder)
  // The size is asked so that who waits for the list is woken by any of them.
  if (last.changes !== table.changes || last.all.length !== table.size) {
    last.changes = table.changes
    // Names are ASCII, so the order of code units is that of bytes.
    last.all = [...table.rows()].sort((a, b) => (a.name < b.name ? -1 : 1))
  }
  return last.all
}

/** Tells whether its deletion was asked for: its data can be read, not written. */
export function isMarkedForDeletion({ deleted_at }: Namespace): boolean {
  return deleted_at !== null
}

/** The namespace, for its own reads and its deletion: a missing one is not found (404). */
export function requireNamespace(world: World, name: string): Namespace {
  const namespace = namespaceNamed(world, name)
  if (namespace === undefined) throw refuse('namespace-absent', { name })
  return namespace
}

/** The namespace, for calls about data in it: a missing one is the server's error (behaviour/mesh#acl-endpoints). */
export function requireNamespaceForData(world: World, name: string): Namespace {
  const namespace = namespaceNamed(world, name)
  if (namespace === undefined) throw refuse('namespace-absent-for-data', { name })
  return namespace
}

/** The namespace, for writes of data in it; refuses one that is marked for deletion too. */
export function requireWritableNamespace(world: World, name: string): Namespace {
  const namespace = requireNamespaceForData(world, name)
  refuseMarkedForDeletion(namespace)
  return namespace
}

/** Refuses to change a namespace that is marked for deletion (behaviour/mesh#namespace-writes). */
export function refuseMarkedForDeletion(namespace: Namespace): void {
  if (!isMarkedForDeletion(namespace)) return
  throw refuse('namespace-marked', { name: namespace.name })
}
