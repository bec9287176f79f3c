import { memoizeByKey } from '../memoize.ts'
import type { Shape, StructShape } from './kinds.ts'

/** A declared member of an object, in the form that the decoder needs. */
export interface Member {
  readonly of: StructShape
  readonly name: string
  /** Name of the member in the vendor dialect. */
  readonly vendor: string
  readonly embeddedIn: readonly string[]
  readonly shape: Shape
}

/**
 * Returns the member to which a name in a request refers. The name may be an alias, may be spelled
 * in either dialect, and may have any letter case. Returns undefined if the shape does not declare
 * the member, or if only replies contain the member.
 */
export function memberNamed(shape: StructShape, name: string): Member | undefined {
  const { byName, byFoldedName } = membersOf(shape)
  return byName.get(name) ?? byFoldedName.get(name.toLowerCase())
}

/**
 * Returns the decoded form of an object without members. Members that requests may contain are null
 * unless they are optional; other members are missing.
 */
export function emptyOf(shape: StructShape): Record<string, unknown> {
  return { ...membersOf(shape).absent }
}

/** Members of an object shape, computed once per shape. */
const membersOf = memoizeByKey((of: StructShape) => {
  const byName = new Map<string, Member>()
  /** Members by name, regardless of letter case and dialect. The first of two equal names wins. */
  const byFoldedName = new Map<string, Member>()
  const absentValues: [string, null][] = []
  for (const [name, field] of Object.entries(of.fields)) {
    const { shape, presence, vendor = name, aliases = [], embeddedIn = [] } = field
    if (field.isOutputOnly) continue
    const member = { of, name, vendor, embeddedIn, shape }
    byName.set(name, member)
    for (const each of [name, vendor, ...aliases].map((spelling) => spelling.toLowerCase())) {
      if (!byFoldedName.has(each)) byFoldedName.set(each, member)
    }
    if (presence !== 'optional') absentValues.push([name, null])
  }
  // V8 stores a large object as a hash table if the object grew member by member, but not if it was
  // parsed. Copies of a parsed object are stored in the same way as the original.
  const parsed: Readonly<Record<string, null>> = JSON.parse(
    JSON.stringify(Object.fromEntries(absentValues)),
  )
  return { byName, byFoldedName, absent: parsed }
})
