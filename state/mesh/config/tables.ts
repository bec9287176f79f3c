import { any, int, map, name, text, uint, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { keyPart } from '../catalog/tables.ts'
import { meshTable } from '../indexes.ts'
import { namespaceKey } from '../namespaces/namespaces.ts'
import { type EntryKind, type EntryMembers, entryShapes } from './entry-shapes.ts'

const kindNames = Object.keys(entryShapes) as EntryKind[]

const entryShape = struct({
  kind: word(...kindNames),
  /** Name of the entry; empty only for the kinds that the reference accepts without a name. */
  name: text,
  /** The namespace's name in its original spelling; `*` for intentions of every namespace. */
  namespace: name,
  /** Members of the kind in the order of the reference, with the defaults of the kind. */
  members: map(any),
  /** Hash of the members. Replies contain the hash. */
  hash: int,
  create_index: uint,
  modify_index: uint,
})

/** A configuration entry (behaviour/mesh#config). */
export interface ConfigEntry<Kind extends EntryKind = EntryKind>
  extends Omit<StoredOf<typeof entryShape>, 'kind' | 'members'> {
  readonly kind: Kind
  readonly members: EntryMembers<Kind>
}

export function entryKey(kind: EntryKind, namespace: string, name: string): string {
  return `${entriesPrefix(kind, namespace)}${keyPart(name)}`
}

/** Returns the prefix of the row keys of all entries of a kind in a namespace. */
export function entriesPrefix(kind: EntryKind, namespace: string): string {
  return `${kind}/${namespaceKey(namespace)}/`
}

/** Configuration entries by kind, namespace and name. */
export const configEntries = meshTable('config-entries', entryShape, {
  secrets: { members: ['members/PrivateKey'] },
})
