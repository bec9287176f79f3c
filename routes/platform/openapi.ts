import type { JsonSchema } from '../../state/kernel/schema.ts'
import { any } from '../../state/kernel/shape/kinds.ts'
import { described } from '../../state/kernel/shape/members.ts'
import { givenSchema } from '../../state/kernel/shape/schema.ts'
import { answeredSchema, type Described } from '../http/described.ts'
import type { DialectName } from '../http/dialect.ts'
import type { DescribedBody } from '../http/openapi.ts'
import { operationsDocument, type RestOperation } from '../http/openapi-operations.ts'
import { schemaInWords } from '../http/openapi-schema.ts'
import { parameters } from '../http/parameters.ts'
import { apiPrefix, outsideOperations } from './coverage.ts'
import { platformDialect } from './dialect.ts'
import { failureSchema, mediaType } from './json-api/resource.ts'
import type { Access, BodyForm } from './operation.ts'
import { platformOperations } from './operations.ts'

/** Parameters of lists (2-platform-decisions.md section 1.7). */
const paging = parameters({
  'page[number]': described(any, 'Which page; 1 unless given'),
  'page[size]': described(any, 'Items on a page; 20 unless given, at most 100'),
})

/** An operation of the API or of what stands outside it. */
interface DocumentedOperation extends RestOperation {
  readonly access: Access
  readonly form?: BodyForm | undefined
  readonly identifiers?: string
  /** Bytes go in or out. */
  readonly bytes?: boolean
}

/** The platform API, and what it has outside of it, as an OpenAPI document. */
export function platformDocument(name: DialectName, version: string): JsonSchema {
  const dialect = platformDialect(name)
  const words = {
    name: (neutral: string) => dialect.out('attribute', neutral),
    value: (neutral: string) => dialect.out('type', neutral),
  }
  const convert = (each: Described) => schemaInWords(answeredSchema(each, name), words)

  function formSchema({ attributes, type, ...rules }: BodyForm): JsonSchema {
    const { additionalProperties: _, ...sent } = givenSchema(attributes, name)
    const required = [
      ...(rules.typeRequired === true ? ['type'] : []),
      ...(rules.attributesRequired === true ? ['attributes'] : []),
    ]
    const data = {
      type: 'object',
      ...(required.length === 0 ? {} : { required }),
      properties: {
        ...(type === undefined ? {} : { type: { enum: [type, '', null] } }),
        attributes: sent,
        relationships: { type: 'object' },
      },
    }
    return schemaInWords(
      {
        type: 'object',
        ...(rules.dataOptional === true ? {} : { required: ['data'] }),
        properties: { data },
      },
      words,
    )
  }

  function bodyOf({
    form,
    identifiers,
    bytes,
    method,
  }: DocumentedOperation): DescribedBody | undefined {
    if (bytes === true && method === 'PUT') {
      return { schema: {}, required: true, mediaType: 'application/octet-stream' }
    }
    if (identifiers !== undefined) {
      const item = {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'string' }, type: { const: identifiers } },
      }
      const schema = {
        type: 'object',
        required: ['data'],
        properties: { data: { type: 'array', items: item } },
      }
      return { schema, required: true, mediaType }
    }
    return form && { schema: formSchema(form), required: form.dataOptional !== true, mediaType }
  }

  const operations: readonly DocumentedOperation[] = [
    ...platformOperations.map((each) => ({ ...each, path: apiPrefix + each.path })),
    ...outsideOperations(name),
  ]
  return operationsDocument(operations, {
    title: name === 'vendor' ? 'Terraform Enterprise API' : 'Infrastructure Platform API',
    version,
    basePath: '/',
    failure: { mediaType, schema: failureSchema },
    securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    manner: {
      mediaType: (_status, { bytes }) => (bytes === true ? 'application/octet-stream' : mediaType),
      convert,
      parameters: ({ id, query }) => (id.startsWith('list') && query === undefined ? [paging] : []),
      body: bodyOf,
      failures: ({ access, form, identifiers }) => [
        ...(access === 'caller' ? [401] : []),
        404,
        ...(form === undefined && identifiers === undefined ? [] : [415, 422]),
        429,
      ],
      isOpen: ({ access }) => access === 'anyone',
    },
  })
}
