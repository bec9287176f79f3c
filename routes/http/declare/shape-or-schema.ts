import type { JsonSchema } from '../../../state/kernel/schema.ts'
import type { DialectName } from '../../../state/kernel/shape/dialect.ts'
import type { Shape } from '../../../state/kernel/shape/kinds.ts'
import { inputSchema, storedSchema } from '../../../state/kernel/shape/schema.ts'
import type { InputOf } from '../../../state/kernel/shape/values.ts'

/** A declaration's description of a value: its shape, or a JSON Schema where no shape says it. */
export type ShapeOrSchema = Shape | JsonSchema

/** The value as callers give it; undefined where nothing is said of it. */
export type InputValue<D> = D extends { readonly kind: string }
  ? InputOf<D>
  : D extends JsonSchema
    ? unknown
    : undefined

/** Tells shapes from JSON Schemas, which have no such keyword. */
export function isShape(described: ShapeOrSchema): described is Shape {
  return 'kind' in described
}

/** The schema of a value that callers send, in the names of a dialect. */
export function inputSchemaOf(described: ShapeOrSchema, dialect?: DialectName): JsonSchema {
  return isShape(described) ? inputSchema(described, dialect) : described
}

/** The schema of a value that is answered, in the names of a dialect. */
export function replySchemaOf(described: ShapeOrSchema, dialect?: DialectName): JsonSchema {
  return isShape(described) ? storedSchema(described, dialect) : described
}
