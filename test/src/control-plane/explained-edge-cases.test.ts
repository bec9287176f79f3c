import { describe, expect, onTestFinished, test } from 'vitest'
import { createUnderstudy, type Understudy } from '../../../src/embedding/index.ts'

async function started() {
  const understudy = await createUnderstudy({ clock: 'frozen@2026-01-01T00:00:00Z', seed: 'test' })
  onTestFinished(() => understudy.close())
  return understudy
}

/** Returns the explanation of the last request. */
function last(understudy: Understudy) {
  const id = understudy.world().requests.find().at(-1)?.id ?? ''
  return understudy.world().explain(id)
}

const root = { 'x-secrets-token': 'root' }

describe('behaviour/program#explanations: requests that no API refused are also explained', () => {
  test('the effect of a fault is explained', async () => {
    const understudy = await started()
    understudy.world().faults.add({ id: 'late', action: { status: 503 } })
    await understudy.inject({ url: '/v1/secret/data/a', headers: root })
    expect(last(understudy)).toMatchObject({
      outcome: 'faulted',
      because: 'the fault late was applied.',
      decision: null,
    })
  })

  test('a served request has no rule', async () => {
    const understudy = await started()
    await understudy.inject('/v1/sys/health')
    expect(last(understudy)).toMatchObject({ outcome: 'served', rule: null, wouldPass: null })
    await understudy.inject({ url: '/v1/jobs' })
    expect(understudy.world().explain('r2').status).toBeGreaterThanOrEqual(200)
  })
})

describe('behaviour/secrets#api-health: health shows the kind of node by its status', () => {
  test.each([
    ['standby', 429, 'the node is a standby, which health reports as 429.', '?standbyok=true'],
    [
      'performance-standby',
      473,
      'the node is a performance standby, which health reports as 473.',
      '?perfstandbyok=true',
    ],
    ['sealed', 503, 'the node is sealed, which health reports as 503.', '?sealedcode=200'],
  ] as const)('%s', async (state, status, because, query) => {
    const understudy = await started()
    if (state === 'sealed') understudy.world().faults.preset('secrets-sealed', {})
    else {
      const performance = state === 'performance-standby'
      understudy.world().faults.preset('secrets-standby', { performance })
    }
    await understudy.inject('/v1/sys/health')
    expect(last(understudy)).toMatchObject({
      status,
      outcome: 'served',
      rule: null,
      because,
      wouldPass: { request: { method: 'GET', path: `/v1/sys/health${query}` } },
    })
    const again = await understudy.inject(`/v1/sys/health${query}`)
    expect(again.statusCode).toBe(200)
    expect(last(understudy).because).toBe('readHealth answered with 200.')
  })

  test('an active one, too, where it was asked to', async () => {
    const understudy = await started()
    await understudy.inject('/v1/sys/health?activecode=429')
    expect(last(understudy)).toMatchObject({
      because: 'the node is active, which health reports as 429.',
      wouldPass: { request: { path: '/v1/sys/health?activecode=200' } },
    })
  })
})

describe('behaviour/program#explanations: a caller without the right is shown the rights of the token', () => {
  test('a token whose policies do not exist has no rights to show', async () => {
    const understudy = await started()
    const created = await understudy.inject({
      method: 'POST',
      url: '/v1/auth/token/create',
      headers: root,
      payload: { policies: ['none'], no_default_policy: true },
    })
    const token = created.json().auth.client_token
    await understudy.inject({ url: '/v1/secret/data/a', headers: { 'x-secrets-token': token } })
    expect(last(understudy)).toMatchObject({ status: 403, outcome: 'refused' })
    expect(last(understudy).because).toContain('none')
  })

  test('a platform token that was deleted, and by which request', async () => {
    const understudy = await started()
    const headers = {
      authorization: 'Bearer owner-token',
      'content-type': 'application/vnd.api+json',
    }
    const who = await understudy.inject({ url: '/api/v2/account/details', headers })
    const user = who.json().data.id
    const created = await understudy.inject({
      method: 'POST',
      url: `/api/v2/users/${user}/authentication-tokens`,
      headers,
      payload: JSON.stringify({ data: { type: 'authentication-tokens', attributes: {} } }),
    })
    const { id, attributes } = created.json().data
    await understudy.inject({
      method: 'DELETE',
      url: `/api/v2/authentication-tokens/${id}`,
      headers: { authorization: headers.authorization },
    })
    await understudy.inject({
      url: '/api/v2/account/details',
      headers: { authorization: `Bearer ${attributes.token}` },
    })
    expect(last(understudy)).toMatchObject({ status: 401, rule: 'token-revoked' })
    expect(last(understudy).because).toContain('r3')
  })

  const attributes = { email: 'a@example.com' }

  test.each([
    [
      { type: 'x', attributes },
      'application/vnd.api+json',
      422,
      'type-wrong',
      'the type of "data" is "x"; it must be "organizations".',
    ],
    [
      { type: 'organizations', attributes: 'x' },
      'application/vnd.api+json',
      422,
      'attributes-wrong',
      '"attributes" of "data" is not an object.',
    ],
    [
      { type: 'organizations', attributes },
      'text/plain',
      415,
      'content-type-unknown',
      'the content type is text/plain; it must be application/vnd.api+json.',
    ],
    [
      { type: 'organizations' },
      'application/vnd.api+json',
      200,
      null,
      'changeOrganization answered with 200.',
    ],
  ])('a document of the platform: %j as %s', async (data, type, status, rule, because) => {
    const understudy = await started()
    await understudy.inject({
      method: 'PATCH',
      url: '/api/v2/organizations/example-org',
      headers: { authorization: 'Bearer owner-token', 'content-type': type },
      payload: JSON.stringify({ data }),
    })
    expect(last(understudy)).toMatchObject({ status, rule, because })
  })
})
