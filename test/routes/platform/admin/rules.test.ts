import { describe, expect, test } from 'vitest'
import { type PlatformClient, platform } from '../../../support/platform/platform.ts'
import { invalid } from '../../../support/platform/platform-errors.ts'

function patch(admin: PlatformClient, name: string, attributes: object) {
  return admin.patch(`admin/${name}-settings`, { data: { attributes } })
}

async function read(admin: PlatformClient, name: string) {
  return (await admin.get(`admin/${name}-settings`)).body.data.attributes
}

describe('behaviour/platform#settings: general settings', () => {
  test.each([
    [29, 'must be greater than or equal to 30'],
    [0, 'must be greater than or equal to 30'],
    [-1, 'must be greater than or equal to 30'],
    [30.5, 'must be an integer'],
  ])('an api-rate-limit of %d %s', async (limit, message) => {
    const { admin } = await platform()
    const reply = await patch(admin, 'general', { 'api-rate-limit': limit })
    const fault = invalid(['api-rate-limit', `Api rate limit ${message}`])
    expect([reply.status, reply.body]).toEqual([422, fault])
    expect((await read(admin, 'general'))['api-rate-limit']).toBe(30)
  })
})

describe('behaviour/platform#settings: cost estimation settings', () => {
  const refused = invalid(['enabled', 'Enabled requires at least one complete set of credentials'])
  const sets = [
    { 'cloud1-access-key-id': 'id', 'cloud1-secret-key': 'key' },
    { 'cloud2-credentials': 'not even JSON' },
    {
      'cloud3-client-id': 'id',
      'cloud3-client-secret': 'secret',
      'cloud3-subscription-id': 'subscription',
      'cloud3-tenant-id': 'tenant',
    },
  ]

  test.each(sets)(
    'complete: %j, returned by GET; each of them missing or blank is not',
    async (set) => {
      const { admin } = await platform()
      for (const missing of Object.keys(set)) {
        for (const blank of [{}, { [missing]: ' ' }, { [missing]: null }]) {
          const rest = Object.fromEntries(Object.entries(set).filter(([name]) => name !== missing))
          const reply = await patch(admin, 'cost-estimation', { enabled: true, ...rest, ...blank })
          expect([reply.status, reply.body]).toEqual([422, refused])
        }
      }
      expect((await read(admin, 'cost-estimation')).enabled).toBe(false)
      const reply = await patch(admin, 'cost-estimation', { enabled: true, ...set })
      expect([reply.status, reply.body.data.attributes]).toMatchObject([
        200,
        { enabled: true, ...set },
      ])
      expect(await read(admin, 'cost-estimation')).toMatchObject(set)
    },
  )

  test('each set of credentials is checked on the merged result, and sets do not mix', async () => {
    const { admin } = await platform()
    const halves = { 'cloud1-access-key-id': 'id', 'cloud3-client-id': 'id' }
    expect((await patch(admin, 'cost-estimation', halves)).status).toBe(200)
    const mixed = await patch(admin, 'cost-estimation', { enabled: true })
    expect([mixed.status, mixed.body]).toEqual([422, refused])
    const complete = await patch(admin, 'cost-estimation', {
      enabled: true,
      'cloud1-secret-key': 'key',
    })
    expect(complete.status).toBe(200)
    const less = await patch(admin, 'cost-estimation', { 'cloud1-secret-key': '' })
    expect([less.status, less.body]).toEqual([422, refused])
    const off = { enabled: false, 'cloud1-secret-key': '' }
    expect((await patch(admin, 'cost-estimation', off)).status).toBe(200)
  })
})

describe('behaviour/platform#settings: SMS settings', () => {
  const full = { 'account-sid': 'sid', 'auth-token': 'token', 'from-number': '+15550100' }
  const details = {
    'account-sid': "Account sid can't be blank",
    'auth-token': "Auth token can't be blank",
    'from-number': "From number can't be blank",
  }

  test('enabled requires all attributes', async () => {
    const { admin } = await platform()
    const none = await patch(admin, 'sms', { enabled: true })
    expect([none.status, none.body]).toEqual([422, invalid(...Object.entries(details))])
    for (const [name, detail] of Object.entries(details)) {
      for (const blank of ['', ' ', null]) {
        const reply = await patch(admin, 'sms', { enabled: true, ...full, [name]: blank })
        expect([reply.status, reply.body]).toEqual([422, invalid([name, detail])])
      }
    }
    expect(await read(admin, 'sms')).toEqual({
      enabled: false,
      'account-sid': null,
      'from-number': null,
    })
  })

  test('stored values count, even the token, which is never returned', async () => {
    const { admin } = await platform()
    await patch(admin, 'sms', full)
    const reply = await patch(admin, 'sms', { enabled: true })
    expect([reply.status, reply.body.data.attributes]).toEqual([
      200,
      { enabled: true, 'account-sid': 'sid', 'from-number': '+15550100' },
    ])
    const cleared = await patch(admin, 'sms', { 'auth-token': '' })
    expect([cleared.status, cleared.body]).toEqual([
      422,
      invalid(['auth-token', "Auth token can't be blank"]),
    ])
  })
})

describe('behaviour/platform#settings: customization settings', () => {
  test('texts with markup are stored unchanged, and blank ones are accepted', async () => {
    const { admin } = await platform()
    const markup = '<script>alert("&amp;")</script> *é* {{x}}\n'
    const values = {
      'support-email-address': 'no address at all',
      'login-help': markup,
      footer: markup,
      error: markup,
      'new-user': markup,
    }
    expect((await patch(admin, 'customization', values)).body.data.attributes).toEqual(values)
    const blank = Object.fromEntries(Object.keys(values).map((name) => [name, '']))
    expect((await patch(admin, 'customization', blank)).body.data.attributes).toEqual(blank)
  })
})
