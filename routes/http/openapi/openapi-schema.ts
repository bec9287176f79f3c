import type { JsonSchema } from '../../../state/kernel/schema.ts'

/** Keywords that mean the same in both. */
const copiedKeywords: ReadonlySet<string> = new Set([
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

const schemaKeywords: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'not'])
const schemaListKeywords: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf'])
const limits: Readonly<Record<string, string>> = {
  exclusiveMinimum: 'minimum',
  exclusiveMaximum: 'maximum',
}

/** Words of a dialect for neutral ones. */
interface SchemaTranslation {
  /** Of a property. */
  name(neutral: string): string
  /** Of a description. */
  readonly text?: (neutral: string) => string
  /** Of a text that a value must be. */
  readonly value?: (neutral: string) => string
}

/** A schema in the words of a dialect, all the way down. */
export function translateSchema(schema: JsonSchema, translation: SchemaTranslation): JsonSchema {
  const { name, text = asIs, value = asIs } = translation
  const translateValue = (word: unknown) => (typeof word === 'string' ? value(word) : word)
  const translate = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(translate)
    return isSchema(part) ? translateSchema(part, translation) : part
  }
  const entries = Object.entries(schema).map(([keyword, part]): [string, unknown] => {
    switch (keyword) {
      case 'description':
        return [keyword, text(String(part))]
      case 'const':
        return [keyword, translateValue(part)]
      case 'enum':
        return [keyword, Array.isArray(part) ? part.map(translateValue) : part]
      case 'required':
        return [keyword, Array.isArray(part) ? part.map((each) => name(String(each))) : part]
      case 'properties':
      case 'patternProperties': {
        const members = Object.entries(isSchema(part) ? part : {})
        const translateName = keyword === 'properties' ? name : asIs
        return [
          keyword,
          Object.fromEntries(members.map(([key, each]) => [translateName(key), translate(each)])),
        ]
      }
      case 'default':
        return [keyword, part]
      default:
        return [keyword, translate(part)]
    }
  })
  return Object.fromEntries(entries)
}

const asIs = (text: string): string => text

/** Describes how a decoder of Go takes what a schema describes. */
export interface GoDecoding {
  /** Members that nobody declares are passed over. */
  readonly ignoresUnknown: boolean
}

/** The schema of a request to a decoder of Go: whatever is in it may be left out. */
export function requestSchema(schema: JsonSchema, { ignoresUnknown }: GoDecoding): JsonSchema {
  const relax = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(relax)
    return isSchema(part) ? requestSchema(part, { ignoresUnknown: ignoresUnknown }) : part
  }
  const entries = Object.entries(schema).flatMap(([keyword, part]): [string, unknown][] => {
    if (keyword === 'required' && Array.isArray(part)) return []
    if (keyword === 'additionalProperties' && part === false && ignoresUnknown) return []
    if (keyword !== 'properties' || !isSchema(part)) return [[keyword, relax(part)]]
    const members = Object.entries(part).map(([name, each]) => [name, relax(each)])
    return [[keyword, Object.fromEntries(members)]]
  })
  return Object.fromEntries(entries)
}

/** The same function, which answers the same for the same object: documents tell schemas apart so. */
export function memoizeByIdentity<K extends object, V>(work: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>()
  return (key) => {
    const value = known.get(key) ?? work(key)
    known.set(key, value)
    return value
  }
}

/**
 * A JSON Schema of our declarations in the dialect of OpenAPI 3.0, which has `nullable` instead of
 * the type `null`, a single type, no `const` and no tuples. Keywords that it cannot say are left
 * out, so the result may allow more, never less.
 */
export function openApi30Schema(schema: unknown): JsonSchema {
  if (!isSchema(schema)) return schema === false ? { not: {} } : {}
  const types = typesOf(schema)
  const nullable = types.includes('null')
  const [type, ...others] = types.filter((each) => each !== 'null')
  if (others.length > 0) {
    const { title, description, default: fallback, ...rest } = schema
    const annotations = keywordsOf({ title, description, default: fallback })
    const branches = types.map((each) => openApi30Schema({ ...rest, type: each }))
    return { ...annotations, anyOf: branches }
  }
  if (type === undefined && nullable) {
    const { title, description } = schema
    return { ...keywordsOf({ title, description }), nullable: true, enum: [null] }
  }
  const keywords = keywordsOf(schema)
  return {
    ...(type === undefined ? {} : { type }),
    ...(type === 'array' && keywords['items'] === undefined ? { items: {} } : {}),
    ...keywords,
    ...(nullable ? { nullable: true } : {}),
  }
}

function keywordsOf(schema: JsonSchema): JsonSchema {
  const keywords: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(schema)) {
    const limit = limits[name]
    if (value === undefined) continue
    if (copiedKeywords.has(name)) keywords[name] = value
    else if (name === 'const') keywords['enum'] = [value]
    else if (name === 'required') {
      if (Array.isArray(value) && value.length > 0) {
        keywords[name] = value
      }
    } else if (limit !== undefined) {
      keywords[limit] = value
      keywords[name] = true
    } else if (name === 'properties' && isSchema(value)) {
      keywords[name] = Object.fromEntries(
        Object.entries(value).map(([key, each]) => [key, openApi30Schema(each)]),
      )
    } else if (name === 'additionalProperties' && typeof value === 'boolean') {
      keywords[name] = value
    } else if (schemaKeywords.has(name)) keywords[name] = openApi30Schema(value)
    else if (schemaListKeywords.has(name) && Array.isArray(value)) {
      keywords[name] = value.map((each) => openApi30Schema(each))
    }
  }
  // Names by pattern cannot be said; what they may hold can.
  if (isSchema(schema['patternProperties'])) {
    const values = Object.values(schema['patternProperties'])
    const further = schema['additionalProperties']
    if (further === undefined || further === true) keywords['additionalProperties'] = true
    else {
      const allowed = further === false ? values : [...values, further]
      keywords['additionalProperties'] = openApi30Schema({ anyOf: allowed })
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
