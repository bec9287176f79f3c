import { describe, expect, test } from 'vitest'
import { platform } from '../../../support/platform/platform.ts'
import { addCallers, extraTokens } from '../../../support/platform/platform-callers.ts'
import { failure } from '../../../support/platform/platform-errors.ts'

/**
 * The table of behaviour/platform#api-settings: method, path, and attributes of a successful reply.
 */
const endpoints = [
  ['GET', 'general-settings', 'general'],
  ['PATCH', 'general-settings', 'general'],
  ['GET', 'cost-estimation-settings', 'cost-estimation'],
  ['PATCH', 'cost-estimation-settings', 'cost-estimation'],
  ['GET', 'saml-settings', 'saml'],
  ['PATCH', 'saml-settings', 'saml'],
  ['POST', 'saml-settings/actions/revoke-old-certificate', 'saml'],
  ['GET', 'smtp-settings', 'smtp'],
  ['PATCH', 'smtp-settings', 'smtp'],
  ['GET', 'sms-settings', 'sms'],
  ['PATCH', 'sms-settings', 'sms'],
  ['POST', 'sms-settings/verify', null],
  ['GET', 'customization-settings', 'customization'],
  ['PATCH', 'customization-settings', 'customization'],
] as const

const smsOn = { enabled: true, 'account-sid': 's', 'auth-token': 't', 'from-number': '+1' }

function bodyFor(method: string, path: string) {
  if (method === 'GET') return undefined
  return { data: { attributes: path.endsWith('verify') ? { 'test-number': '+2' } : {} } }
}

describe('behaviour/platform#api-settings', () => {
  test.each(endpoints)('%s /admin/%s is 200 for a site admin', async (method, path, id) => {
    const { admin } = await platform()
    await admin.patch('admin/sms-settings', { data: { attributes: smsOn } })
    const reply = await admin.request(method, `admin/${path}`, bodyFor(method, path))
    expect(reply.status).toBe(200)
    if (id === null) expect([reply.text, reply.headers['content-type']]).toEqual(['', undefined])
    else expect(reply.body.data).toMatchObject({ id, type: `${id}-settings` })
  })

  test('behaviour/platform#vendor-names: the vendor’s paths lead to the same settings', async () => {
    const { admin } = await platform()
    const changed = await admin.patch('admin/twilio-settings', { data: { attributes: smsOn } })
    expect(changed.body).toEqual((await admin.get('admin/sms-settings')).body)
    expect((await admin.get('admin/twilio-settings')).body).toEqual(changed.body)
    for (const method of ['POST', 'PATCH']) {
      const verify = bodyFor('POST', 'verify')
      const reply = await admin.request(method, 'admin/twilio-settings/verify', verify)
      expect([reply.status, reply.text]).toEqual([200, ''])
    }
  })
})

describe('behaviour/platform#api-authentication: all other callers get 404', () => {
  test.each([
    ['an owner', 'owner-token'],
    ['a member', 'member-token'],
    ['the owners team', extraTokens.ownersTeam],
    ['the organization', extraTokens.organization],
    ['a stranger', extraTokens.outsider],
    ['an expired token of a site admin', extraTokens.expired],
    ['an unknown token', 'unknown'],
    ['nobody', null],
  ])('%s', async (_who, token) => {
    const { admin, world } = await platform()
    addCallers(world)
    const before = world.store.sequence
    for (const [method, path] of endpoints) {
      const reply = await admin.request(method, `admin/${path}`, bodyFor(method, path), { token })
      expect([method, path, reply.status, reply.body]).toEqual([method, path, 404, failure(404)])
    }
    expect(world.store.sequence).toBe(before)
  })

  test('access is checked before content type and body (behaviour/platform#order-of-checks)', async () => {
    const { platform: owner } = await platform({ options: { strictContentType: true } })
    const headers = { 'content-type': 'text/plain' }
    const reply = await owner.patch('admin/general-settings', '{', { headers })
    expect([reply.status, reply.body]).toEqual([404, failure(404)])
  })

  test('behaviour/platform#differences, Vendor: invalid tokens are 401, valid ones without permission 404', async () => {
    const { admin } = await platform({ dialect: 'vendor', options: { adminUnauthorized: true } })
    for (const [token, status] of [
      [null, 401],
      ['unknown', 401],
      ['owner-token', 404],
    ] as const) {
      const reply = await admin.get('admin/general-settings', { token })
      expect([reply.status, reply.body]).toEqual([status, failure(status)])
    }
  })

  test('behaviour/platform#authentication: acceptAnyToken treats an unknown token as a site admin', async () => {
    const { admin } = await platform({ options: { acceptAnyToken: true } })
    const reply = await admin.get('admin/general-settings', { token: 'whatever' })
    expect(reply.status).toBe(200)
  })

  test.each([
    ['GET', 'nothing-settings'],
    ['POST', 'general-settings'],
    ['PUT', 'general-settings'],
    ['DELETE', 'general-settings'],
    ['POST', 'general-settings/actions/revoke-old-certificate'],
    ['GET', 'saml-settings/actions/revoke-old-certificate'],
    ['GET', 'sms-settings/verify'],
  ])('%s /admin/%s does not exist: 404', async (method, path) => {
    const { admin } = await platform()
    const reply = await admin.request(method, `admin/${path}`)
    expect([reply.status, reply.body]).toEqual([404, failure(404)])
  })
})
