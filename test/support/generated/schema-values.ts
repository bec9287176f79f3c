import fc from 'fast-check'
import type { JsonSchema } from '../../../state/kernel/schema.ts'

/** Object inside an OpenAPI document, such as a schema; its members are read by name. */
type SchemaPart = Readonly<Record<string, unknown>>

const isSchemaPart = (value: unknown): value is SchemaPart =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const schemaParts = (value: unknown): readonly SchemaPart[] =>
  Array.isArray(value) ? value.filter(isSchemaPart) : []

/** Maximum depth of values for recursive schemas. */
const maxDepth = 5

/**
 * Returns an arbitrary of values for a schema of an OpenAPI document. Patterns, formats and most
 * limits are ignored.
 */
export function schemaArbitrary(schema: unknown, document: JsonSchema): fc.Arbitrary<unknown> {
  return valuesAt(schema, document, 0)
}

function valuesAt(schema: unknown, document: JsonSchema, depth: number): fc.Arbitrary<unknown> {
  if (!isSchemaPart(schema) || depth > maxDepth) return fc.jsonValue({ maxDepth: 0 })
  if (typeof schema['$ref'] === 'string') {
    return valuesAt(resolveReference(document, schema['$ref']), document, depth)
  }
  const { nullable, ...rest } = schema
  const values = plainValues(rest, document, depth)
  return nullable === true ? fc.option(values, { nil: null }) : values
}

function plainValues(
  schema: SchemaPart,
  document: JsonSchema,
  depth: number,
): fc.Arbitrary<unknown> {
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...schema['enum'])
  const [first, ...others] = [...schemaParts(schema['anyOf']), ...schemaParts(schema['oneOf'])].map(
    (one) => valuesAt(one, document, depth + 1),
  )
  if (first !== undefined) return fc.oneof(first, ...others)
  switch (schema['type']) {
    case 'object':
      return objects(schema, document, depth)
    case 'array':
      return fc.array(valuesAt(schema['items'], document, depth + 1), { maxLength: 2 })
    case 'string':
      return fc.oneof(fc.constantFrom('default', 'a', 'x-1', '1h'), fc.string({ maxLength: 8 }))
    case 'integer': {
      const min = Number(schema['minimum'] ?? -1)
      return fc.integer({ min, max: Math.max(min, 9) })
    }
    case 'number':
      return fc.integer({ min: -1, max: 9 })
    case 'boolean':
      return fc.boolean()
    default:
      return fc.jsonValue({ maxDepth: 1 })
  }
}

/** Returns an arbitrary of objects with the required members, and some of the others. */
function objects(schema: SchemaPart, document: JsonSchema, depth: number): fc.Arbitrary<unknown> {
  const members = isSchemaPart(schema['properties']) ? schema['properties'] : {}
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const record = fc.record(
    Object.fromEntries(
      Object.entries(members).map(([name, member]) => [
        name,
        valuesAt(member, document, depth + 1),
      ]),
    ),
    { requiredKeys: Object.keys(members).filter((name) => required.includes(name)) },
  )
  return record
}

/**
 * Returns the part of the document that a reference such as `#/components/schemas/Job` names;
 * undefined if there is none.
 */
function resolveReference(document: JsonSchema, reference: string): unknown {
  return reference
    .split('/')
    .slice(1)
    .reduce<unknown>((part, name) => (isSchemaPart(part) ? part[name] : undefined), document)
}

/** Returns the body schema of an operation; undefined if the document declares none. */
export function bodySchema(document: JsonSchema, verb: string, path: string): unknown {
  const place = path.replaceAll(/:(\w+)/g, '{$1}')
  const paths = isSchemaPart(document['paths']) ? document['paths'] : {}
  // Some documents have the common prefix of all paths in the address of their server.
  const item = paths[place] ?? paths[place.replace(/^\/v1/, '')]
  const content = [verb.toLowerCase(), 'requestBody', 'content'].reduce<unknown>(
    (part, name) => (isSchemaPart(part) ? part[name] : undefined),
    item,
  )
  const [media] = isSchemaPart(content) ? Object.values(content) : []
  return isSchemaPart(media) ? media['schema'] : undefined
}
