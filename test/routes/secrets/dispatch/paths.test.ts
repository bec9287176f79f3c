import { describe, expect, test } from 'vitest'
import { type Reply, servedSecrets } from '../../../support/secrets/secrets.ts'
import { addNamespace } from '../namespace-rows.ts'
import { envelope, error, multierrorReply, statusAndBody } from '../replies.ts'

const unknownPath = multierrorReply(404, 'unsupported path')
const notOffered = multierrorReply(405, 'unsupported operation')
const dialects = ['neutral', 'vendor'] as const

describe('behaviour/secrets#refusals: paths are cleaned first', () => {
  const moved = ({ status, headers }: Pick<Reply, 'status' | 'headers'>) => [
    status,
    headers['location'],
  ]

  test.each(dialects)(
    '%s: 301 to the clean path with its query, before all else',
    async (dialect) => {
      const { app } = await servedSecrets({ dialect, secrets: { sealed: true } })
      const reply = await app.inject({ url: '/v1/kv//a/?b=1&c' })
      expect([reply.statusCode, reply.headers['location']]).toEqual([301, '/v1/kv/a/?b=1&c'])
      expect(reply.headers).toMatchObject({
        'cache-control': 'no-store',
        'content-type': 'text/html; charset=utf-8',
        'strict-transport-security': 'max-age=31536000; includeSubDomains',
      })
      expect(reply.body).toBe('<a href="/v1/kv/a/?b=1&amp;c">Moved Permanently</a>.\n\n')
    },
  )

  test('other verbs than GET and HEAD get no body', async () => {
    const { app, secrets } = await servedSecrets()
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      const reply = await app.inject({ method, url: '/v1/secret//data/a', payload: '{' })
      expect([reply.statusCode, reply.headers['location'], reply.body]).toEqual([
        301,
        '/v1/secret/data/a',
        '',
      ])
      expect(reply.headers).not.toHaveProperty('content-type')
    }
    expect(moved(await secrets.get('kv/a', { token: null }))).toEqual([403, undefined])
  })

  // choice/secrets#clean-path-status
  test.each(dialects)('%s: the option cleanPathStatus makes it 307', async (dialect) => {
    const { app } = await servedSecrets({ dialect, secrets: { cleanPathStatus: 307 } })
    const reply = await app.inject({ url: '/v1/kv//a' })
    expect([reply.statusCode, reply.headers['location']]).toEqual([307, '/v1/kv/a'])
    expect(reply.body).toBe('<a href="/v1/kv/a">Temporary Redirect</a>.\n\n')
  })

  test('the path of a world keeps its prefix', async () => {
    const { app } = await servedSecrets()
    const { statusCode, headers } = await app.inject({ url: '/_world/default/v1/kv//a?b=1' })
    expect([statusCode, headers['location']]).toEqual([301, '/_world/default/v1/kv/a?b=1'])
  })

  test('an unclean path in the namespace header names no namespace', async () => {
    const { secrets, world } = await servedSecrets()
    addNamespace(world, 'team/')
    for (const namespace of ['team//more', 'team/../team', '.', '..']) {
      const headers = { 'x-secrets-namespace': namespace }
      expect(statusAndBody(await secrets.get('kv/a', { headers }))).toEqual(
        error(404, 'namespace not found'),
      )
    }
  })
})

describe('behaviour/secrets#refusals: a closing slash is part of the path', () => {
  test.each([
    ['GET', 'sys/mounts/'],
    ['DELETE', 'sys/mounts/'],
    ['GET', 'sys/auth/'],
    ['GET', 'sys/key-status/'],
    ['GET', 'sys/health/'],
    ['GET', 'auth/token/lookup-self/'],
    ['GET', 'auth/token/roles/x/'],
    ['DELETE', 'orch/roles/x/'],
  ])('%s %s is an unknown path', async (method, path) => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.request({ method, path }))).toEqual(unknownPath)
  })

  test.each([
    'sys/policies/acl/',
    'sys/policies/password/',
    'auth/token/roles/',
    'orch/roles/',
    'sys/leases/lookup/',
  ])('GET %s: folders take LIST only', async (path) => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.get(path))).toEqual(notOffered)
  })

  test('the closing slash is cut where names may contain slashes', async () => {
    const { secrets } = await servedSecrets()
    for (const path of [
      'sys/policies/acl/default',
      'sys/policy/default',
      'sys/mounts/secret',
      'sys/auth/token',
    ]) {
      const { status, body } = await secrets.get(`${path}/`)
      const without = await secrets.get(path)
      expect([path, status, body]).toEqual([
        path,
        200,
        'request_id' in body ? { ...without.body, request_id: body.request_id } : without.body,
      ])
    }
  })

  test.each(['secret/data/a/', 'secret/metadata/a/'])('GET %s: nothing is there', async (path) => {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/data/a', { data: {} })
    expect(statusAndBody(await secrets.get(path))).toEqual(error(404))
  })

  test.each(['POST', 'PUT', 'PATCH'])('%s to such a path: 400, mounted or not', async (method) => {
    const { secrets } = await servedSecrets()
    const headers = { 'content-type': 'application/merge-patch+json' }
    for (const path of ['secret/data/x/', 'kv/x/', 'nothing/x/', 'sys/mounts/x/']) {
      expect(
        statusAndBody(await secrets.request({ method, path, payload: '{}', headers })),
      ).toEqual(error(400, "cannot write to a path ending in '/'"))
    }
  })
})

describe('behaviour/secrets#refusals: LIST of a path that is not a folder', () => {
  test.each(['sys/mounts', 'sys/auth', 'sys/key-status', 'auth/token/lookup-self', 'orch/config'])(
    '%s with a slash is an unknown path',
    async (path) => {
      const { secrets } = await servedSecrets()
      expect(statusAndBody(await secrets.list(path))).toEqual(unknownPath)
    },
  )

  test.each(['neutral', 'vendor'] as const)(
    '%s: a versioned engine has its own error',
    async (dialect) => {
      const { secrets } = await servedSecrets({ dialect })
      const cli = dialect === 'vendor' ? ['Vault', 'vault kv'] : ['Service', 'secrets kv']
      for (const [reply, command] of [
        [await secrets.list('secret/config'), 'list'],
        [await secrets.get('secret/config/'), 'get'],
      ] as const) {
        expect(statusAndBody(reply)).toEqual({
          status: 404,
          body: envelope({
            errors: [],
            warnings: [
              `Invalid path for a versioned K/V secrets engine. See the API docs for the appropriate API endpoints to use. If using the ${cli[0]} CLI, use '${cli[1]} ${command}' for this operation.`,
            ],
          }),
        })
      }
    },
  )
})

describe('behaviour/secrets#refusals: a mount named without its slash', () => {
  test.each(dialects)('%s: its engine answers for the empty path', async (dialect) => {
    const { secrets } = await servedSecrets({ dialect })
    const { status, body } = await secrets.get('secret')
    expect([status, body.warnings?.length, body.errors]).toEqual([404, 1, []])
    expect(statusAndBody(await secrets.get('auth/token'))).toEqual(unknownPath)
    const raised = dialect === 'vendor' ? 500 : 400
    expect(statusAndBody(await secrets.get('cubbyhole'))).toEqual(
      multierrorReply(raised, 'missing path'),
    )
    expect(statusAndBody(await secrets.post('cubbyhole', { a: 1 }))).toEqual(
      multierrorReply(raised, 'missing path'),
    )
    expect(statusAndBody(await secrets.post('cubbyhole/a', {}))).toEqual(
      multierrorReply(raised, 'missing data fields'),
    )
    expect(statusAndBody(await secrets.post('kv', { a: 1 }))).toEqual(error(400, 'missing path'))
    expect(statusAndBody(await secrets.get('kv'))).toEqual(error(404))
    expect(statusAndBody(await secrets.get('nothing'))).toEqual(
      error(404, 'no handler for route "nothing". route entry not found.'),
    )
  })
})

describe('behaviour/secrets#body-kinds: where the URL names a namespace', () => {
  test('data are not repeated, as they are with the header', async () => {
    const { secrets, world } = await servedSecrets()
    addNamespace(world, 'team/')
    const inPath = await secrets.get('team/sys/mounts')
    expect(inPath.status).toBe(200)
    expect(inPath.body).not.toHaveProperty('sys/')
    const headers = { 'x-secrets-namespace': 'team' }
    const byHeader = await secrets.get('sys/mounts', { headers })
    expect(byHeader.body['sys/']).toEqual(byHeader.body.data['sys/'])
  })
})
