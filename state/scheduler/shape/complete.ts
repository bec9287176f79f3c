import { setMember } from '../../json/value.ts'
import type { Sent, Shape, Stored, StructShape } from './kinds.ts'

/**
 * A request as it is stored and answered: whatever was not said has its zero value, empty lists and maps
 * are null, members of requests alone are gone, echoed ones stay as they were sent
 * (3b-scheduler-decisions.md sections 4 and 11).
 */
export function completed<const S extends StructShape>(sent: Sent<S>, shape: S): Stored<S> {
  // The shape's type is what the walk below follows at run time.
  return complete(sent, shape) as Stored<S>
}

function complete(value: unknown, shape: Shape): unknown {
  switch (shape.kind) {
    case 'any':
      return value ?? null
    case 'pointer':
      return value === null || value === undefined ? null : complete(value, shape.to)
    case 'list':
      if (!Array.isArray(value) || value.length === 0) return null
      return value.map((item: unknown) => complete(item, shape.of))
    case 'map':
      return completeMap(value, shape.of)
    case 'struct':
      return completeStruct(value, shape)
    default:
      return completeScalar(value, shape.kind)
  }
}

function completeMap(value: unknown, of: Shape): Record<string, unknown> | null {
  const members = membersOf(value)
  if (members.length === 0) return null
  const map: Record<string, unknown> = {}
  for (const [key, each] of members) setMember(map, key, complete(each, of))
  return map
}

function completeStruct(value: unknown, { fields }: StructShape): Record<string, unknown> {
  const sent = new Map(membersOf(value))
  const struct: Record<string, unknown> = {}
  for (const [name, { shape, presence }] of Object.entries(fields)) {
    const member = sent.get(name)
    const isSaid = member !== null && member !== undefined
    if (presence === 'always' || (presence === 'echoed' && isSaid)) {
      struct[name] = complete(member, shape)
    }
  }
  return struct
}

type ScalarKind = Exclude<Shape['kind'], 'any' | 'pointer' | 'list' | 'map' | 'struct'>

const zeros = {
  text: '',
  time: '',
  bool: false,
  int: 0,
  uint: 0,
  float: 0,
  duration: 0,
  bytes: null,
} as const satisfies Record<ScalarKind, unknown>

function completeScalar(value: unknown, kind: ScalarKind): unknown {
  return kind === 'bytes' && value === '' ? null : (value ?? zeros[kind])
}

function membersOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}
