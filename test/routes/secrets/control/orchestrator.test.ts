import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { describe, expect, expectTypeOf, onTestFinished, test } from 'vitest'
import {
  createUnderstudy,
  type EmbeddedWorld,
  type OrchestratorView,
  type OrchPublicKey,
  type Understudy,
} from '../../../../src/embedding/index.ts'

const now = new Date('2026-01-01T00:00:00Z')
const issuer = 'https://orch.default.svc.cluster.local'

async function server(): Promise<Understudy> {
  const running = await createUnderstudy({ clock: `frozen@${now.toISOString()}`, seed: 'test' })
  onTestFinished(() => running.close())
  return running
}

async function post(world: EmbeddedWorld, path: string, payload: object) {
  const headers = { 'x-secrets-token': 'root' }
  const reply = await world.inject({ method: 'POST', url: `/v1/${path}`, headers, payload })
  if (reply.statusCode >= 400) throw new Error(reply.body)
  return reply.body === '' ? undefined : reply.json()
}

/** Returns credentials of mode 3 that last an hour. */
async function credentials(world: EmbeddedWorld) {
  await post(world, 'orch/config', { orch_host: 'https://orch:6443' })
  await post(world, 'orch/roles/app', {
    allowed_orch_namespaces: '*',
    generated_role_rules: 'rules: [{apiGroups: [""], resources: [pods], verbs: [list]}]',
  })
  return post(world, 'orch/creds/app', { orch_namespace: 'team', ttl: '1h' })
}

/** Requests a path of the control plane, checks the status and returns the body. */
async function ask(running: Understudy | EmbeddedWorld, url: string) {
  const reply = await running.inject(url)
  expect(reply.statusCode).toBe(200)
  return reply.json()
}

const emptied = {
  engines: [],
  serviceAccounts: [],
  roles: [],
  clusterRoles: [],
  roleBindings: [],
  clusterRoleBindings: [],
}

describe('behaviour/secrets#orch-token: the key set that a world publishes', () => {
  // choice/secrets#orch-key-set
  test('verifies the tokens with a standard library', async () => {
    const running = await server()
    const { data } = await credentials(running.world())
    const keySet = await ask(running, '/_mock/secrets/orchestrator/keys')
    const verified = await jwtVerify(data.service_account_token, createLocalJWKSet(keySet), {
      issuer,
      audience: issuer,
      algorithms: ['RS256'],
      currentDate: now,
    })
    expect(verified.protectedHeader).toEqual({ alg: 'RS256', kid: keySet.keys[0].kid })
    expect(verified.payload.sub).toBe(`system:serviceaccount:team:${data.service_account_name}`)
  })

  test('a token expires by its TTL, and is not valid before its time', async () => {
    const running = await server()
    const { data } = await credentials(running.world())
    const keys = createLocalJWKSet(await ask(running, '/_mock/secrets/orchestrator/keys'))
    const at = (seconds: number) =>
      jwtVerify(data.service_account_token, keys, {
        currentDate: new Date(now.getTime() + seconds * 1000),
      })
    await expect(at(3599)).resolves.toBeDefined()
    await expect(at(3600)).rejects.toThrow('"exp" claim timestamp check failed')
    await expect(at(-1)).rejects.toThrow('"nbf" claim timestamp check failed')
  })

  test('does not verify a modified token, nor one of another world', async () => {
    const running = await server()
    const other = running.createWorld({ id: 'other' })
    const { data } = await credentials(running.world())
    const foreign = (await credentials(other)).data.service_account_token
    const [head = '', body = '', signature = ''] = data.service_account_token.split('.')
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString())
    const forged = Buffer.from(JSON.stringify({ ...claims, sub: 'me' })).toString('base64url')
    const keys = createLocalJWKSet(await ask(running, '/_mock/secrets/orchestrator/keys'))
    await expect(jwtVerify([head, forged, signature].join('.'), keys)).rejects.toThrow(
      'signature verification failed',
    )
    await expect(jwtVerify(foreign, keys)).rejects.toThrow(
      'no applicable key found in the JSON Web Key Set',
    )
    const theirs = createLocalJWKSet(
      await ask(running, '/_mock/worlds/other/secrets/orchestrator/keys'),
    )
    await expect(jwtVerify(foreign, theirs, { currentDate: now })).resolves.toBeDefined()
  })

  // choice/secrets#orch-key-set
  test('is empty before the first token, and a query generates no key', async () => {
    const running = await server()
    const before = JSON.stringify(running.world().state())
    expect(await ask(running, '/_mock/secrets/orchestrator/keys')).toEqual({ keys: [] })
    expect(await ask(running, '/_mock/secrets/orchestrator')).toEqual(emptied)
    expect(JSON.stringify(running.world().state())).toBe(before)
  })

  // choice/secrets#orch-key-set
  test('has one key for all tokens, which is part of snapshots, forks and exports', async () => {
    const running = await server()
    const world = running.world()
    const snapshot = world.snapshot()
    const first = await credentials(world)
    const second = await post(world, 'orch/creds/app', { orch_namespace: 'b' })
    const kids = [first, second].map(
      ({ data }) => decodeProtectedHeader(data.service_account_token).kid,
    )
    const { keys } = world.orchestrator.keys()
    expect(keys).toEqual([
      {
        kty: 'RSA',
        n: expect.stringMatching(/^[\w-]{342}$/),
        e: 'AQAB',
        alg: 'RS256',
        use: 'sig',
        kid: kids[0],
      },
    ])
    expect(kids[1]).toBe(kids[0])
    expect(world.fork('fork').orchestrator.keys()).toEqual({ keys })
    const copy = running.createWorld({ id: 'copy', fixtures: world.state() })
    expect(copy.orchestrator.keys()).toEqual({ keys })
    expect(copy.orchestrator.view()).toEqual(world.orchestrator.view())
    world.restore(snapshot.id)
    expect(world.orchestrator.keys()).toEqual({ keys: [] })
  })
})

describe('behaviour/secrets#orch-objects: the orchestrator of a world', () => {
  // choice/secrets#orch-one-orchestrator choice/secrets#orch-labels
  test('lists the objects until their lease expires', async () => {
    const running = await server()
    const world = running.world()
    const { data, lease_id } = await credentials(world)
    const name = data.service_account_name
    const common = {
      namespace: 'team',
      name,
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      labels: {
        'app.orch.io/managed-by': 'Secrets-Service',
        'app.orch.io/created-by': 'secrets-engine-orch',
      },
      annotations: {},
      createdAt: '2026-01-01T00:00:00Z',
      lease: lease_id,
    }
    const engines = [
      { namespace: '', mount: 'orch/', host: 'https://orch:6443', ca: 'system', token: 'none' },
    ]
    const seen = await ask(running, '/_mock/secrets/orchestrator')
    expect(seen).toEqual({
      ...emptied,
      engines,
      serviceAccounts: [common],
      roles: [{ ...common, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }] }],
      roleBindings: [
        {
          ...common,
          roleRef: { kind: 'Role', name },
          subjects: [{ kind: 'ServiceAccount', name, namespace: 'team' }],
        },
      ],
    })
    expect(world.orchestrator.view()).toEqual(seen)
    world.clock.advance('1h')
    expect(await ask(running, '/_mock/secrets/orchestrator')).toEqual({ ...emptied, engines })
  })

  test('belongs to that world only', async () => {
    const running = await server()
    const other = running.createWorld({ id: 'other' })
    await credentials(other)
    expect(running.world().orchestrator.view()).toEqual(emptied)
    for (const url of ['/_mock/worlds/other/secrets/orchestrator', '/_mock/secrets/orchestrator']) {
      const reply = await (url.includes('other') ? running : other).inject(url)
      expect(reply.json().serviceAccounts).toHaveLength(1)
    }
  })

  test('names the secrets namespaces of engines', async () => {
    const world = (await server()).world()
    await post(world, 'sys/namespaces/team', {})
    await post(world, 'team/sys/mounts/pods', { type: 'orch' })
    await post(world, 'team/pods/config', { orch_host: 'https://a', service_account_jwt: 'jwt' })
    expect(world.orchestrator.view().engines).toEqual([
      { namespace: 'team/', mount: 'pods/', host: 'https://a', ca: 'system', token: 'config' },
    ])
  })

  test('is typed for embedding programs', () => {
    type Control = EmbeddedWorld['orchestrator']
    expectTypeOf<Control['view']>().returns.toEqualTypeOf<OrchestratorView>()
    expectTypeOf<Control['keys']>().returns.toEqualTypeOf<{
      readonly keys: readonly OrchPublicKey[]
    }>()
  })
})

describe('behaviour/secrets#orch-login-review: JWTs that the control plane signs', () => {
  test('log in a service account, in every world', async () => {
    const running = await server()
    running.createWorld({ id: 'other' })
    for (const [id, base] of [
      ['default', ''],
      ['other', '/_world/other'],
    ] as const) {
      const world = running.world(id)
      await post(world, 'sys/auth/orch', { type: 'orch' })
      await post(world, 'auth/orch/config', { orch_host: 'https://orch:6443' })
      await post(world, 'auth/orch/role/app', {
        bound_service_account_names: 'web',
        bound_service_account_namespaces: 'shop',
      })
      const asked = { namespace: 'shop', service_account: 'web', audiences: ['api'], ttl: '10m' }
      const reply = await running.inject({
        method: 'POST',
        url: `${base}/_mock/secrets/orchestrator/tokens`,
        payload: asked,
      })
      expect(reply.statusCode).toBe(201)
      const made = reply.json()
      expect(made).toEqual({
        token: expect.any(String),
        uid: world.orchestrator.token({ namespace: 'shop', service_account: 'web' }).uid,
        expires_at: '2026-01-01T00:10:00Z',
      })
      const keys = createLocalJWKSet({ keys: [...world.orchestrator.keys().keys] })
      const options = { audience: 'api', currentDate: now }
      const { payload } = await jwtVerify(made.token, keys, options)
      expect(payload.exp).toBe(now.getTime() / 1000 + 600)
      const { auth } = await post(world, 'auth/orch/login', { role: 'app', jwt: made.token })
      expect(auth.metadata.service_account_uid).toBe(made.uid)
    }
  })

  test('are refused for missing accounts and for invalid times', async () => {
    const running = await server()
    const { orchestrator } = running.world()
    const web = { namespace: 'shop', service_account: 'web' }
    running.world().changeOptions({ secrets: { orchMissingAccounts: ['shop/web'] } })
    expect(() => orchestrator.token(web)).toThrow('the orchestrator has no service account "web"')
    const api = { ...web, service_account: 'api' }
    expect(() => orchestrator.token({ ...api, ttl: 0 })).toThrow('ttl must be more than 0')
    expect(() => orchestrator.token({ ...api, namespace: '' })).toThrow('/namespace')
    const ask = async (payload: object) =>
      (await running.inject({ method: 'POST', url: '/_mock/secrets/orchestrator/tokens', payload }))
        .statusCode
    expect(await ask(web)).toBe(404)
    expect(await ask({ ...api, ttl: 'x' })).toBe(400)
    expect(await ask({})).toBe(400)
  })
})
