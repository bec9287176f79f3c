import { describe, expect, test } from 'vitest'
import { type Reply, type SecretsClient, servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, noContent, ok, statusAndBody } from '../replies.ts'

const at = 'sys/namespaces'
const id = expect.stringMatching(/^[0-9A-Za-z]{5}$/)
const inTeam = { headers: { 'x-secrets-namespace': 'team' } }

const named = (path: string, custom_metadata: object = {}) =>
  ok({ data: { id, path, custom_metadata } })

/** The reply to the deletion of a namespace. */
const deleting = ok({ data: { status: 'in-progress' } })

describe('behaviour/secrets#namespaces', () => {
  test('POST makes one, GET reads it, with custom metadata or without', async () => {
    const { secrets } = await servedSecrets()
    const created = await secrets.post(`${at}/team`, { custom_metadata: { b: 'x', a: 1 } })
    expect(statusAndBody(created)).toEqual(named('team/', { a: '1', b: 'x' }))
    expect(Object.keys(created.body.data)).toEqual(['id', 'path', 'custom_metadata'])
    expect((await secrets.get(`${at}/team`)).body.data).toEqual(created.body.data)
    expect(statusAndBody(await secrets.post(`${at}/plain`))).toEqual(named('plain/'))
    expect(statusAndBody(await secrets.put(`${at}/other`, {}))).toEqual(named('other/'))
    expect(statusAndBody(await secrets.post(`${at}/null`, { custom_metadata: null }))).toEqual(
      named('null/'),
    )
  })

  // choice/secrets#namespace-rewritten
  test('POST again keeps the id and replaces the metadata', async () => {
    const { secrets } = await servedSecrets()
    const first = await secrets.post(`${at}/team`, { custom_metadata: { a: '1' } })
    const again = await secrets.post(`${at}/team`, { custom_metadata: { b: '2' } })
    expect(again.body.data).toEqual({ ...first.body.data, custom_metadata: { b: '2' } })
  })

  // choice/secrets#namespace-paths
  test('namespaces nest, relative to that of the request', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post(`${at}/team`)
    expect(statusAndBody(await secrets.post(`${at}/inner`, {}, inTeam))).toEqual(
      named('team/inner/'),
    )
    expect(statusAndBody(await secrets.post(`team/${at}/more`))).toEqual(named('team/more/'))
    expect(statusAndBody(await secrets.post(`team/inner/${at}/most`))).toEqual(
      named('team/inner/most/'),
    )
    expect((await secrets.list(at)).body.data.keys).toEqual(['team/'])
    expect((await secrets.list(at, inTeam)).body.data.keys).toEqual(['inner/', 'more/'])
    expect((await secrets.list(`team/inner/${at}`)).body.data.keys).toEqual(['most/'])
    expect(statusAndBody(await secrets.get(`team/${at}/inner`))).toEqual(named('team/inner/'))
    expect(statusAndBody(await secrets.get(`${at}/inner`))).toEqual(error(404))
  })

  test('LIST returns the data of each; an empty list is 404', async () => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.list(at))).toEqual(error(404))
    const b = await secrets.post(`${at}/b`, { custom_metadata: { x: 'y' } })
    const a = await secrets.post(`${at}/a`)
    expect(statusAndBody(await secrets.list(at))).toEqual(
      ok({ data: { keys: ['a/', 'b/'], key_info: { 'a/': a.body.data, 'b/': b.body.data } } }),
    )
    expect(
      statusAndBody(await secrets.list(at, { headers: { 'x-secrets-namespace': 'a' } })),
    ).toEqual(error(404))
  })

  // choice/secrets#namespace-absent
  test('PATCH merges metadata', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post(`${at}/team`, { custom_metadata: { a: '1', b: '2' } })
    const patch = (custom_metadata?: unknown) =>
      secrets.patch(`${at}/team`, custom_metadata === undefined ? {} : { custom_metadata })
    expect(statusAndBody(await patch({ b: null, c: true }))).toEqual(
      named('team/', { a: '1', c: '1' }),
    )
    expect(statusAndBody(await patch())).toEqual(named('team/', { a: '1', c: '1' }))
    expect(statusAndBody(await patch(null))).toEqual(named('team/'))
    expect(statusAndBody(await secrets.patch(`${at}/none`, {}))).toEqual(error(404))
  })

  test('PATCH asks for its content type', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post(`${at}/team`)
    const request = { method: 'PATCH', path: `${at}/team`, payload: '{}' }
    const headers = { 'content-type': 'application/json' }
    expect(statusAndBody(await secrets.request({ ...request, headers }))).toEqual(
      error(
        415,
        'PATCH requires Content-Type of application/merge-patch+json, provided application/json',
      ),
    )
  })

  // choice/secrets#namespace-deleted-at-once
  test('DELETE takes away everything; an absent one has a warning', async () => {
    const { secrets } = await servedSecrets()
    const first = await secrets.post(`${at}/team`)
    await secrets.post('sys/mounts/store', { type: 'kv' }, inTeam)
    await secrets.post('store/a', { b: 1 }, inTeam)
    expect(statusAndBody(await secrets.delete(`${at}/team`))).toEqual(deleting)
    expect(statusAndBody(await secrets.get('store/a', inTeam))).toEqual(
      error(404, 'namespace not found'),
    )
    expect(statusAndBody(await secrets.get(`${at}/team`))).toEqual(error(404))
    expect(statusAndBody(await secrets.delete(`${at}/team`))).toEqual(
      ok({ warnings: ['requested namespace does not exist'] }),
    )
    const again = await secrets.post(`${at}/team`)
    expect(again.body.data.id).not.toBe(first.body.data.id)
    await secrets.post('sys/mounts/store', { type: 'kv' }, inTeam)
    expect(statusAndBody(await secrets.get('store/a', inTeam))).toEqual(error(404))
  })

  test('DELETE refuses one with namespaces below it', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post(`${at}/team`)
    await secrets.post(`team/${at}/inner`)
    expect(statusAndBody(await secrets.delete(`${at}/team`))).toEqual(
      error(400, 'cannot delete namespace containing child namespaces'),
    )
    expect(statusAndBody(await secrets.delete(`team/${at}/inner`))).toEqual(deleting)
    expect(statusAndBody(await secrets.delete(`${at}/team`))).toEqual(deleting)
  })

  test('equal seeds give equal ids', async () => {
    const make = async () => (await (await servedSecrets()).secrets.post(`${at}/team`)).body
    expect(await make()).toEqual(await make())
  })
})

describe('behaviour/secrets#namespaces: refusals', () => {
  test.each([
    ...['root', 'sys', 'audit', 'auth', 'cubbyhole', 'identity', 'a%20b'].map((name) => [
      name,
      'invalid namespace name',
    ]),
    ['a/b', '"/" is not allowed in namespace names'],
    ['secret', 'new namespace conflicts with existing mount: secret/'],
  ])('%s', async (name, message) => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.post(`${at}/${name}`))).toEqual(error(400, String(message)))
    expect(statusAndBody(await secrets.list(at))).toEqual(error(404))
  })

  // choice/secrets#namespace-names
  test('a name with a slash is refused by every verb', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post(`${at}/a`)
    await secrets.post(`a/${at}/b`)
    const wanted = error(400, '"/" is not allowed in namespace names')
    expect(statusAndBody(await secrets.get(`${at}/a/b`))).toEqual(wanted)
    expect(statusAndBody(await secrets.patch(`${at}/a/b`, {}))).toEqual(wanted)
    expect(statusAndBody(await secrets.delete(`${at}/a/b`))).toEqual(wanted)
    expect(statusAndBody(await secrets.get(`${at}/a/`))).toEqual(named('a/'))
  })

  test('names that end in a period, and in a slash for writing', async () => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.post(`${at}/a.`))).toEqual(
      multierrorReply(404, 'unsupported path'),
    )
    expect(statusAndBody(await secrets.post(`${at}/a/`))).toEqual(
      error(400, "cannot write to a path ending in '/'"),
    )
  })

  // choice/secrets#namespace-metadata
  test('invalid or too much metadata is refused', async () => {
    const { secrets } = await servedSecrets()
    const post = (custom_metadata: unknown) =>
      secrets.post(`${at}/a`, { custom_metadata }).then(statusAndBody)
    expect(await post('text')).toEqual(
      error(
        400,
        `Field validation failed: error converting input text for field "custom_metadata": '' expected a map, got 'string'`,
      ),
    )
    expect(await post({ a: {} })).toEqual(
      error(
        400,
        "custom_metadata validation failed: '' expected type 'string', got unconvertible type 'map[string]interface {}', value: 'map[]'",
      ),
    )
    expect(await post({ a: '' })).toEqual(
      multierrorReply(
        400,
        'custom_metadata validation failed: length of value for key "a" is 0 but must be 0 < len(value) <= 512',
      ),
    )
    expect(statusAndBody(await secrets.list(at))).toEqual(error(404))
  })

  // choice/secrets#namespace-conflicts
  test('a mount may not stand where a namespace is', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post(`${at}/team`)
    for (const path of ['team/store', 'team']) {
      expect(statusAndBody(await secrets.post(`sys/mounts/${path}`, { type: 'kv' }))).toEqual(
        error(400, 'path is already in use at team/'),
      )
    }
    expect(statusAndBody(await secrets.post('team/sys/mounts/store', { type: 'kv' }))).toEqual(
      noContent,
    )
  })

  const calls: readonly [string, (client: SecretsClient) => Promise<Reply>][] = [
    ['list', (client) => client.list(at)],
    ['read', (client) => client.get(`${at}/team`)],
    ['write', (client) => client.post(`${at}/team`)],
    ['patch', (client) => client.patch(`${at}/team`, {})],
    ['delete', (client) => client.delete(`${at}/team`)],
  ]

  test.each(calls)('%s without a capability, without a token', async (_, act) => {
    const { secrets, as } = await servedSecrets()
    await secrets.post(`${at}/team`)
    const created = await secrets.post('auth/token/create', { policies: ['default'] })
    expect(statusAndBody(await act(as(created.body.auth.client_token)))).toEqual(
      multierrorReply(403, 'permission denied'),
    )
    expect(statusAndBody(await act(as('wrong')))).toEqual(error(403, 'permission denied'))
    expect(statusAndBody(await secrets.get(`${at}/team`))).toEqual(named('team/'))
  })

  test.each(calls)('%s in the community edition', async (_, act) => {
    for (const dialect of ['neutral', 'vendor'] as const) {
      const { secrets } = await servedSecrets({ secrets: { edition: 'community' }, dialect })
      expect(statusAndBody(await act(secrets))).toEqual(
        error(403, 'namespaces feature not enabled'),
      )
    }
  })

  test.each(['GET', 'POST'])(
    '%s on the list itself is an unsupported operation',
    async (method) => {
      const { secrets } = await servedSecrets()
      expect(statusAndBody(await secrets.request({ method, path: at }))).toEqual(
        multierrorReply(405, 'unsupported operation'),
      )
    },
  )
})
