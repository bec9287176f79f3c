import { describe, expect, test } from 'vitest'
import { platform } from '../../../support/platform/platform.ts'
import { addCallers } from '../../../support/platform/platform-callers.ts'

const section = 'behaviour/platform#media-types'
const jsonApi = 'application/vnd.api+json'
const organization = 'organizations/example-org'
const patch = JSON.stringify({ data: { attributes: { email: 'new@example.com' } } })
const refused = {
  errors: [
    {
      status: '415',
      title: 'invalid content type',
      detail: 'content-type must be application/vnd.api+json',
    },
  ],
}

/** Sends a request with exactly these headers. */
async function send(
  strict: boolean,
  method: string,
  payload: string | undefined,
  type: string | undefined,
) {
  const { app } = await platform({ options: { strictContentType: strict } })
  const path = method === 'POST' ? `${organization}/authentication-token` : organization
  return app.inject({
    method: method as 'POST',
    url: `/api/v2/${path}`,
    headers: {
      authorization: 'Bearer owner-token',
      ...(type === undefined ? {} : { 'content-type': type }),
    },
    ...(payload === undefined ? {} : { payload }),
  })
}

describe(`${section}: media types of requests`, () => {
  test.each([
    [jsonApi],
    [`${jsonApi}; charset=utf-8`],
    [`${jsonApi};charset=UTF-8`],
    ['APPLICATION/VND.API+JSON'],
  ])('%s is always accepted', async (type) => {
    expect((await send(true, 'PATCH', patch, type)).statusCode).toBe(200)
    expect((await send(false, 'PATCH', patch, type)).statusCode).toBe(200)
  })

  test.each([
    ['PATCH', patch, 200],
    ['POST', undefined, 201],
    ['POST', '', 201],
    ['DELETE', undefined, 204],
  ])('%s with the type and the body %j reaches the API', async (method, payload, status) => {
    expect((await send(true, method, payload, jsonApi)).statusCode).toBe(status)
    expect((await send(false, method, payload, jsonApi)).statusCode).toBe(status)
  })

  test.each([
    // Method, body, type, status if strict, status otherwise.
    ['PATCH', patch, 'application/json', 415, 200],
    ['PATCH', patch, 'application/json; charset=utf-8', 415, 200],
    ['PATCH', patch, 'text/plain', 415, 415],
    ['PATCH', patch, 'application/octet-stream', 415, 415],
    ['PATCH', patch, 'multipart/form-data', 415, 415],
    ['PATCH', patch, 'application/vnd.api', 415, 415],
    ['PATCH', patch, 'nonsense', 415, 415],
    ['PATCH', patch, undefined, 415, 415],
    ['POST', undefined, undefined, 415, 201],
    ['POST', undefined, 'application/json', 415, 201],
    ['POST', '', 'application/json', 415, 201],
    ['DELETE', undefined, undefined, 415, 204],
    ['DELETE', undefined, 'application/json', 415, 204],
  ])('%s %j as %s: %i if strict, otherwise %i', async (method, payload, type, strict, lenient) => {
    for (const [isStrict, status] of [
      [true, strict],
      [false, lenient],
    ] as const) {
      const reply = await send(isStrict, method, payload, type)
      expect(reply.statusCode).toBe(status)
      if (status === 415) expect(reply.json()).toEqual(refused)
    }
  })

  test('a request with a rejected type changes nothing', async () => {
    const { platform: api } = await platform({ options: { strictContentType: true } })
    await api.patch(organization, patch, { headers: { 'content-type': 'application/json' } })
    expect((await api.get(organization)).body.data.attributes.email).toBe('owner@example.com')
  })

  test('GET ignores the content type, and Accept is never checked', async () => {
    const { platform: api } = await platform({ options: { strictContentType: true } })
    for (const headers of [
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/json' },
      { accept: 'text/html' },
      { accept: 'application/xml;q=0.1' },
    ]) {
      const reply = await api.get(organization, { headers })
      expect([reply.status, reply.headers['content-type']]).toEqual([
        200,
        'application/vnd.api+json; charset=utf-8',
      ])
    }
  })
})

describe(`${section}: media types of replies`, () => {
  test('every body is JSON:API, including errors', async () => {
    const { platform: api } = await platform()
    for (const reply of [
      await api.get(organization),
      await api.get('organizations'),
      await api.get('nowhere'),
      await api.get(organization, { token: null }),
      await api.patch(organization, '{'),
      await api.post(`${organization}/authentication-token`),
    ]) {
      expect(reply.headers['content-type']).toBe('application/vnd.api+json; charset=utf-8')
      expect(Object.keys(reply.body)).toEqual([reply.status < 400 ? 'data' : 'errors'])
    }
  })

  test('204 has neither body nor type', async () => {
    const { platform: api, world } = await platform()
    addCallers(world)
    const reply = await api.delete(`${organization}/authentication-token`)
    expect([reply.status, reply.text, reply.headers['content-type']]).toEqual([204, '', undefined])
  })
})
