import Fastify, { type FastifyRequest } from 'fastify'
import { describe, expect, expectTypeOf, onTestFinished, test } from 'vitest'
import {
  answer,
  noContent,
  type Operation,
  ok,
  operationFor,
} from '../../../routes/http/declare/operation.ts'
import { InputError } from '../../../routes/http/declare/validate.ts'
import {
  type RegisterOptions,
  readJsonBody,
  registerOperations,
} from '../../../routes/http/register.ts'
import { createRouter } from '../../../routes/http/router/router.ts'
import { parseJson } from '../../../state/json/json.ts'
import { Refusal } from '../../../state/kernel/refusal.ts'
import { any, int, map, text, word } from '../../../state/kernel/shape/kinds.ts'
import { optional, struct, withOthers } from '../../../state/kernel/shape/members.ts'
import { defer } from '../../../state/kernel/worlds/deferred.ts'

interface Context {
  readonly caller: string
}

const operation = operationFor<Context>()
const spec = 'test'

/** Returns an app with these operations that answers refusals with their message. */
async function appOf(
  operations: readonly Operation<Context>[],
  options: Partial<RegisterOptions<Context>> = {},
) {
  const app = Fastify({ exposeHeadRoutes: false })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
  app.setErrorHandler((error, _request, reply) => {
    if (!(error instanceof Refusal)) throw error
    reply.code(error.kind === 'invalid' ? 400 : 403).send({ kind: error.kind, text: error.message })
  })
  registerOperations(app, () => createRouter(operations, 'tree', ({ method }) => method), {
    context: (request) => ({ caller: String(request.headers['x-caller'] ?? 'nobody') }),
    ...options,
  })
  onTestFinished(() => app.close())
  await app.ready()
  return app
}

const echo = operation({
  id: 'echo',
  method: 'POST',
  path: '/things/:kind/*',
  summary: 'Echo.',
  spec,
  params: withOthers(struct({ kind: word('a', 'b') }), any),
  query: withOthers(struct({ n: optional(int) }), any),
  body: struct({ text }),
  reply: { 200: map(any) },
  run: ({ context, params, query, body }) => {
    expectTypeOf(params).toEqualTypeOf<{ readonly kind: string; readonly '*': string }>()
    expectTypeOf(query.n).toEqualTypeOf<number | undefined>()
    expectTypeOf(body.text).toEqualTypeOf<string>()
    return ok({ context, params, query, body })
  },
})

describe('behaviour/program#declared-once: an operation', () => {
  test('receives its context, path, query and body, validated and typed', async () => {
    const app = await appOf([echo])
    const response = await app.inject({
      method: 'POST',
      url: '/things/a/b/c%2Fd?n=3&m=4',
      headers: { 'x-caller': 'ada' },
      payload: '{"text": "x"}',
    })
    expect(response.statusCode).toBe(200)
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(response.json()).toEqual({
      context: { caller: 'ada' },
      params: { kind: 'a', '*': 'b/c/d' },
      query: { n: 3, m: '4' },
      body: { text: 'x' },
    })
  })

  test('does not run with invalid input; every mistake is named', async () => {
    const app = await appOf([echo])
    const response = await app.inject({
      method: 'POST',
      url: '/things/c/x?n=many',
      payload: '{"text": 5, "more": 1}',
    })
    expect(response.statusCode).toBe(400)
    expect(response.json()).toEqual({
      kind: 'invalid',
      text: [
        '/kind must be one of "a", "b"',
        'query parameter n must be integer',
        '/more is unknown',
        '/text must be string',
      ].join('; '),
    })
  })

  test('treats a missing body as an empty object', async () => {
    const app = await appOf([echo])
    const response = await app.inject({ method: 'POST', url: '/things/a/x' })
    expect(response.json()).toEqual({ kind: 'invalid', text: '/text is missing' })
  })

  test('is refused by its context before the input is validated', async () => {
    const app = await appOf([echo], {
      context: (_request, { id }) => {
        throw new Refusal('denied', `not allowed to ${id}`)
      },
    })
    const response = await app.inject({ method: 'POST', url: '/things/c/x', payload: '{' })
    expect(response.statusCode).toBe(403)
    expect(response.json()).toEqual({ kind: 'denied', text: 'not allowed to echo' })
  })

  test('answers with any status, headers, text or no body', async () => {
    let after = 0
    const common = { method: 'GET', summary: '', spec } as const
    const app = await appOf([
      operation({
        ...common,
        id: 'made',
        path: '/made',
        reply: { 201: { type: 'object' } },
        run: () =>
          answer(201, { n: 1 }, { headers: { location: '/x' }, afterSent: () => void after++ }),
      }),
      operation({
        ...common,
        id: 'text',
        path: '/text',
        reply: { 200: { type: 'string' } },
        run: () => defer(async () => 'plain', ok),
      }),
      operation({
        ...common,
        id: 'none',
        path: '/none',
        reply: { 204: null },
        run: () => noContent,
      }),
    ])
    const made = await app.inject('/made')
    expect([made.statusCode, made.headers['location'], made.body]).toEqual([201, '/x', '{"n":1}'])
    expect(after).toBe(1)
    const text = await app.inject('/text')
    expect([text.headers['content-type'], text.body]).toEqual([
      'text/plain; charset=utf-8',
      'plain',
    ])
    const none = await app.inject('/none')
    expect([none.statusCode, none.headers['content-type'], none.body]).toEqual([204, undefined, ''])
  })

  test('runs its callback after the answer though the connection stays open', async () => {
    let done = () => {}
    const after = new Promise<void>((resolve) => {
      done = resolve
    })
    const app = await appOf([
      operation({
        id: 'last',
        method: 'GET',
        path: '/last',
        summary: '',
        spec,
        reply: { 202: { type: 'object' } },
        run: () => answer(202, { n: 1 }, { afterSent: done }),
      }),
    ])
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    const response = await fetch(`${origin}/last`)
    expect([response.status, await response.json()]).toEqual([202, { n: 1 }])
    await expect(after).resolves.toBeUndefined()
  })

  test('cannot answer with an undeclared status', async () => {
    const sly = operation({
      id: 'sly',
      method: 'GET',
      path: '/sly',
      summary: '',
      spec,
      reply: { 204: null },
      // @ts-expect-error: the compiler sees that 200 is not among the replies
      run: () => ok({ hello: 'you' }),
    })
    expect(Object.keys(sly.reply)).toEqual(['204'])
  })

  test('answers HEAD like GET only if the API enables it', async () => {
    const hello = operation({
      id: 'hello',
      method: 'GET',
      path: '/hello',
      summary: '',
      spec,
      reply: { 200: { type: 'object' } },
      run: () => ok({ hello: 'you' }),
    })
    const [plain, heading] = [await appOf([hello]), await appOf([hello], { head: true })]
    const head = await heading.inject({ method: 'HEAD', url: '/hello' })
    // Node omits the body of a response to HEAD.
    expect([head.statusCode, head.headers['content-length']]).toEqual([200, '15'])
    expect((await plain.inject({ method: 'HEAD', url: '/hello' })).statusCode).toBe(404)
  })

  test('may parse its body by a function of its API', async () => {
    const app = await appOf([echo], {
      readBody: (request: FastifyRequest) => ({ text: `[${String(request.body)}]` }),
    })
    const response = await app.inject({ method: 'POST', url: '/things/a/x', payload: 'raw' })
    expect(response.json().body).toEqual({ text: '[raw]' })
  })
})

describe('behaviour/program#http: JSON bodies', () => {
  test('are parsed whatever the content type; empty ones count as missing', () => {
    expect(readJsonBody({ body: '{"a": [1]}' })).toEqual({ a: [1] })
    expect(readJsonBody({ body: 'null' })).toBeNull()
    for (const body of ['', ' \n', undefined]) expect(readJsonBody({ body })).toBeUndefined()
  })

  test('keep members called __proto__ and constructor as data', () => {
    const parsed = readJsonBody({ body: '{"__proto__": {"a": 1}, "constructor": 2}' })
    expect(Object.keys(parsed ?? {})).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype)
  })

  test('are refused if they are not JSON', () => {
    expect(() => readJsonBody({ body: '{"a": ' })).toThrow(InputError)
    expect(() => readJsonBody({ body: '{"a": ' })).toThrow(/^the body is not valid JSON: /)
  })

  test('can be parsed without loss of precision', () => {
    const body = '{"n": 12345678901234567890}'
    expect(String(Object.values(readJsonBody({ body }, parseJson) ?? {})[0])).toBe(
      '12345678901234567890',
    )
    expect(() => readJsonBody({ body: '[1,]' }, parseJson)).toThrow(
      "the body is not valid JSON: invalid character ']' looking for beginning of value",
    )
  })
})
