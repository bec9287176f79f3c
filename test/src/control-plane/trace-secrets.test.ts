import { describe, expect, onTestFinished, test } from 'vitest'
import type { Trace } from '../../../routes/trace/trace.ts'
import { createUnderstudy, type Understudy } from '../../../src/embedding/index.ts'

/** Secrets by the place where they are planted. */
const planted = {
  kv2: 'kv2-"geheim"-ä/9+',
  kv1: 'kv1-geheimnis-2',
  cubbyhole: 'cubbyhole-geheim',
  password: 'userpass-geheim-3',
  transit: 'transit-klartext-4',
  fixture: 'fixture-geheim-5',
  mesh: 'mesh-<geheim>-6',
  meshToken: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  variable: 'nomad-variable-geheim-8',
  registry: 'registry-geheim-9',
  moduleVariable: 'tfe-variable-geheim-10',
  bearer: 'bearer-geheim-token-11',
  control: 'control-token-geheim-13',
} as const

function spellingsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret)
  return [
    secret,
    bytes.toString('base64'),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
  ]
}

async function run(collects = true): Promise<Understudy> {
  const understudy = await createUnderstudy({
    dialect: 'vendor',
    seed: 'seed-of-the-run',
    acl: true,
    controlToken: planted.control,
    apiPorts: { mesh: 0, scheduler: 0 },
    fixtures: { secrets: { kv: { 'secret/': { 'app/fixture': { value: planted.fixture } } } } },
  })
  onTestFinished(() => understudy.close())
  await understudy.listen()
  if (collects) understudy.traces.collector.start()
  return understudy
}

type Method = 'GET' | 'PUT' | 'POST' | 'DELETE'

async function plantAll(understudy: Understudy): Promise<readonly string[]> {
  const world = understudy.world()
  const refused: string[] = []
  async function send(method: Method, path: string, body?: object, headers: object = {}) {
    const url = path.startsWith('/v1/') ? world.apiUrl('secrets') : world.apiUrl('platform')
    await sendTo(url + path, method, body, { 'x-vault-token': 'root', ...headers })
  }
  async function sendTo(url: string, method: Method, body?: object | string, headers: object = {}) {
    const payload = typeof body === 'object' ? JSON.stringify(body) : body
    const reply = await fetch(url, {
      method,
      headers: { ...headers },
      ...(payload === undefined ? {} : { body: payload }),
    })
    const text = await reply.text()
    if (!reply.ok) refused.push(`${method} ${url} ${reply.status} ${text}`)
    return text
  }
  await send('POST', '/v1/secret/data/app', { data: { value: planted.kv2 } })
  await send('GET', '/v1/secret/data/app')
  await send('POST', '/v1/secret/data/app', { data: { v: planted.kv2 }, options: { cas: 7 } })
  await send('POST', '/v1/sys/mounts/kv1', { type: 'kv' })
  await send('POST', '/v1/kv1/app', { value: planted.kv1 })
  await send('GET', '/v1/kv1/app')
  await send('POST', '/v1/cubbyhole/app', { value: planted.cubbyhole })
  await send('POST', '/v1/sys/auth/userpass', { type: 'userpass' })
  await send('POST', '/v1/auth/userpass/users/ada', { password: planted.password })
  await send('POST', '/v1/auth/userpass/login/ada', { password: planted.password })
  await send('POST', '/v1/sys/mounts/transit', { type: 'transit' })
  const plaintext = Buffer.from(planted.transit).toString('base64')
  await send('POST', '/v1/transit/encrypt/key', { plaintext })
  await send('GET', '/v1/secret/data/app', undefined, { 'x-vault-token': planted.bearer })
  await send('POST', '/v1/nowhere', { value: planted.bearer })
  const mesh = { 'x-consul-token': world.info().services.mesh.token }
  await sendTo(`${world.apiUrl('mesh')}/v1/kv/app`, 'PUT', planted.mesh, mesh)
  await sendTo(`${world.apiUrl('mesh')}/v1/kv/app`, 'GET', undefined, mesh)
  await sendTo(
    `${world.apiUrl('mesh')}/v1/acl/token`,
    'PUT',
    { SecretID: planted.meshToken, Policies: [{ Name: 'global-management' }] },
    mesh,
  )
  await sendTo(`${world.apiUrl('mesh')}/v1/kv/x`, 'GET', undefined, {
    'x-consul-token': planted.meshToken,
  })
  const scheduler = { 'x-nomad-token': 'scheduler-management-token' }
  await sendTo(
    `${world.apiUrl('scheduler')}/v1/var/app`,
    'PUT',
    { Path: 'app', Items: { password: planted.variable } },
    scheduler,
  )
  const auth = { username: 'ada', password: planted.registry }
  const Tasks = [{ Name: 't', Driver: 'docker', Config: { image: 'busybox', auth } }]
  const Job = { ID: 'j', Name: 'j', Type: 'batch', Datacenters: ['dc1'] }
  await sendTo(
    `${world.apiUrl('scheduler')}/v1/jobs`,
    'PUT',
    { Job: { ...Job, TaskGroups: [{ Name: 'g', Tasks }] } },
    scheduler,
  )
  const { namespace, name, provider } = world.info().services.platform.module
  await send(
    'POST',
    `/api/v2/organizations/${namespace}/tests/registry-modules/private/${namespace}/${name}/${provider}/vars`,
    {
      data: {
        type: 'vars',
        attributes: { key: 'KEY', value: planted.moduleVariable, category: 'env' },
      },
    },
    { authorization: 'Bearer owner-token', 'content-type': 'application/vnd.api+json' },
  )
  world.clock.advance('10m')
  return refused
}

function dataOf(understudy: Understudy, keepsValues: boolean): Promise<Trace> {
  return understudy.traces.data({
    command: ['pytest', `--password=${planted.password}`],
    flags: ['--seed', 'seed-of-the-run', '--control-token', planted.control],
    test: {
      file: 'test_app.py',
      title: 'works',
      result: 'failed',
      error: { text: `expected ${encodeURIComponent(planted.kv2)} of ${planted.fixture}` },
    },
    keepsValues,
  })
}

/** Returns which spellings of the planted secrets a trace contains. */
function foundIn(trace: Trace): readonly string[] {
  const text = JSON.stringify(trace)
  return Object.entries(planted).flatMap(([place, secret]) =>
    spellingsOf(secret).flatMap((spelling) => {
      const isFound =
        text.includes(spelling) || text.includes(JSON.stringify(spelling).slice(1, -1))
      const at = text.indexOf(spelling)
      return isFound
        ? [`${place}: …${text.slice(Math.max(0, at - 120), at + spelling.length + 20)}…`]
        : []
    }),
  )
}

describe('behaviour/program#traces: secrets of a trace', () => {
  test.each([true, false])('are nowhere, in no spelling (collected: %s)', async (collects) => {
    const understudy = await run(collects)
    const refused = await plantAll(understudy)
    expect(refused.map((line) => line.replace(/http:\/\/[^/]*/, '').slice(0, 26))).toEqual([
      'POST /v1/secret/data/app 4',
      'GET /v1/secret/data/app 40',
      'POST /v1/nowhere 404 {"err',
      'GET /v1/kv/x 404 ',
    ])
    const trace = await dataOf(understudy, false)
    expect(foundIn(trace)).toEqual([])
    const text = JSON.stringify(trace)
    expect(text).not.toContain('seed-of-the-run')
    // Ordinary words, default tokens outside of declared places and short secrets survive.
    expect(trace.run.command[0]).toBe('pytest')
  })

  test('are all there if values are kept, apart from seeds', async () => {
    const understudy = await run()
    await plantAll(understudy)
    const trace = await dataOf(understudy, true)
    const text = JSON.stringify(trace)
    const missing = Object.entries(planted).filter(([, secret]) => {
      return (
        !text.includes(JSON.stringify(secret).slice(1, -1)) &&
        !spellingsOf(secret).some((one) => text.includes(one))
      )
    })
    expect(missing.map(([place]) => place)).toEqual([])
    expect(text).not.toContain('seed-of-the-run')
  })
})
