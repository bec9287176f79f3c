import { mapToDictionary } from '../../../state/kernel/objects.ts'
import type { Field, StructShape } from '../../../state/kernel/shape/kinds.ts'
import { optional, struct } from '../../../state/kernel/shape/members.ts'

/** Returns the shape of a query whose parameters are all optional. */
export function parameters(members: Readonly<Record<string, object>>): StructShape {
  return struct(mapToDictionary(members, (member) => optional(member) as Field))
}
