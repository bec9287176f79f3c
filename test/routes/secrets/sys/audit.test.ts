import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, noContent, statusAndBody } from '../replies.ts'

const file = { type: 'file', options: { file_path: '/tmp/a.log' } }

describe.each(['neutral', 'vendor'] as const)(
  'behaviour/secrets#small-endpoints, %s: audit devices',
  (dialect) => {
    test('a device can be enabled, listed and disabled', async () => {
      const { secrets } = await servedSecrets({ dialect })
      const none = await secrets.get('sys/audit')
      expect([none.status, none.body.data]).toEqual([200, {}])
      expect(
        statusAndBody(await secrets.put('sys/audit/main', { ...file, description: 'd' })),
      ).toEqual(noContent)
      expect(
        statusAndBody(await secrets.post('sys/audit/a/b', { type: 'syslog', local: true })),
      ).toEqual(noContent)
      const { body } = await secrets.get('sys/audit')
      const devices = {
        'a/b/': { type: 'syslog', description: '', options: {}, local: true, path: 'a/b/' },
        'main/': { ...file, description: 'd', local: false, path: 'main/' },
      }
      expect(body.data).toEqual(devices)
      expect(body).toMatchObject(devices)
      for (const path of ['main', 'main', 'nowhere']) {
        expect(statusAndBody(await secrets.delete(`sys/audit/${path}`))).toEqual(noContent)
      }
      expect(Object.keys((await secrets.get('sys/audit')).body.data)).toEqual(['a/b/'])
    })

    test.each([
      ['x', { type: 'zz' }, 'unknown backend type: "zz"'],
      ['x', {}, 'unknown backend type: ""'],
      ['taken', { type: 'zz' }, 'path already in use'],
      ['taken/below', file, 'path already in use'],
      ['x', { type: 'file' }, 'file_path is required'],
      ['x', { type: 'file', options: { format: 'x' } }, 'file_path is required'],
      ['x', { type: 'socket' }, 'address is required'],
      ['x', { type: 'syslog', options: { format: 'x' } }, 'unknown format type "x"'],
    ])('POST sys/audit/%s %j is refused', async (path, body, text) => {
      const { secrets } = await servedSecrets({ dialect })
      await secrets.post('sys/audit/taken', file)
      expect(statusAndBody(await secrets.post(`sys/audit/${path}`, body))).toEqual(error(400, text))
    })

    test('the old option `path` and the format jsonx are accepted', async () => {
      const { secrets } = await servedSecrets({ dialect })
      const options = { path: '/tmp/a.log', format: 'jsonx' }
      expect(statusAndBody(await secrets.post('sys/audit/x', { type: 'file', options }))).toEqual(
        noContent,
      )
    })

    test('the operations need sudo', async () => {
      const { secrets, as } = await servedSecrets({ dialect })
      const policy = 'path "sys/audit*" { capabilities = ["read", "update", "delete"] }'
      await secrets.post('sys/policies/acl/audit', { policy })
      const created = await secrets.post('auth/token/create', { policies: ['audit'] })
      const client = as(created.body.auth.client_token)
      const denied = multierrorReply(403, 'permission denied')
      expect(statusAndBody(await client.get('sys/audit'))).toEqual(denied)
      expect(statusAndBody(await client.post('sys/audit/x', file))).toEqual(denied)
      expect(statusAndBody(await client.delete('sys/audit/x'))).toEqual(denied)
    })

    test('audit-hash returns the same hash for the same text and device', async () => {
      const { secrets } = await servedSecrets({ dialect })
      await secrets.post('sys/audit/a', file)
      await secrets.post('sys/audit/b', { type: 'syslog' })
      const hash = async (path: string, input: string) =>
        (await secrets.post(`sys/audit-hash/${path}`, { input })).body
      const one = await hash('a', 'x')
      expect(one.data.hash).toMatch(/^hmac-sha256:[0-9a-f]{64}$/)
      expect(one.hash).toBe(one.data.hash)
      expect((await hash('a', 'x')).hash).toBe(one.hash)
      expect((await hash('a', 'y')).hash).not.toBe(one.hash)
      expect((await hash('b', 'x')).hash).not.toBe(one.hash)
      expect(statusAndBody(await secrets.post('sys/audit-hash/p', {}))).toEqual(
        error(400, 'the "input" parameter is empty'),
      )
      expect(statusAndBody(await secrets.post('sys/audit-hash/p', { input: 'x' }))).toEqual(
        error(400, 'unknown audit backend "p/"'),
      )
    })

    test('names of request headers may have any form', async () => {
      const { secrets } = await servedSecrets({ dialect })
      const at = 'sys/config/auditing/request-headers'
      expect(statusAndBody(await secrets.post(`${at}/-a/b`, { hmac: true }))).toEqual(noContent)
      expect((await secrets.get(`${at}/-a/b`)).body.data).toEqual({ '-a/b': { hmac: true } })
    })

    test('request headers are stored in lower case, and returned as the path spells them', async () => {
      const { secrets } = await servedSecrets({ dialect })
      const at = 'sys/config/auditing/request-headers'
      const all = async () => (await secrets.get(at)).body
      expect((await all()).data).toEqual({ headers: {} })
      expect(statusAndBody(await secrets.post(`${at}/X-One`, { hmac: true }))).toEqual(noContent)
      expect(statusAndBody(await secrets.put(`${at}/x-two`))).toEqual(noContent)
      const headers = { 'x-one': { hmac: true }, 'x-two': { hmac: false } }
      expect((await all()).data).toEqual({ headers })
      expect((await all()).headers).toEqual(headers)
      expect((await secrets.get(`${at}/x-ONE`)).body.data).toEqual({ 'x-ONE': { hmac: true } })
      expect(statusAndBody(await secrets.delete(`${at}/X-one`))).toEqual(noContent)
      expect(statusAndBody(await secrets.get(`${at}/x-one`))).toEqual(
        error(400, 'Could not find header in config'),
      )
    })
  },
)
