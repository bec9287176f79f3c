import type { Field, Shape, StructShape } from '../../../state/kernel/shape/kinds.ts'
import { fieldsOf, struct } from '../../../state/kernel/shape/members.ts'
import { attributeTime } from '../../../state/platform/timestamps.ts'

/** How rows of some members are told as attributes. */
export interface Telling<Row> {
  /** By the attributes' names, for schemas and dialects. */
  readonly shape: StructShape
  /** What a row tells; what it has not is left out. */
  of(row: Row): Record<string, unknown>
}

/** Members of rows as state/ declares them. */
type Members = Readonly<Record<string, Shape | Field>>

type Write = (value: unknown) => unknown

/** A member on its way out. */
interface Plan {
  readonly member: string
  readonly attribute: string
  readonly write: Write
}

const asIs: Write = (value) => value

/**
 * Tells members of rows as attributes: names have hyphens for underscores, inside objects too, and
 * instants, which end in `_at`, are written as times.
 *
 * @param time how instants are written
 */
export function telling<const M extends Members>(
  members: M,
  time: (instant: number) => string = attributeTime,
): Telling<{ readonly [Name in keyof M]?: unknown }> {
  const plans: Plan[] = []
  const told: Record<string, Field> = {}
  for (const [member, field] of Object.entries<Field>(fieldsOf<Members>(members))) {
    const isInstant = member.endsWith('_at')
    const attribute = attributeName(member)
    told[attribute] = { ...field, shape: isInstant ? timeShape(field.shape) : named(field.shape) }
    const write = isInstant ? (value: unknown) => timeOf(value, time) : writerOf(field.shape)
    plans.push({ member, attribute, write })
  }
  return {
    shape: struct(told) as StructShape,
    of(row) {
      const attributes: Record<string, unknown> = {}
      for (const { member, attribute, write } of plans) {
        const value = row[member]
        if (value !== undefined) attributes[attribute] = write(value)
      }
      return attributes
    },
  }
}

/** The attribute of a member: `created-at` of `created_at`. */
function attributeName(member: string): string {
  return member.replaceAll('_', '-')
}

function timeShape(shape: Shape): Shape {
  const text = { kind: 'text' } as const
  return shape.kind === 'nullable' ? { kind: 'nullable', to: text } : text
}

function timeOf(value: unknown, time: (instant: number) => string): unknown {
  return typeof value === 'number' ? time(value) : value
}

/** A shape whose objects have attributes' names. */
function named(shape: Shape): Shape {
  switch (shape.kind) {
    case 'nullable':
      return { ...shape, to: named(shape.to) }
    case 'list':
      return { ...shape, of: named(shape.of) }
    case 'struct':
      return telling(shape.fields).shape
    default:
      return shape
  }
}

/** Writes values of a shape; only objects are written otherwise than they are. */
function writerOf(shape: Shape): Write {
  switch (shape.kind) {
    case 'nullable': {
      const write = writerOf(shape.to)
      return write === asIs ? asIs : (value) => (value === null ? null : write(value))
    }
    case 'list': {
      const write = writerOf(shape.of)
      if (write === asIs) return asIs
      return (value) => (Array.isArray(value) ? value.map(write) : value)
    }
    case 'struct': {
      const { of } = telling(shape.fields)
      return (value) => (isObject(value) ? of(value) : value)
    }
    default:
      return asIs
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
