import { describe, expect, onTestFinished, test } from 'vitest'
import { appliedShape } from '../../../routes/faults/presets/preset-shapes.ts'
import { replySchemaOf } from '../../../routes/http/declare/shape-or-schema.ts'
import { sharedValidator } from '../../../routes/http/declare/validate.ts'
import {
  createUnderstudy,
  type Understudy,
  type UnderstudyOptions,
} from '../../../src/embedding/index.ts'
import { presetNames } from '../../../src/preset-names.ts'
import { readCrlEntries } from '../../../state/secrets/pki/crl-encoding.ts'

const defaultOptions = { clock: 'frozen@2026-01-01T00:00:00Z', seed: 'test' } as const
const dialects = ['neutral', 'vendor'] as const

async function started(options: UnderstudyOptions = {}): Promise<Understudy> {
  const understudy = await createUnderstudy({ ...defaultOptions, ...options })
  onTestFinished(() => understudy.close())
  return understudy
}

async function ask(understudy: Understudy, method: string, path: string, payload?: object) {
  const reply = await understudy.inject({
    method,
    url: `/_mock${path}`,
    ...(payload === undefined ? {} : { payload }),
  })
  return { status: reply.statusCode, body: reply.body === '' ? undefined : reply.json() }
}

const root = { 'x-secrets-token': 'root' }
const owner = { authorization: 'Bearer owner-token' }

interface RequestExtras {
  readonly method?: string
  readonly payload?: object | string
  readonly headers?: Readonly<Record<string, string>>
}

/** Returns a function that sends requests as the caller with the most rights in each API. */
function sender(understudy: Understudy) {
  return (url: string, { headers = {}, ...rest }: RequestExtras = {}) =>
    understudy.inject({
      url,
      ...rest,
      headers: { ...(url.startsWith('/api/') ? owner : root), ...headers },
    })
}

async function statuses(
  understudy: Understudy,
  url: string,
  count: number,
  sent: RequestExtras = {},
) {
  const send = sender(understudy)
  const seen: number[] = []
  for (let at = 0; at < count; at += 1) seen.push((await send(url, sent)).statusCode)
  return seen
}

const secret = '/v1/secret/data/app'
const data = { method: 'POST', payload: { data: { v: 1 } } }
const health = '/v1/sys/health'

/** Returns the status and the lease of a request to the engine `orch` for credentials. */
async function credentials(understudy: Understudy, dialect: 'neutral' | 'vendor', headers = root) {
  const send = sender(understudy)
  const orch = dialect === 'vendor' ? 'kubernetes' : 'orch'
  const post = (path: string, payload: object) =>
    send(`/v1/${orch}/${path}`, { method: 'POST', payload })
  await post('config', {
    [`${orch}_host`]: 'https://orch.test',
    service_account_jwt: 'jwt',
    disable_local_ca_jwt: true,
  })
  await post('roles/reader', {
    [`allowed_${orch}_namespaces`]: ['*'],
    service_account_name: 'reader',
    token_default_ttl: '10m',
  })
  const payload = { [`${orch}_namespace`]: 'default' }
  const reply = await send(`/v1/${orch}/creds/reader`, { method: 'POST', payload, headers })
  return { status: reply.statusCode, id: String(reply.json().lease_id) }
}

describe('behaviour/program#presets: the list of presets', () => {
  test.each([
    ['secrets-sealed', 'push'],
    ['mesh-no-leader', 'option'],
    ['secrets-index-behind', 'option and fault'],
    ['any-slow', 'fault'],
  ])('%s, which works by %s, is listed as applied until it is undone', async (name) => {
    const understudy = await started()
    const applied = async () => {
      const { body } = await ask(understudy, 'GET', '/faults/presets')
      const presets: { name: string; applied: boolean }[] = body.presets
      return presets.filter((preset) => preset.applied).map((preset) => preset.name)
    }
    expect(await applied()).toEqual([])
    await ask(understudy, 'POST', `/faults/presets/${name}`, {})
    expect(await applied()).toEqual([name])
    await ask(understudy, 'DELETE', `/faults/presets/${name}`)
    expect(await applied()).toEqual([])
  })

  test('a preset whose change was reversed by other means is not listed as applied', async () => {
    const world = (await started()).world()
    const { faults } = world
    const isApplied = () => faults.presets().some(({ applied }) => applied)
    faults.preset('mesh-no-leader')
    expect(isApplied()).toBe(true)
    world.changeOptions({ mesh: { noLeader: false } })
    expect(isApplied()).toBe(false)
  })

  test('summaries name the headers of the dialect', async () => {
    const [neutral, vendor] = await Promise.all(
      dialects.map(async (dialect) => {
        const presets = (await started({ dialect })).world().faults.presets()
        return presets.map(({ summary }) => summary).join('\n')
      }),
    )
    expect(neutral).toContain('`X-Secrets-Index`')
    expect(neutral).not.toMatch(/Vault|Consul|Nomad/)
    expect(vendor).toContain('`X-Vault-Index`')
    expect(vendor).not.toMatch(/X-(Secrets|Mesh)-|`orch`/)
  })

  test('each says its API, its parameters with defaults, and where the failure is specified', async () => {
    const understudy = await started()
    const { status, body } = await ask(understudy, 'GET', '/faults/presets')
    expect(status).toBe(200)
    expect(understudy.world().faults.presets()).toEqual(body.presets)
    expect(body.presets.map(({ name }: { name: string }) => name)).toEqual(presetNames)
    for (const { name, service, summary, source, parameters } of body.presets) {
      expect([name.split('-')[0], summary, source]).toEqual([
        service,
        expect.stringMatching(/\.$/),
        expect.stringMatching(/^(behaviour\/[a-z]+#[a-z0-9-]+(; |$))+$|^extension$/),
      ])
      expect(parameters).toMatchObject({ type: 'object', additionalProperties: false })
      for (const parameter of Object.values<object>(parameters.properties)) {
        expect(parameter).toHaveProperty('default')
        expect(parameter).toHaveProperty('description')
      }
    }
  })

  test.each([
    [{ performance: 'yes' }, '/performance must be boolean'],
    [{ speed: 1 }, '/speed is unknown'],
    [{ times: 0 }, '/times must be >= 1'],
    [{ when: { skip: -1 } }, '/when/skip must be >= 0'],
    [{ when: { first: 1, nth: 2 } }, '/when has first and nth, but must have only one of them'],
    [
      { match: { headers: { a: { matches: '(' } } } },
      '/match/headers/a/matches cannot be read: error parsing regexp',
    ],
  ])('parameters that do not fit are refused and leave nothing: %j', async (body, text) => {
    const understudy = await started()
    const before = understudy.world().state()
    const reply = await ask(understudy, 'POST', '/faults/presets/secrets-standby', body)
    expect([reply.status, reply.body.detail]).toEqual([400, expect.stringContaining(text)])
    expect(understudy.world().state()).toEqual(before)
    expect(understudy.world().faults.list()).toEqual([])
    expect(() => understudy.world().faults.preset('secrets-standby', { ...body })).toThrow(text)
  })

  test.each([
    ['secrets-index-behind', { answers: -1 }, '/answers must be >= 1'],
    ['secrets-kv-upgrading', { mount: 'kv/' }, '/mount is not a versioned key-value engine'],
    ['secrets-kv-upgrading', { duration: 'soon' }, '/duration must be a Go duration'],
    ['secrets-orchestrator-down', { how: 'x' }, '/how must be one of'],
    ['platform-rate-limited', { reset: -1 }, '/reset must be >= 0'],
    ['platform-upload-refused', { bytes: -1 }, '/bytes must be >= 0'],
    ['mesh-list-filtered', { keep: -1 }, '/keep must be >= 0'],
    ['any-slow', { latency: 'soon' }, '/latency must be a Go duration'],
    ['any-truncated', { bytes: '1' }, '/bytes must be integer'],
  ])('a problem names its place: %s %j', async (name, body, problem) => {
    const understudy = await started()
    const reply = await ask(understudy, 'POST', `/faults/presets/${name}`, body)
    expect([reply.status, reply.body.problems]).toEqual([400, [expect.stringContaining(problem)]])
    expect([understudy.world().faults.list(), reply.body.type]).toEqual([[], 'about:blank'])
  })

  test('unknown ones are 404', async () => {
    const understudy = await started()
    for (const method of ['POST', 'DELETE']) {
      expect((await ask(understudy, method, '/faults/presets/secrets-tired')).status).toBe(404)
    }
    expect(() => understudy.world().faults.preset('x')).toThrow('there is no preset "x"')
  })
})

describe('behaviour/program#presets: applied presets', () => {
  test('DELETE undoes faults, options and pushes, and nothing else', async () => {
    const understudy = await started()
    const { faults, transitions } = understudy.world()
    const [validator, applied] = [sharedValidator, replySchemaOf(appliedShape)]
    const options = understudy.world().options()
    faults.add({ id: 'own', match: { path: '/v1/nowhere' }, action: { status: 500 } })
    for (const { name } of faults.presets()) {
      const { status, body } = await ask(understudy, 'POST', `/faults/presets/${name}`)
      expect([name, status]).toEqual([name, 201])
      expect(validator.check(applied, body, name)).toEqual([])
    }
    expect(understudy.world().options()).not.toEqual(options)
    for (const { name } of faults.presets()) {
      expect((await ask(understudy, 'DELETE', `/faults/presets/${name}`)).status).toBe(204)
    }
    expect(understudy.world().options()).toEqual(options)
    expect(faults.list().map(({ id }) => id)).toEqual(['own'])
    const states = transitions
      .list()
      .filter(({ kind }) => kind === 'secrets.node' || kind === 'scheduler.node')
    expect(states.flatMap(({ items }) => items.map(({ state }) => state))).toEqual([
      'ready',
      'ready',
      'ready',
      'active',
    ])
    expect(await statuses(understudy, health, 1)).toEqual([200])
  })

  // choice/process#preset-undone
  test('options that were changed afterwards keep their values', async () => {
    const understudy = await started()
    const world = understudy.world()
    world.faults.preset('secrets-orchestrator-down')
    world.changeOptions({ secrets: { orchFault: 'slow' } })
    world.faults.preset('secrets-sealed')
    world.transitions.push('secrets.node', 'self', 'standby')
    world.faults.endPreset('secrets-orchestrator-down')
    world.faults.endPreset('secrets-sealed')
    expect(world.options().secrets.orchFault).toBe('slow')
    expect(await statuses(understudy, health, 1)).toEqual([429])
  })

  // choice/process#preset-undone
  test('applied twice it is undone as a whole; undoing it again does nothing', async () => {
    const understudy = await started()
    const { faults } = understudy.world()
    faults.preset('secrets-standby')
    expect(faults.preset('secrets-standby', { performance: true })).toEqual({
      faults: [],
      pushes: [{ kind: 'secrets.node', id: 'self', to: 'performance-standby' }],
    })
    faults.preset('any-slow', { latency: '0s' })
    expect(await statuses(understudy, health, 1)).toEqual([473])
    faults.endPreset('secrets-standby')
    faults.endPreset('secrets-standby')
    expect(await statuses(understudy, health, 1)).toEqual([200])
    expect(faults.list().map(({ preset }) => preset)).toEqual(['any-slow'])
  })

  // choice/process#preset-waits
  test('with match, when or times the change waits for its request', async () => {
    const understudy = await started()
    const { faults } = understudy.world()
    const when = { when: { nth: 3 } }
    const created = await ask(understudy, 'POST', '/faults/presets/secrets-sealed', when)
    expect(created.body).toEqual({
      faults: [
        {
          id: 'f1',
          match: { service: 'secrets' },
          when: { nth: 3 },
          times: 1,
          phase: 'before',
          action: { latency: '0s' },
          matched: 0,
          hits: 0,
          spent: false,
          preset: 'secrets-sealed',
        },
      ],
      pushes: [{ kind: 'secrets.node', id: 'self', to: 'sealed' }],
    })
    await understudy.inject('/v1/jobs')
    expect(await statuses(understudy, health, 4)).toEqual([200, 200, 503, 503])
    expect(faults.list()[0]).toMatchObject({ hits: 1, spent: true })
    faults.endPreset('secrets-sealed')
    expect([await statuses(understudy, health, 1), faults.list()]).toEqual([[200], []])
  })

  // choice/process#reset choice/process#preset-undone
  test('snapshots, forks and imports keep them, reset and DELETE /faults undo them', async () => {
    const understudy = await started()
    const world = understudy.world()
    const well = world.snapshot()
    world.faults.preset('mesh-no-leader')
    world.faults.preset('any-unavailable', { match: { path: '/v1/jobs' } })
    const ill = world.snapshot()
    const fork = world.fork('copy')
    expect((await fork.inject('/v1/namespaces')).statusCode).toBe(500)
    fork.faults.endPreset('mesh-no-leader')
    expect((await fork.inject('/v1/namespaces')).statusCode).toBe(200)
    expect(await statuses(understudy, '/v1/namespaces', 1)).toEqual([500])
    world.restore(well.id)
    expect(await statuses(understudy, '/v1/namespaces', 1)).toEqual([200])
    world.restore(ill.id)
    world.importState(world.state())
    expect(await statuses(understudy, '/v1/namespaces', 1)).toEqual([500])
    world.reset(['faults'])
    expect(await statuses(understudy, '/v1/namespaces', 1)).toEqual([200])
    expect([await statuses(understudy, '/v1/jobs', 1), world.faults.list()]).toEqual([[200], []])
    world.restore(ill.id)
    expect((await ask(understudy, 'DELETE', '/faults')).status).toBe(204)
    expect(await statuses(understudy, '/v1/namespaces', 1)).toEqual([200])
    world.restore(ill.id)
    world.reset()
    expect(await statuses(understudy, '/v1/namespaces', 1)).toEqual([200])
    expect(world.options().mesh.noLeader).toBe(false)
  })

  test('each world has its own', async () => {
    const understudy = await started()
    const other = understudy.createWorld({ id: 'w' })
    const created = await ask(understudy, 'POST', '/worlds/w/faults/presets/secrets-sealed')
    expect(created.status).toBe(201)
    expect((await other.inject(health)).statusCode).toBe(503)
    expect(await statuses(understudy, health, 1)).toEqual([200])
  })
})

describe.each(dialects)('behaviour/program#presets of secrets, %s', (dialect) => {
  const prefix = dialect === 'vendor' ? 'x-vault' : 'x-secrets'

  test('secrets-index-behind: 412 three times for each index asked for', async () => {
    const understudy = await started({ dialect })
    const send = sender(understudy)
    understudy.world().faults.preset('secrets-index-behind')
    const indexes: string[] = []
    for (const payload of [{ data: { v: 1 } }, { data: { v: 2 } }]) {
      const { headers } = await send(secret, { method: 'POST', payload })
      indexes.push(String(headers[`${prefix}-index`]))
    }
    for (const index of indexes) {
      const headers = { [`${prefix}-index`]: index }
      const forwarded = { ...headers, [`${prefix}-inconsistent`]: 'forward-active-node' }
      expect(await statuses(understudy, secret, 1, { headers: forwarded })).toEqual([200])
      const { statusCode, body } = await send(secret, { headers })
      expect([statusCode, body]).toEqual([412, '{"errors":["required index state not present"]}'])
      expect(await statuses(understudy, secret, 4, { headers })).toEqual([412, 412, 200, 200])
    }
    expect(await statuses(understudy, secret, 1)).toEqual([200])
  })

  test('secrets-sealed, -standby and -dr-secondary change the state of the node', async () => {
    const understudy = await started({ dialect })
    const { faults } = understudy.world()
    await sender(understudy)(secret, data)
    const seen = async () => [
      ...(await statuses(understudy, health, 1)),
      ...(await statuses(understudy, secret, 1)),
    ]
    const under = async (name: string, parameters = {}) => {
      faults.preset(name, parameters)
      const result = await seen()
      faults.endPreset(name)
      return result
    }
    expect(await under('secrets-sealed')).toEqual([503, 503])
    expect(await under('secrets-standby')).toEqual([429, 200])
    expect(await under('secrets-standby', { performance: true })).toEqual([473, 200])
    expect(await under('secrets-dr-secondary')).toEqual([472, 400])
    expect(await seen()).toEqual([200, 200])
  })

  test('secrets-dr-secondary: a primary is a primary again afterwards; the community edition refuses the preset', async () => {
    const understudy = await started({ dialect })
    const { faults } = understudy.world()
    const send = sender(understudy)
    await send('/v1/sys/replication/dr/primary/enable', { method: 'POST', payload: {} })
    faults.preset('secrets-dr-secondary')
    faults.preset('secrets-dr-secondary')
    expect((await send(health)).json().replication_dr_mode).toBe('secondary')
    faults.endPreset('secrets-dr-secondary')
    expect((await send(health)).json().replication_dr_mode).toBe('primary')
    understudy.world().changeOptions({ secrets: { edition: 'community' } })
    for (const body of [{}, { when: { nth: 9 } }]) {
      const reply = await ask(understudy, 'POST', '/faults/presets/secrets-dr-secondary', body)
      expect([reply.status, understudy.world().faults.list()]).toEqual([409, []])
    }
  })

  test('secrets-kv-upgrading: the engine answers 400, permanently or for a time', async () => {
    const understudy = await started({ dialect })
    const { faults, clock } = understudy.world()
    await sender(understudy)(secret, data)
    faults.preset('secrets-kv-upgrading')
    const { statusCode, body } = await sender(understudy)(secret)
    expect([statusCode, body]).toEqual([
      400,
      expect.stringContaining('Upgrading from non-versioned'),
    ])
    faults.endPreset('secrets-kv-upgrading')
    expect(await statuses(understudy, secret, 1)).toEqual([200])
    faults.preset('secrets-kv-upgrading', { duration: '2s' })
    expect(await statuses(understudy, secret, 1)).toEqual([400])
    clock.advance('2s')
    expect(await statuses(understudy, secret, 1)).toEqual([200])
    faults.endPreset('secrets-kv-upgrading')
    faults.preset('secrets-kv-upgrading', { duration: '2s' })
    faults.endPreset('secrets-kv-upgrading')
    expect(await statuses(understudy, secret, 1)).toEqual([200])
  })

  test('secrets-rate-limited: 429 five times; health and unsealing are not limited', async () => {
    const understudy = await started({ dialect })
    understudy.world().faults.preset('secrets-rate-limited')
    expect(await statuses(understudy, health, 1)).toEqual([200])
    const { statusCode, body } = await sender(understudy)('/v1/sys/mounts')
    const text = 'request path "sys/mounts": rate limit quota exceeded'
    expect([statusCode, JSON.parse(body)]).toEqual([429, { errors: [text] }])
    expect(await statuses(understudy, '/v1/sys/mounts', 5)).toEqual([429, 429, 429, 429, 200])
  })

  // choice/process#preset-lease-lost
  test('secrets-lease-lost: the leases of the first token that has some end, for once', async () => {
    const understudy = await started({ dialect })
    const send = sender(understudy)
    understudy.world().faults.preset('secrets-lease-lost')
    const affectedLease = await credentials(understudy, dialect)
    const child = (await send('/v1/auth/token/create', { method: 'POST', payload: {} })).json()
    expect(affectedLease).toMatchObject({ status: 200 })
    const headers = { 'x-secrets-token': child.auth.client_token }
    const lookUpLease = (lease: { id: string }, more: RequestExtras = {}) =>
      send('/v1/sys/leases/lookup', { method: 'PUT', payload: { lease_id: lease.id }, ...more })
    expect((await lookUpLease(affectedLease)).json()).toMatchObject({ errors: ['invalid lease'] })
    const other = await credentials(understudy, dialect, headers)
    expect((await lookUpLease(other, { headers })).statusCode).toBe(200)
  })

  test('secrets-lease-lost: match.caller names another token', async () => {
    const understudy = await started({ dialect })
    const send = sender(understudy)
    const affectedLease = await credentials(understudy, dialect)
    const child = (await send('/v1/auth/token/create', { method: 'POST', payload: {} })).json()
    const caller = child.auth.client_token
    const otherLease = await credentials(understudy, dialect, { 'x-secrets-token': caller })
    understudy.world().faults.preset('secrets-lease-lost', { match: { caller } })
    const leaseStatus = async ({ id }: { id: string }, token = 'root') => {
      const payload = { lease_id: id }
      const headers = { 'x-secrets-token': token }
      return (await send('/v1/sys/leases/lookup', { method: 'PUT', payload, headers })).statusCode
    }
    expect([
      await leaseStatus(affectedLease),
      await leaseStatus(otherLease, caller),
      await leaseStatus(affectedLease),
    ]).toEqual([200, 400, 200])
  })

  test('secrets-orchestrator-down: credentials are refused', async () => {
    const understudy = await started({ dialect })
    const { faults } = understudy.world()
    expect(faults.preset('secrets-orchestrator-down')).toEqual({
      faults: [],
      options: { secrets: { orchFault: 'unreachable' } },
    })
    expect((await credentials(understudy, dialect)).status).toBe(dialect === 'vendor' ? 500 : 502)
    faults.endPreset('secrets-orchestrator-down')
    expect((await credentials(understudy, dialect)).status).toBe(200)
  })

  test('secrets-database-down, -directory-down, -quota-exceeded: no credentials, no logins', async () => {
    const understudy = await started({ dialect })
    const { faults } = understudy.world()
    const send = sender(understudy)
    const post = (path: string, payload: object) => send(`/v1/${path}`, { method: 'POST', payload })
    await post('sys/mounts/database', { type: 'database' })
    const connection_url = 'postgresql://{{username}}:{{password}}@db/app'
    const plugin_name = 'postgresql-database-plugin'
    const config = { connection_url, plugin_name, username: 'a', password: 'b', allowed_roles: '*' }
    await post('database/config/pg', config)
    const creation_statements = 'CREATE ROLE "{{name}}"'
    await post('database/roles/app', { db_name: 'pg', creation_statements })
    const creds = '/v1/database/creds/app'
    const raised = dialect === 'vendor' ? 500 : 502
    faults.preset('secrets-database-down')
    expect(await statuses(understudy, creds, 1)).toEqual([raised])
    faults.endPreset('secrets-database-down')

    faults.preset('secrets-quota-exceeded', { answers: 1 })
    expect(await statuses(understudy, health, 1)).toEqual([200])
    const refused = await send(creds)
    expect([refused.statusCode, refused.json().errors]).toEqual([
      429,
      ['request path "database/creds/app": lease count quota exceeded'],
    ])
    expect(await statuses(understudy, creds, 1)).toEqual([200])

    await post('sys/auth/ldap', { type: 'ldap' })
    const directory = { ldap: { users: { ann: { password: 'pw' } } } }
    understudy.world().changeOptions({ secrets: { directory } })
    const login = async () => (await post('auth/ldap/login/ann', { password: 'pw' })).statusCode
    expect(await login()).toBe(200)
    faults.preset('secrets-directory-down')
    expect(await login()).toBeGreaterThanOrEqual(400)
    faults.endPreset('secrets-directory-down')
    expect(await login()).toBe(200)
  })

  test('secrets-ca-expired, -crl-stale: no certificates, and a CRL that has ended', async () => {
    const understudy = await started({ dialect })
    const { faults } = understudy.world()
    const send = sender(understudy)
    const post = (path: string, payload: object) =>
      send(`/v1/pki/${path}`, { method: 'POST', payload })
    await send('/v1/sys/mounts/pki', { method: 'POST', payload: { type: 'pki' } })
    await post('root/generate/internal', { common_name: 'R', key_type: 'ec', ttl: '700h' })
    await post('roles/web', { allow_any_name: true, key_type: 'ec', ttl: '1h' })
    const issue = async () => (await post('issue/web', { common_name: 'a.example' })).json()
    faults.preset('secrets-ca-expired')
    expect((await issue()).errors).toEqual([
      expect.stringMatching(
        /^cannot satisfy request, as TTL would result in notAfter of .+ that is beyond the expiration of the CA certificate at .+Z$/,
      ),
    ])
    faults.endPreset('secrets-ca-expired')
    const { serial_number } = (await issue()).data
    await post('revoke', { serial_number })

    const revoked = async () => readCrlEntries((await send('/v1/pki/crl')).rawPayload).length
    expect(await revoked()).toBe(1)
    faults.preset('secrets-crl-stale')
    expect(await revoked()).toBe(0)
    faults.endPreset('secrets-crl-stale')
    expect(await revoked()).toBe(1)
  })
})
