import { describe, expect, test } from 'vitest'
import { platform, testsOfModule } from '../../../support/platform/platform.ts'

const section = 'behaviour/platform#ids'
const organization = 'organizations/example-org'

/** Returns a pattern for prefix, hyphen and 16 characters without 0, O, I and l. */
const idWith = (prefix: string) => new RegExp(`^${prefix}-[1-9A-HJ-NP-Za-km-z]{16}$`)

describe(`${section}: ids`, () => {
  test('have their prefixes', async () => {
    const { platform: api, clock } = await platform()
    const account = (await api.get('account/details')).body.data
    const tokens = (await api.get(`users/${account.id}/authentication-tokens`)).body.data
    const [team] = (await api.get(`${organization}/teams`)).body.data
    const variable = await api.post(`${testsOfModule}/vars`, {
      data: { attributes: { key: 'a', category: 'env' } },
    })
    const version = await api.post(`${testsOfModule}/test-runs/configuration-versions`)
    const run = await api.post(`${testsOfModule}/test-runs`, { data: {} })
    const client = await api.post(`${organization}/oauth-clients`, {
      data: {
        attributes: {
          'service-provider': 'github',
          'http-url': 'https://h',
          'api-url': 'https://a',
        },
      },
    })
    const path = `${organization}/registry-modules/private/example-org/network/cloud1`
    const module = (
      await api.patch(path, { data: { attributes: { 'test-config': { 'tests-enabled': true } } } })
    ).body.data
    await api.post(`${organization}/registry-modules`, {
      data: { attributes: { name: 'data', provider: 'cloud1' } },
    })
    const moduleVersion = await api.post(
      `${organization}/registry-modules/private/example-org/data/cloud1/versions`,
      { data: { attributes: { version: '1.0.0' } } },
    )
    expect(clock.now()).toBeGreaterThan(0)
    const oauthToken = client.body.data.relationships['oauth-tokens'].data[0]
    const found = {
      user: account.id,
      at: tokens[0].id,
      team: team.id,
      var: variable.body.data.id,
      cv: version.body.data.id,
      trun: run.body.data.id,
      oc: client.body.data.id,
      ot: oauthToken.id,
      mod: module.id,
      tc: module.attributes['test-config'].id,
      modver: moduleVersion.body.data.id,
      org: (await api.get(organization)).body.data.attributes['external-id'],
    }
    for (const [prefix, id] of Object.entries(found)) expect(id).toMatch(idWith(prefix))
  })

  test('the id of an organization is its name', async () => {
    const { platform: api } = await platform()
    const { id, attributes } = (await api.get(organization)).body.data
    expect([id, attributes.name]).toEqual(['example-org', 'example-org'])
    expect((await api.get(`organizations/${attributes['external-id']}`)).status).toBe(404)
  })

  test.each([
    'users/%20',
    'users/user-0',
    'teams/',
    'teams/not an id',
    'authentication-tokens/0',
    'registry-modules/trun-1',
    `${testsOfModule}/vars/x`,
    `${testsOfModule}/test-runs/notreal`,
    'configuration-versions/constructor',
    'users/__proto__',
  ])('the form of an id is not checked, and unknown ones are 404: %s', async (path) => {
    const { admin } = await platform()
    expect((await admin.get(path)).status).toBe(404)
  })

  test('the same seed and the same requests give the same ids', async () => {
    const make = async () => {
      const { admin } = await platform()
      const reply = await admin.post('organizations', {
        data: { attributes: { name: 'acme', email: 'a@b' } },
      })
      return reply.text
    }
    expect(await make()).toBe(await make())
  })
})

describe(`${section}: timestamps`, () => {
  test('created-at and updated-at are UTC with milliseconds', async () => {
    const { admin, clock } = await platform()
    const create = async (name: string) => {
      const attributes = { name, email: 'a@b' }
      const reply = await admin.post('organizations', { data: { attributes } })
      return reply.body.data.attributes['created-at']
    }
    expect(await create('a')).toBe('2026-01-01T00:00:00.000Z')
    clock.advance(90_070)
    expect(await create('b')).toBe('2026-01-01T00:01:30.070Z')
  })

  test('status-timestamps are whole seconds with +00:00', async () => {
    const { platform: api, clock } = await platform()
    clock.advance(1_999)
    const reply = await api.post(`${testsOfModule}/test-runs`, { data: {} })
    expect(reply.body.data.attributes).toMatchObject({
      'status-timestamps': { 'queued-at': '2026-01-01T00:00:01+00:00' },
      'created-at': '2026-01-01T00:00:01.999Z',
      'updated-at': '2026-01-01T00:00:01.999Z',
    })
  })
})
