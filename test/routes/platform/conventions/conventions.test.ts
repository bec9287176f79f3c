import { describe, expect, test } from 'vitest'
import { platform, testsOfModule } from '../../../support/platform/platform.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'

const teams = 'organizations/example-org/teams'

describe(`behaviour/platform#order-of-checks: order of checks`, () => {
  /**
   * Parts of requests, each of which causes one error. The tests combine them to show the order of
   * the checks.
   */
  const unknownPath = 'organizations/example-org/nowhere'
  const unknownThing = 'organizations/unknown/teams'
  const wrongType = { headers: { 'content-type': 'text/plain' } }

  test('an unknown path comes before a missing token', async () => {
    const { platform: api } = await platform()
    const reply = await api.post(unknownPath, '{', { token: null, ...wrongType })
    expect([reply.status, reply.body]).toEqual([404, failure(404)])
    expect(reply.headers['content-type']).toBe('application/vnd.api+json; charset=utf-8')
  })

  test('a missing token comes before an unknown resource', async () => {
    const { platform: api } = await platform()
    const reply = await api.post(unknownThing, '{', { token: null, ...wrongType })
    expect([reply.status, reply.body]).toEqual([401, failure(401)])
  })

  test('a missing token comes before the rate limit, which comes before an unknown resource', async () => {
    const { platform: api } = await platform({ options: { enforceRateLimit: true } })
    for (let request = 0; request < 30; request += 1) await api.get('account/details')
    const reply = await api.post(unknownThing, '{', wrongType)
    expect([reply.status, reply.body]).toEqual([
      429,
      {
        errors: [
          {
            status: '429',
            title: 'Too many requests',
            detail: "You have exceeded the API's rate limit.",
          },
        ],
      },
    ])
    expect((await api.post(unknownThing, '{', { token: 'bad', ...wrongType })).status).toBe(401)
  })

  test('an unknown resource comes before the content type', async () => {
    const { platform: api } = await platform()
    const reply = await api.post(unknownThing, '{', wrongType)
    expect([reply.status, reply.body]).toEqual([404, failure(404)])
  })

  test('the content type comes before the shape of the body', async () => {
    const { platform: api } = await platform()
    expect((await api.post(teams, '{', wrongType)).status).toBe(415)
  })

  test('the shape of the body comes before the rules of attributes', async () => {
    const { platform: api } = await platform()
    const reply = await api.post(teams, { data: { type: 'vars', attributes: { name: '' } } })
    expect([reply.status, reply.body]).toEqual([422, failure(422, 'type must be teams')])
  })

  test('types of attributes come before their other rules', async () => {
    const { platform: api } = await platform()
    const reply = await api.post(teams, { data: { attributes: { name: '', visibility: 1 } } })
    expect([reply.status, reply.body]).toEqual([
      422,
      invalid(['visibility', 'Visibility must be a string']),
    ])
  })

  test('rules of attributes come before rules of states', async () => {
    const { platform: api } = await platform()
    const run = (await api.post(`${testsOfModule}/test-runs`, { data: {} })).body.data
    const cancel = await api.post(`${testsOfModule}/test-runs/${run.id}/force-cancel`)
    expect([cancel.status, cancel.body]).toEqual([
      409,
      { errors: [{ status: '409', title: 'transition not allowed' }] },
    ])
    const create = { data: { attributes: { verbose: 1 } } }
    expect((await api.post(`${testsOfModule}/test-runs`, create)).status).toBe(422)
  })

  test.each([
    ['POST', 'ping'],
    ['PUT', 'organizations/example-org'],
    ['PATCH', 'organizations'],
    ['DELETE', 'organizations'],
    ['HEAD', 'account/details'],
    ['OPTIONS', 'organizations'],
    ['GET', ''],
  ])('a wrong method is 404, never 405: %s %s', async (method, path) => {
    const { platform: api } = await platform()
    const reply = await api.request(method, path)
    expect([reply.status, reply.text]).toEqual([404, JSON.stringify(failure(404))])
  })

  test('behaviour/platform#order-of-checks: repeated slashes count as one, served without a redirect', async () => {
    const { platform: api } = await platform()
    const defaults = await api.get(`${teams}?q=own//ers`)
    const doubled = await api.get('/api/v2//organizations/example-org///teams//?q=own//ers')
    expect([doubled.status, doubled.body]).toEqual([200, defaults.body])
  })

  test('a trailing slash never matters', async () => {
    const { platform: api } = await platform()
    const details = await api.get('account/details/')
    expect([details.status, details.body]).toEqual([200, (await api.get('account/details')).body])
    expect((await api.get('ping/', { token: null })).status).toBe(204)
    const made = await api.post(`${teams}/`, { data: { attributes: { name: 'ops' } } })
    expect(made.status).toBe(200)
    expect((await api.delete(`teams/${made.body.data.id}/`)).status).toBe(204)
    expect((await api.get(`${teams}/?q=owners`)).body.data).toHaveLength(1)
    expect((await api.get('nowhere/')).status).toBe(404)
  })
})

describe(`behaviour/platform#ping: ping`, () => {
  test('is 204 without a token or a body, and returns the rate limit', async () => {
    const { platform: api } = await platform()
    const reply = await api.get('ping', { token: null })
    expect([reply.status, reply.text]).toEqual([204, ''])
    expect(reply.headers).toMatchObject({
      'x-ratelimit-limit': '30',
      'x-ratelimit-remaining': '29',
      'x-ratelimit-reset': '1.000',
    })
    expect(reply.headers['content-type']).toBeUndefined()
    expect(reply.headers['tfp-api-version']).toBeUndefined()
    expect((await api.get('ping', { token: 'bad' })).status).toBe(204)
  })

  test('behaviour/platform#vendor-names: in the vendor dialect every response has version headers', async () => {
    const { platform: api } = await platform({ dialect: 'vendor' })
    for (const reply of [
      await api.get('ping', { token: null }),
      await api.get('nowhere'),
      await api.get('account/details', { token: null }),
      await api.get('account/details'),
    ]) {
      expect(reply.headers).toMatchObject({
        'tfp-api-version': '2.6',
        'tfp-appname': 'Terraform Enterprise',
        'x-tfe-version': expect.any(String),
        'x-tfe-current-version': expect.any(String),
      })
    }
  })
})
