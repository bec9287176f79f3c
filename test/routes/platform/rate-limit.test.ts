import { describe, expect, test } from 'vitest'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { type PlatformClient, platform, testsOfModule } from '../../support/platform/platform.ts'
import { addCallers, extraTokens } from '../../support/platform/platform-callers.ts'
import type { Reply } from '../../support/secrets/secrets.ts'

const limited = {
  errors: [
    {
      status: '429',
      title: 'Too many requests',
      detail: "You have exceeded the API's rate limit.",
    },
  ],
}

function change(admin: PlatformClient, attributes: object) {
  return admin.patch('admin/general-settings', { data: { attributes } })
}

function headersOf({ headers }: Reply) {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => /^(x-ratelimit-|retry-after)/.test(name)),
  )
}

/** Sends as many requests as the limit allows, and one more. */
async function exceedLimit(api: PlatformClient, limit = 30): Promise<Reply> {
  for (let count = 0; count < limit; count += 1) {
    expect((await api.get('admin/general-settings')).status).not.toBe(429)
  }
  return api.get('admin/general-settings')
}

describe('behaviour/platform#rate-limit: rate limit headers', () => {
  test('every reply has the limit, the remaining requests and the end of the window', async () => {
    const { admin, clock } = await platform()
    expect(headersOf(await admin.get('admin/general-settings'))).toEqual({
      'x-ratelimit-limit': '30',
      'x-ratelimit-remaining': '29',
      'x-ratelimit-reset': '1.000',
    })
    clock.advance(588)
    expect(headersOf(await admin.get('nowhere'))).toEqual({
      'x-ratelimit-limit': '30',
      'x-ratelimit-remaining': '28',
      'x-ratelimit-reset': '0.412',
    })
    const refused = await change(admin, { 'api-rate-limit': 1 })
    expect([refused.status, headersOf(refused)['x-ratelimit-remaining']]).toEqual([422, '27'])
  })

  test('the window is one second of the world’s clock', async () => {
    const { admin, clock } = await platform()
    await admin.get('ping')
    clock.advance(999)
    const last = headersOf(await admin.get('ping'))
    expect([last['x-ratelimit-remaining'], last['x-ratelimit-reset']]).toEqual(['28', '0.001'])
    clock.advance(1)
    const first = headersOf(await admin.get('ping'))
    expect([first['x-ratelimit-remaining'], first['x-ratelimit-reset']]).toEqual(['29', '1.000'])
  })

  test('requests are counted per user, not per token, and per address without a token', async () => {
    const { admin, platform: owner, as, world } = await platform()
    addCallers(world)
    const remaining = async (api: PlatformClient, token?: string | null) =>
      headersOf(await api.get('ping', { token }))['x-ratelimit-remaining']
    expect(await remaining(admin)).toBe('29')
    expect(await remaining(admin)).toBe('28')
    expect(await remaining(owner)).toBe('29')
    expect(await remaining(as(extraTokens.ownersTeam))).toBe('29')
    expect(await remaining(owner, null)).toBe('29')
    expect(await remaining(owner, 'unknown')).toBe('28')
  })

  test('each world counts separately', async () => {
    const { admin, worlds } = await platform()
    worlds.create({ id: 'w', clock: { mode: 'frozen' } })
    await admin.get('ping')
    const other = await admin.get('/_world/w/api/v2/ping')
    expect(headersOf(other)['x-ratelimit-remaining']).toBe('29')
  })

  test('changes of the settings apply at once: a new limit, and no limit', async () => {
    const { admin } = await platform()
    await change(admin, { 'api-rate-limit': 50 })
    expect(headersOf(await admin.get('ping'))).toMatchObject({
      'x-ratelimit-limit': '50',
      'x-ratelimit-remaining': '48',
    })
    await change(admin, { 'api-rate-limiting-enabled': false })
    expect(headersOf(await admin.get('ping'))).toEqual({})
    await change(admin, { 'api-rate-limiting-enabled': true })
    expect(headersOf(await admin.get('ping'))['x-ratelimit-limit']).toBe('50')
  })
})

describe('behaviour/platform#rate-limit and behaviour/platform#differences: requests above the limit', () => {
  test('by default no request is rejected', async () => {
    const { admin } = await platform()
    const reply = await exceedLimit(admin)
    expect([reply.status, headersOf(reply)['x-ratelimit-remaining']]).toEqual([200, '0'])
  })

  test('with enforceRateLimit, requests above the limit are 429 until the window ends', async () => {
    const {
      admin,
      platform: owner,
      clock,
    } = await platform({ options: { enforceRateLimit: true } })
    clock.advance(250)
    const reply = await exceedLimit(admin)
    expect([reply.status, reply.body, headersOf(reply)]).toEqual([
      429,
      limited,
      {
        'x-ratelimit-limit': '30',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': '1.000',
        'retry-after': '1',
      },
    ])
    expect(reply.headers['content-type']).toBe('application/vnd.api+json; charset=utf-8')
    expect((await admin.get('ping')).status).toBe(429)
    // Other users have windows of their own.
    expect((await owner.get('admin/general-settings')).status).toBe(404)
    expect((await admin.get('ping', { token: null })).status).toBe(204)
    clock.advance(999)
    expect((await admin.get('admin/general-settings')).status).toBe(429)
    clock.advance(1)
    expect((await admin.get('admin/general-settings')).status).toBe(200)
  })

  test('the limit is checked after authentication, before the resource in the path (behaviour/platform#order-of-checks)', async () => {
    const { platform: owner } = await platform({ options: { enforceRateLimit: true } })
    for (let count = 0; count < 30; count += 1) await owner.get('ping')
    // The rate limit is checked before the administrative route is hidden with 404.
    expect((await owner.get('admin/general-settings')).status).toBe(429)
    expect((await owner.patch('admin/general-settings', '{')).status).toBe(429)
  })

  test('without a token the address counts, and a missing token is reported first', async () => {
    const { platform: api } = await platform({ options: { enforceRateLimit: true } })
    for (let count = 0; count < 30; count += 1) await api.get('ping', { token: null })
    expect((await api.get('ping', { token: null })).status).toBe(429)
    const vars = await api.get(`${testsOfModule}/vars`, { token: null })
    expect(vars.status).toBe(401)
    expect((await api.get('ping')).status).toBe(204)
  })

  test.each([
    ['api-rate-limit', { 'api-rate-limit': 31 }, 31, true],
    ['api-rate-limit as it was', { 'api-rate-limit': 30 }, 30, true],
    ['api-rate-limiting-enabled: true', { 'api-rate-limiting-enabled': true }, 30, true],
    ['something else', { 'default-remote-state-access': false }, 30, false],
    ['null', { 'api-rate-limit': null, 'api-rate-limiting-enabled': null }, 30, false],
    ['a limit that is refused', { 'api-rate-limit': 29 }, 30, false],
  ])(
    'the limit is enforced from the moment a client sets it: %s',
    async (_what, attributes, limit, enforced) => {
      const { admin, clock } = await platform()
      await change(admin, attributes)
      clock.advance(1000)
      const reply = await exceedLimit(admin, limit)
      expect([reply.status, reply.body?.errors]).toEqual(
        enforced ? [429, limited.errors] : [200, undefined],
      )
    },
  )

  test('a disabled limit is never enforced; once enabled again it is', async () => {
    const { admin, clock } = await platform({ options: { enforceRateLimit: true } })
    await change(admin, { 'api-rate-limiting-enabled': false })
    clock.advance(1000)
    const unlimited = await exceedLimit(admin)
    expect([unlimited.status, headersOf(unlimited)]).toEqual([200, {}])
    await change(admin, { 'api-rate-limiting-enabled': true })
    clock.advance(1000)
    expect((await exceedLimit(admin)).status).toBe(429)
  })

  test('a world that is rolled back no longer enforces a limit that was set later', async () => {
    const { admin, world, clock } = await platform()
    await change(admin, { 'api-rate-limit': 30 })
    world.reset()
    clock.advance(1000)
    expect((await exceedLimit(admin)).status).toBe(200)
  })

  test.each([
    ['reset', (world: World) => () => world.reset()],
    [
      'restored',
      (world: World) => {
        const snapshot = world.snapshot()
        return () => world.restore(snapshot)
      },
    ],
  ])(
    'a world that is %s restarts its counts, even if its clock stands still',
    async (_how, keep) => {
      const { admin, world } = await platform({ options: { enforceRateLimit: true } })
      const goBack = keep(world)
      expect((await exceedLimit(admin)).status).toBe(429)
      goBack()
      expect((await exceedLimit(admin)).status).toBe(429)
    },
  )
})
