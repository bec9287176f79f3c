import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, noContent, statusAndBody } from '../replies.ts'

const engines = 'ad aws azure gcp mesh rabbitmq scheduler'.split(' ')
const methods = 'aws azure cf gcp kerberos radius'.split(' ')

describe('behaviour/secrets#mount-only', () => {
  test.each([
    ...engines.map((type) => ['sys/mounts', '', type] as const),
    ...methods.map((type) => ['sys/auth', 'auth/', type] as const),
  ])('%s: a mount below %j of type %s has no paths', async (table, prefix, type) => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.post(`${table}/x`, { type }))).toEqual(noContent)
    expect((await secrets.get(table)).body.data['x/']).toMatchObject({ type })
    expect((await secrets.post(`${table}/x/tune`, { default_lease_ttl: '1h' })).status).toBe(204)
    for (const path of ['config', 'role/a', 'login']) {
      const reply = await secrets.post(`${prefix}x/${path}`, {})
      expect(statusAndBody(reply)).toEqual(multierrorReply(404, 'unsupported path'))
    }
    const move = { from: `${prefix}x`, to: `${prefix}y` }
    expect((await secrets.post('sys/remount', move)).status).toBe(200)
    expect(statusAndBody(await secrets.delete(`${table}/y`))).toEqual(noContent)
    expect((await secrets.get(table)).body.data['y/']).toBeUndefined()
  })

  test.each([
    ['consul', 'mesh'],
    ['nomad', 'scheduler'],
  ])('the type %s of the vendor dialect is %s in the neutral dialect', async (vendor, neutral) => {
    for (const [dialect, name] of [
      ['vendor', vendor],
      ['neutral', neutral],
    ] as const) {
      const { secrets } = await servedSecrets({ dialect })
      await secrets.post('sys/mounts/x', { type: vendor })
      const { type, accessor } = (await secrets.get('sys/mounts')).body.data['x/']
      expect([type, accessor]).toEqual([name, expect.stringMatching(`^${name}_[0-9a-f]{8}$`)])
      expect((await secrets.get('sys/plugins/catalog')).body.data.secret).toContain(name)
    }
  })

  test('with mountOnly off, these types are unknown', async () => {
    for (const dialect of ['neutral', 'vendor'] as const) {
      const { secrets } = await servedSecrets({ dialect, secrets: { mountOnly: false } })
      const unknown = (type: string) => error(400, `plugin not found in the catalog: ${type}`)
      expect(statusAndBody(await secrets.post('sys/mounts/x', { type: 'aws' }))).toEqual(
        unknown('aws'),
      )
      expect(statusAndBody(await secrets.post('sys/mounts/x', { type: 'nomad' }))).toEqual(
        unknown(dialect === 'vendor' ? 'nomad' : 'scheduler'),
      )
      expect(statusAndBody(await secrets.post('sys/auth/x', { type: 'cf' }))).toEqual(unknown('cf'))
      expect((await secrets.get('sys/plugins/catalog')).body.data.auth).not.toContain('cf')
    }
  })
})
