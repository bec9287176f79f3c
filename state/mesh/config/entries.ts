import { createHash } from 'node:crypto'
import { isEqual } from '../../kernel/equality.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { indexOf, nextIndex, touch } from '../indexes.ts'
import { refuse } from '../messages.ts'
import { defaultNamespace, requireWritableNamespace } from '../namespaces/namespaces.ts'
import { isCommunity } from '../options.ts'
import type { FindEntry } from './chain-types.ts'
import { entryKinds } from './entry-kinds.ts'
import type { EntryKind, EntryMembers } from './entry-shapes.ts'
import { validateGraph } from './graph.ts'
import { type ConfigEntry, configEntries, entriesPrefix, entryKey } from './tables.ts'

/** Key under which `dataIndexes` stores the index of the last write to a configuration entry. */
const entryDataKind = 'config-entries'

/**
 * Key under which `dataIndexes` stores the index of the last write to the entry of an ingress or
 * terminating gateway.
 */
export const gatewayDataKind = 'gateway-services'

/** Raises the indexes that depend on entries of a kind. Must run inside a transaction. */
function touchEntry(world: World, kind: EntryKind): void {
  touch(world, entryDataKind)
  if (kind === 'ingress-gateway' || kind === 'terminating-gateway') touch(world, gatewayDataKind)
}

/** Returns the index of the last change of any entry. The read is not observed. */
export function entriesIndex(world: World): number {
  return world.unobserved(() => indexOf(world, entryDataKind))
}

export function configEntry<Kind extends EntryKind>(
  world: World,
  kind: Kind,
  namespace: string,
  name: string,
): ConfigEntry<Kind> | undefined {
  const row = world.table(configEntries).get(entryKey(kind, namespace, name))
  // The key contains the kind, and entries are stored after they are decoded as their kind.
  return row as ConfigEntry<Kind> | undefined
}

/** Returns the entries of a kind in a namespace, ordered by name. */
export function entriesOfKind<Kind extends EntryKind>(
  world: World,
  kind: Kind,
  namespace: string,
): readonly ConfigEntry<Kind>[] {
  const rows = world.table(configEntries).rows(entriesPrefix(kind, namespace))
  return [...rows] as unknown as ConfigEntry<Kind>[]
}

/**
 * Returns the name of an entry: always `mesh` for the kind `mesh`, and empty if the name is
 * missing.
 */
export function entryName(kind: EntryKind, members: EntryMembers): string {
  if (kind === 'mesh') return 'mesh'
  return 'Name' in members ? String(members.Name ?? '') : ''
}

/** Returns an entry with the defaults of its kind. Throws a refusal if a member is invalid. */
export function normalizeEntry<Kind extends EntryKind>(
  world: World,
  kind: Kind,
  namespace: string,
  sent: EntryMembers<Kind>,
): EntryMembers<Kind> {
  const rules = entryKinds[kind]
  const scope = { namespace, isCommunity: isCommunity(world) }
  const entry = rules.normalize?.(sent, scope) ?? sent
  const [problem] = rules.problems(entry, scope)
  if (problem !== undefined) throw refuse('entry-invalid', { problem })
  return entry
}

/**
 * Throws a refusal if the kind exists only in the namespace `default` and `namespace` is another
 * one.
 */
export function requireNamespaceOfKind(kind: EntryKind, namespace: string): void {
  if (entryKinds[kind].isGlobal !== true || namespace.toLowerCase() === defaultNamespace) return
  throw refuse('entry-kind-global', { kind })
}

/**
 * Returns a function that looks up entries as if the entry under `key` were replaced, or were
 * removed if `replacement` is undefined.
 */
function finderWithReplacement(
  world: World,
  key: string,
  replacement: EntryMembers | undefined,
): FindEntry {
  return <Kind extends EntryKind>(kind: Kind, namespace: string, name: string) => {
    if (entryKey(kind, namespace, name) !== key)
      return configEntry(world, kind, namespace, name)?.members
    return replacement as EntryMembers<Kind> | undefined
  }
}

/** Returns a function that looks up the entries that the world stores. */
export function entryFinder(world: World): FindEntry {
  return (kind, namespace, name) => configEntry(world, kind, namespace, name)?.members
}

/**
 * Returns the namespace of a write in its original spelling; `*` for intentions whose destination
 * is every namespace. Throws a refusal if the namespace does not exist or is marked for deletion.
 */
function writableNamespace(world: World, kind: EntryKind, namespace: string): string {
  const isWildcard = kind === 'service-intentions' && namespace === '*'
  return isWildcard ? namespace : requireWritableNamespace(world, namespace).name
}

/**
 * Stores a valid entry. An unchanged entry is not written, whatever `cas` is. Throws a refusal if
 * the entry contradicts other entries or its namespace cannot be written.
 *
 * @param cas the ModifyIndex that the stored entry must have; 0 if there must be no entry; undefined
 *   to skip this check
 * @returns false if the stored entry differs from the new one and does not have the index `cas`;
 *   otherwise true
 */
export function putEntry(
  world: World,
  kind: EntryKind,
  namespace: string,
  members: EntryMembers,
  cas?: number,
): boolean {
  const scope = writableNamespace(world, kind, namespace)
  const before = configEntry(world, kind, scope, entryName(kind, members))
  if (before !== undefined && isEqual(before.members, members)) return true
  if (cas !== undefined && cas !== (before?.modify_index ?? 0)) return false
  storeEntry(world, kind, namespace, members)
  return true
}

/**
 * Stores a valid entry and raises its index even if it is unchanged. Throws a refusal if the entry
 * contradicts other entries or its namespace cannot be written.
 */
export function storeEntry(
  world: World,
  kind: EntryKind,
  namespace: string,
  members: EntryMembers,
): void {
  const scope = writableNamespace(world, kind, namespace)
  const name = entryName(kind, members)
  const before = configEntry(world, kind, scope, name)
  const key = entryKey(kind, scope, name)
  const change = { kind, namespace: scope, name, before: before?.members, after: members }
  validateGraph(world, change, finderWithReplacement(world, key, members))
  world.write(() => {
    const index = nextIndex(world)
    world.table(configEntries).put(key, {
      ...{ kind, name, namespace: scope },
      members: members as unknown as ConfigEntryRow['members'],
      hash: hashOf(members),
      create_index: before?.create_index ?? index,
      modify_index: index,
    })
    touchEntry(world, kind)
  })
}

type ConfigEntryRow = NonNullable<(typeof configEntries)['row']>

/**
 * Returns a hash of an entry's members. The hash has 52 bits, so a double represents it exactly.
 */
function hashOf(members: object): number {
  const digest = createHash('sha256').update(JSON.stringify(members)).digest('hex')
  return Number.parseInt(digest.slice(0, 13), 16)
}

/**
 * Removes an entry if it exists. Throws a refusal if other entries need it or its namespace cannot
 * be written.
 *
 * @param cas the ModifyIndex that the entry must have; undefined to skip this check
 * @returns false if the entry has another index; otherwise true
 */
export function deleteEntry(
  world: World,
  kind: EntryKind,
  namespace: string,
  name: string,
  cas?: number,
): boolean {
  const scope = writableNamespace(world, kind, namespace)
  const before = configEntry(world, kind, scope, name)
  if (before === undefined) return true
  if (cas !== undefined && cas !== before.modify_index) return false
  const key = entryKey(kind, scope, name)
  validateGraph(
    world,
    { kind, namespace: scope, name, before: before.members, after: undefined },
    finderWithReplacement(world, key, undefined),
  )
  world.write(() => dropEntry(world, kind, key))
  return true
}

function dropEntry(world: World, kind: EntryKind, key: string): void {
  world.table(configEntries).delete(key)
  touchEntry(world, kind)
}

/** Removes the entries of a namespace that is being removed. Returns whether there were any. */
export function removeEntries(world: World, namespace: string): boolean {
  const kinds = Object.keys(entryKinds) as EntryKind[]
  const entries = kinds.flatMap((kind) => entriesOfKind(world, kind, namespace))
  world.write(() => {
    for (const { kind, name } of entries) dropEntry(world, kind, entryKey(kind, namespace, name))
  })
  return entries.length > 0
}
