import type { JsonSchema } from '../../state/kernel/schema.ts'
import { any, type StructShape } from '../../state/kernel/shape/kinds.ts'
import { described } from '../../state/kernel/shape/members.ts'
import { inputSchema, orNull } from '../../state/kernel/shape/schema.ts'
import type { DialectName } from '../http/declare/dialect.ts'
import { parameters } from '../http/declare/parameters.ts'
import { replySchemaOf, type ShapeOrSchema } from '../http/declare/shape-or-schema.ts'
import { ignoredBody } from '../http/openapi/openapi.ts'
import { operationsDocument, type RestOperation } from '../http/openapi/openapi-operations.ts'
import { translateSchema } from '../http/openapi/openapi-schema.ts'
import { type OperationStatuses, statusesOf } from '../http/openapi/operation-statuses.ts'
import { outsideOperations } from './coverage.ts'
import { platformDialect } from './dialect.ts'
import { failureSchema, mediaType } from './json-api/resource.ts'
import { accessText, type BodyForm, type PlatformAccess } from './operation.ts'
import { operationsWithPaths } from './operations.ts'

/** Parameters of lists (behaviour/platform#pagination). */
const paging = parameters({
  'page[number]': described(any, 'Number of the page; 1 if left out'),
  'page[size]': described(any, 'Number of items on a page, at most 100; 20 if left out'),
})

/** An operation of the API, or a route outside it. */
interface DocumentedOperation extends RestOperation {
  readonly access: PlatformAccess
  readonly form?: BodyForm | undefined
  readonly identifiers?: string
  readonly identifiersNamed?: true
  readonly items?: StructShape
  /** True if bodies are raw bytes. */
  readonly bytes?: boolean
  /** True if bodies are plain JSON instead of JSON:API documents. */
  readonly plain?: boolean
}

/** Returns the OpenAPI document of the platform API and of the routes outside it. */
export function platformDocument(name: DialectName, version: string): JsonSchema {
  const dialect = platformDialect(name)
  const words = {
    name: (neutral: string) => dialect.toWire('attribute', neutral),
    value: (neutral: string) => dialect.toWire('type', neutral),
  }
  const convert = (each: ShapeOrSchema) => translateSchema(replySchemaOf(each, name), words)

  /**
   * Returns the schema of a body's attributes. Null counts as missing or blank, and unknown
   * attributes are ignored (behaviour/platform#coercion).
   */
  function attributesSchema({ attributes, attributesInDialect }: BodyForm) {
    const shape = attributesInDialect?.(dialect) ?? attributes
    const { fields } = shape
    const members = Object.keys(fields).map((each) => [each, orNull(memberSchema(shape, each))])
    return { type: 'object', properties: Object.fromEntries(members) }
  }

  function memberSchema({ fields }: BodyForm['attributes'], member: string): JsonSchema {
    const { shape = any, description } = fields[member] ?? {}
    return {
      ...inputSchema(shape, name),
      ...(description === undefined ? {} : { description }),
    }
  }

  function formSchema({ type, ...rules }: BodyForm): JsonSchema {
    const required = [
      ...(rules.typeRequired === true ? ['type'] : []),
      ...(rules.attributesRequired === true ? ['attributes'] : []),
    ]
    const attributes = attributesSchema(rules)
    const topLevel = Object.fromEntries(
      (rules.topLevel ?? []).map((member) => [member, attributes.properties[member]]),
    )
    const data = {
      type: 'object',
      ...(required.length === 0 ? {} : { required }),
      properties: {
        ...(type === undefined
          ? {}
          : { type: rules.typeRequired === true ? { const: type } : { enum: [type, '', null] } }),
        attributes,
        relationships: { type: 'object' },
      },
    }
    return translateSchema(
      {
        type: 'object',
        ...(rules.dataOptional === true ? {} : { required: ['data'] }),
        properties: { ...topLevel, data },
      },
      words,
    )
  }

  function bodyOf(operation: DocumentedOperation) {
    const { form, identifiers, identifiersNamed, items, bytes, method } = operation
    if (bytes === true && method === 'PUT') {
      return { schema: {}, required: true, mediaType: 'application/octet-stream' }
    }
    if (items !== undefined) return listBody(inputSchema(items))
    if (identifiers !== undefined) {
      return listBody({
        type: 'object',
        ...(identifiersNamed === true ? {} : { required: ['id'] }),
        properties: {
          id: { type: 'string' },
          type: { const: identifiers },
          ...(identifiersNamed === true ? { attributes: { type: 'object' } } : {}),
        },
      })
    }
    if (form !== undefined) {
      return { schema: formSchema(form), required: form.dataOptional !== true, mediaType }
    }
    return method === 'POST' || method === 'PATCH' ? ignoredBody : undefined
  }

  return operationsDocument(documentedOperations(name), {
    title: name === 'vendor' ? 'Terraform Enterprise API' : 'Infrastructure Platform API',
    version,
    basePath: '/',
    failure: { mediaType, schema: failureSchema },
    securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    style: {
      mediaType: (_status, { bytes, plain }) => {
        if (plain === true) return 'application/json'
        return bytes === true ? 'application/octet-stream' : mediaType
      },
      convert,
      parameters: ({ id, plain }) => (id.startsWith('list') && plain !== true ? [paging] : []),
      body: bodyOf,
      failures: commonFailures,
      access: ({ access }) => accessText(access),
      isOpen: ({ access }) => access === 'anyone',
    },
  })
}

/** Returns the statuses that the OpenAPI document has for each operation. */
export function platformOperationStatuses(name: DialectName): OperationStatuses {
  return statusesOf(documentedOperations(name), commonFailures)
}

function documentedOperations(name: DialectName): readonly DocumentedOperation[] {
  return [...operationsWithPaths(), ...outsideOperations(name)]
}

/** Returns a body whose `data` is a list. */
function listBody(items: JsonSchema) {
  const properties = { data: { type: 'array', items } }
  return { schema: { type: 'object', required: ['data'], properties }, required: true, mediaType }
}

/** Returns the failure statuses that an operation may have without declaring them. */
function commonFailures(operation: DocumentedOperation): readonly number[] {
  const { access, path, form, identifiers, items, method, bytes, plain } = operation
  return [
    ...(access === 'anyone' ? [] : [401]),
    ...(access === 'admin' || path.includes('/:') ? [404] : []),
    ...(method === 'GET' || bytes === true ? [] : [415]),
    ...((form ?? identifiers ?? items) === undefined ? [] : [422]),
    ...(plain === true ? [] : [429]),
  ]
}
