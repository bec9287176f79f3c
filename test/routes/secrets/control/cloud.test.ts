import { createVerify } from 'node:crypto'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  cloudLoginBodyShape,
  cloudViewShape,
} from '../../../../routes/secrets/control/cloud-control.ts'
import {
  createUnderstudy,
  type Understudy,
  type UnderstudyOptions,
} from '../../../../src/embedding/index.ts'
import { storedSchema } from '../../../../state/kernel/shape/schema.ts'
import { problem } from '../../../support/control.ts'
import { identities, rsaKey as key } from '../../../support/secrets/cloud.ts'

const asRoot = { 'x-secrets-token': 'root' }

async function server(options: UnderstudyOptions = {}): Promise<Understudy> {
  const running = await createUnderstudy({
    clock: 'frozen@2026-01-01T00:00:00Z',
    seed: 'test',
    ...options,
  })
  onTestFinished(() => running.close())
  return running
}

/** Sends a request with a JSON body and returns the status and body of the answer. */
async function send(running: Understudy, method: string, url: string, payload?: object) {
  const reply = await running.inject({
    method,
    url,
    headers: asRoot,
    ...(payload === undefined ? {} : { payload }),
  })
  return { status: reply.statusCode, body: reply.body === '' ? undefined : reply.json() }
}

/** Configures the login method for a tenancy, and writes the role `dev` for these groups. */
async function setUp(running: Understudy, tenancy: string, groups: string, at = '/v1/auth/cloud') {
  await send(running, 'POST', `${at}/config`, { home_tenancy_id: tenancy })
  await send(running, 'POST', `${at}/role/dev`, { cid_list: groups, token_policies: 'p' })
}

const ajv = new Ajv2020({ strict: false })
const groups = 'example-group,example-dynamic-group'

describe('issue 4: a login in one line, over the control plane', () => {
  test.each([
    ['the user of a fresh world', {}],
    ['the user by its id', { user: 'example-user' }],
    ['the instance', { instance: 'example-instance' }],
  ])('%s', async (_, who) => {
    const running = await server()
    await setUp(running, 'example-tenancy', groups)
    const signed = await send(running, 'POST', '/_mock/secrets/cloud/logins', {
      role: 'dev',
      ...who,
    })
    expect(signed.status).toBe(200)
    expect(ajv.validate(storedSchema(cloudLoginBodyShape), signed.body), ajv.errorsText()).toBe(
      true,
    )
    const reply = await send(running, 'POST', '/v1/auth/cloud/login/dev', signed.body)
    expect([reply.status, reply.body.auth.policies]).toEqual([200, ['default', 'p']])
  })

  test('the body is the one that behaviour/secrets#api-cloud describes', async () => {
    const running = await server()
    const { body } = await send(running, 'POST', '/_mock/secrets/cloud/logins', { role: 'Dev' })
    const { users } = (await send(running, 'GET', '/_mock/secrets/cloud')).body
    const [{ fingerprint, public_key }] = users[0].keys
    const headers = body.request_headers
    const signature = /signature="([^"]+)"$/.exec(headers.authorization[0])?.[1] ?? ''
    expect(headers).toEqual({
      date: ['Thu, 01 Jan 2026 00:00:00 GMT'],
      '(request-target)': ['get /v1/auth/cloud/login/dev'],
      host: ['localhost'],
      'content-type': ['application/json'],
      authorization: [
        `Signature version="1",headers="date (request-target) host",keyId="example-tenancy/example-user/${fingerprint}",algorithm="rsa-sha256",signature="${signature}"`,
      ],
    })
    const lines = [
      'date: Thu, 01 Jan 2026 00:00:00 GMT',
      '(request-target): get /v1/auth/cloud/login/dev',
      'host: localhost',
    ]
    const verify = createVerify('RSA-SHA256').update(lines.join('\n'))
    expect(verify.verify(public_key, signature, 'base64')).toBe(true)
  })

  test('an instance sends a token with its claims', async () => {
    const running = await server()
    const { body } = await send(running, 'POST', '/_mock/secrets/cloud/logins', {
      role: 'dev',
      instance: 'example-instance',
    })
    const [, payload = ''] =
      /keyId="ST\$[\w-]+\.([\w-]+)\.[\w-]+"/.exec(body.request_headers.authorization[0]) ?? []
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual({
      sub: 'example-instance',
      tenant: 'example-tenancy',
      ptype: 'instance',
      iat: 1_767_225_600,
      exp: 1_767_226_800,
    })
  })

  // choice/secrets#cloud-identities
  test('the key is generated once; GET does not generate a key', async () => {
    const running = await server()
    const cloud = async () => (await send(running, 'GET', '/_mock/secrets/cloud')).body
    const before = await cloud()
    expect(ajv.validate(storedSchema(cloudViewShape), before), ajv.errorsText()).toBe(true)
    expect([before.users[0].keys, before.instances[0].key]).toEqual([[], null])
    const login = { role: 'dev' }
    await send(running, 'POST', '/_mock/secrets/cloud/logins', login)
    const after = await cloud()
    await send(running, 'POST', '/_mock/secrets/cloud/logins', login)
    expect(await cloud()).toEqual(after)
    expect(after.users[0].keys).toEqual([
      {
        fingerprint: expect.stringMatching(/^([0-9a-f]{2}:){15}[0-9a-f]{2}$/),
        public_key: expect.stringMatching(/^-----BEGIN PUBLIC KEY-----\n/),
        signs: true,
      },
    ])
  })

  test('a login expires by the clock of the world', async () => {
    const running = await server()
    await setUp(running, 'example-tenancy', groups)
    const body = running.world().cloudLogin({ role: 'dev' })
    running.world().clock.advance('5m1s')
    expect(await send(running, 'POST', '/v1/auth/cloud/login/dev', body)).toEqual({
      status: 403,
      body: { errors: ['Cloud authentication failed'] },
    })
    const fresh = running.world().cloudLogin({ role: 'dev' })
    expect((await send(running, 'POST', '/v1/auth/cloud/login/dev', fresh)).status).toBe(200)
  })

  test.each(['auth/team/second', 'team/second', '/auth/team/second/'])(
    'a mount at another path, as %s',
    async (mount) => {
      const running = await server()
      await send(running, 'POST', '/v1/sys/auth/team/second', { type: 'cloud' })
      await setUp(running, 'example-tenancy', groups, '/v1/auth/team/second')
      const { body } = await send(running, 'POST', '/_mock/secrets/cloud/logins', {
        role: 'dev',
        mount,
      })
      expect(body.request_headers['(request-target)']).toEqual([
        'get /v1/auth/team/second/login/dev',
      ])
      const reply = await send(running, 'POST', '/v1/auth/team/second/login/dev', body)
      expect(reply.status).toBe(200)
    },
  )

  test('the vendor dialect has its own ids and mount', async () => {
    const running = await server({ dialect: 'vendor' })
    await send(running, 'POST', '/v1/auth/oci/config', {
      home_tenancy_id: 'ocid1.tenancy.oc1..example',
    })
    await send(running, 'POST', '/v1/auth/oci/role/dev', {
      ocid_list: 'ocid1.group.oc1..example',
    })
    const { body } = await send(running, 'POST', '/_mock/secrets/cloud/logins', { role: 'dev' })
    expect(body.request_headers['(request-target)']).toEqual(['get /v1/auth/oci/login/dev'])
    const reply = await send(running, 'POST', '/v1/auth/oci/login/dev', body)
    expect([reply.status, reply.body.auth.metadata]).toEqual([200, { role_name: 'dev' }])
  })
})

describe('requests that the helper refuses', () => {
  const fixtures = { secrets: { cloud: identities(key) } }

  test.each([
    ['an unknown user', { user: 'bob' }, 404, 'Not Found', 'there is no user "bob"'],
    ['an unknown instance', { instance: 'ada' }, 404, 'Not Found', 'there is no instance "ada"'],
    [
      'a user of whom only a public key is held',
      { user: 'ada' },
      409,
      'Conflict',
      'only public keys of the user "ada" are held here: sign with its private key yourself, or give it as PEM',
    ],
    [
      'an instance of which only the public key is held',
      { instance: 'box' },
      409,
      'Conflict',
      'only public keys of the instance "box" are held here: sign with its private key yourself, or give it as PEM',
    ],
    [
      'two at once',
      { user: 'ada', instance: 'box' },
      400,
      'Bad Request',
      'either a user or an instance logs in, not both',
    ],
  ])('%s', async (_, who, status, title, detail) => {
    const running = await server({ fixtures })
    const login = { role: 'dev', ...who }
    expect(await send(running, 'POST', '/_mock/secrets/cloud/logins', login)).toEqual({
      status,
      body: problem(status, title, detail),
    })
    expect(() => running.world().cloudLogin(login)).toThrow(detail)
  })

  test.each([
    [{}, ['/role is missing']],
    [{ role: '' }, ['/role must NOT have fewer than 1 characters']],
    [{ role: 1, users: 'x' }, ['/users is unknown; did you mean user?', '/role must be string']],
  ])('a body of the wrong shape: %j', async (body, problems) => {
    const running = await server()
    const reply = await send(running, 'POST', '/_mock/secrets/cloud/logins', body)
    expect(reply).toEqual({
      status: 400,
      body: problem(400, 'Bad Request', problems.join('; '), problems),
    })
    const login = running.world().cloudLogin.bind(running.world()) as (body: unknown) => unknown
    expect(() => login(body)).toThrow(problems.join('; '))
  })
})

describe('issue 4: identities at run time', () => {
  test('POST adds them and returns all; logins are signed with the private key', async () => {
    const running = await server()
    await setUp(running, 'home', 'g-dev')
    const added = await send(running, 'POST', '/_mock/secrets/cloud', {
      tenancies: ['home'],
      users: [{ id: 'ada', groups: ['g-dev'], keys: [key.privatePem] }],
    })
    expect(added.status).toBe(200)
    expect(added).toEqual(await send(running, 'GET', '/_mock/secrets/cloud'))
    expect(added.body.users[0]).toEqual({
      id: 'ada',
      tenancy: 'home',
      groups: ['g-dev'],
      keys: [{ fingerprint: key.fingerprint, public_key: key.publicPem, signs: true }],
    })
    expect(JSON.stringify(added.body)).not.toContain('PRIVATE KEY')
    const login = { role: 'dev', user: 'ada' }
    const { body } = await send(running, 'POST', '/_mock/secrets/cloud/logins', login)
    expect((await send(running, 'POST', '/v1/auth/cloud/login/dev', body)).status).toBe(200)
  })

  test('a bad key is reported with its position, and nothing is added', async () => {
    const running = await server()
    const identities = { users: [{ id: 'ada' }, { id: 'bob', keys: ['nonsense'] }] }
    const line = '/users/1/keys/0: this is not an RSA key in PEM form'
    expect(await send(running, 'POST', '/_mock/secrets/cloud', identities)).toEqual({
      status: 400,
      body: problem(400, 'Bad Request', line, [line]),
    })
    expect(() => running.world().cloud.add(identities)).toThrow(line)
    expect(
      running
        .world()
        .cloud.view()
        .users.map(({ id }) => id),
    ).toEqual(['example-user'])
  })

  test('a body of the wrong shape is refused', async () => {
    const running = await server()
    const { status, body } = await send(running, 'POST', '/_mock/secrets/cloud', { user: [] })
    expect([status, body.problems]).toEqual([400, ['/user is unknown']])
  })

  test('each world has its own identities, by path and by id', async () => {
    const running = await server()
    const world = running.createWorld({ id: 'mine' })
    world.cloud.add({ users: [{ id: 'ada', groups: ['g'] }] })
    const users = async (url: string) =>
      (await send(running, 'GET', url)).body.users.map(({ id }: { id: string }) => id)
    expect(await users('/_mock/secrets/cloud')).toEqual(['example-user'])
    expect(await users('/_mock/worlds/mine/secrets/cloud')).toEqual(['ada', 'example-user'])
    expect(await users('/_world/mine/_mock/secrets/cloud')).toEqual(['ada', 'example-user'])
    const url = '/_mock/worlds/mine/secrets/cloud/logins'
    const { body } = await send(running, 'POST', url, { role: 'dev', user: 'ada' })
    await setUp(running, 'example-tenancy', 'g', '/_world/mine/v1/auth/cloud')
    const reply = await send(running, 'POST', '/_world/mine/v1/auth/cloud/login/dev', body)
    expect(reply.status).toBe(200)
  })
})

describe('behaviour/program#embedding: cloud identities in process', () => {
  test('an embedded world logs in a cloud identity of its fixtures', async () => {
    const { users } = identities(key)
    const keys = [key.privatePem]
    const understudy = await server({
      fixtures: {
        secrets: {
          cloud: { tenancies: ['home'], users: (users ?? []).map((user) => ({ ...user, keys })) },
        },
      },
    })
    await setUp(understudy, 'home', 'g-dev')
    const payload = understudy.world().cloudLogin({ role: 'dev', user: 'ada' })
    expect(payload.request_headers['host']).toEqual(['localhost'])
    const reply = await understudy.world().inject({
      method: 'POST',
      url: '/v1/auth/cloud/login/dev',
      payload,
    })
    expect(reply.json().auth.metadata).toEqual({ role_name: 'dev' })
  })

  test('the host is that of the listener once there is one', async () => {
    const running = await server()
    const url = await running.listen()
    const { request_headers: headers } = running.world().cloudLogin({ role: 'dev' })
    expect(headers['host']).toEqual([new URL(url).host])
    const chosen = running.world().cloudLogin({ role: 'dev' }, 'secrets.example.com')
    expect(chosen.request_headers['host']).toEqual(['secrets.example.com'])
  })

  test('keys are part of exports, snapshots and forks', async () => {
    const running = await server()
    const world = running.world()
    const { id } = world.snapshot()
    const first = world.cloudLogin({ role: 'dev' })
    expect(world.fork().cloudLogin({ role: 'dev' })).toEqual(first)
    const document = world.state()
    world.restore(id)
    expect(world.cloud.view().users[0]?.keys).toEqual([])
    world.importState(document)
    expect(world.cloudLogin({ role: 'dev' })).toEqual(first)
    world.reset()
    expect(world.cloud.view().users[0]?.keys).toEqual([])
  })
})
