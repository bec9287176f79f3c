import { describe, expect, test } from 'vitest'
import { dr } from '../../../support/secrets/replication.ts'
import { servedSecrets, type TestSecrets } from '../../../support/secrets/secrets.ts'
import { addNamespace } from '../namespace-rows.ts'
import { error, multierrorReply, statusAndBody } from '../replies.ts'

const denied = multierrorReply(403, 'permission denied')
const refused = error(403, 'permission denied')

/** Operations that need a client token unless the cluster is a secondary. */
const guarded = [
  'primary/enable',
  'primary/demote',
  'primary/disable',
  'primary/secondary-token',
  'primary/revoke-secondary',
  'secondary/enable',
  'secondary/generate-public-key',
]
const open = ['secondary/promote', 'secondary/disable', 'secondary/update-primary']
const writes = [...guarded, ...open]

/** Returns a client with some capabilities on the paths of DR replication. */
async function clientWith({ secrets, as }: TestSecrets, capabilities: readonly string[]) {
  const policy = `path "${dr}/*" { capabilities = ${JSON.stringify(capabilities)} }`
  await secrets.post('sys/policies/acl/only', { policy })
  const created = await secrets.post('auth/token/create', {
    policies: ['only'],
    no_default_policy: true,
  })
  return as(created.body.auth.client_token)
}

/** Returns the status of the reply to a caller with these capabilities. */
async function statusWith(capabilities: readonly string[], path: string): Promise<unknown> {
  const server = await servedSecrets()
  if (path.startsWith('primary/') && path !== 'primary/enable') {
    await server.secrets.post(`${dr}/primary/enable`)
    await server.secrets.post(`${dr}/primary/secondary-token`, { id: 'known' })
  }
  const client = await clientWith(server, capabilities)
  const id = path.endsWith('revoke-secondary') ? 'known' : 'east'
  return statusAndBody(await client.post(`${dr}/${path}`, { id }))
}

describe('behaviour/secrets#api-authentication: who may call which operation', () => {
  test.each(guarded)('%s: no token, a bad one, one without capability', async (path) => {
    const server = await servedSecrets()
    const weak = await clientWith(server, ['read', 'create', 'list', 'patch', 'delete', 'sudo'])
    for (const token of [null, 'wrong']) {
      expect(statusAndBody(await server.secrets.post(`${dr}/${path}`, {}, { token }))).toEqual(
        refused,
      )
    }
    expect(statusAndBody(await weak.post(`${dr}/${path}`, {}))).toEqual(denied)
  })

  test('secondary-token needs sudo in addition to update', async () => {
    expect(await statusWith(['update'], 'primary/secondary-token')).toEqual(denied)
    expect(await statusWith(['sudo'], 'primary/secondary-token')).toEqual(denied)
    expect(await statusWith(['update', 'sudo'], 'primary/secondary-token')).toMatchObject({
      status: 200,
    })
  })

  test.each([
    ['primary/enable', 200],
    ['primary/demote', 200],
    ['primary/disable', 200],
    ['primary/revoke-secondary', 204],
    ['secondary/generate-public-key', 200],
  ] as const)('%s needs update and no more', async (path, status) => {
    expect(await statusWith(['update'], path)).toMatchObject({ status })
  })

  test('secondary/enable needs update and no more', async () => {
    expect(await statusWith(['update'], 'secondary/enable')).toEqual(
      error(400, 'token must be specified'),
    )
  })

  test.each(open)('%s asks for no client token', async (path) => {
    const { secrets } = await servedSecrets()
    for (const token of [null, 'wrong']) {
      expect(statusAndBody(await secrets.post(`${dr}/${path}`, {}, { token }))).toEqual(
        error(400, 'replication is not enabled as a DR secondary on this cluster'),
      )
    }
  })

  test.each(['replication/status', 'replication/dr/status'])('sys/%s does not', async (path) => {
    const { secrets } = await servedSecrets()
    for (const token of [null, 'wrong']) {
      expect((await secrets.get(`sys/${path}`, { token })).status).toBe(200)
    }
  })
})

describe('behaviour/secrets#namespace-header and Method not offered', () => {
  const everything = [
    ...writes.map((path) => ['POST', `${dr}/${path}`] as const),
    ['GET', `${dr}/status`] as const,
    ['GET', 'sys/replication/status'] as const,
  ]

  test.each(everything)('%s %s is unavailable in namespaces', async (method, path) => {
    const { secrets, world } = await servedSecrets()
    addNamespace(world, 'a/')
    const payload = method === 'POST' ? '{}' : undefined
    for (const request of [
      { path, headers: { 'x-secrets-namespace': 'a' } },
      { path: `a/${path}` },
    ]) {
      const reply = await secrets.request({ method, payload, ...request })
      expect(statusAndBody(reply)).toEqual(error(400, 'operation unavailable in namespaces'))
    }
    const known = await secrets.request({
      method,
      path,
      payload,
      headers: { 'x-secrets-namespace': 'root' },
    })
    expect(known.body.errors).not.toEqual(['operation unavailable in namespaces'])
  })

  const open = new Set(['secondary/promote', 'secondary/disable', 'secondary/update-primary'])

  test.each(writes)('GET and DELETE of %s are not offered', async (path) => {
    const { secrets } = await servedSecrets()
    for (const method of ['GET', 'DELETE']) {
      // Open paths return errors without the multierror text (behaviour/secrets#notation).
      const reply = open.has(path) ? error : multierrorReply
      expect(statusAndBody(await secrets.request({ method, path: `${dr}/${path}` }))).toEqual(
        reply(405, 'unsupported operation'),
      )
    }
  })

  test.each(['replication/status', 'replication/dr/status'])(
    'sys/%s is read only',
    async (path) => {
      const { secrets } = await servedSecrets()
      expect(statusAndBody(await secrets.post(`sys/${path}`))).toEqual(
        error(405, 'unsupported operation'),
      )
    },
  )
})

describe('behaviour/secrets#api-editions: enterprise edition only', () => {
  test.each([...writes.map((path) => ['POST', path] as const), ['GET', 'status'] as const])(
    '%s %s',
    async (method, path) => {
      const { secrets } = await servedSecrets({ secrets: { edition: 'community' } })
      const reply = await secrets.request({
        method,
        path: `${dr}/${path}`,
        payload: method === 'POST' ? '{}' : undefined,
      })
      expect(statusAndBody(reply)).toEqual(error(404, 'enterprise-only feature'))
    },
  )
})
