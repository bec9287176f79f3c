import type { Field, Shape, StructShape, TextRules } from '../../../state/kernel/shape/kinds.ts'
import { fieldsOf, struct } from '../../../state/kernel/shape/members.ts'

/** The telling of rows of some members. */
export interface RowRenderer<Row> {
  /** By the names that are told, for schemas and dialects. */
  readonly shape: StructShape
  /** Returns what a row tells, in the order of the members; what it has not is left out. */
  render(row: Row): Record<string, unknown>
}

/** The manners in which an API tells its rows. */
interface RenderingOptions {
  /** The name of a member: `created-at` of `created_at`. */
  renderName(member: string): string
  /** Writes an instant; members that are instants end in `_at`. */
  time(instant: number): string
  /** Rules for the text of instants. */
  readonly timeRules?: TextRules
  /** Instants that are null are left out. */
  readonly sparseTimes?: true
  /** Maps are written in the order of their keys. */
  readonly sortedMaps?: true
}

/** Members of rows as state/ declares them. */
type Members = Readonly<Record<string, Shape | Field>>

type ValueWriter = (value: unknown) => unknown

/** A member on its way out; `write` gives undefined for what is left out. */
interface MemberPlan {
  readonly member: string
  readonly name: string
  readonly write: ValueWriter
}

/** Makes tellings in the manners of an API. */
export function rowRendererWith(options: RenderingOptions) {
  const { renderName, time, timeRules, sparseTimes = false, sortedMaps = false } = options

  /**
   * Tells members of rows: in the API's names, inside objects too, and instants as times.
   *
   * @param sparse members that are left out when they are empty
   */
  function rowRenderer<const M extends Members>(
    members: M,
    sparse: readonly string[] = [],
  ): RowRenderer<{ readonly [Name in keyof M]?: unknown }> {
    const plans: MemberPlan[] = []
    const renderedFields: Record<string, Field> = {}
    for (const [member, field] of Object.entries<Field>(fieldsOf<Members>(members))) {
      const isInstant = member.endsWith('_at')
      const isSparse =
        sparse.includes(member) || (sparseTimes && isInstant && field.shape.kind === 'nullable')
      const name = renderName(member)
      const write = isInstant ? writeTime : writerOf(field.shape)
      plans.push({ member, name, write: isSparse ? (value) => unlessEmpty(write(value)) : write })
      const shape = isInstant ? timeShape(field.shape) : shapeOf(field.shape)
      renderedFields[name] = isSparse
        ? { ...field, shape: nonEmpty(shape), presence: 'optional' }
        : { ...field, shape }
    }
    return {
      shape: struct(renderedFields) as StructShape,
      render(row) {
        const object: Record<string, unknown> = {}
        for (const { member, name, write } of plans) {
          const value = row[member]
          const rendered = value === undefined ? undefined : write(value)
          if (rendered !== undefined) object[name] = rendered
        }
        return object
      },
    }
  }

  const writeTime: ValueWriter = (value) => (typeof value === 'number' ? time(value) : value)

  function timeShape(shape: Shape): Shape {
    const rendered: Shape = { kind: 'text', ...timeRules }
    return shape.kind === 'nullable' ? { ...shape, to: rendered } : rendered
  }

  function shapeOf(shape: Shape): Shape {
    switch (shape.kind) {
      case 'nullable':
        return { ...shape, to: shapeOf(shape.to) }
      case 'list':
        return { ...shape, of: shapeOf(shape.of) }
      case 'struct':
        return rowRenderer(shape.fields).shape
      default:
        return shape
    }
  }

  /** Writes values of a shape; most are written as they are. */
  function writerOf(shape: Shape): ValueWriter {
    switch (shape.kind) {
      case 'nullable': {
        const write = writerOf(shape.to)
        return write === asIs ? asIs : (value) => (value === null ? null : write(value))
      }
      case 'list': {
        const write = writerOf(shape.of)
        return write === asIs ? asIs : (value) => (Array.isArray(value) ? value.map(write) : value)
      }
      case 'struct': {
        const { render } = rowRenderer(shape.fields)
        return (value) => (isObject(value) ? render(value) : value)
      }
      case 'map':
        return sortedMaps ? (value) => (isObject(value) ? sortMembers(value) : value) : asIs
      default:
        return asIs
    }
  }

  return rowRenderer
}

const asIs: ValueWriter = (value) => value

function unlessEmpty(value: unknown): unknown {
  const isEmpty =
    value === null || value === '' || (isObject(value) && Object.keys(value).length === 0)
  return isEmpty ? undefined : value
}

/** The shape of what is never empty, as that is left out. */
function nonEmpty(shape: Shape): Shape {
  if (shape.kind === 'nullable') return nonEmpty(shape.to)
  if (shape.kind === 'text') return { minLength: 1, ...shape }
  return shape.kind === 'list' ? { minItems: 1, ...shape } : shape
}

function sortMembers(map: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
