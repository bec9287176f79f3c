import Fastify from 'fastify'
import { describe, expect, test } from 'vitest'
import { type RequestCheck, requestCheckOf } from '../../support/openapi/documented-requests.ts'

const document = {
  paths: {
    '/things/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      post: {
        operationId: 'changeThing',
        parameters: [
          { name: 'count', in: 'query', schema: { type: 'integer' } },
          { name: 'names', in: 'query', schema: { type: 'array' }, explode: false },
        ],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
        },
        responses: {},
      },
      delete: { operationId: 'deleteThing', responses: {} },
    },
  },
  components: {
    schemas: {
      Thing: {
        type: 'object',
        properties: { Name: { type: 'string' }, ttl: { type: 'string', format: 'duration' } },
        additionalProperties: false,
      },
    },
  },
}

/** Returns the differences between a request to an app and the document. */
async function faultsOf(check: RequestCheck, method: 'POST' | 'DELETE', url: string, body = '') {
  const app = Fastify()
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, sent, done) => done(null, sent))
  const id = method === 'POST' ? 'changeThing' : 'deleteThing'
  app.all('/*', async (request) => check(id, request))
  return (await app.inject({ method, url, payload: body })).json<string[]>()
}

describe('behaviour/program#declared-once: served requests match the document', () => {
  const check = requestCheckOf(document, {})

  test.each([
    ['/v1/things/a', '{}'],
    ['/things/a%2Fb?count=3', '{"Name":"n"}'],
    ['/things/?names=a,b&count=', '{"Name":"n"}'],
    ['/things/a', '{"ttl":"1h30m"}'],
    ['/things/a', '{"ttl":"90"}'],
  ])('%s with %s matches', async (url, body) => {
    expect(await faultsOf(check, 'POST', url, body)).toEqual([])
  })

  test.each([
    ['/other/a', '{}', 'the path is not /things/{id}'],
    ['/things/a?size=3', '{}', 'the query parameter size is unknown'],
    ['/things/a?count=x', '{}', 'count=x: data/value must be integer'],
    ['/things/a', '', 'the body is missing'],
    ['/things/a', '{"Name":1}', 'the body: data/Name must be string in {"Name":1}'],
    [
      '/things/a',
      '{"ttl":"1x"}',
      'the body: data/ttl must match format "duration" in {"ttl":"1x"}',
    ],
    ['/things/a', '{} x', 'the body is not one JSON value: {} x'],
  ])('%s with %s does not match: %s', async (url, body, fault) => {
    expect(await faultsOf(check, 'POST', url, body)).toEqual([fault])
  })

  test('a body does not match an operation without one', async () => {
    expect(await faultsOf(check, 'DELETE', '/things/a', '{}')).toEqual([
      'a body, where there is none: {}',
    ])
  })

  test('the letter case of members matters unless the API ignores it', async () => {
    const sent = '{"NAME":"n"}'
    expect(await faultsOf(check, 'POST', '/things/a', sent)).toHaveLength(1)
    const folding = requestCheckOf(document, { ignoresCase: true })
    expect(await faultsOf(folding, 'POST', '/things/a', sent)).toEqual([])
  })
})
