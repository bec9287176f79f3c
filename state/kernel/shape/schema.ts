import type { JsonSchema } from '../schema.ts'
import { type DialectName, wordInDialect } from './dialect.ts'
import type {
  Field,
  NumberShape,
  ScalarKind,
  Shape,
  StructShape,
  TextShape,
  UnionShape,
} from './kinds.ts'

/**
 * Form and dialect of the values that a schema describes. The form is `stored` for rows and
 * replies, `given` for documents and JSON bodies, and `sent` for values that Go decoders accept in
 * requests.
 */
interface SchemaOptions {
  readonly form: 'stored' | 'given' | 'sent'
  readonly dialect: DialectName
  readonly scalarSchemas?: ScalarSchemas | undefined
  /** True for state documents, where integers that a JSON parser would round are strings. */
  readonly isDocument?: true
}

/**
 * Schemas of the scalars that an API's decoder decodes in its own way, by kind (`scalarDecoders` of
 * its settings).
 */
export type ScalarSchemas = { readonly [Kind in ScalarKind]?: JsonSchema }

/** Returns the schema of complete values, as rows and replies contain them (`StoredOf`). */
export function storedSchema(shape: Shape, dialect: DialectName = 'neutral'): JsonSchema {
  return schemaOf(shape, { form: 'stored', dialect })
}

/** Returns the schema of stored values in the form that they have in state documents. */
export function documentSchema(shape: Shape): JsonSchema {
  return schemaOf(shape, { form: 'stored', dialect: 'neutral', isDocument: true })
}

/** Returns the schema of values in documents and JSON bodies (`InputOf`). */
export function inputSchema(
  shape: Shape,
  dialect: DialectName = 'neutral',
  scalarSchemas?: ScalarSchemas,
): JsonSchema {
  return schemaOf(shape, { form: 'given', dialect, scalarSchemas })
}

/** Returns the input schemas of an object's members, by name. */
export function inputMembers({ fields }: StructShape): Readonly<Record<string, JsonSchema>> {
  const options: SchemaOptions = { form: 'given', dialect: 'neutral' }
  const members = Object.entries(fields).map(([name, field]) => [name, fieldSchema(field, options)])
  return Object.fromEntries(members)
}

/**
 * Returns the schema of values of type `ParsedOf`. Decoders that follow Go's rules accept such
 * values in requests, and parsers, such as the parser of job files, return them.
 */
export function parsedSchema(
  shape: Shape,
  dialect: DialectName = 'neutral',
  scalarSchemas?: ScalarSchemas,
): JsonSchema {
  return schemaOf(shape, { form: 'sent', dialect, scalarSchemas })
}

function schemaOf(shape: Shape, options: SchemaOptions): JsonSchema {
  const schema = plainSchema(shape, options)
  const { description } = shape
  return description === undefined ? schema : { ...schema, description }
}

function plainSchema(shape: Shape, options: SchemaOptions): JsonSchema {
  const override = options.scalarSchemas?.[shape.kind as ScalarKind]
  if (override !== undefined) return override
  switch (shape.kind) {
    case 'text':
    case 'time':
      return { type: 'string', ...rulesOf(shape, textRules) }
    case 'bytes':
      return { type: ['string', 'null'] }
    case 'bool':
      return { type: 'boolean' }
    case 'float':
      return { type: 'number', ...rulesOf(shape, numberRules) }
    case 'int':
    case 'duration':
      return { ...integerSchema(shape, options), ...rulesOf(shape, numberRules) }
    case 'uint':
      return { ...integerSchema(shape, options), minimum: 0, ...rulesOf(shape, numberRules) }
    case 'word':
      return options.form === 'sent' ? { type: 'string' } : oneOf(valuesOf(shape, options) ?? [])
    case 'constant':
      return options.form === 'sent' ? {} : { const: shape.value }
    case 'list':
      return {
        type: shape.orNull ? ['array', 'null'] : 'array',
        items: schemaOf(shape.of, options),
        ...rulesOf(shape, listRules),
      }
    case 'map':
      return {
        type: shape.orNull ? ['object', 'null'] : 'object',
        additionalProperties: schemaOf(shape.of, options),
        ...namesSchema(shape.keys),
      }
    case 'nullable':
      return orNull(schemaOf(shape.to, options))
    case 'union':
      return unionSchema(shape, options)
    case 'any':
      return {}
    case 'struct':
      return structSchema(shape, options)
  }
}

function integerSchema({ isExact }: NumberShape, { isDocument }: SchemaOptions): JsonSchema {
  if (!isExact || !isDocument) return { type: 'integer' }
  return { type: ['integer', 'string'], pattern: '^-?[1-9][0-9]{15,19}$' }
}

const textRules = ['minLength', 'maxLength', 'pattern', 'format'] as const
const numberRules = ['minimum', 'exclusiveMinimum', 'maximum', 'format'] as const
const listRules = ['minItems', 'maxItems', 'uniqueItems'] as const

/** Returns the constraints of a shape that have the same name in JSON Schema. */
function rulesOf<const N extends string>(
  shape: { readonly [Name in N]?: unknown },
  names: readonly N[],
): JsonSchema {
  const rules: Record<string, unknown> = {}
  for (const name of names) if (shape[name] !== undefined) rules[name] = shape[name]
  return rules
}

function namesSchema(keys: TextShape | undefined): JsonSchema {
  const rules = keys === undefined ? {} : rulesOf(keys, textRules)
  return Object.keys(rules).length === 0 ? {} : { propertyNames: rules }
}

function oneOf(values: readonly unknown[]): JsonSchema {
  return values.length === 1 ? { const: values[0] } : { enum: values }
}

/** Returns a schema that also allows null. */
export function orNull(schema: JsonSchema): JsonSchema {
  const { const: value, enum: values, type, anyOf, ...rest } = schema
  if (value !== undefined) return { ...rest, enum: [value, null] }
  if (Array.isArray(values)) return { ...rest, enum: [...values, null] }
  if (type !== undefined) return { ...schema, type: [...new Set([type, 'null'].flat())] }
  if (Array.isArray(anyOf)) return { ...rest, anyOf: [{ type: 'null' }, ...anyOf] }
  return schema.oneOf === undefined ? schema : { anyOf: [{ type: 'null' }, schema] }
}

function unionSchema({ of, tag }: UnionShape, options: SchemaOptions): JsonSchema {
  const schemas = of.map((each) => schemaOf(each, options))
  if (tag !== undefined) {
    return {
      type: 'object',
      required: [tag],
      discriminator: { propertyName: tag },
      oneOf: schemas,
    }
  }
  const values = of.flatMap((each) => valuesOf(each, options) ?? [])
  if (values.length > 0 && of.every((each) => valuesOf(each, options))) return oneOf(values)
  // A single schema with a list of types reports a wrong value in one line; `anyOf` would report
  // one line per alternative.
  const isMixed = (['map', 'list'] as const).every(
    (kind) => of.filter((each) => each.kind === kind).length < 2,
  )
  if (of.length < 2 || !isMixed || !of.every(({ kind }) => simpleKinds.has(kind))) {
    return { anyOf: schemas }
  }
  const types = schemas.flatMap(({ type }) => type)
  return { ...Object.assign({}, ...schemas), type: types }
}

/** Returns all values of a word or constant; undefined for other shapes. */
function valuesOf(shape: Shape, { dialect }: SchemaOptions): readonly unknown[] | undefined {
  if (shape.kind === 'constant') return [shape.value]
  if (shape.kind !== 'word') return undefined
  return shape.words.map((word) => wordInDialect(shape, word, dialect))
}

const simpleKinds: ReadonlySet<Shape['kind']> = new Set([
  'text',
  'bool',
  'int',
  'uint',
  'float',
  'map',
  'list',
])

function structSchema(
  { fields, others, vendorSparse, isLenient }: StructShape,
  options: SchemaOptions,
): JsonSchema {
  // The vendor leaves out empty members, so no member is required.
  const isSparse = vendorSparse === true && options.dialect === 'vendor'
  const isOpen = isLenient === true && options.form === 'stored'
  const members = Object.entries(fields).filter(
    ([, { presence, isNeutralOnly }]) =>
      (options.form !== 'stored' || presence !== 'sent') &&
      !(isNeutralOnly && options.dialect === 'vendor'),
  )
  const memberName = (name: string, { vendor }: Field) =>
    options.dialect === 'vendor' ? (vendor ?? name) : name
  const required = members.filter(([, field]) => !isSparse && !isOpen && isRequired(field, options))
  return {
    type: 'object',
    ...(required.length > 0 && {
      required: required.map(([name, field]) => memberName(name, field)),
    }),
    additionalProperties: others === undefined ? isOpen : schemaOf(others, options),
    properties: Object.fromEntries(
      members.flatMap(([name, field]) => {
        const schema = fieldSchema(field, options)
        const aliases = options.form === 'sent' ? (field.aliases ?? []) : []
        return [memberName(name, field), ...aliases].map((each) => [each, schema])
      }),
    ),
  }
}

function isRequired(field: Field, { form }: SchemaOptions): boolean {
  if (field.presence === 'optional') return false
  return form !== 'given' || field.default === undefined
}

function fieldSchema(field: Field, options: SchemaOptions): JsonSchema {
  const { shape, description, default: value } = field
  const schema = schemaOf(shape, options)
  return {
    ...(options.form === 'sent' ? orNull(schema) : schema),
    ...(description !== undefined && { description }),
    ...(options.form === 'given' && value !== undefined && { default: value }),
  }
}
