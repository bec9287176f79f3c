import type { StructShape } from '../../../state/kernel/shape/kinds.ts'
import { optional, struct } from '../../../state/kernel/shape/members.ts'

/** Declares query parameters, all of them optional. */
export function parameters(members: Readonly<Record<string, object>>): StructShape {
  const entries = Object.entries(members).map(([name, member]) => [name, optional(member)])
  return struct(Object.fromEntries(entries))
}
