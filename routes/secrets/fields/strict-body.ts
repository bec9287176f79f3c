import { type Json, JsonNumber, type JsonObject } from '../../../state/kernel/json.ts'
import type { Shape } from '../../../state/kernel/shape/kinds.ts'
import { refuse } from '../messages.ts'
import { type FieldSchemas, fieldInfo } from './fields.ts'

/**
 * Describes how a bare endpoint decodes the body of a write: strictly, as Go decodes JSON into a
 * struct, whose names its texts tell (behaviour/secrets#bare-endpoints).
 */
export interface StrictBody {
  /** Name of the struct: `RekeyRequest`. */
  readonly struct: string
  /** Fields that texts call otherwise than callers do: `{ key: 'Key' }`. */
  readonly names?: Readonly<Record<string, string>>
  /** True when a missing body counts as an empty one. */
  readonly optional: boolean
}

/** Says what a JSON value is in Go's texts. */
export function jsonKind(value: Json): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number' || value instanceof JsonNumber) return 'number'
  if (typeof value === 'boolean') return 'bool'
  return typeof value
}

/** The Go type of a field that a struct of the reference has. */
function goTypeOf(shape: Shape): string {
  if (shape.kind === 'list') return `[]${goTypeOf(shape.of)}`
  return shape.kind === 'text' ? 'string' : shape.kind
}

/** A value that is not of the type it should be: its kind, and the type. */
interface TypeMismatch {
  readonly kind: string
  readonly type: string
}

/**
 * Makes the conversion for the body of a bare endpoint. Names count whatever their case and null is
 * passed over, as in Go; the first field that is of another type is refused.
 */
export function compileStrictFields(
  fields: FieldSchemas,
  { struct, names = {} }: StrictBody,
): (input: Readonly<JsonObject>) => unknown {
  const fieldPlans = new Map(
    Object.entries(fields).map(([name, field]) => [name, { name, ...fieldInfo(field) }]),
  )
  return (input) => {
    const values: Record<string, unknown> = {}
    for (const { name, default: defaultValue } of fieldPlans.values()) {
      if (defaultValue !== undefined) values[name] = structuredClone(defaultValue)
    }
    for (const [key, value] of Object.entries(input)) {
      const field = fieldPlans.get(key) ?? fieldPlans.get(key.toLowerCase())
      if (field === undefined || value === null) continue
      const mismatch = findMismatch(value, field.shape)
      if (mismatch !== undefined) {
        const place = `${struct}.${names[field.name] ?? field.name}`
        const why = `json: cannot unmarshal ${mismatch.kind} into Go struct field ${place} of type ${mismatch.type}`
        throw refuse('bare-body-unreadable', { why })
      }
      values[field.name] = Array.isArray(value) ? value.map((item) => item ?? '') : value
    }
    return values
  }
}

function findMismatch(value: Json, shape: Shape): TypeMismatch | undefined {
  const kind = jsonKind(value)
  const type = goTypeOf(shape)
  if (shape.kind === 'list') {
    if (!Array.isArray(value)) return { kind, type }
    for (const item of value) {
      const mismatch = item === null ? undefined : findMismatch(item, shape.of)
      if (mismatch !== undefined) return mismatch
    }
    return undefined
  }
  if (shape.kind === 'int') {
    if (kind !== 'number') return { kind, type }
    // What a double does not hold exactly is no count of anything here.
    return Number.isSafeInteger(value) ? undefined : { kind: `number ${String(value)}`, type }
  }
  return kind === type ? undefined : { kind, type }
}
