import type { JsonSchema } from '../../state/kernel/schema.ts'

/** Keywords that mean the same in both. */
const kept: ReadonlySet<string> = new Set([
  '$ref',
  'title',
  'description',
  'default',
  'enum',
  'format',
  'pattern',
  'minimum',
  'maximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'readOnly',
  'writeOnly',
  'deprecated',
])

const one: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'not'])
const several: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf'])
const limits: Readonly<Record<string, string>> = {
  exclusiveMinimum: 'minimum',
  exclusiveMaximum: 'maximum',
}

/**
 * A JSON Schema of our declarations in the dialect of OpenAPI 3.0, which has `nullable` instead of
 * the type `null`, a single type, no `const` and no tuples. Keywords that it cannot say are left
 * out, so the result may allow more, never less. `text` makes the descriptions' words, and the names
 * of properties, those of a dialect.
 */
export function openApi30Schema(
  schema: unknown,
  text: (neutral: string) => string = (neutral) => neutral,
): JsonSchema {
  if (!isSchema(schema)) return schema === false ? { not: {} } : {}
  const types = typesOf(schema)
  const nullable = types.includes('null')
  const [type, ...others] = types.filter((each) => each !== 'null')
  if (others.length > 0) {
    const { title, description, default: fallback, ...rest } = schema
    const annotations = keywordsOf({ title, description, default: fallback }, text)
    const branches = types.map((each) => openApi30Schema({ ...rest, type: each }, text))
    return { ...annotations, anyOf: branches }
  }
  if (type === undefined && nullable) {
    const { title, description } = schema
    return { ...keywordsOf({ title, description }, text), nullable: true, enum: [null] }
  }
  const keywords = keywordsOf(schema, text)
  return {
    ...(type === undefined ? {} : { type }),
    ...(type === 'array' && keywords['items'] === undefined ? { items: {} } : {}),
    ...keywords,
    ...(nullable ? { nullable: true } : {}),
  }
}

function keywordsOf(schema: JsonSchema, text: (neutral: string) => string): JsonSchema {
  const keywords: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(schema)) {
    const limit = limits[name]
    if (value === undefined) continue
    if (name === 'description') keywords[name] = text(String(value))
    else if (kept.has(name)) keywords[name] = value
    else if (name === 'const') keywords['enum'] = [value]
    else if (name === 'required') {
      if (Array.isArray(value) && value.length > 0) {
        keywords[name] = value.map((each) => text(String(each)))
      }
    } else if (limit !== undefined) {
      keywords[limit] = value
      keywords[name] = true
    } else if (name === 'properties' && isSchema(value)) {
      keywords[name] = Object.fromEntries(
        Object.entries(value).map(([key, each]) => [text(key), openApi30Schema(each, text)]),
      )
    } else if (name === 'additionalProperties' && typeof value === 'boolean') {
      keywords[name] = value
    } else if (one.has(name)) keywords[name] = openApi30Schema(value, text)
    else if (several.has(name) && Array.isArray(value)) {
      keywords[name] = value.map((each) => openApi30Schema(each, text))
    }
  }
  // Names by pattern cannot be said; what they may hold can.
  if (isSchema(schema['patternProperties'])) {
    const values = Object.values(schema['patternProperties'])
    const further = schema['additionalProperties']
    if (further === undefined || further === true) keywords['additionalProperties'] = true
    else {
      const allowed = further === false ? values : [...values, further]
      keywords['additionalProperties'] = openApi30Schema({ anyOf: allowed }, text)
    }
  }
  return keywords
}

function typesOf({ type }: JsonSchema): readonly unknown[] {
  if (type === undefined) return []
  return Array.isArray(type) ? type : [type]
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
