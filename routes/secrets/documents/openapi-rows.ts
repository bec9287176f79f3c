import { goBooleanTexts } from '../../../state/go/booleans.ts'
import type { JsonSchema } from '../../../state/kernel/schema.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import { isShape, type ShapeOrSchema } from '../../http/declare/shape-or-schema.ts'
import type { OperationDescription } from '../../http/openapi/openapi.ts'
import { vendorField } from '../dialect/vendor-names.ts'
import { acceptedFieldSchema } from '../fields/accepted-schemas.ts'
import { type FieldInfo, fieldInfo } from '../fields/fields.ts'
import type { SecretsOperation, SecretsRoute, Verb } from '../operation.ts'
import { isParameter, segmentsOf } from './paths-below.ts'

/** The description of one method of a path. The description does not depend on the mount. */
export interface PathMethod extends Omit<OperationDescription, 'id' | 'tags' | 'security'> {
  /** Verb in operation ids. If a read is also a list, the verb is `read`. */
  readonly verb: Verb
  /** The operations that share the method. A GET can be both a read and a list. */
  readonly operations: readonly SecretsOperation[]
}

type Replies = OperationDescription['replies']

/** Settings on which the rendering of fields depends. */
interface FieldRendering {
  /** Returns the dialect's name of a declared field. */
  readonly fieldName: (neutral: string) => string
  /**
   * True if the schema describes all values that a field accepts; false if it describes only the
   * form in the reference's document.
   */
  readonly acceptsAllForms: boolean
}

/**
 * Describes the operations of a path. Schemas are compared by identity, so `convert` must return
 * the same schema for the same declared shape.
 */
export function describeRoute(
  route: SecretsRoute,
  convert: (described: ShapeOrSchema) => JsonSchema,
  rendering: FieldRendering,
): readonly PathMethod[] {
  const verb = (name: Verb) => route.operations.get(name)
  const [read, list, write] = [verb('read'), verb('list'), verb('write')]
  const [patch, remove] = [verb('patch'), verb('delete')]
  const pathParameterNames = new Set(
    segmentsOf(route.path)
      .filter(isParameter)
      .map((segment) => segment.slice(1)),
  )
  const fieldsOf = ({ fields }: SecretsOperation): [string, FieldInfo][] =>
    Object.entries(fields).flatMap(([name, field]) =>
      pathParameterNames.has(name) ? [] : [[name, fieldInfo(field)]],
    )
  const describe = (
    method: OperationDescription['method'],
    verb: Verb,
    operation: SecretsOperation,
    changes: Partial<PathMethod> = {},
  ): PathMethod => ({
    method,
    verb,
    summary: operation.summary,
    parameters: fieldsOf(operation).map(([name, field]) => queryParameter(name, field, rendering)),
    replies: repliesOf(operation, convert),
    operations: [operation],
    ...changes,
  })
  const withBody = (
    operation: SecretsOperation,
    mediaType = 'application/json',
  ): Partial<PathMethod> => ({
    parameters: [],
    body: bodyOf(
      fieldsOf(operation),
      operation.acceptsUnknownFields === true,
      mediaType,
      rendering,
    ),
  })
  const methods: PathMethod[] = []
  if (read !== undefined && list !== undefined) {
    const reading = describe('get', 'read', read)
    const listing = describe('get', 'list', list)
    const names = new Set(fieldsOf(read).map(([name]) => name))
    const listOnlyFields = fieldsOf(list).filter(([name]) => !names.has(name))
    methods.push({
      ...reading,
      description: `With \`list=true\`: ${listing.summary}`,
      parameters: [
        ...reading.parameters,
        ...listOnlyFields.map(([name, field]) => queryParameter(name, field, rendering)),
        listParameter(false, rendering),
      ],
      replies: mergeReplies(reading.replies, listing.replies),
      operations: [read, list],
    })
  } else if (read !== undefined) methods.push(describe('get', 'read', read))
  else if (list !== undefined) {
    const listing = describe('get', 'list', list)
    methods.push({
      ...listing,
      parameters: [...listing.parameters, listParameter(true, rendering)],
    })
  }
  if (write !== undefined) methods.push(describe('post', 'write', write, withBody(write)))
  if (patch !== undefined) {
    const mediaType = 'application/merge-patch+json'
    methods.push(describe('patch', 'patch', patch, withBody(patch, mediaType)))
  }
  if (remove !== undefined) methods.push(describe('delete', 'delete', remove))
  return methods
}

/** Returns the query parameter that turns a GET into a list (behaviour/secrets#api-lists). */
function listParameter(isListOnly: boolean, { acceptsAllForms }: FieldRendering): object {
  const acceptedTexts = acceptsAllForms ? goBooleanTexts(true) : ['true']
  return isListOnly
    ? {
        name: 'list',
        in: 'query',
        // A client can send the method LIST instead, so a document that describes all accepted
        // forms does not require the parameter.
        required: !acceptsAllForms,
        description: 'Must be `true`',
        schema: { type: 'string', enum: acceptedTexts },
      }
    : {
        name: 'list',
        in: 'query',
        description: 'Whether to list instead of read',
        schema: { type: 'string' },
      }
}

function queryParameter(name: string, field: FieldInfo, rendering: FieldRendering): object {
  const { fieldName } = rendering
  const { description, ...schema } = fieldSchema(field, rendering)
  return {
    name: fieldName(name),
    in: 'query',
    ...(field.required ? { required: true } : {}),
    description,
    schema,
    // In a query, a list is sent as comma-separated text.
    ...(field.shape.kind === 'list' ? { style: 'form', explode: false } : {}),
  }
}

function bodyOf(
  fields: readonly [string, FieldInfo][],
  acceptsUnknownFields: boolean,
  mediaType: string,
  rendering: FieldRendering,
): OperationDescription['body'] {
  const { fieldName, acceptsAllForms } = rendering
  if (fields.length === 0 && !acceptsUnknownFields) return undefined
  // A field with a vendor name may be sent under either name, so the schema requires neither name.
  const required = fields
    .filter(([name, field]) => field.required && !(acceptsAllForms && vendorField(name) !== name))
    .map(([name]) => fieldName(name))
  const properties = Object.fromEntries(
    fields.map(([name, field]) => [fieldName(name), fieldSchema(field, rendering)]),
  )
  return {
    schema: {
      type: 'object',
      ...(required.length > 0 ? { required } : {}),
      ...(fields.length > 0 ? { properties } : {}),
      ...(acceptsUnknownFields ? { additionalProperties: true } : {}),
    },
    required: required.length > 0,
    mediaType,
  }
}

function fieldSchema(
  { shape, description, default: defaultValue }: FieldInfo,
  { acceptsAllForms }: FieldRendering,
): JsonSchema {
  const annotations = {
    description,
    ...(defaultValue === undefined ? {} : { default: defaultValue }),
  }
  if (acceptsAllForms) return { ...annotations, ...acceptedFieldSchema(shape) }
  const { format, ...schema } = storedSchema(shape)
  if (shape.kind === 'int' && format !== undefined) {
    const seconds = { type: 'integer', format: 'seconds' }
    return { ...annotations, oneOf: [seconds, { type: 'string', format: 'duration' }] }
  }
  if (shape.kind === 'map' && shape.of.kind !== 'text') return { ...annotations, type: 'object' }
  return {
    ...annotations,
    ...schema,
    description,
    ...(format === 'lower' ? { format: 'lowercase' } : {}),
  }
}

function repliesOf(
  { reply, defaultReply }: SecretsOperation,
  convert: (described: ShapeOrSchema) => JsonSchema,
): Replies {
  const alternativeSchemas = (described: ShapeOrSchema | null) =>
    alternativesOf(described).map(convert)
  const replies = Object.entries(reply).map(
    ([status, schema]) => [status, alternativeSchemas(schema)] as const,
  )
  return new Map([
    ...replies,
    ...(defaultReply === undefined ? [] : [['default', alternativeSchemas(defaultReply)] as const]),
  ])
}

/**
 * Returns the alternatives of a reply, each of which can be a component; empty for a reply without
 * a body.
 */
function alternativesOf(described: ShapeOrSchema | null): readonly ShapeOrSchema[] {
  if (described === null) return []
  const isChoice = isShape(described) && described.kind === 'union'
  return isChoice && described.description === undefined ? described.of : [described]
}

/**
 * Merges the replies of two operations that share a method. A status has the bodies of both
 * operations.
 */
function mergeReplies(first: Replies, second: Replies): Replies {
  const replies = new Map(first)
  for (const [status, bodies] of second) {
    replies.set(status, [...new Set([...(replies.get(status) ?? []), ...bodies])])
  }
  return replies
}
