import { describe, expect, test } from 'vitest'
import { envelope } from '../../routes/secrets/replies.ts'
import {
  accessor,
  connect,
  failure,
  month,
  nothing,
  now,
  refused,
  uuid,
} from './node-vault-client.ts'

describe('behaviour/secrets#mounts through node-vault: mounts and auth methods', () => {
  const entry = (type: string, changes: object = {}) => ({
    type,
    description: '',
    accessor: expect.stringMatching(`^${type}_[0-9a-f]{8}$`),
    config: { default_lease_ttl: 0, max_lease_ttl: 0, force_no_cache: false },
    options: null,
    local: false,
    seal_wrap: false,
    external_entropy_access: false,
    uuid,
    plugin_version: '',
    running_plugin_version: 'v1.14.0+builtin',
    running_sha256: '',
    deprecation_status: 'supported',
    ...changes,
  })

  test('mount, list, tune, move, unmount', async () => {
    const { client } = await connect()
    const options = { version: '2' }
    const team = { mount_point: 'team', type: 'kv', description: 'ours', options }
    expect(await client.mount(team)).toBe(nothing)
    expect(await failure(client.mount(team))).toEqual(
      refused(400, 'path is already in use at team/'),
    )
    const { data } = await client.mounts()
    expect(Object.keys(data)).toEqual([
      'cubbyhole/',
      'identity/',
      'kv/',
      'orch/',
      'secret/',
      'sys/',
      'team/',
    ])
    expect(data['team/']).toEqual(entry('kv', { description: 'ours', options }))
    expect(data['kv/']).toEqual(entry('kv', { options: { version: '1' } }))

    expect(
      await client.write('sys/mounts/team/tune', { default_lease_ttl: '1h', max_lease_ttl: '2h' }),
    ).toBe(nothing)
    const tuned = {
      description: 'ours',
      default_lease_ttl: 3600,
      max_lease_ttl: 7200,
      force_no_cache: false,
      options,
    }
    expect(await client.read('sys/mounts/team/tune')).toEqual(envelope({ data: tuned, ...tuned }))

    await client.write('team/data/app', { data: { n: 1 } })
    const moved = await client.remount({ from: 'team', to: 'crew' })
    expect(moved).toEqual(
      envelope({
        data: { migration_id: uuid },
        migration_id: moved.data.migration_id,
        warnings: [
          "Mount move has been queued. Progress will be reported in Service's server log, tagged with the returned migration_id",
        ],
      }),
    )
    expect((await client.read('crew/data/app')).data.data).toEqual({ n: 1 })
    expect(await client.unmount({ mount_point: 'crew' })).toBe(nothing)
    expect(await failure(client.read('crew/data/app'))).toEqual(
      refused(404, 'no handler for route "crew/data/app". route entry not found.'),
    )
    expect(await failure(client.unmount({ mount_point: 'sys' }))).toEqual(
      refused(400, 'cannot unmount "sys/"'),
    )
  })

  test('enable, list and disable an auth method', async () => {
    const { client } = await connect()
    const config = {
      default_lease_ttl: 0,
      max_lease_ttl: 0,
      force_no_cache: false,
      token_type: 'default-service',
    }
    const method = (type: string, description: string, options: object | null = {}) =>
      entry(type, { accessor: expect.stringMatching(/^auth_/), config, description, options })
    expect(
      await client.enableAuth({ mount_point: 'second', type: 'cloud', description: 'two' }),
    ).toBe(nothing)
    const methods = {
      'cloud/': method('cloud', ''),
      'second/': method('cloud', 'two'),
      'token/': {
        ...method('token', 'token based credentials', null),
        deprecation_status: undefined,
      },
    }
    expect(await client.auths()).toEqual(envelope({ data: methods, ...methods }))
    expect(await client.disableAuth({ mount_point: 'second' })).toBe(nothing)
    expect(Object.keys((await client.auths()).data)).toEqual(['cloud/', 'token/'])
    expect(await failure(client.disableAuth({ mount_point: 'token' }))).toEqual(
      refused(400, 'token credential backend cannot be disabled'),
    )
    expect(await failure(client.enableAuth({ mount_point: 'x', type: 'none' }))).toEqual(
      refused(400, 'plugin not found in the catalog: none'),
    )
  })
})

describe('behaviour/secrets#health through node-vault: health of each condition', () => {
  const license = { state: 'autoloaded', expiry_time: '2099-12-31T23:59:59Z', terminated: false }
  const facts = { server_time_utc: 1_767_225_600, version: '1.14.0+ent', license }
  const modes = (mode: string) => ({
    replication_performance_mode: mode,
    replication_dr_mode: mode,
  })
  const closed = {
    ...facts,
    ...modes('unknown'),
    sealed: true,
    standby: true,
    performance_standby: false,
  }
  const open = {
    ...facts,
    ...modes('disabled'),
    initialized: true,
    sealed: false,
    cluster_name: 'understudy-cluster',
    cluster_id: uuid,
  }

  test.each([
    [
      'active',
      200,
      { ...open, standby: false, performance_standby: false, last_wal: expect.any(Number) },
    ],
    ['standby', 429, { ...open, standby: true, performance_standby: false }],
    ['performance-standby', 473, { ...open, standby: true, performance_standby: true }],
    ['sealed', 503, { ...closed, initialized: true }],
    ['uninitialized', 501, { ...closed, initialized: false }],
  ])('%s', async (to, status, body) => {
    const { client, origin } = await connect()
    const push = await fetch(`${origin}/_mock/transitions/secrets.node/self`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ to }),
    })
    expect(push.status).toBe(200)
    expect(await client.health()).toEqual(body)
    expect((await fetch(`${origin}/v1/sys/health`)).status).toBe(status)
  })
})

describe('behaviour/secrets#wrapping, through node-vault', () => {
  test('wrap, lookup, unwrap by field and as own token', async () => {
    const { client, as } = await connect()
    await client.write('kv/app', { user: 'ada' })
    const headers = { 'X-Vault-Wrap-TTL': '5m' }
    const { wrap_info } = await client.read('kv/app', { headers })
    const { token } = wrap_info
    expect(wrap_info).toEqual({
      token: expect.stringMatching(/^s\.[0-9A-Za-z]{24}$/),
      accessor,
      ttl: 300,
      creation_time: now,
      creation_path: 'kv/app',
      wrapped_accessor: '',
    })
    expect((await client.write('sys/wrapping/lookup', { token })).data).toEqual({
      creation_ttl: 300,
      creation_time: now,
      creation_path: 'kv/app',
    })
    expect(await client.unwrap({ token })).toEqual(
      envelope({ lease_duration: month, data: { user: 'ada' } }),
    )
    expect(await failure(client.unwrap({ token }))).toEqual(
      refused(400, 'wrapping token is not valid or does not exist'),
    )
    const second = await client.read('kv/app', { headers })
    expect((await as(second.wrap_info.token).unwrap()).data).toEqual({ user: 'ada' })
  })
})

describe('behaviour/secrets#seal through node-vault: init, seal, unseal', () => {
  const status = (changes: object = {}) => ({
    type: 'shamir',
    initialized: true,
    sealed: true,
    t: 2,
    n: 3,
    progress: 0,
    nonce: '',
    version: '1.14.0+ent',
    build_date: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    migration: false,
    recovery_seal: false,
    storage_type: 'inmem_ha',
    ...changes,
  })
  const open = { sealed: false, cluster_name: 'understudy-cluster', cluster_id: uuid }

  test('a world that nobody has initialised, up to work and back', async () => {
    const { client, as } = await connect({ secrets: { initialized: false } })
    expect(await client.initialized()).toEqual({ initialized: false })
    expect(await failure(client.read('kv/a'))).toEqual(refused(503, 'Service is sealed'))
    expect(await failure(client.init({ secret_shares: 2, secret_threshold: 3 }))).toEqual(
      refused(400, 'invalid seal configuration: threshold cannot be larger than shares'),
    )

    const created = await client.init({ secret_shares: 3, secret_threshold: 2 })
    const share = expect.stringMatching(/^[0-9a-f]{66}$/)
    expect(created).toEqual({
      keys: [share, share, share],
      keys_base64: created.keys.map((key: string) => Buffer.from(key, 'hex').toString('base64')),
      root_token: expect.stringMatching(/^s\.[0-9A-Za-z]{24}$/),
    })
    expect(await client.initialized()).toEqual({ initialized: true })
    expect(await failure(client.init({ secret_shares: 1, secret_threshold: 1 }))).toEqual(
      refused(400, 'Service is already initialized'),
    )
    expect(await client.status()).toEqual(status())

    const first = await client.unseal({ key: created.keys[2] })
    expect(first).toEqual(status({ progress: 1, nonce: uuid }))
    expect(await failure(client.unseal({ key: 'zz' }))).toEqual(
      refused(400, "'key' must be a valid hex or base64 string"),
    )
    expect(await client.unseal({ key: created.keys[2] })).toEqual(first)
    expect(await client.unseal({ reset: true })).toEqual(status())
    await client.unseal({ key: created.keys_base64[0] })
    expect(await client.unseal({ key: created.keys[1] })).toEqual(status(open))

    const root = as(created.root_token)
    expect(await root.write('kv/a', { n: 1 })).toBe(nothing)
    expect(await root.seal()).toBe(nothing)
    expect(await client.status()).toEqual(status())
    expect(await failure(root.read('kv/a'))).toEqual(refused(503, 'Service is sealed'))
    for (const key of created.keys.slice(1)) await client.unseal({ key })
    expect(await root.read('kv/a')).toEqual(envelope({ data: { n: 1 }, lease_duration: month }))
  })
})
