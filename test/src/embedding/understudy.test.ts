import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  createUnderstudy,
  type EmbeddedWorld,
  type Fixtures,
  type Understudy,
} from '../../../src/embedding/index.ts'
import type { UncheckedOptions } from '../../../src/embedding/understudy-options.ts'

const frozen = 'frozen@2026-01-01T00:00:00Z'
const asRoot = { 'x-secrets-token': 'root' }

async function started(options: Parameters<typeof createUnderstudy>[0] = {}): Promise<Understudy> {
  const understudy = await createUnderstudy(options)
  onTestFinished(() => understudy.close())
  return understudy
}

/** Returns the message with which a set of options is refused. */
async function constructorError(options: UncheckedOptions): Promise<string> {
  try {
    await (createUnderstudy as (options: UncheckedOptions) => Promise<Understudy>)(options)
  } catch (error) {
    if (error instanceof Error) return `${error.name}: ${error.message}`
  }
  return 'taken'
}

const write = (value: string) => ({
  method: 'POST',
  url: '/v1/secret/data/app',
  headers: asRoot,
  payload: { data: { value } },
})
const read = { url: '/v1/secret/data/app', headers: asRoot }

describe('behaviour/program#embedding: with and without a socket', () => {
  test('answers without one, and has no address then', async () => {
    const understudy = await started({ clock: frozen })
    const reply = await understudy.inject('/v1/sys/health')
    expect([reply.statusCode, reply.json().server_time_utc]).toEqual([200, 1_767_225_600])
    expect([understudy.url, understudy.world().url]).toEqual([undefined, undefined])
    expect(understudy.world().info().services.secrets.url).toBe('http://localhost')
  })

  test('listens on a free port once, however often it is asked', async () => {
    const understudy = await started()
    const [first, second] = await Promise.all([understudy.listen(), understudy.listen()])
    expect(first).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect([second, understudy.url, await understudy.listen()]).toEqual([first, first, first])
    const reply = await fetch(`${first}/v1/sys/health`)
    expect(reply.status).toBe(200)
  })

  // choice/process#control-listener
  test('an API with a port of its own has its own address', async () => {
    const understudy = await started({ apiPorts: { secrets: 0 } })
    const url = await understudy.listen()
    const own = understudy.apiUrl('secrets')
    expect(own).not.toBe(url)
    expect(understudy.apiUrl('platform')).toBe(url)
    const statuses = [`${own}/v1/sys/health`, `${own}/_mock/health`].map(async (address) => {
      const { status } = await fetch(address)
      return status
    })
    expect(await Promise.all(statuses)).toEqual([200, 404])
  })

  test("behaviour/program#worlds-for-clients: info names an API's own port, also below a prefix", async () => {
    const understudy = await started({ apiPorts: { secrets: 0, mesh: 0 } })
    const secrets = () => understudy.world().info().services.secrets.url
    expect(secrets()).toBe('http://localhost')
    const url = await understudy.listen()
    const [own, mesh] = [understudy.apiUrl('secrets'), understudy.apiUrl('mesh')]
    const urlsOf = ({ services }: { services: Record<string, { url: string }> }) =>
      Object.fromEntries(Object.entries(services).map(([name, service]) => [name, service.url]))
    const urls = { secrets: own, platform: url, mesh, scheduler: url }
    expect(urlsOf((await understudy.inject('/_mock/info')).json())).toEqual({
      secrets: own?.replace('127.0.0.1', 'localhost'),
      platform: 'http://localhost:80',
      mesh: mesh?.replace('127.0.0.1', 'localhost'),
      scheduler: 'http://localhost:80',
    })
    expect(urlsOf(await (await fetch(`${url}/_mock/info`)).json())).toEqual(urls)

    const created = await fetch(`${url}/_mock/worlds`, { method: 'POST', body: '{"id":"a"}' })
    const otherPaths = Object.fromEntries(
      Object.entries(urls).map(([name, address]) => [name, `${address}/_world/a`]),
    )
    expect(urlsOf((await created.json()).info)).toEqual(otherPaths)
    expect(urlsOf(await (await fetch(`${url}/_world/a/_mock/info`)).json())).toEqual(otherPaths)
    expect(urlsOf(understudy.world('a').info())).toEqual(otherPaths)
    expect((await fetch(`${otherPaths['secrets']}/v1/sys/health`)).status).toBe(200)
  })

  test('behaviour/program#test-runners: a world made without waiting has no listeners', async () => {
    const understudy = await started()
    const request: object = { listen: true }
    expect(() => understudy.createWorld(request)).toThrow(
      '/listen opens listeners, which is asynchronous: use openWorld()',
    )
    expect(understudy.worlds().length).toBe(1)
  })

  test('a taken port is refused, and leaves nothing open', async () => {
    const first = await started()
    const port = Number(new URL(await first.listen()).port)
    const second = await createUnderstudy({ port, apiPorts: { secrets: 0 } })
    await expect(second.listen()).rejects.toThrow(`address already in use 127.0.0.1:${port}`)
    expect([second.url, second.apiUrl('secrets')]).toEqual([undefined, undefined])
  })

  test('close may be called twice and ends connections; nothing opens after it', async () => {
    const understudy = await createUnderstudy()
    const { port } = new URL(await understudy.listen())
    const socket = connect(Number(port), '127.0.0.1').resume()
    await once(socket, 'connect')
    const ended = once(socket, 'close')
    await Promise.all([understudy.close(), understudy.close(), ended])
    await understudy.close()
    await expect(understudy.listen()).rejects.toThrow('this understudy is closed')
  })

  // choice/process#readiness
  test('is ready without a socket; not while listeners are opened, nor from its end on', async () => {
    const understudy = await createUnderstudy({ apiPorts: { secrets: 0 } })
    const probe = async () => (await understudy.inject('/_mock/ready')).statusCode
    const alone = await probe()
    const opening = understudy.listen()
    const early = await probe()
    await opening
    const open = await probe()
    const closing = understudy.close()
    const late = await probe()
    await closing
    expect([alone, early, open, late]).toEqual([200, 503, 200, 503])
  })

  test('close while it opens', async () => {
    const understudy = await createUnderstudy()
    const opening = understudy.listen()
    await Promise.all([
      understudy.close(),
      expect(opening).rejects.toThrow('this understudy is closed'),
    ])
    expect(understudy.url).toBe(undefined)
  })

  test('`await using` closes it', async () => {
    let left: Understudy | undefined
    {
      await using understudy = await createUnderstudy()
      await understudy.listen()
      left = understudy
      expect(left.url).toBe(understudy.url)
    }
    expect(left.url).toBe(undefined)
  })

  test('LIST and other verbs that Node does not know reach the APIs', async () => {
    const understudy = await started()
    await understudy.inject(write('a'))
    const list = { method: 'LIST', url: '/v1/secret/metadata', headers: asRoot }
    const replies = [await understudy.inject(list), await understudy.world().inject(list)]
    expect(replies.map((reply) => reply.json().data)).toEqual([
      { keys: ['app'] },
      { keys: ['app'] },
    ])
    const unknown = await understudy.inject({ ...list, method: 'PURGE' })
    expect(unknown.statusCode).toBe(405)
  })
})

describe('behaviour/program#worlds: nothing is shared', () => {
  test('many servers side by side in one process', async () => {
    const servers = await Promise.all(
      ['a', 'b', 'c', 'd'].map((seed) =>
        started({ seed, rootToken: `root-${seed}`, clock: frozen }),
      ),
    )
    const [first, ...others] = servers
    await first?.inject({ ...write('mine'), headers: { 'x-secrets-token': 'root-a' } })
    first?.world().clock.advance('1h')
    first?.world().changeOptions({ secrets: { version: '1.0.0' } })
    first?.createWorld({ id: 'only-here' })
    const facts = others.map((understudy) => ({
      tables: understudy.world().state().secrets.tables['kv2-keys'],
      now: understudy.world().clock.view().now,
      version: understudy.world().options().secrets.version,
      worlds: understudy.worlds().map(({ id }) => id),
    }))
    const untouched = {
      tables: {},
      now: '2026-01-01T00:00:00Z',
      version: '1.14.0+ent',
      worlds: ['default'],
    }
    expect(facts).toEqual([untouched, untouched, untouched])
    const foreign = await others[0]?.inject({ ...read, headers: { 'x-secrets-token': 'root-a' } })
    expect(foreign?.statusCode).toBe(403)
    await first?.close()
    const health = await others[0]?.inject('/v1/sys/health')
    expect(health?.statusCode).toBe(200)
  })

  test('worlds of one server: data, clock and options are apart', async () => {
    const understudy = await started({ clock: frozen })
    const [one, two] = [understudy.createWorld({ id: 'one' }), understudy.createWorld()]
    await one.inject(write('one'))
    one.clock.advance(1000)
    one.changeOptions({ secrets: { require_request_header: true } })
    const replies = await Promise.all([two.inject(read), understudy.inject(read)])
    expect(replies.map(({ statusCode }) => statusCode)).toEqual([404, 404])
    expect([one, two].map((world) => world.clock.view().now)).toEqual([
      '2026-01-01T00:00:01Z',
      '2026-01-01T00:00:00Z',
    ])
    expect(two.options().secrets.require_request_header).toBe(false)
    one.delete()
    expect(() => understudy.world('one')).toThrow('there is no world "one"')
    const gone = await one.inject(read)
    expect(gone.statusCode).toBe(404)
    expect(() => understudy.world().delete()).toThrow('the default world cannot be deleted')
  })

  test('the same seed and the same requests give the same bytes', async () => {
    const replies = [1, 2].map(async () => {
      const understudy = await started({ seed: 'same', clock: frozen })
      const reply = await understudy.inject(write('a'))
      return [reply.body, understudy.world().info().services.secrets.unsealKeys]
    })
    const [first, second] = await Promise.all(replies)
    expect(first).toEqual(second)
  })

  // choice/secrets#shares-kept
  test('info and export contain the shares and the root token of an initialised service', async () => {
    const understudy = await started({ options: { secrets: { initialized: false } } })
    const payload = { secret_shares: 2, secret_threshold: 2 }
    const created = await understudy.inject({ method: 'PUT', url: '/v1/sys/init', payload })
    const { keys, root_token: token } = created.json()
    const info = (await understudy.inject('/_mock/info')).json()
    expect(info.services.secrets).toMatchObject({ token, unsealKeys: keys, threshold: 2 })
    const exported = (await understudy.inject('/_mock/state')).body
    for (const secret of [token, ...keys]) expect(exported).toContain(secret)
  })
})

describe('behaviour/program#embedding: the embedded control is the HTTP control plane', () => {
  /** Starts two servers with equal seed and clock; the second is driven over HTTP. */
  async function identicalServers() {
    const options = { seed: 'twins', clock: frozen } as const
    const [embedded, served] = [await started(options), await started(options)]
    const ask = async (method: string, path: string, payload?: object) => {
      const url = `/_mock${path}`
      const reply = await served.inject(payload ? { method, url, payload } : { method, url })
      expect(reply.statusCode).toBeLessThan(300)
      return reply.body === '' ? undefined : reply.json()
    }
    return { embedded, served, world: embedded.world(), ask }
  }

  test('snapshot, diff, restore and forget', async () => {
    const { embedded, served, world, ask } = await identicalServers()
    const snapshot = world.snapshot()
    expect(await ask('POST', '/snapshots')).toEqual(snapshot)
    for (const server of [embedded, served]) await server.inject(write('later'))
    const diff = world.diff(snapshot.id)
    expect(diff.changes.map(({ table }) => table)).toEqual(['secrets.kv2-data', 'secrets.kv2-keys'])
    expect(await ask('GET', `/snapshots/${snapshot.id}/diff`)).toEqual(diff)
    world.restore(snapshot.id)
    await ask('POST', `/snapshots/${snapshot.id}/restore`)
    expect(await ask('GET', '/state')).toEqual(world.state())
    expect(world.state().secrets.tables['kv2-keys']).toEqual({})
    world.dropSnapshot(snapshot.id)
    await ask('DELETE', `/snapshots/${snapshot.id}`)
    expect(await ask('GET', '/snapshots')).toEqual({ snapshots: world.snapshots() })
  })

  test('fork, worlds and reset', async () => {
    const { embedded, served, world, ask } = await identicalServers()
    for (const server of [embedded, served]) await server.inject(write('before'))
    const fork = world.fork('branch')
    await ask('POST', '/worlds', { id: 'branch', from: 'default' })
    world.reset()
    await ask('POST', '/reset', {})
    expect(await ask('GET', '/state')).toEqual(world.state())
    expect(await ask('GET', '/worlds/branch/state')).toEqual(fork.state())
    const reply = await fork.inject(read)
    expect(reply.json().data.data).toEqual({ value: 'before' })
    expect(fork.basePath).toBe('/_world/branch')
    const listed = embedded.worlds().map(({ id, basePath }) => ({ id, basePath }))
    expect(await ask('GET', '/worlds')).toMatchObject({ worlds: listed })
  })

  test('clock: view, advance and set', async () => {
    const { embedded, served, world, ask } = await identicalServers()
    const create = { ...write(''), url: '/v1/auth/token/create', payload: { ttl: '1h' } }
    for (const server of [embedded, served]) await server.inject(create)
    expect(world.clock.view().next).toMatchObject({ at: '2026-01-01T01:00:00Z' })
    expect(await ask('GET', '/clock')).toEqual(world.clock.view())
    const advanced = world.clock.advance('90m')
    expect(await ask('POST', '/clock/advance', { by: '90m' })).toEqual(advanced)
    expect([advanced.now, advanced.fired.length]).toEqual(['2026-01-01T01:30:00Z', 1])
    const clock = { mode: 'frozen', at: '2027-01-01T00:00:00Z' } as const
    expect(await ask('PUT', '/clock', clock)).toEqual(world.clock.set(clock))
  })

  test('options, transitions, state import and info', async () => {
    const { embedded, served, world, ask } = await identicalServers()
    const options = { secrets: { clusterName: 'blue' } }
    world.changeOptions(options)
    expect(await ask('PATCH', '/options', options)).toEqual(world.options())
    const item = world.transitions.push('secrets.node', 'self', 'sealed')
    expect(await ask('POST', '/transitions/secrets.node/self', { to: 'sealed' })).toEqual({
      kind: 'secrets.node',
      id: 'self',
      item,
    })
    expect(await ask('GET', '/transitions')).toEqual({ kinds: world.transitions.list() })
    const health = await Promise.all(
      [embedded, served].map((server) => server.inject('/v1/sys/health')),
    )
    expect(health.map(({ statusCode }) => statusCode)).toEqual([503, 503])
    const fixtures: Fixtures = { secrets: { kv: { 'secret/': { app: { value: 'imported' } } } } }
    world.importState(fixtures)
    await ask('PUT', '/state', fixtures)
    expect(await ask('GET', '/state')).toEqual(world.state())
    const { url: origin } = await ask('GET', '/info').then(({ services }) => services.secrets)
    expect(await ask('GET', '/info')).toEqual(world.info(origin))
  })

  test('an export is fixtures', async () => {
    const { embedded } = await identicalServers()
    await embedded.inject(write('kept'))
    const copy = await started({ fixtures: embedded.world().state() })
    expect(copy.world().state()).toEqual(embedded.world().state())
  })
})

describe('behaviour/program#worlds: clocks of embedding programs', () => {
  const view = async (clock: UncheckedOptions['clock']) =>
    (await started({ clock })).world().clock.view()

  test.each([
    ['frozen@2026-01-01T00:00:00Z'],
    [{ mode: 'frozen', at: '2026-01-01T00:00:00Z' }],
    [{ mode: 'frozen', at: 1_767_225_600_000 }],
  ] as const)('%j', async (clock) => {
    expect(await view(clock)).toEqual({ mode: 'frozen', now: '2026-01-01T00:00:00Z', next: null })
  })

  test('words without a time, and a rate', async () => {
    expect(await view('frozen')).toMatchObject({ mode: 'frozen' })
    expect(await view('real')).toMatchObject({ mode: 'real', offset: 0 })
    expect(await view('scaled@60')).toMatchObject({ mode: 'scaled', rate: 60 })
    const slow = { mode: 'scaled', rate: 0.5, at: '2030-01-01T00:00:00Z' } as const
    const { rate, now } = await view(slow)
    expect([rate, now.slice(0, 10)]).toEqual([0.5, '2030-01-01'])
  })

  test('new worlds and running clocks accept the same forms of time', async () => {
    const understudy = await started()
    const world = understudy.createWorld({ clock: frozen })
    expect(world.clock.now()).toBe(1_767_225_600_000)
    expect(world.clock.set('frozen@2027-01-01T00:00:00Z').now).toBe('2027-01-01T00:00:00Z')
    expect(world.clock.set({ mode: 'frozen' }).now).toBe('2027-01-01T00:00:00Z')
  })
})

describe('behaviour/program#fresh-world: where world options come from', () => {
  const fixtures: Fixtures = {
    options: { secrets: { clusterName: 'fixtures', version: '2.0.0' } },
  }
  const options = { secrets: { clusterName: 'options' } }
  const named = (world: EmbeddedWorld) => {
    const { clusterName, version, edition } = world.options().secrets
    return [clusterName, version, edition]
  }

  // choice/process#options-order
  test('options given by name take precedence over fixtures, and fixtures over the defaults', async () => {
    const understudy = await started({ fixtures, options })
    const expected = ['options', '2.0.0', 'enterprise']
    expect(named(understudy.world())).toEqual(expected)
    expect(named(understudy.createWorld())).toEqual(expected)
    const other = understudy.createWorld({ options: { secrets: { clusterName: 'world' } } })
    expect(named(other)).toEqual(['world', '2.0.0', 'enterprise'])
  })
})

describe('behaviour/program#embedding: options that cannot be taken', () => {
  test.each([
    [{ prot: 4600 }, /^InputError: option prot is unknown; known are host, port, /],
    [{ dialekt: 'vendor' }, /^InputError: option dialekt is unknown; did you mean dialect\?$/],
    [{ port: '4600' }, /^InputError: option port must be a port number from 0 to 65535/],
    [
      { apiPorts: { vault: 1, mesh: -1 } },
      /option apiPorts\.vault is unknown.*; option apiPorts\.mesh must be a port/,
    ],
    [{ rootToken: '' }, /^InputError: option rootToken must be a text that is not empty$/],
    [{ dialect: 'french' }, /^InputError: option dialect must be 'neutral' or 'vendor'$/],
    [{ clock: 'stopped' }, /^InputError: option clock must be 'real', 'frozen', /],
    [{ clock: { mode: 'scaled', rate: -1 } }, /^InputError: option clock must be /],
    [{ clock: null }, /^InputError: option clock must be /],
    [
      { clock: { mode: 'frozen', at: 'noon' } },
      /^InputError: option clock\/at must be an RFC 3339 time/,
    ],
    [
      { clock: { mode: 'frozen', at: Number.NaN } },
      /option clock\.at must be RFC 3339 or milliseconds/,
    ],
    [
      { fixtures: { secrets: { polices: {} } } },
      /^DocumentError: \/secrets\/polices is unknown; did you mean policies\?/,
    ],
    [
      { options: { secrets: { sealed: 'yes' } } },
      /^DocumentError: \/secrets\/sealed must be boolean$/,
    ],
  ] as const)('%j', async (options, message) => {
    expect(await constructorError(options as unknown as UncheckedOptions)).toMatch(message)
  })
})
