import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'

const envelope = {
  request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  lease_id: '',
  renewable: false,
  lease_duration: 0,
  wrap_info: null,
  warnings: null,
  auth: null,
}

describe('behaviour/secrets#key-status: key-status, rotate, step-down', () => {
  // choice/secrets#no-encryption
  test('a rotation starts a new term; the keys of data are repeated at top level', async () => {
    const { secrets, clock } = await servedSecrets()
    const first = { term: 1, install_time: '2026-01-01T00:00:00Z', encryptions: 1 }
    const before = await secrets.get('sys/key-status')
    expect([before.status, before.body]).toEqual([200, { ...envelope, data: first, ...first }])

    clock.advance(2_500)
    const rotated = await secrets.post('sys/rotate')
    expect([rotated.status, rotated.text]).toEqual([204, ''])
    await secrets.post('secret/data/a', { data: {} })

    const second = { term: 2, install_time: '2026-01-01T00:00:02.5Z', encryptions: 2 }
    const after = await secrets.get('sys/key-status')
    expect([after.status, after.body]).toEqual([200, { ...envelope, data: second, ...second }])
  })

  // choice/secrets#step-down
  test('stepping down moves active_time', async () => {
    const { secrets, clock } = await servedSecrets()
    clock.advance(60_000)
    const reply = await secrets.put('sys/step-down')
    expect([reply.status, reply.text]).toEqual([204, ''])
    expect((await secrets.get('sys/leader')).body.active_time).toBe('2026-01-01T00:01:00Z')
  })

  test.each(['rotate', 'step-down', 'seal'])('%s needs sudo', async (path) => {
    const { secrets, as } = await servedSecrets()
    const policy = `path "sys/${path}" { capabilities = ["update"] }`
    await secrets.post('sys/policies/acl/half', { policy })
    await secrets.post('sys/policies/acl/full', { policy: policy.replace(']', ', "sudo"]') })
    const tokenWith = async (name: string): Promise<string> =>
      (await secrets.post('auth/token/create', { policies: [name] })).body.auth.client_token
    const half = await as(await tokenWith('half')).post(`sys/${path}`)
    expect([half.status, half.body]).toEqual([
      403,
      { errors: ['1 error occurred:\n\t* permission denied\n\n'] },
    ])
    expect((await as(await tokenWith('full')).post(`sys/${path}`)).status).toBe(204)
  })

  test.each(['key-status', 'seal', 'rotate', 'step-down'])('%s while sealed', async (path) => {
    const { secrets } = await servedSecrets({ secrets: { sealed: true } })
    const method = path === 'key-status' ? 'GET' : 'POST'
    const reply = await secrets.request({ method, path: `sys/${path}` })
    expect([reply.status, reply.body]).toEqual([503, { errors: ['Service is sealed'] }])
  })
})
