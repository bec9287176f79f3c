import { describe, expect, test } from 'vitest'
import { addNamespace } from '../../namespace-rows.ts'
import { error, multierrorReply, statusAndBody } from '../../replies.ts'
import { numbers, rekeying, started } from './rekey-server.ts'

const calls = [
  ['GET', 'init'],
  ['POST', 'init'],
  ['DELETE', 'init'],
  ['POST', 'update'],
  ['GET', 'verify'],
  ['POST', 'verify'],
  ['DELETE', 'verify'],
] as const
const backupCalls = [
  ['GET', 'backup'],
  ['DELETE', 'backup'],
] as const

const capabilityOf = { GET: 'read', POST: 'update', DELETE: 'delete' } as const

describe('behaviour/secrets#unauthenticated: access to rekeying', () => {
  test.each([...calls, ...backupCalls])('%s %s: neutral asks for a token', async (method, name) => {
    const { secrets } = await rekeying()
    const path = `sys/rekey/${name}`
    expect(statusAndBody(await secrets.request({ method, path, token: null }))).toEqual(
      error(403, 'permission denied'),
    )
  })

  test.each([...calls, ...backupCalls])(
    '%s %s: a token needs the capability of the operation',
    async (method, name) => {
      const { secrets, as } = await rekeying()
      const path = `sys/rekey/${name}`
      const tokenWith = async (capability: string) => {
        const policy = `path "${path}" { capabilities = ["${capability}"] }`
        await secrets.post(`sys/policies/acl/${capability}`, { policy })
        const created = await secrets.post('auth/token/create', { policies: [capability] })
        return as(created.body.auth.client_token)
      }
      const denied = multierrorReply(403, 'permission denied')
      const request = { method, path }
      expect(statusAndBody(await (await tokenWith('sudo')).request(request))).toEqual(denied)
      const reply = statusAndBody(await (await tokenWith(capabilityOf[method])).request(request))
      expect(reply.status).not.toBe(403)
    },
  )

  test.each(calls)('%s %s: the vendor does not', async (method, name) => {
    const { secrets } = await rekeying({ dialect: 'vendor' })
    const reply = await secrets.request({ method, path: `sys/rekey/${name}`, token: null })
    expect(reply.status).not.toBe(403)
  })

  test.each(calls)('%s %s: nor does it answer while sealed', async (method, name) => {
    const { secrets } = await rekeying({ dialect: 'vendor', secrets: { sealed: true } })
    const payload = method === 'POST' ? { key: 'ab'.repeat(33), ...numbers } : undefined
    const path = `sys/rekey/${name}`
    expect(statusAndBody(await secrets.request({ method, path, payload, token: null }))).toEqual(
      error(503, 'Vault is sealed'),
    )
  })

  test.each(backupCalls)('%s %s: even the vendor asks for a token', async (method, name) => {
    const { secrets } = await rekeying({ dialect: 'vendor' })
    const reply = await secrets.request({ method, path: `sys/rekey/${name}`, token: null })
    expect(reply.status).toBe(403)
  })
})

describe('behaviour/secrets#bare-endpoints: rekey among the conventions', () => {
  test.each([...calls, ...backupCalls])('%s %s: not in namespaces', async (method, name) => {
    const { secrets, world } = await rekeying()
    addNamespace(world, 'team/')
    const headers = { 'x-secrets-namespace': 'team' }
    expect(
      statusAndBody(await secrets.request({ method, path: `sys/rekey/${name}`, headers })),
    ).toEqual(error(400, 'operation unavailable in namespaces'))
  })

  test('PATCH of rekey/init is refused with 405', async () => {
    const { secrets } = await rekeying()
    expect(statusAndBody(await secrets.patch('sys/rekey/init', {}))).toEqual(error(405))
  })

  const anyVerbs = ['GET', 'DELETE', 'PATCH', 'POST', 'OPTIONS', 'TRACE', 'PROPFIND', 'SEARCH']

  test.each(
    anyVerbs.flatMap((method) => [
      [method, 'rekey/update'],
      [method, 'generate-root/update'],
    ]),
  )(
    '%s %s: any verb is a write, here without a body (behaviour/secrets#conventions)',
    async (method, name) => {
      const { secrets } = await rekeying()
      expect(statusAndBody(await secrets.request({ method, path: `sys/${name}` }))).toEqual(
        error(400, 'EOF'),
      )
    },
  )

  test.each(['OPTIONS', 'PROPFIND', 'QUERY'])(
    '%s update: with its body (behaviour/secrets#conventions)',
    async (method) => {
      const { secrets } = await rekeying()
      const payload = { key: 'zz' }
      expect(
        statusAndBody(await secrets.request({ method, path: 'sys/rekey/update', payload })),
      ).toEqual(error(400, "'key' must be a valid hex or base64 string"))
      const headers = { 'content-type': 'application/json' }
      const long = { method, path: 'sys/rekey/update?x=1', payload: ' '.repeat(33 << 20), headers }
      expect((await secrets.request(long)).status).toBe(413)
      expect(
        statusAndBody(await secrets.request({ method: 'PROPFIND', path: 'sys/rekey/init' })),
      ).toEqual(error(405))
    },
  )

  test('POST of rekey/backup is refused with 405', async () => {
    const { secrets } = await rekeying()
    expect(statusAndBody(await secrets.post('sys/rekey/backup'))).toEqual(
      multierrorReply(405, 'unsupported operation'),
    )
  })

  test('is also in the community edition', async () => {
    const { start } = await rekeying({ secrets: { edition: 'community' } })
    expect((await start()).body).toEqual(started)
  })
})
