import { isObject } from '../../../state/kernel/objects.ts'
import type { JsonSchema } from '../../../state/kernel/schema.ts'

/** A part of a schema, which other schemas refer to by its id. */
interface SchemaPart {
  readonly id: string
  readonly schema: JsonSchema
}

/** A schema that refers to its long parts instead of containing them. */
export interface SplitSchema {
  readonly schema: JsonSchema
  /** Ids of the parts. Each part comes after the parts to which it refers. */
  readonly parts: readonly string[]
}

/**
 * Minimum length, as JSON, of a schema that becomes a part. The time to compile a schema is
 * proportional to its length; for this length, it is a few milliseconds.
 */
const minLength = 2000

/**
 * Splitter of long schemas into parts that can be compiled one by one. A part that several schemas
 * have in common, such as the task groups in the tables of jobs, versions and allocations, is
 * compiled once.
 */
export class SchemaParts {
  readonly #add: (part: SchemaPart) => void
  /** Id of each part, by the JSON of the part's schema. */
  readonly #ids = new Map<string, string>()

  /**
   * @param add receives each new part once
   */
  constructor(add: (part: SchemaPart) => void) {
    this.#add = add
  }

  /**
   * Splits a schema at its members and items. Alternatives (`anyOf`, for example) are not split:
   * the validator assigns an error to an alternative by the error's position within one schema.
   */
  split(schema: JsonSchema): SplitSchema {
    const parts = new Set<string>()
    return { schema: this.#withReferences(schema, parts), parts: [...parts] }
  }

  #withReferences(schema: JsonSchema, parts: Set<string>): JsonSchema {
    const { properties, items, additionalProperties } = schema
    const changes: Record<string, unknown> = {}
    if (isObject(properties)) {
      const members = Object.entries(properties).map(([name, member]) => {
        return [name, this.#reference(member, parts)] as const
      })
      changes['properties'] = Object.fromEntries(members)
    }
    if (isObject(items)) changes['items'] = this.#reference(items, parts)
    if (isObject(additionalProperties)) {
      changes['additionalProperties'] = this.#reference(additionalProperties, parts)
    }
    return { ...schema, ...changes }
  }

  /**
   * Replaces the long parts of a subschema with references. If the result is still long, makes it a
   * part, adds the part's id to `parts`, and returns a reference to the part; otherwise returns the
   * result.
   */
  #reference(part: unknown, parts: Set<string>): unknown {
    if (!isObject(part)) return part
    const schema = this.#withReferences(part, parts)
    const text = JSON.stringify(schema)
    if (text.length < minLength) return schema
    let id = this.#ids.get(text)
    if (id === undefined) {
      id = `urn:part:${this.#ids.size}`
      this.#ids.set(text, id)
      this.#add({ id, schema })
    }
    parts.add(id)
    return { $ref: id }
  }
}
