import { describe, expect, onTestFinished, test } from 'vitest'
import {
  createUnderstudy,
  type DialectName,
  DocumentError,
  type EmbeddedWorld,
  Refusal,
} from '../../../src/embedding/index.ts'

/** Tests of `world.seed()` and the short calls by which a test prepares its world. */

async function freshWorld(dialect: DialectName = 'neutral'): Promise<EmbeddedWorld> {
  const understudy = await createUnderstudy({ dialect, seed: 'seeding' })
  onTestFinished(() => understudy.close())
  return understudy.world()
}

const read = async (world: EmbeddedWorld, token: string, path: string) => {
  const reply = await world.inject({ url: `/v1/${path}`, headers: { 'x-secrets-token': token } })
  return [reply.statusCode, reply.json()] as const
}

/** Returns the stack of the error that a call throws, as long as Node makes it by default. */
function stackOf(call: () => void): string {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 10
  try {
    call()
    return ''
  } catch (error) {
    return String((error as Error).stack)
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

describe('behaviour/program#embedding: secrets', () => {
  test('a secret is written as a new version, and read back', async () => {
    const world = await freshWorld()
    world.secrets.put('secret/app/db', { user: 'ada' })
    world.secrets.put('secret/app/db', { user: 'bob', port: 5432, ratio: 0.5 })
    expect(world.secrets.get('secret/app/db')).toEqual({ user: 'bob', port: 5432, ratio: 0.5 })
    const [status, body] = await read(world, 'root', 'secret/data/app/db')
    expect([status, body.data.metadata.version, body.data.data.user]).toEqual([200, 2, 'bob'])
  })

  test('a mount of version 1 is another place', async () => {
    const world = await freshWorld()
    world.secrets.mount('old', { type: 'kv', options: { version: '1' } })
    world.secrets.put('old/app', { a: 1 })
    expect(world.secrets.get('old/app')).toEqual({ a: 1 })
    world.secrets.put('secret/b/c', { b: 2 })
    expect(world.secrets.paths()).toEqual(['old/app', 'secret/b/c'])
    expect(await read(world, 'root', 'old/app')).toMatchObject([200, { data: { a: 1 } }])
  })

  test('absent objects are undefined: no mount, no secret, a deleted secret', async () => {
    const world = await freshWorld()
    world.secrets.put('secret/gone', { a: 1 })
    await world.inject({
      method: 'DELETE',
      url: '/v1/secret/data/gone',
      headers: { 'x-secrets-token': 'root' },
    })
    const paths = ['nowhere/app', 'secret/app', 'secret/gone']
    expect(paths.map((path) => world.secrets.get(path))).toEqual([undefined, undefined, undefined])
  })

  test('a token may do everything that its policy grants', async () => {
    const world = await freshWorld()
    world.secrets.put('secret/app/db', { user: 'ada' })
    world.secrets.policy('app', 'path "secret/data/app/*" { capabilities = ["read"] }')
    const token = world.secrets.token({ policies: ['app'], ttl: '1h' })
    expect(await read(world, token, 'secret/data/app/db')).toMatchObject([200, {}])
    expect(await read(world, token, 'secret/data/other')).toMatchObject([403, {}])
    expect(world.secrets.policyText('app')).toContain('secret/data/app/*')
    expect(world.secrets.policies()).toContain('app')
    expect(world.secrets.policyText('none')).toBeUndefined()
  })

  test.each(['neutral', 'vendor'] as const)(
    'a token is made up in the form of %s',
    async (name) => {
      const world = await freshWorld(name)
      const created = [
        world.secrets.token(),
        world.secrets.token(),
        world.secrets.token({ id: 'own' }),
      ]
      const [first = ''] = created
      expect(new Set(created).size).toBe(3)
      expect(first).toMatch(name === 'vendor' ? /^hvs\.\w{20,}$/ : /^s\.\w{24}$/)
      const header = name === 'vendor' ? 'x-vault-token' : 'x-secrets-token'
      const { statusCode } = await world.inject({
        url: '/v1/auth/token/lookup-self',
        headers: { [header]: first },
      })
      expect(statusCode).toBe(200)
    },
  )

  test.each([
    ['nowhere/app', { a: 1 }, 'the path "nowhere/app" is not in a key-value mount'],
    ['sys/app', { a: 1 }, 'the path "sys/app" is not in a key-value mount'],
    ['secret/', { a: 1 }, 'the path "secret/" names a mount, but no secret in it'],
    [undefined, { a: 1 }, 'the path must be a string, such as "secret/app/db"'],
    ['secret/app', [1], 'the data must be an object, such as { password: "p" }'],
    ['secret/app', { a: 1n }, /^world.secrets.put: the data cannot be written as JSON: /],
  ])('put(%j, %o) names the argument that is wrong', async (path, data, text) => {
    const world = await freshWorld()
    const { sequence } = world.snapshot()
    const put = () => world.secrets.put(path as string, data)
    expect(put).toThrow(text instanceof RegExp ? text : `world.secrets.put: ${text}`)
    expect(world.snapshot().sequence).toBe(sequence)
  })

  test('an error has the line of the caller in its stack', async () => {
    const world = await freshWorld()
    const calls = [
      () => world.secrets.put('nowhere/app', { a: 1 }),
      () => world.secrets.policy('app', 'path {'),
      () => world.secrets.mount('x', { type: 'nope' }),
      () => world.secrets.token({ ttl: 'soon' }),
      () => world.seed({ mesh: { namespaces: [{ Name: 7 }] } } as never),
    ]
    expect(calls.map((call) => stackOf(call).includes('seeding.test.ts'))).toEqual(
      calls.map(() => true),
    )
  })

  test('values that the API refuses are refused, and nothing changes', async () => {
    const world = await freshWorld()
    const { sequence } = world.snapshot()
    expect(() => world.secrets.put('nowhere/app', { a: 1 })).toThrow(Refusal)
    expect(() => world.secrets.policy('app', 'path {')).toThrow(/policies\/app/)
    expect(() => world.secrets.token({ id: 'root' })).toThrow(Refusal)
    expect(world.snapshot().sequence).toBe(sequence)
  })
})

describe('behaviour/program#embedding: the other services', () => {
  const job = `job "web" {
    group "web" {
      task "web" {
        driver = "docker"
        config { image = "web" }
      }
    }
  }`

  test("a job file's job runs once the clock has moved", async () => {
    const understudy = await createUnderstudy({ clock: 'frozen@2026-01-01T00:00:00Z' })
    onTestFinished(() => understudy.close())
    const world = understudy.world()
    expect(world.scheduler.run(job)).toBe('web')
    expect(world.scheduler.jobs().map(({ ID, Status }) => [ID, Status])).toEqual([
      ['web', 'pending'],
    ])
    world.clock.advance('1m')
    expect(world.scheduler.jobs()[0]?.Status).toBe('running')
    const reply = await world.inject('/v1/job/web')
    expect(reply.json()).toMatchObject({ ID: 'web', Status: 'running' })
  })

  test('an invalid job is refused, and nothing changes', async () => {
    const world = await freshWorld()
    const { sequence } = world.snapshot()
    expect(() => world.scheduler.run('job {')).toThrow(Refusal)
    expect(() => world.scheduler.run({ ID: 'web' })).toThrow(Refusal)
    expect(() => world.scheduler.run('')).toThrow(/body/)
    const group = { Name: 'g', Tasks: [{ Name: 't', Driver: 7 }] }
    for (const wrong of ['job {', { ID: 'web' }, { ID: 'web', TaskGroups: [group] }]) {
      expect(stackOf(() => world.scheduler.run(wrong))).toMatch(/^ +at .*seeding\.test\.ts/m)
    }
    expect([world.snapshot().sequence, world.scheduler.jobs()]).toEqual([sequence, []])
  })

  test('a namespace of the mesh has its keys', async () => {
    const world = await freshWorld()
    world.mesh.namespace({ name: 'team', description: 'Ours', keys: { 'app/a': '1' } })
    const reply = await world.inject('/v1/namespace/team')
    expect([reply.statusCode, reply.json().Description]).toEqual([200, 'Ours'])
    expect(world.mesh.namespaces().map(({ name }) => name)).toEqual(['default', 'team'])
    expect(() => world.mesh.namespace({ name: 'not a label' })).toThrow(Refusal)
  })

  test('a module is created with its organization', async () => {
    const world = await freshWorld()
    world.platform.module({ organization: 'acme', name: 'network', provider: 'aws' })
    const reply = await world.inject({
      url: '/api/v2/organizations/acme/registry-modules/private/acme/network/aws',
      headers: { authorization: `Bearer ${world.env()['TFE_TOKEN']}` },
    })
    expect([reply.statusCode, reply.json().data.attributes.status]).toEqual([200, 'setup_complete'])
    expect(world.platform.testRuns()).toEqual([])
  })
})

describe('behaviour/program#embedding: seed', () => {
  test('adds fixtures to the existing state', async () => {
    const world = await freshWorld()
    world.secrets.put('secret/a', { a: 1 })
    world.seed({ secrets: { kv: { 'secret/': { b: { b: 2 } } } }, mesh: { namespaces: [] } })
    expect(['a', 'b'].map((name) => world.secrets.get(`secret/${name}`))).toEqual([
      { a: 1 },
      { b: 2 },
    ])
  })

  test('refuses members that have calls of their own, and unknown members', async () => {
    const world = await freshWorld()
    const complete = { world: {}, options: {} } as object
    expect(() => world.seed(complete)).toThrow(
      new DocumentError([
        '/world cannot be added to a world that runs',
        '/options cannot be added to a world that runs',
      ]),
    )
    const unknown = { secrets: { kvs: {} } } as object
    expect(() => world.seed(unknown)).toThrow(/\/secrets\/kvs is unknown/)
  })
})
