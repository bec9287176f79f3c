import type { StructShape } from '../../../state/kernel/shape/kinds.ts'
import { optional, struct } from '../../../state/kernel/shape/members.ts'

/** Declares the parameters of a query, each of which may be left out. */
export function parameters(members: Readonly<Record<string, object>>): StructShape {
  const entries = Object.entries(members).map(([name, member]) => [name, optional(member)])
  return struct(Object.fromEntries(entries))
}
