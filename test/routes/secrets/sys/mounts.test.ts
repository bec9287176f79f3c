import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, noContent, statusAndBody } from '../replies.ts'

const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
const envelope = {
  request_id: uuid,
  lease_id: '',
  renewable: false,
  lease_duration: 0,
  wrap_info: null,
  warnings: null,
  auth: null,
}
const kvEntry = {
  type: 'kv',
  description: '',
  accessor: expect.stringMatching(/^kv_[0-9a-f]{8}$/),
  config: { default_lease_ttl: 0, max_lease_ttl: 0, force_no_cache: false },
  options: { version: '1' },
  local: false,
  seal_wrap: false,
  external_entropy_access: false,
  uuid,
  plugin_version: '',
  running_plugin_version: 'v1.14.0+builtin',
  running_sha256: '',
  deprecation_status: 'supported',
}

describe('behaviour/secrets#mounts: GET sys/mounts', () => {
  test('every secrets engine is listed by path, in data and at top level', async () => {
    const { secrets } = await servedSecrets()
    const { status, body } = await secrets.get('sys/mounts')
    const { data, ...rest } = body
    expect(status).toBe(200)
    expect(Object.keys(data)).toEqual([
      'cubbyhole/',
      'identity/',
      'kv/',
      'orch/',
      'secret/',
      'sys/',
    ])
    expect(data['kv/']).toEqual(kvEntry)
    expect(rest).toEqual({ ...envelope, ...data })
  })

  test('fields in the order of the decisions', async () => {
    const { secrets } = await servedSecrets()
    expect(Object.keys((await secrets.get('sys/mounts/kv')).body.data)).toEqual(
      Object.keys(kvEntry),
    )
  })

  test('one mount is read by its path or, as in the reference, by a path below it', async () => {
    const { secrets } = await servedSecrets()
    for (const path of ['kv', 'kv/', 'kv/deeper']) {
      const { status, body } = await secrets.get(`sys/mounts/${path}`)
      expect([status, body]).toEqual([200, { ...envelope, data: kvEntry, ...kvEntry }])
    }
    const absent = await secrets.get('sys/mounts/no/such')
    expect([absent.status, absent.body]).toEqual([
      400,
      { errors: ['No secret engine mount at no/such/'] },
    ])
  })
})

describe('behaviour/secrets#mounts: POST and DELETE sys/mounts/:path', () => {
  // choice/secrets#plugin-version
  test('a mount is there until it is removed', async () => {
    const { secrets } = await servedSecrets()
    const created = await secrets.post('sys/mounts/team/kv', {
      type: 'kv-v2',
      description: 'of the team',
      config: { default_lease_ttl: '1h', max_lease_ttl: '24h' },
      local: 'true',
    })
    expect([created.status, created.text]).toEqual([204, ''])
    expect((await secrets.get('sys/mounts/team/kv')).body.data).toEqual({
      ...kvEntry,
      description: 'of the team',
      config: { default_lease_ttl: 3600, max_lease_ttl: 86400, force_no_cache: false },
      options: { version: '2' },
      local: true,
    })
    await secrets.post('team/kv/data/a', { data: { x: 1 } })
    expect((await secrets.get('team/kv/data/a')).status).toBe(200)

    const gone = await secrets.delete('sys/mounts/team/kv')
    expect([gone.status, gone.text]).toEqual([204, ''])
    const after = await secrets.get('team/kv/data/a')
    expect([after.status, after.body]).toEqual([
      404,
      { errors: ['no handler for route "team/kv/data/a". route entry not found.'] },
    ])
    expect((await secrets.delete('sys/mounts/team/kv')).status).toBe(204)
    await secrets.post('sys/mounts/team/kv', { type: 'kv-v2' })
    expect((await secrets.get('team/kv/data/a')).status).toBe(404)
  })

  test.each([
    ['x', {}, 'backend type must be specified as a string'],
    ['secret', { type: 'kv' }, 'path is already in use at secret/'],
    ['secret/more', { type: 'kv' }, 'path is already in use at secret/'],
    ['sys', { type: 'kv' }, 'cannot mount "sys/"'],
    ['x', { type: 'identity' }, 'mount type of "identity" is not mountable'],
    ['x', { type: 'pkcs' }, 'plugin not found in the catalog: pkcs'],
    [
      'x',
      { type: 'kv', config: { default_lease_ttl: '2h', max_lease_ttl: '1h' } },
      'given default lease TTL greater than given max lease TTL',
    ],
  ])('mounting at %s with %j is refused', async (path, body, message) => {
    const { secrets } = await servedSecrets()
    const reply = await secrets.post(`sys/mounts/${path}`, body)
    expect([reply.status, reply.body]).toEqual([400, { errors: [message] }])
  })

  test.each([
    [{ type: 'kv', config: { default_lease_ttl: 'x' } }, /^unable to parse default TTL of x: /],
    [{ type: 'plugin' }, /^plugin_name must be provided for plugin backend$/],
    [{ type: '', config: { listing_visibility: 'x' } }, /^backend type must be specified/],
    [{ type: 'kv', config: { listing_visibility: 'x' } }, /^invalid listing_visibility x$/],
  ])('a mistake in %j is reported before one in the path', async (body, message) => {
    const { secrets } = await servedSecrets()
    for (const path of ['sys/mounts/secret', 'sys/mounts/sys', 'sys/auth/token']) {
      const reply = await secrets.post(path, body)
      expect([reply.status, reply.body]).toEqual([
        400,
        { errors: [expect.stringMatching(message)] },
      ])
    }
  })

  test('the type plugin mounts the plugin in plugin_name, in config or at the top level', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('sys/mounts/a', { type: 'plugin', plugin_name: 'transit' })
    const config = { plugin_name: 'kv-v2' }
    await secrets.post('sys/mounts/b', { type: 'plugin', plugin_name: 'transit', config })
    await secrets.post('sys/auth/c', { type: 'plugin', plugin_name: 'approle' })
    expect((await secrets.get('sys/mounts/a')).body.data.type).toBe('transit')
    expect((await secrets.get('sys/mounts/b')).body.data).toMatchObject({
      type: 'kv',
      options: { version: '2' },
    })
    expect((await secrets.get('sys/auth/c')).body.data.type).toBe('approle')
  })

  test.each(['sys', 'identity', 'cubbyhole'])('%s cannot be removed', async (path) => {
    const { secrets } = await servedSecrets()
    const reply = await secrets.delete(`sys/mounts/${path}`)
    expect([reply.status, reply.body]).toEqual([400, { errors: [`cannot unmount "${path}/"`] }])
  })

  // choice/secrets#foreign-mount-names
  test.each(['jobs', 'job/x', 'namespace', 'namespaces', 'object'])(
    'behaviour/program#http: mounting at %s warns of the API that has the path on the shared port',
    async (path) => {
      const { secrets } = await servedSecrets()
      const reply = await secrets.post(`sys/mounts/${path}`, { type: 'kv' })
      expect([reply.status, reply.body]).toEqual([
        200,
        {
          ...envelope,
          data: null,
          warnings: [
            `The path "${path}/" belongs to another API on the shared port. This mount answers on a dedicated secrets port only.`,
          ],
        },
      ])
    },
  )

  // choice/secrets#foreign-mount-names
  test('such a mount answers where that API is not served', async () => {
    const { secrets } = await servedSecrets()
    for (const path of ['job', 'namespace', 'object']) {
      await secrets.post(`sys/mounts/${path}`, { type: 'kv' })
      expect((await secrets.post(`${path}/a`, { x: path })).status).toBe(204)
      expect((await secrets.get(`${path}/a`)).body.data).toEqual({ x: path })
    }
  })

  test('sys/mounts itself takes no writes', async () => {
    const { secrets } = await servedSecrets()
    expect((await secrets.post('sys/mounts', { type: 'kv' })).status).toBe(405)
  })
})

describe('behaviour/secrets#mounts: sys/mounts/:path/tune', () => {
  test('reads return the effective values', async () => {
    const { secrets } = await servedSecrets()
    const tuning = {
      description: 'key/value secret storage',
      default_lease_ttl: 2764800,
      max_lease_ttl: 2764800,
      force_no_cache: false,
      options: { version: '2' },
    }
    const reply = await secrets.get('sys/mounts/secret/tune')
    expect([reply.status, reply.body]).toEqual([200, { ...envelope, data: tuning, ...tuning }])
  })

  test('the default TTL is returned as tuned: not capped by the maximum, and possibly negative', async () => {
    const { secrets } = await servedSecrets()
    const tuned = await secrets.post('sys/mounts/orch/tune', { max_lease_ttl: 60 })
    expect([tuned.status, tuned.text]).toEqual([204, ''])
    expect((await secrets.get('sys/mounts/orch/tune')).body.data).toEqual({
      description: '',
      default_lease_ttl: 2_764_800,
      max_lease_ttl: 60,
      force_no_cache: false,
    })
    await secrets.post('sys/mounts/orch/tune', { default_lease_ttl: '-5s' })
    expect((await secrets.get('sys/mounts/orch/tune')).body.data).toMatchObject({
      default_lease_ttl: -5,
      max_lease_ttl: 60,
    })
    expect(
      statusAndBody(await secrets.post('sys/mounts/orch/tune', { max_lease_ttl: '-1h' })),
    ).toEqual(
      error(
        400,
        'backend max lease TTL of -3600 would be less than backend default lease TTL of -5',
      ),
    )
  })

  test('a maximum below zero contradicts no default where none was tuned', async () => {
    const { secrets } = await servedSecrets()
    const reply = await secrets.post('sys/mounts/orch/tune', { max_lease_ttl: '-5s' })
    expect(statusAndBody(reply)).toEqual(noContent)
  })

  test('the first version of a key-value mount is an upgrade from version 0', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('sys/mounts/plain', { type: 'kv' })
    const tune = (version: string) =>
      secrets.post('sys/mounts/plain/tune', { options: { version } })
    expect((await tune('1')).body.warnings).toEqual([
      'Upgrading mount from version 0 to version 1. This mount will be unavailable for a brief period and will resume service shortly.',
    ])
    expect(statusAndBody(await tune('1'))).toEqual(noContent)
  })

  test('an empty list removes the setting', async () => {
    const { secrets } = await servedSecrets()
    const tune = 'sys/mounts/secret/tune'
    await secrets.post(tune, { allowed_response_headers: ['x-a'], listing_visibility: 'unauth' })
    expect((await secrets.get(tune)).body.data).toMatchObject({ allowed_response_headers: ['x-a'] })
    await secrets.post(tune, { allowed_response_headers: [], audit_non_hmac_request_keys: [] })
    const { data } = (await secrets.get(tune)).body
    expect(data).toMatchObject({ listing_visibility: 'unauth' })
    expect(Object.keys(data)).not.toContain('allowed_response_headers')
    expect(Object.keys(data)).not.toContain('audit_non_hmac_request_keys')
    const { config } = (await secrets.get('sys/mounts/secret')).body.data
    expect(Object.keys(config)).not.toContain('allowed_response_headers')
  })

  test('behaviour/secrets#key-value: key-value 1 returns the default as tuned, even above the maximum', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('kv/a', { b: 1 })
    await secrets.post('sys/mounts/kv/tune', { max_lease_ttl: '1h' })
    expect((await secrets.get('kv/a')).body.lease_duration).toBe(2_764_800)
    await secrets.post('sys/mounts/kv/tune', { default_lease_ttl: '-7200' })
    expect((await secrets.get('kv/a')).body.lease_duration).toBe(-7200)
  })

  // choice/secrets#upgrade-at-once
  test('version 1 to 2 warns, and old data are version 1', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('kv/a', { user: 'ada' })
    const reply = await secrets.post('sys/mounts/kv/tune', { options: { version: 2 } })
    expect([reply.status, reply.body]).toEqual([
      200,
      {
        ...envelope,
        data: null,
        warnings: [
          'Upgrading mount from version 1 to version 2. This mount will be unavailable for a brief period and will resume service shortly.',
        ],
      },
    ])
    const { data } = (await secrets.get('kv/data/a')).body
    expect([data.data, data.metadata.version]).toEqual([{ user: 'ada' }, 1])
  })

  test.each([
    ['secret', { options: { version: '1' } }, 'cannot downgrade mount from version 2'],
    ['sys', { description: 'x' }, 'cannot tune "sys/"'],
    ['nope', { description: 'x' }, 'tune of path "nope/" failed: no mount entry found'],
  ])('tuning %s with %j is refused', async (path, body, message) => {
    const { secrets } = await servedSecrets()
    const reply = await secrets.post(`sys/mounts/${path}/tune`, body)
    expect([reply.status, reply.body]).toEqual([400, { errors: [message] }])
  })

  test('an absent mount has no settings', async () => {
    const { secrets } = await servedSecrets()
    const reply = await secrets.get('sys/mounts/nope/tune')
    expect([reply.status, reply.body]).toEqual([
      400,
      { errors: ['cannot fetch sysview for path "nope/"'] },
    ])
  })
})
