import { expect, test } from 'vitest'
import { answer, noContent, ok, operationFor } from '../../../../routes/http/declare/operation.ts'
import { operationsDocument } from '../../../../routes/http/openapi/openapi-operations.ts'

const operation = operationFor<undefined>()
const thing = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' } },
} as const

const operations = [
  operation({
    id: 'getThing',
    method: 'GET',
    path: '/things/:id',
    summary: 'Get a thing.',
    spec: 'section 1',
    params: { type: 'object', properties: { id: { type: 'string', minLength: 3 } } },
    query: {
      type: 'object',
      required: ['page'],
      properties: { page: { type: 'integer' }, all: { type: 'boolean' } },
    },
    reply: { 200: thing },
    run: () => ok({ name: 'x' }),
  }),
  operation({
    id: 'putThing',
    method: 'PUT',
    path: '/things/:id',
    summary: 'Put a thing.',
    spec: 'section 2',
    body: thing,
    reply: { 204: null },
    run: () => noContent,
  }),
  operation({
    id: 'postFile',
    method: 'POST',
    path: '/files/*',
    summary: 'Post a file.',
    spec: 'section 3',
    body: { type: 'object' },
    reply: { 418: null },
    run: () => answer(418, undefined),
  }),
]

const failure = { mediaType: 'text/plain', schema: { type: 'string' } }
const id = { name: 'id', in: 'path', required: true }

test('behaviour/program#declared-once: operations as an OpenAPI 3.1 document', () => {
  const facts = { title: 'Things', version: '1', basePath: '/t', failure }
  expect(operationsDocument(operations, facts)).toEqual({
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    servers: [{ url: '/t' }],
    paths: {
      '/things/{id}': {
        get: {
          operationId: 'getThing',
          summary: 'Get a thing.',
          'x-spec': 'section 1',
          parameters: [
            { ...id, schema: { type: 'string', minLength: 3 } },
            { name: 'page', in: 'query', required: true, schema: { type: 'integer' } },
            { name: 'all', in: 'query', required: false, schema: { type: 'boolean' } },
          ],
          responses: {
            200: { description: 'Done.', content: { 'application/json': { schema: thing } } },
            default: { $ref: '#/components/responses/Failure' },
          },
        },
        put: {
          operationId: 'putThing',
          summary: 'Put a thing.',
          'x-spec': 'section 2',
          parameters: [{ ...id, schema: { type: 'string' } }],
          requestBody: { required: true, content: { 'application/json': { schema: thing } } },
          responses: {
            204: { description: 'Done; the reply has no content.' },
            default: { $ref: '#/components/responses/Failure' },
          },
        },
      },
      '/files/{rest}': {
        post: {
          operationId: 'postFile',
          summary: 'Post a file.',
          'x-spec': 'section 3',
          parameters: [{ name: 'rest', in: 'path', required: true, schema: { type: 'string' } }],
          requestBody: {
            required: false,
            content: { 'application/json': { schema: { type: 'object' } } },
          },
          responses: {
            418: { description: 'Not done.' },
            default: { $ref: '#/components/responses/Failure' },
          },
        },
      },
    },
    components: {
      schemas: { Failure: { type: 'string' } },
      responses: {
        Failure: {
          description: 'The request failed and changed nothing.',
          content: { 'text/plain': { schema: { $ref: '#/components/schemas/Failure' } } },
        },
      },
    },
  })
})

test('behaviour/program#control-plane: optional parts of a document', () => {
  const document = operationsDocument(operations, {
    title: 'Things',
    version: '1',
    description: 'About things.',
    basePath: '/t',
    failure,
    schemas: { Thing: thing },
    componentNames: new Map([[thing, 'Thing']]),
    securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
  })
  expect(document['info']).toEqual({ title: 'Things', version: '1', description: 'About things.' })
  const reference = {
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
  }
  expect(document['paths']).toMatchObject({
    '/things/{id}': { get: { responses: { 200: reference } }, put: { requestBody: reference } },
  })
  expect(document['security']).toEqual([{ token: [] }])
  expect(document['components']).toMatchObject({
    schemas: { Thing: thing, Failure: { type: 'string' } },
    securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
  })
})
