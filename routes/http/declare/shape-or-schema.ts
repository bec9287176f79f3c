import { isObjectOrList } from '../../../state/kernel/objects.ts'
import type { JsonSchema } from '../../../state/kernel/schema.ts'
import type { DialectName } from '../../../state/kernel/shape/dialect.ts'
import { type Shape, type StructShape, textOf } from '../../../state/kernel/shape/kinds.ts'
import { inputSchema, storedSchema } from '../../../state/kernel/shape/schema.ts'
import type { InputOf } from '../../../state/kernel/shape/values.ts'

/**
 * A description of a value in a declaration: a shape, or a JSON Schema if no shape can describe the
 * value.
 */
export type ShapeOrSchema = Shape | JsonSchema

/**
 * Type of the value that callers send; undefined if the declaration has neither a shape nor a
 * schema.
 */
export type InputValue<D> = D extends { readonly kind: string }
  ? InputOf<D>
  : D extends JsonSchema
    ? unknown
    : undefined

/** Returns true for a shape. JSON Schemas have no keyword `kind`. */
export function isShape(described: ShapeOrSchema): described is Shape {
  return 'kind' in described
}

/** Returns true for the shape of an object with declared members. */
export function isStruct(described: unknown): described is StructShape {
  return isObjectOrList(described) && described['kind'] === 'struct'
}

/** Returns the schema of a value that callers send, with the names of a dialect. */
export function inputSchemaOf(described: ShapeOrSchema, dialect?: DialectName): JsonSchema {
  return isShape(described) ? inputSchema(described, dialect) : described
}

/** Returns the schema of a reply value, with the names of a dialect. */
export function replySchemaOf(described: ShapeOrSchema, dialect?: DialectName): JsonSchema {
  return isShape(described) ? storedSchema(described, dialect) : described
}

/** Shape of a time in RFC 3339. */
export const instant = textOf({ format: 'date-time' })
