import { isObjectOrList } from '../../../state/kernel/objects.ts'
import type { Field, Shape, StructShape, TextRules } from '../../../state/kernel/shape/kinds.ts'
import { fieldsOf, struct } from '../../../state/kernel/shape/members.ts'

/** A renderer of rows that have a fixed set of members. */
export interface RowRenderer<Row> {
  /** Shape of the rendered object, with its public names. */
  readonly shape: StructShape
  /**
   * Returns the rendered row. The members have the order of the declaration. Missing members, and
   * empty members that are declared as sparse, are left out.
   */
  render(row: Row): Record<string, unknown>
}

/** The conventions by which an API renders its rows. */
interface RenderingOptions {
  /** Returns the public name of a member, such as `created-at` for `created_at`. */
  renderName(member: string): string
  /** Formats an instant. Members that are instants have names that end in `_at`. */
  time(instant: number): string
  /** Constraints of formatted instants, for schemas. */
  readonly timeRules?: TextRules
  /** True if instants that are null are left out. */
  readonly sparseTimes?: true
  /** True if the entries of maps are sorted by key. */
  readonly sortedMaps?: true
}

/** Members of a row, as declared in state/. */
type Members = Readonly<Record<string, Shape | Field>>

type ValueWriter = (value: unknown) => unknown

/** The plan for rendering one member. `write` returns undefined if the member is left out. */
interface MemberPlan {
  readonly member: string
  readonly name: string
  readonly write: ValueWriter
}

/** Returns a function that makes row renderers with the conventions of an API. */
export function rowRendererWith(options: RenderingOptions) {
  const { renderName, time, timeRules, sparseTimes = false, sortedMaps = false } = options

  /**
   * Returns a renderer of rows. The renderer uses the names of the API, also in nested objects, and
   * formats instants.
   *
   * @param sparse members that are left out if empty
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
      plans.push({
        member,
        name,
        write: isSparse ? (value) => undefinedIfEmpty(write(value)) : write,
      })
      const shape = isInstant ? timeShape(field.shape) : shapeOf(field.shape)
      renderedFields[name] = isSparse
        ? { ...field, shape: nonEmptyShape(shape), presence: 'optional' }
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

  /** Returns a function that renders values of a shape. Most values are rendered unchanged. */
  function writerOf(shape: Shape): ValueWriter {
    switch (shape.kind) {
      case 'nullable': {
        const write = writerOf(shape.to)
        return write === writeUnchanged
          ? writeUnchanged
          : (value) => (value === null ? null : write(value))
      }
      case 'list': {
        const write = writerOf(shape.of)
        return write === writeUnchanged
          ? writeUnchanged
          : (value) => (Array.isArray(value) ? value.map(write) : value)
      }
      case 'struct': {
        const { render } = rowRenderer(shape.fields)
        return (value) => (isObjectOrList(value) ? render(value) : value)
      }
      case 'map':
        return sortedMaps
          ? (value) => (isObjectOrList(value) ? sortMembers(value) : value)
          : writeUnchanged
      default:
        return writeUnchanged
    }
  }

  return rowRenderer
}

const writeUnchanged: ValueWriter = (value) => value

function undefinedIfEmpty(value: unknown): unknown {
  const isEmpty =
    value === null || value === '' || (isObjectOrList(value) && Object.keys(value).length === 0)
  return isEmpty ? undefined : value
}

/**
 * Returns a variant of a shape that excludes empty values, for a member that is left out if empty.
 */
function nonEmptyShape(shape: Shape): Shape {
  if (shape.kind === 'nullable') return nonEmptyShape(shape.to)
  if (shape.kind === 'text') return { minLength: 1, ...shape }
  return shape.kind === 'list' ? { minItems: 1, ...shape } : shape
}

function sortMembers(map: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)))
}
