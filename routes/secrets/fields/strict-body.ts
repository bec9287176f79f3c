import { type Json, JsonNumber, type JsonObject } from '../../../state/kernel/json.ts'
import type { Shape } from '../../../state/kernel/shape/kinds.ts'
import { refuse } from '../messages.ts'
import { type FieldSchemas, fieldInfo } from './fields.ts'

/**
 * Rules for decoding the body of a write to a bare endpoint. The decoding is as strict as Go's when
 * it decodes JSON into a struct. Error messages contain the name of the struct
 * (behaviour/secrets#bare-endpoints).
 */
export interface StrictBody {
  /** Name of the Go struct, such as `RekeyRequest`. */
  readonly struct: string
  /** Names of fields in error messages, if they differ: `{ key: 'Key' }`. */
  readonly names?: Readonly<Record<string, string>>
  /** True if a missing body counts as an empty body. */
  readonly optional: boolean
}

/** Returns the kind of a JSON value under the name that Go's error messages use. */
export function jsonKind(value: Json): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number' || value instanceof JsonNumber) return 'number'
  if (typeof value === 'boolean') return 'bool'
  return typeof value
}

/** Returns the Go type that a struct's field has in the reference. */
function goTypeOf(shape: Shape): string {
  if (shape.kind === 'list') return `[]${goTypeOf(shape.of)}`
  return shape.kind === 'text' ? 'string' : shape.kind
}

/** The kind of the value that was sent, and the Go type of its field. */
interface TypeMismatch {
  readonly kind: string
  readonly type: string
}

/**
 * Compiles the conversion for the body of a bare endpoint. As in Go, the letter case of names does
 * not matter, and null values and unknown members are ignored. The conversion throws
 * `bare-body-unreadable` for the first field that has a wrong type.
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
    // Fractions, and whole numbers that a double does not represent exactly, are invalid.
    return Number.isSafeInteger(value) ? undefined : { kind: `number ${String(value)}`, type }
  }
  return kind === type ? undefined : { kind, type }
}
