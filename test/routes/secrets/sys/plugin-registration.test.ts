import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, noContent, ok, statusAndBody } from '../replies.ts'

const at = 'sys/plugins/catalog'
const sha256 = 'ab'.repeat(32)
const own = { sha256, command: 'own' }

describe.each(['neutral', 'vendor'] as const)('behaviour/secrets#plugins, %s', (dialect) => {
  test('a registration is checked, and needs a directory', async () => {
    const { secrets } = await servedSecrets({ dialect })
    const cases = [
      [{}, 'missing SHA-256 value'],
      [{ sha256 }, 'missing command value'],
      [{ sha256: 'zz', command: 'c' }, 'Could not decode SHA-256 value from Hex'],
      [{ ...own, command: 'c d', args: 'e' }, 'must not specify args in command and args field'],
      [
        { ...own, version: 'zz' },
        'version "zz" is not a valid semantic version: Malformed version: zz',
      ],
      [
        { ...own, version: '1.0+builtin' },
        `version "v1.0.0+builtin" is not allowed because 'builtin' is a reserved metadata identifier`,
      ],
    ] as const
    for (const [body, text] of cases) {
      expect(statusAndBody(await secrets.post(`${at}/secret/own`, body))).toEqual(error(400, text))
    }
    expect(statusAndBody(await secrets.post(`${at}/secret/own`, own))).toEqual(
      multierrorReply(
        dialect === 'vendor' ? 500 : 400,
        'could not set plugin, plugin directory is not configured',
      ),
    )
  })

  test('without a kind, reading and deleting reply with a warning', async () => {
    const { secrets } = await servedSecrets({ dialect, secrets: { pluginDirectory: '/plugins' } })
    await secrets.post(`${at}/own`, own)
    for (const name of ['own', 'other/own']) {
      const read = await secrets.get(`${at}/${name}`)
      expect([read.status, read.body.data, read.body.warnings]).toEqual([
        200,
        null,
        [`Deprecated API endpoint, cannot read plugin information from catalog for "${name}"`],
      ])
      const deleted = await secrets.delete(`${at}/${name}`)
      expect([deleted.status, deleted.body.data, deleted.body.warnings]).toEqual([
        200,
        null,
        [`Deprecated API endpoint, cannot deregister plugin from catalog for "${name}"`],
      ])
    }
    expect((await secrets.get(`${at}/secret/own`)).body.data.name).toBe('own')
    expect(statusAndBody(await secrets.post(`${at}/other/own`, own))).toEqual(noContent)
    expect((await secrets.list(`${at}/secret`)).body.data.keys).toContain('other/own')
  })

  test('a built-in version is not deleted', async () => {
    const { secrets } = await servedSecrets({ dialect })
    for (const name of ['secret/kv', 'kv']) {
      const reply = await secrets.delete(`${at}/${name}`, { query: { version: '1.0+builtin' } })
      expect(statusAndBody(reply)).toEqual(error(400, 'version "v1.0.0+builtin" cannot be deleted'))
    }
  })

  test('the path of a kind can only be listed', async () => {
    const { secrets } = await servedSecrets({ dialect, secrets: { pluginDirectory: '/plugins' } })
    const replies = [
      await secrets.get(`${at}/auth`),
      await secrets.post(`${at}/auth`, own),
      await secrets.delete(`${at}/auth`),
    ]
    const unsupported = multierrorReply(405, 'unsupported operation')
    expect(replies.map(statusAndBody)).toEqual([unsupported, unsupported, unsupported])
  })

  test('a registered plug-in is listed, mounted and deleted', async () => {
    const { secrets } = await servedSecrets({
      dialect,
      secrets: { pluginDirectory: '/plugins' },
      document: { secrets: { plugins: [{ type: 'auth', name: 'door', ...own }] } },
    })
    const versioned = { sha_256: sha256, command: 'own --fast', version: '1.2' }
    expect(statusAndBody(await secrets.post(`${at}/secret/own`, own))).toEqual(noContent)
    expect(statusAndBody(await secrets.post(`${at}/secret/own`, versioned))).toEqual(noContent)
    const data = { name: 'own', args: [], builtin: false, command: 'own', sha256, version: '' }
    expect(statusAndBody(await secrets.get(`${at}/secret/own`))).toEqual(ok({ data }))
    const query = { version: 'v1.2.0' }
    expect((await secrets.get(`${at}/secret/own`, { query })).body.data).toEqual({
      ...data,
      args: ['--fast'],
      version: 'v1.2.0',
    })
    const { body } = await secrets.get(at)
    expect(body.data.secret.filter((name: string) => name === 'own')).toEqual(['own'])
    expect(body.data.detailed).toContainEqual({
      name: 'door',
      type: 'auth',
      version: '',
      builtin: false,
      sha256,
    })
    await secrets.post('sys/mounts/a', { type: 'own' })
    await secrets.post('sys/mounts/b', { type: 'plugin', plugin_name: 'own' })
    await secrets.post('sys/auth/door', { type: 'door' })
    for (const path of ['a/x', 'b/x', 'auth/door/x']) {
      expect(statusAndBody(await secrets.get(path))).toEqual(
        multierrorReply(404, 'unsupported path'),
      )
    }
    expect(statusAndBody(await secrets.delete(`${at}/secret/own`))).toEqual(noContent)
    expect(statusAndBody(await secrets.delete(`${at}/secret/own`))).toEqual(noContent)
    expect(statusAndBody(await secrets.get(`${at}/secret/own`))).toEqual(error(404))
    expect((await secrets.get(`${at}/secret/own`, { query })).status).toBe(200)
    expect((await secrets.delete(`${at}/secret/kv`)).status).toBe(204)
    expect((await secrets.get(`${at}/secret/kv`)).status).toBe(200)
  })

  // choice/secrets#plugin-kinds
  test('a registered database plug-in works like a built-in one', async () => {
    const { secrets } = await servedSecrets({ dialect, secrets: { pluginDirectory: '/plugins' } })
    await secrets.post(`${at}/own-database-plugin`, own)
    expect((await secrets.list(`${at}/database`)).body.data.keys).toContain('own-database-plugin')
    await secrets.post('sys/mounts/database', { type: 'database' })
    const config = {
      plugin_name: 'own-database-plugin',
      connection_url: 'x',
      verify_connection: false,
    }
    expect((await secrets.post('database/config/d', config)).status).toBeLessThan(300)
    const door = await secrets.post(`${at}/some-auth-thing`, own)
    expect(door.status).toBe(204)
    expect((await secrets.list(`${at}/auth`)).body.data.keys).toContain('some-auth-thing')
  })
})
