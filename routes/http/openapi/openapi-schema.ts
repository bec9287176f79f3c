import { isObject } from '../../../state/kernel/objects.ts'
import type { JsonSchema } from '../../../state/kernel/schema.ts'

/** Keywords that have the same meaning in OpenAPI 3.0 and in JSON Schema. */
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
const inclusiveKeywords: Readonly<Record<string, string>> = {
  exclusiveMinimum: 'minimum',
  exclusiveMaximum: 'maximum',
}

/** The translation of neutral words into those of a dialect. */
interface SchemaTranslation {
  /** Translates the name of a property. */
  name(neutral: string): string
  /** Translates a description. */
  readonly text?: (neutral: string) => string
  /** Translates a constant or a value of an enumeration. */
  readonly value?: (neutral: string) => string
}

/** Translates a schema and all its subschemas into the words of a dialect. */
export function translateSchema(schema: JsonSchema, translation: SchemaTranslation): JsonSchema {
  const { name, text = asIs, value = asIs } = translation
  const translateValue = (word: unknown) => (typeof word === 'string' ? value(word) : word)
  const translate = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(translate)
    return isObject(part) ? translateSchema(part, translation) : part
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
        const members = Object.entries(isObject(part) ? part : {})
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

/** The rules by which a Go decoder reads a value. */
export interface GoDecoding {
  /** True if undeclared members are ignored. */
  readonly ignoresUnknown: boolean
}

/** Returns the schema of a request body that a Go decoder reads. Every member is optional. */
export function requestSchema(schema: JsonSchema, { ignoresUnknown }: GoDecoding): JsonSchema {
  const relax = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(relax)
    return isObject(part) ? requestSchema(part, { ignoresUnknown: ignoresUnknown }) : part
  }
  const entries = Object.entries(schema).flatMap(([keyword, part]): [string, unknown][] => {
    if (keyword === 'required' && Array.isArray(part)) return []
    if (keyword === 'additionalProperties' && part === false && ignoresUnknown) return []
    if (keyword !== 'properties' || !isObject(part)) return [[keyword, relax(part)]]
    const members = Object.entries(part).map(([name, each]) => [name, relax(each)])
    return [[keyword, Object.fromEntries(members)]]
  })
  return Object.fromEntries(entries)
}

/**
 * Memoizes a function by the identity of its argument, because documents compare schemas by
 * identity.
 */
export function memoizeByIdentity<K extends object, V>(work: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>()
  return (key) => {
    const value = known.get(key) ?? work(key)
    known.set(key, value)
    return value
  }
}

/**
 * Converts a JSON Schema of this project to the schema dialect of OpenAPI 3.0, which has `nullable`
 * instead of the type `null`, a single type, no `const` and no tuples. Keywords that OpenAPI 3.0
 * cannot express are left out, so the result may accept more values than the schema, but not fewer.
 */
export function openApi30Schema(schema: unknown): JsonSchema {
  if (!isObject(schema)) return schema === false ? { not: {} } : {}
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
    const limit = inclusiveKeywords[name]
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
    } else if (name === 'properties' && isObject(value)) {
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
  // OpenAPI 3.0 cannot express patterns for names; the schema of the values is kept.
  if (isObject(schema['patternProperties'])) {
    const values = Object.values(schema['patternProperties'])
    const additional = schema['additionalProperties']
    if (additional === undefined || additional === true) keywords['additionalProperties'] = true
    else {
      const allowed = additional === false ? values : [...values, additional]
      keywords['additionalProperties'] = openApi30Schema({ anyOf: allowed })
    }
  }
  return keywords
}

function typesOf({ type }: JsonSchema): readonly unknown[] {
  if (type === undefined) return []
  return Array.isArray(type) ? type : [type]
}
