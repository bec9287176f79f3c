import { describe, expect, test } from 'vitest'
import { withConfiguration } from '../../support/platform/platform-runs.ts'
import {
  giveRights,
  resource,
  teamId,
  withWorkspace,
} from '../../support/platform/platform-workspaces.ts'

const organization = 'organizations/example-org'

describe('replies to repeated reads', () => {
  test('after each kind of write, repeated reads equal a fresh rendering byte for byte', async () => {
    const { api, id, runs, world, clock } = await withConfiguration({
      options: { planTime: '5m', stopTime: '90s' },
    })
    const run = await runs.create()
    const list = `${organization}/runs?include=plan,comments`
    const reads = [
      api.get.bind(api, `${organization}/workspaces/net`),
      api.get.bind(api, list),
      // Another origin, and another caller.
      api.get.bind(api, list, { headers: { host: 'other.test' } }),
      api.get.bind(api, list, { token: 'member-token' }),
    ]
    const readAll = async () => {
      const texts: string[] = []
      for (const read of reads) {
        const { status, text, headers } = await read()
        texts.push(`${status} ${headers['content-type']} ${headers['content-length']} ${text}`)
      }
      return texts
    }
    const before = world.snapshot()
    const writes: Readonly<Record<string, () => unknown>> = {
      nothing: () => {},
      'rights of a team': () => giveRights(api, 'read-workspaces'),
      description: () =>
        api.patch(`workspaces/${id}`, resource('workspaces', { description: 'new' })),
      variable: () =>
        api.post(`workspaces/${id}/vars`, resource('vars', { key: 'A', category: 'env' })),
      lock: () => api.post(`workspaces/${id}/actions/lock`, {}),
      'refused lock': () => api.post(`workspaces/${id}/actions/lock`, {}),
      unlock: () => api.post(`workspaces/${id}/actions/unlock`, {}),
      comment: () => api.post(`runs/${run}/comments`, resource('comments', { body: 'a' })),
      project: () => api.post(`${organization}/projects`, resource('projects', { name: 'p' })),
      'time of a transition': () => clock.advance(1_000),
      cancel: () => runs.act(run, 'cancel'),
      'time without a transition': () => clock.advance(20_000),
      'time of force-cancel': () => clock.advance(60_000),
      'another run': () => runs.create(),
      option: () => world.changeOptions({ platform: { runConcurrency: 1 } }),
      restore: () => world.restore(before),
    }
    let last = await readAll()
    const unchanged: string[] = []
    for (const [name, write] of Object.entries(writes)) {
      await write()
      const repeated = await readAll()
      expect(repeated[2]).toContain('http://other.test/')
      // A restore begins a new epoch, from which no reply is kept.
      world.restore(world.snapshot())
      expect({ name, replies: await readAll() }).toEqual({ name, replies: repeated })
      if (repeated.every((text, at) => text === last[at])) unchanged.push(name)
      last = repeated
    }
    expect(unchanged).toEqual([
      'nothing',
      'refused lock',
      'project',
      'time without a transition',
      'option',
    ])
  })

  test('a cached reply is sent only to callers who may read it at that time', async () => {
    const { api, admin, id, world, clock } = await withWorkspace()
    const { data: user } = (await api.get('account/details')).body
    const tokens = `users/${user.id}/authentication-tokens`
    const newToken = async (attributes: object) => {
      const { body } = await api.post(tokens, resource('authentication-tokens', attributes))
      return { id: body.data.id, token: body.data.attributes.token }
    }
    const expiring = await newToken({ 'expired-at': '2026-01-01T01:00:00.000Z' })
    const revoked = await newToken({})
    await giveRights(api, 'read-workspaces')
    const callers = [
      undefined,
      expiring.token,
      revoked.token,
      'member-token',
      'stranger-token',
      null,
    ]
    const statuses = async () => {
      const replies = []
      for (const token of callers) replies.push(await api.get(`workspaces/${id}`, { token }))
      return replies.map(({ status }) => status)
    }
    const [first, second] = [await statuses(), await statuses()]
    expect([first, second]).toEqual([first, [200, 200, 200, 200, 404, 401]])

    clock.advance(3_600_000)
    expect(await statuses()).toEqual([200, 401, 200, 200, 404, 401])
    await api.delete(`authentication-tokens/${revoked.id}`)
    expect(await statuses()).toEqual([200, 401, 401, 200, 404, 401])
    const withoutRights = resource('teams', { 'organization-access': { 'read-workspaces': false } })
    await api.patch(`teams/${await teamId(api)}`, withoutRights)
    expect(await statuses()).toEqual([200, 401, 401, 404, 404, 401])
    world.changeOptions({ platform: { enforceRateLimit: true } })
    const limit = 30
    for (let sent = 0; sent < limit; sent++) await api.get(`workspaces/${id}`)
    expect((await statuses())[0]).toBe(429)
    clock.advance(1_000)
    const disabled = resource('organizations', { 'is-disabled': true })
    expect((await admin.patch('admin/organizations/example-org', disabled)).status).toBe(200)
    expect(await statuses()).toEqual([404, 401, 401, 404, 404, 401])
  })

  test('a reply that depends on the time is rendered for each request', async () => {
    const { api, id, runs, clock } = await withConfiguration()
    await runs.create({ 'plan-only': true })
    const year = 365 * 24 * 60 * 60 * 1_000
    clock.advance(year - 1_000)
    const count = async () => {
      const { body } = await api.get(
        `workspaces/${id}/runs?filter%5Btimeframe%5D=year&filter%5Boperation%5D=plan_only`,
      )
      return body.data.length
    }
    expect(await count()).toBe(1)
    clock.advance(2_000)
    expect(await count()).toBe(0)
  })
})
