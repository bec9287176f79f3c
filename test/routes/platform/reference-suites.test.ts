import { describe, expect, test } from 'vitest'
import { platform } from '../../support/platform/platform.ts'
import { failure } from '../../support/platform/platform-errors.ts'

/** Options of the worlds in the vendor dialect (behaviour/platform#vendor-names). */
const options = {
  strictContentType: true,
  autoCreateTestRunOnUpload: false,
  cancelQueued: true,
  adminUnauthorized: true,
  storeHcl: true,
}

describe('behaviour/platform#client-suites: the suites of the reference client', () => {
  test('setup and teardown, in order, in the vendor dialect', async () => {
    const { admin, world } = await platform({ dialect: 'vendor', options })
    const sizes = () =>
      Object.fromEntries(Array.from(world.store.tables, ([name, { size }]) => [name, size]))
    const before = sizes()

    const ping = await admin.get('ping')
    expect([
      ping.status,
      ping.headers['tfp-api-version'],
      ping.headers['x-ratelimit-limit'],
    ]).toEqual([204, '2.6', '30'])

    const organization = await admin.post('organizations', {
      data: {
        type: 'organizations',
        attributes: {
          name: 'tst-4f1c',
          email: 'tst-4f1c@tfe.local',
          'cost-estimation-enabled': true,
          'stacks-enabled': false,
        },
      },
    })
    expect([organization.status, organization.body.data]).toMatchObject([
      201,
      { id: 'tst-4f1c', attributes: { 'cost-estimation-enabled': true } },
    ])

    const client = await admin.post('organizations/tst-4f1c/oauth-clients', {
      data: {
        type: 'oauth-clients',
        attributes: {
          'api-url': 'https://api.github.com',
          'http-url': 'https://github.com',
          'oauth-token-string': 'x',
          'service-provider': 'github',
        },
      },
    })
    expect(client.status).toBe(201)
    const [token] = client.body.data.relationships['oauth-tokens'].data

    const module = await admin.post('organizations/tst-4f1c/registry-modules/vcs', {
      data: {
        type: 'registry-modules',
        attributes: {
          'initial-version': '1.0.0',
          'test-config': { 'tests-enabled': true },
          'vcs-repo': {
            identifier: 'owner/terraform-random-demo',
            'display-identifier': 'owner/terraform-random-demo',
            'oauth-token-id': token.id,
            'organization-name': 'tst-4f1c',
            branch: 'main',
          },
        },
      },
    })
    expect([module.status, module.body.data]).toMatchObject([
      201,
      {
        attributes: {
          name: 'demo',
          provider: 'random',
          namespace: 'tst-4f1c',
          status: 'setup_complete',
          'registry-name': 'private',
          'version-statuses': [{ version: '1.0.0', status: 'ok', 'commit-sha': null }],
          'test-config': { 'tests-enabled': true },
        },
        relationships: { organization: { data: { id: 'tst-4f1c' } } },
      },
    ])

    const tests = 'organizations/tst-4f1c/tests/registry-modules/private/tst-4f1c/demo/random'
    expect((await admin.get(`${tests}/test-runs`)).body.data).toEqual([])
    expect((await admin.get(`${tests}/vars`)).body.data).toEqual([])

    const removed = await admin.post('registry-modules/actions/delete/tst-4f1c/demo')
    expect([removed.status, removed.text]).toEqual([204, ''])
    const disconnected = await admin.delete(`oauth-clients/${client.body.data.id}`)
    expect([disconnected.status, disconnected.text]).toEqual([204, ''])
    const stacks = await admin.get('organizations/tst-4f1c/stacks')
    expect([stacks.status, stacks.body]).toEqual([404, failure(404)])
    const deleted = await admin.delete('organizations/tst-4f1c')
    expect([deleted.status, deleted.text]).toEqual([204, ''])
    expect((await admin.get('organizations/tst-4f1c')).status).toBe(404)
    expect(sizes()).toEqual(before)
  })

  test('setup is rejected without the media type, even for requests without a body (behaviour/platform#media-types)', async () => {
    const { admin } = await platform({ dialect: 'vendor', options })
    const plain = { headers: { 'content-type': 'application/json' } }
    for (const reply of [
      await admin.post('organizations', { data: {} }, plain),
      await admin.delete('organizations/example-org', undefined, plain),
    ]) {
      expect(reply.status).toBe(415)
    }
    expect((await admin.get('organizations/example-org')).status).toBe(200)
  })
})

describe('behaviour/platform#vendor-names: service discovery', () => {
  test('the vendor dialect returns the addresses of the services, without a token', async () => {
    const { admin } = await platform({ dialect: 'vendor' })
    const reply = await admin.get('/.well-known/terraform.json', { token: null })
    expect([reply.status, reply.body]).toEqual([
      200,
      {
        'modules.v1': '/api/registry/v1/modules/',
        'providers.v1': '/api/registry/v1/providers/',
        'tfe.v2': '/api/v2/',
        'tfe.v2.1': '/api/v2/',
        'tfe.v2.2': '/api/v2/',
      },
    ])
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
  })

  test('the neutral dialect does not', async () => {
    const { admin } = await platform()
    expect((await admin.get('/.well-known/terraform.json')).status).toBe(404)
  })
})
