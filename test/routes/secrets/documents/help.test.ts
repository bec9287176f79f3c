import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { addNamespace } from '../namespace-rows.ts'
import { error, multierrorReply, statusAndBody } from '../replies.ts'

const query = { help: '1' }

describe('behaviour/secrets#api-help: the text of help', () => {
  // choice/secrets#help-text
  test('on a path: route, operations, parameters with types and defaults', async () => {
    const { secrets } = await servedSecrets()
    const { status, body } = await secrets.get('secret/data/app/db', { query })
    expect([status, Object.keys(body), body.see_also]).toEqual([
      200,
      ['help', 'see_also', 'openapi'],
      null,
    ])
    expect(body.help).toBe(`Request:        data/app/db
Matching Route: data/{path}

## DESCRIPTION

    GET: Read one version of a secret.
    POST, PUT: Write a new version of a secret.
    PATCH: Write a new version made of the current one and a merge patch.
    DELETE: Delete the latest version; its data can be restored.

Specified in behaviour/secrets#api-kv2.

## PARAMETERS

    path (string, in the path)
        The rest of the path; it may hold slashes

    version (integer, default 0)
        Version to read; 0 means the latest (GET)

    options (map)
        Options; cas is the required current version (POST, PUT, PATCH)

    data (map, required)
        The secret, or a JSON merge patch of the secret (POST, PUT, PATCH)
`)
  })

  test('on a path that takes any keys', async () => {
    const { secrets } = await servedSecrets()
    expect((await secrets.get('kv/a', { query })).body.help).toBe(`Request:        a
Matching Route: {path}

## DESCRIPTION

    GET: Read a secret.
    LIST: List the names in a folder.
    POST, PUT: Replace a secret with any pairs of keys and values.
    DELETE: Delete a secret.

Specified in behaviour/secrets#api-kv1.

## PARAMETERS

    path (string, in the path)
        The rest of the path; it may hold slashes

    * (any)
        Any further keys (POST, PUT)
`)
  })

  test('on a path with names, lists and maps, and on one with durations', async () => {
    const { secrets } = await servedSecrets()
    const { help } = (await secrets.get('auth/token/create/ci', { query })).body
    const lines: string[] = help.split('\n')
    expect(lines.filter((line) => /^ {4}(role_name|ttl|policies|meta) /.test(line))).toEqual([
      '    role_name (string, in the path)',
      '    policies (list of strings)',
      '    meta (map of strings)',
      '    ttl (string)',
    ])
    const renewal = (await secrets.get('auth/token/renew', { query })).body.help
    expect(renewal.split('\n')).toContain('    increment (duration)')
  })

  test('on a path with others below it', async () => {
    const { secrets } = await servedSecrets()
    expect((await secrets.get('auth/token/roles', { query })).body.help).toBe(`Request:        roles
Matching Route: roles

## DESCRIPTION

    LIST: List the names of the token roles.

Specified in behaviour/secrets#tokens.

## PATHS

The help of each path describes the path.

    {name}
        GET: Read a token role.
        POST, PUT: Create or change a token role.
        DELETE: Delete a token role.
`)
  })

  // choice/secrets#help-text
  test.each(['cubbyhole', 'cubbyhole/'])('on the root of a mount: %s', async (path) => {
    const { secrets } = await servedSecrets()
    expect((await secrets.get(path, { query })).body.help).toBe(`## DESCRIPTION

per-token private secret storage

## PATHS

The help of each path describes the path.

    {path}
        GET: Read an entry of the caller's cubbyhole.
        LIST: List the names in a folder of the caller's cubbyhole.
        POST, PUT: Replace an entry of the caller's cubbyhole with any pairs of keys and values.
        DELETE: Delete an entry of the caller's cubbyhole.
`)
  })

  test('on the root of a mount without a description', async () => {
    const { secrets } = await servedSecrets()
    const { help } = (await secrets.get('kv', { query })).body
    expect(help.split('\n').slice(0, 3)).toEqual(['## DESCRIPTION', '', 'Engine of the type kv.'])
  })

  // choice/secrets#help-places
  test('help on a path above mounts lists the mounts below it', async () => {
    const { secrets } = await servedSecrets()
    expect((await secrets.get('auth', { query })).body.help).toBe(`## PATHS

These engines and methods are mounted here.

    auth/cloud/
        cloud

    auth/token/
        token based credentials (token)
`)
  })
})

describe('behaviour/secrets#help: where there is any', () => {
  // choice/secrets#help-places
  test.each([
    ['sys/policies', '/acl'],
    ['secret/metadata', '/{path}'],
    ['sys/leases/lookup', '/'],
  ])('%s, which declares nothing itself or is declared', async (path, first) => {
    const { secrets } = await servedSecrets()
    const { status, body } = await secrets.get(path, { query })
    expect([status, Object.keys(body.openapi.paths)[0]]).toEqual([200, first])
  })

  // choice/secrets#help-places
  test.each([
    'secret/nothing',
    'secret/data/a.',
    'auth/token/roles/-a',
    'sys/nothing',
    'orch/nothing',
    'sys/polici',
  ])('%s has no help: the path is not supported', async (path) => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.get(path, { query }))).toEqual(
      multierrorReply(404, 'unsupported path'),
    )
  })

  // choice/secrets#help-places
  test.each(['nothing', 'nothing/at/all', 'secre', 'auth/nothing'])(
    '%s has no help: there is no mount',
    async (path) => {
      const { secrets } = await servedSecrets()
      expect(statusAndBody(await secrets.get(path, { query }))).toEqual(
        error(404, `no handler for route "${path}". route entry not found.`),
      )
    },
  )

  test('a list asks about the same path', async () => {
    const { secrets } = await servedSecrets()
    const plain = await secrets.get('secret/metadata/a', { query })
    expect(statusAndBody(await secrets.list('secret/metadata/a', { query }))).toEqual(
      statusAndBody(plain),
    )
  })

  // choice/secrets#help-text
  test('any method asks for it, and nothing is read or written', async () => {
    const { app, secrets } = await servedSecrets()
    const expected = (await secrets.get('kv/a', { query })).body
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      const response = await app.inject({
        method,
        url: '/v1/kv/a?help=1',
        headers: { 'x-secrets-token': 'root', 'content-type': 'text/plain' },
        payload: '{"no JSON',
      })
      expect([response.statusCode, response.json()]).toEqual([200, expected])
    }
    expect((await secrets.get('kv/a')).status).toBe(404)
    expect((await secrets.post('kv/', '{"no JSON', { query })).status).toBe(200)
  })

  test('the verb HELP also works on the root of the API', async () => {
    const { app, secrets } = await servedSecrets()
    const response = await app.inject({
      method: 'HELP' as 'GET',
      url: '/v1/',
      headers: { 'x-secrets-token': 'root' },
      validate: false,
    })
    const { body } = await secrets.get('', { query })
    expect([response.statusCode, response.json()]).toEqual([200, body])
    expect(Object.keys(body.openapi.paths)).toContain('/secret/data/{path}')
  })

  // choice/secrets#help-relative-paths
  test('help for a path that only the root namespace has is refused in another namespace', async () => {
    const { world, secrets } = await servedSecrets()
    addNamespace(world, 'team/')
    const headers = { 'x-secrets-namespace': 'team' }
    expect(statusAndBody(await secrets.get('sys/init', { query, headers }))).toEqual(
      error(400, 'operation unavailable in namespaces'),
    )
    const inHeader = await secrets.get('sys', { query, headers })
    expect(statusAndBody(await secrets.get('team/sys', { query }))).toEqual(statusAndBody(inHeader))
    const paths = Object.keys(inHeader.body.openapi.paths)
    expect([paths.includes('/init'), paths.includes('/mounts')]).toEqual([false, true])
  })

  // choice/secrets#help-relative-paths
  test('paths of the enterprise edition are missing in the community edition', async () => {
    const { secrets } = await servedSecrets({ secrets: { edition: 'community' } })
    const { body } = await secrets.get('sys', { query })
    const paths = Object.keys(body.openapi.paths)
    expect(paths.filter((path) => path.startsWith('/replication/dr'))).toEqual([])
    expect(statusAndBody(await secrets.get('sys/replication/dr/status', { query }))).toEqual(
      error(404, 'enterprise-only feature'),
    )
  })
})

describe('behaviour/secrets#help: to whom', () => {
  // choice/secrets#help-text
  test('a token without capabilities gets help, but not on mounts', async () => {
    const { secrets, as } = await servedSecrets()
    const created = await secrets.post('auth/token/create', {
      policies: ['nothing'],
      no_default_policy: true,
    })
    const weak = as(created.body.auth.client_token)
    const query = { help: '1' }
    expect((await weak.get('secret/config', { query })).status).toBe(200)
    const { status, body } = await weak.get('', { query })
    expect([status, body.openapi.paths]).toEqual([200, {}])
    expect(statusAndBody(await weak.get('auth', { query }))).toEqual(
      error(404, 'no handler for route "auth". route entry not found.'),
    )
  })

  // choice/secrets#help-text
  test('the call is a use of the token', async () => {
    const { secrets, as } = await servedSecrets()
    const created = await secrets.post('auth/token/create', { num_uses: 1 })
    const once = as(created.body.auth.client_token)
    expect((await once.get('secret/config', { query })).status).toBe(200)
    expect(statusAndBody(await once.get('secret/config', { query }))).toEqual(
      error(403, 'permission denied'),
    )
  })

  test.each(['sys/unseal', 'sys/seal-status', 'sys/init'])(
    '%s, which needs no token, has no help while the service is sealed',
    async (path) => {
      const { secrets } = await servedSecrets({ secrets: { sealed: true } })
      expect(statusAndBody(await secrets.get(path, { query }))).toEqual(
        error(503, 'Service is sealed'),
      )
    },
  )
})
