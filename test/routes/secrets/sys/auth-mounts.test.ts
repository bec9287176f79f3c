import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'

const entry = {
  type: 'cloud',
  description: '',
  accessor: expect.stringMatching(/^auth_cloud_[0-9a-f]{8}$/),
  config: {
    default_lease_ttl: 0,
    max_lease_ttl: 0,
    force_no_cache: false,
    token_type: 'default-service',
  },
  options: {},
  local: false,
  seal_wrap: false,
  external_entropy_access: false,
  uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
  plugin_version: '',
  running_plugin_version: 'v1.14.0+builtin',
  running_sha256: '',
  deprecation_status: 'supported',
}

describe('behaviour/secrets#mounts: sys/auth mirrors sys/mounts', () => {
  test('the methods are listed by path, without auth/', async () => {
    const { secrets } = await servedSecrets()
    const { status, body } = await secrets.get('sys/auth')
    expect(status).toBe(200)
    expect(Object.keys(body.data)).toEqual(['cloud/', 'token/'])
    expect(body.data['cloud/']).toEqual(entry)
    expect(body['cloud/']).toEqual(entry)
    expect((await secrets.get('sys/auth/cloud')).body.data).toEqual(entry)
  })

  test('a method is enabled, tuned and disabled', async () => {
    const { secrets } = await servedSecrets()
    const created = await secrets.post('sys/auth/second', { type: 'cloud', description: 'd' })
    expect([created.status, created.text]).toEqual([204, ''])
    const tuned = await secrets.post('sys/auth/second/tune', {
      default_lease_ttl: '10m',
      token_type: 'batch',
    })
    expect([tuned.status, tuned.text]).toEqual([204, ''])
    const settings = {
      description: 'd',
      default_lease_ttl: 600,
      max_lease_ttl: 2764800,
      force_no_cache: false,
      token_type: 'batch',
    }
    expect((await secrets.get('sys/auth/second/tune')).body.data).toEqual(settings)
    expect((await secrets.get('sys/mounts/auth/second/tune')).body.data).toEqual(settings)
    const gone = await secrets.delete('sys/auth/second')
    expect([gone.status, gone.text]).toEqual([204, ''])
    const absent = await secrets.get('sys/auth/second')
    expect([absent.status, absent.body]).toEqual([400, { errors: ['No auth engine at second/'] }])
    expect((await secrets.delete('sys/auth/second')).status).toBe(204)
  })

  test.each([
    ['POST', 'cloud', { type: 'cloud' }, 'path is already in use at cloud/'],
    ['POST', 'x', {}, 'backend type must be specified as a string'],
    ['POST', 'x', { type: 'saml' }, 'plugin not found in the catalog: saml'],
    ['POST', 'x', { type: 'token' }, 'token credential backend cannot be instantiated'],
    ['DELETE', 'token', undefined, 'token credential backend cannot be disabled'],
  ])('%s %s %j is refused', async (method, path, payload, message) => {
    const { secrets } = await servedSecrets()
    const reply = await secrets.request({ method, path: `sys/auth/${path}`, payload })
    expect([reply.status, reply.body]).toEqual([400, { errors: [message] }])
  })

  test.each([
    ['POST', 'sys/auth/x', { type: 'cloud' }],
    ['DELETE', 'sys/auth/cloud', undefined],
    ['POST', 'sys/auth/cloud/tune', { description: 'x' }],
  ])('%s %s needs sudo', async (method, path, payload) => {
    const { secrets, as } = await servedSecrets()
    const capabilities = '"create", "read", "update", "delete"'
    for (const [name, more] of [
      ['half', ''],
      ['full', ', "sudo"'],
    ] as const) {
      const policy = `path "sys/auth/*" { capabilities = [${capabilities}${more}] }`
      await secrets.post(`sys/policies/acl/${name}`, { policy })
      const { body } = await secrets.post('auth/token/create', { policies: [name] })
      const reply = await as(body.auth.client_token).request({ method, path, payload })
      expect([name, reply.status]).toEqual([name, more === '' ? 403 : 204])
    }
  })
})
