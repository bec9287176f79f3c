import { describe, expect, onTestFinished, test } from 'vitest'
import { createUnderstudy, type Understudy } from '../../src/index.ts'

async function started() {
  const running = await createUnderstudy({ clock: 'frozen@2026-01-01T00:00:00Z', seed: 'test' })
  onTestFinished(() => running.close())
  return running
}

/** The explanation of the request that was made last. */
function last(running: Understudy) {
  const id = running.world().requests.find().at(-1)?.id ?? ''
  return running.world().explain(id)
}

const root = { 'x-secrets-token': 'root' }

describe('behaviour/program#explanations: what is no refusal of an API has an explanation, too', () => {
  test('what a fault did', async () => {
    const running = await started()
    running.world().faults.add({ id: 'late', action: { status: 503 } })
    await running.inject({ url: '/v1/secret/data/a', headers: root })
    expect(last(running)).toMatchObject({
      outcome: 'faulted',
      because: 'the fault late was applied.',
      decision: null,
    })
  })

  test('what was served has no rule', async () => {
    const running = await started()
    await running.inject('/v1/sys/health')
    expect(last(running)).toMatchObject({ outcome: 'served', rule: null, wouldPass: null })
    await running.inject({ url: '/v1/jobs' })
    expect(running.world().explain('r2').status).toBeGreaterThanOrEqual(200)
  })
})

describe('behaviour/secrets#api-health: health tells by its status what kind of node was asked', () => {
  test.each([
    ['standby', 429, 'the node is a standby, which health tells by 429.', '?standbyok=true'],
    [
      'performance-standby',
      473,
      'the node is a performance standby, which health tells by 473.',
      '?perfstandbyok=true',
    ],
    ['sealed', 503, 'the node is sealed, which health tells by 503.', '?sealedcode=200'],
  ] as const)('%s', async (state, status, because, query) => {
    const running = await started()
    if (state === 'sealed') running.world().faults.preset('secrets-sealed', {})
    else {
      const performance = state === 'performance-standby'
      running.world().faults.preset('secrets-standby', { performance })
    }
    await running.inject('/v1/sys/health')
    expect(last(running)).toMatchObject({
      status,
      outcome: 'served',
      rule: null,
      because,
      wouldPass: { request: { method: 'GET', path: `/v1/sys/health${query}` } },
    })
    const again = await running.inject(`/v1/sys/health${query}`)
    expect(again.statusCode).toBe(200)
    expect(last(running).because).toBe('readHealth answered with 200.')
  })

  test('an active one, too, where it was asked to', async () => {
    const running = await started()
    await running.inject('/v1/sys/health?activecode=429')
    expect(last(running)).toMatchObject({
      because: 'the node is active, which health tells by 429.',
      wouldPass: { request: { path: '/v1/sys/health?activecode=200' } },
    })
  })
})

describe('behaviour/program#explanations: who may not is told what his token has', () => {
  test('none at all', async () => {
    const running = await started()
    const made = await running.inject({
      method: 'POST',
      url: '/v1/auth/token/create',
      headers: root,
      payload: { policies: ['none'], no_default_policy: true },
    })
    const token = made.json().auth.client_token
    await running.inject({ url: '/v1/secret/data/a', headers: { 'x-secrets-token': token } })
    expect(last(running)).toMatchObject({ status: 403, outcome: 'refused' })
    expect(last(running).because).toContain('none')
  })

  test('a platform token that was deleted, and by which request', async () => {
    const running = await started()
    const headers = {
      authorization: 'Bearer owner-token',
      'content-type': 'application/vnd.api+json',
    }
    const who = await running.inject({ url: '/api/v2/account/details', headers })
    const user = who.json().data.id
    const made = await running.inject({
      method: 'POST',
      url: `/api/v2/users/${user}/authentication-tokens`,
      headers,
      payload: JSON.stringify({ data: { type: 'authentication-tokens', attributes: {} } }),
    })
    const { id, attributes } = made.json().data
    await running.inject({
      method: 'DELETE',
      url: `/api/v2/authentication-tokens/${id}`,
      headers: { authorization: headers.authorization },
    })
    await running.inject({
      url: '/api/v2/account/details',
      headers: { authorization: `Bearer ${attributes.token}` },
    })
    expect(last(running)).toMatchObject({ status: 401, rule: 'token-revoked' })
    expect(last(running).because).toContain('r3')
  })

  const attributes = { email: 'a@example.com' }

  test.each([
    [
      { type: 'x', attributes },
      'application/vnd.api+json',
      422,
      'type-wrong',
      'the type of "data" is "x"; it has to be "organizations".',
    ],
    [
      { type: 'organizations', attributes: 'x' },
      'application/vnd.api+json',
      422,
      'attributes-wrong',
      '"attributes" of "data" is no object.',
    ],
    [
      { type: 'organizations', attributes },
      'text/plain',
      415,
      'content-type-unknown',
      'the content type is text/plain; it has to be application/vnd.api+json.',
    ],
    [
      { type: 'organizations' },
      'application/vnd.api+json',
      200,
      null,
      'changeOrganization answered with 200.',
    ],
  ])('a document of the platform: %j as %s', async (data, type, status, rule, because) => {
    const running = await started()
    await running.inject({
      method: 'PATCH',
      url: '/api/v2/organizations/example-org',
      headers: { authorization: 'Bearer owner-token', 'content-type': type },
      payload: JSON.stringify({ data }),
    })
    expect(last(running)).toMatchObject({ status, rule, because })
  })
})
