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
  /** Empty only for kinds of which the reference accepts an entry without a name. */
  name: text,
  /** The namespace's name as it was created. */
  namespace: name,
  /** The members in the reference's order and with its defaults. */
  members: map(any),
  /** Number that depends only on the members. */
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

/** Returns the row key of an entry. */
export function entryKey(kind: EntryKind, namespace: string, name: string): string {
  return `${entriesPrefix(kind, namespace)}${keyPart(name)}`
}

/** Returns the prefix of the row keys of a kind of entries in a namespace. */
export function entriesPrefix(kind: EntryKind, namespace: string): string {
  return `${kind}/${namespaceKey(namespace)}/`
}

/** Configuration entries by kind, namespace and name. */
export const configEntries = meshTable('config-entries', entryShape, {
  secrets: { members: ['members/PrivateKey'] },
})
