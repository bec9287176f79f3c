import type { JsonSchema } from '../../state/kernel/schema.ts'
import type { DialectName } from '../../state/kernel/shape/dialect.ts'
import type { Shape } from '../../state/kernel/shape/kinds.ts'
import { givenSchema, storedSchema } from '../../state/kernel/shape/schema.ts'
import type { Given } from '../../state/kernel/shape/values.ts'

/** A declaration's description of a value: its shape, or a JSON Schema where no shape says it. */
export type Described = Shape | JsonSchema

/** The value as callers give it; undefined where nothing is said of it. */
export type Taken<D> = D extends { readonly kind: string }
  ? Given<D>
  : D extends JsonSchema
    ? unknown
    : undefined

/** Tells shapes from JSON Schemas, which have no such keyword. */
export function isShape(described: Described): described is Shape {
  return 'kind' in described
}

/** The schema of a value that callers send, in the names of a dialect. */
export function takenSchema(described: Described, dialect?: DialectName): JsonSchema {
  return isShape(described) ? givenSchema(described, dialect) : described
}

/** The schema of a value that is answered, in the names of a dialect. */
export function answeredSchema(described: Described, dialect?: DialectName): JsonSchema {
  return isShape(described) ? storedSchema(described, dialect) : described
}
