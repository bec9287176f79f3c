import { once } from 'node:events'
import { request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  createUnderstudy,
  type Understudy,
  type UnderstudyOptions,
} from '../../../src/embedding/index.ts'
import { loadTls } from '../../../src/server/tls.ts'

async function started(options: UnderstudyOptions = {}): Promise<Understudy> {
  const understudy = await createUnderstudy(options)
  onTestFinished(() => understudy.close())
  return understudy
}

const dialects = ['neutral', 'vendor'] as const
const tokenHeader = { neutral: 'X-Secrets-Token', vendor: 'X-Vault-Token' } as const

/** Sends one request on a connection of its own. */
async function ask(
  url: string,
  {
    method = 'GET',
    headers = {},
    body = '',
    ca = '',
  }: {
    readonly method?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: string
    readonly ca?: string
  } = {},
) {
  const options = { method, headers, agent: false } as const
  const sent = url.startsWith('https')
    ? secureRequest(url, { ...options, ca })
    : plainRequest(url, options)
  sent.end(body)
  const [reply] = await once(sent, 'response')
  let text = ''
  for await (const chunk of reply) text += String(chunk)
  return { status: Number(reply.statusCode), headers: reply.headers, text }
}

const isClosed = (url: string) =>
  ask(url).then(
    () => false,
    (error) => error.code === 'ECONNREFUSED',
  )

describe.each(dialects)(
  'behaviour/program#worlds-for-clients: listeners of a world, %s dialect',
  (dialect) => {
    const headers = { [tokenHeader[dialect]]: 'root' }

    // choice/process#world-listeners
    test('need no prefix and no header', async () => {
      const understudy = await started({ dialect })
      await understudy.listen()
      const world = await understudy.openWorld({ id: 'w' })
      const { services } = world.info()
      const write = { method: 'POST', headers, body: '{"data":{"a":1}}' }
      expect((await ask(`${services.secrets.url}/v1/secret/data/app`, write)).status).toBe(200)
      const read = (origin: string) => ask(`${origin}/v1/secret/data/app`, { headers })
      const statuses = [
        services.secrets.url,
        world.url,
        `${understudy.url}/_world/w`,
        understudy.url,
      ]
      const replies = await Promise.all(statuses.map((origin) => read(String(origin))))
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 404])
      expect(world.requests.find().map(({ path }) => path)).toEqual(
        Array(4).fill('/v1/secret/data/app'),
      )
      const hostReplies = await Promise.all(
        [
          `${services.platform.url}/api/v2/ping`,
          `${services.mesh.url}/v1/status/leader`,
          `${services.scheduler.url}/v1/status/leader`,
          `${world.url}/_mock/info`,
        ].map((url) => ask(url)),
      )
      expect(hostReplies.map(({ status }) => status)).toEqual([204, 200, 200, 200])
      expect(JSON.parse(hostReplies[3]?.text ?? '').world).toBe('w')
    })

    // choice/process#world-listeners
    test('info says their addresses, over HTTP and embedded, and those of other worlds stay', async () => {
      const understudy = await started({ dialect, apiPorts: { mesh: 0 } })
      const url = await understudy.listen()
      const body = JSON.stringify({ id: 'w', listen: { secrets: 0, combined: 0 } })
      const created = await ask(`${url}/_mock/worlds`, { method: 'POST', body })
      expect(created.status).toBe(201)
      const { info } = JSON.parse(created.text)
      const world = understudy.world('w')
      expect(info).toEqual(world.info())
      const { secrets, control, platform, mesh, scheduler } = info.ports
      expect([platform, mesh, scheduler]).toEqual([control, control, control])
      expect(new Set([secrets, control, new URL(url).port]).size).toBe(3)
      expect(info.services.secrets.url).toBe(`http://127.0.0.1:${secrets}`)
      expect(info.services.mesh.url).toBe(`http://127.0.0.1:${control}`)
      expect([world.apiUrl('secrets'), world.url]).toEqual([
        `http://127.0.0.1:${secrets}`,
        `http://127.0.0.1:${control}`,
      ])
      const other = understudy.createWorld({ id: 'x' })
      expect(other.apiUrl('secrets')).toBe(`${url}/_world/x`)
      expect(other.apiUrl('mesh')).toBe(`${understudy.apiUrl('mesh')}/_world/x`)
      const through = await ask(`${world.url}/_mock/worlds/x/info`)
      expect(JSON.parse(through.text)).toEqual(other.info())
      const byDefault = await ask(`${world.url}/_mock/worlds/default/info`)
      expect(JSON.parse(byDefault.text)).toEqual(understudy.world().info())
    })

    test('a verb that Node does not know also reaches the world', async () => {
      const understudy = await started({ dialect })
      const world = await understudy.openWorld({ listen: { secrets: 0 } })
      const reply = await ask(`${world.apiUrl('secrets')}/v1/secret/metadata/`, {
        method: 'LIST',
        headers,
      }).catch((error) => error)
      expect(reply.status).toBe(404)
      expect(world.requests.find().map(({ method }) => method)).toEqual(['LIST'])
    })
  },
)

describe('behaviour/program#worlds-for-clients: listeners of a world', () => {
  // choice/process#environment-authorities
  test('speak TLS as the process does', async () => {
    const tls = await loadTls({ hosts: [] })
    const understudy = await started({ tls })
    const world = await understudy.openWorld()
    const url = world.apiUrl('secrets')
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    const reply = await ask(`${url}/v1/sys/health`, { ca: tls.ca })
    expect([reply.status, world.requests.find().length]).toEqual([200, 1])
    const authorities = Object.entries(world.env()).filter(([, value]) => value === tls.caFile)
    expect(authorities.map(([name]) => name).sort()).toEqual([
      'BAO_CACERT',
      'CONSUL_CACERT',
      'NOMAD_CACERT',
      'VAULT_CACERT',
    ])
  })

  test('close with the world, however it ends, and with the process', async () => {
    const understudy = await started()
    const [first, second, third] = [
      await understudy.openWorld(),
      await understudy.openWorld(),
      await understudy.openWorld({ listen: { combined: 0 } }),
    ]
    const urls = [first.apiUrl('mesh'), second.apiUrl('mesh'), third.apiUrl('mesh')]
    first.delete()
    const gone = await ask(`${second.url}/_mock/worlds/${second.id}`, { method: 'DELETE' })
    expect(gone.status).toBe(204)
    await expect.poll(() => Promise.all(urls.map(isClosed))).toEqual([true, true, false])
    await understudy.close()
    expect(await Promise.all(urls.map(isClosed))).toEqual([true, true, true])
    await expect(understudy.openWorld()).rejects.toThrow('this understudy is closed')
  })

  test('a connection that is kept open does not hold the world, nor the process', async () => {
    const understudy = await started()
    const world = await understudy.openWorld()
    const url = String(world.url)
    await fetch(`${url}/v1/sys/health`).then((reply) => reply.text())
    world.delete()
    await expect.poll(() => isClosed(url)).toBe(true)
    const other = await understudy.openWorld()
    await fetch(`${other.url}/v1/sys/health`).then((reply) => reply.text())
    await understudy.close()
  })

  test('a port in use is 409, and no world and no listener is left', async () => {
    const understudy = await started()
    const url = await understudy.listen()
    const blocker = createServer().listen({ host: '127.0.0.1', port: 0 })
    onTestFinished(() => void blocker.close())
    await once(blocker, 'listening')
    const { port } = blocker.address() as { port: number }
    const free = createServer().listen({ host: '127.0.0.1', port: 0 })
    await once(free, 'listening')
    const { port: first } = free.address() as { port: number }
    await new Promise((resolve) => void free.close(resolve))
    const listen = { secrets: first, mesh: port }
    for (const [method, path, id] of [
      ['POST', '/_mock/worlds', 'w'],
      ['PUT', '/_mock/worlds/w', undefined],
    ] as const) {
      const reply = await ask(url + path, { method, body: JSON.stringify({ id, listen }) })
      expect(reply.headers['content-type']).toMatch(/^application\/problem\+json/)
      expect([reply.status, JSON.parse(reply.text).detail]).toEqual([
        409,
        `cannot listen on port ${port} for mesh: listen EADDRINUSE: address already in use 127.0.0.1:${port}`,
      ])
    }
    expect(understudy.worlds().map(({ id }) => id)).toEqual(['default'])
    expect(await isClosed(`http://127.0.0.1:${first}`)).toBe(true)
  })

  test('bad input is reported by its position, and opens and creates nothing', async () => {
    const understudy = await started()
    const cases = [
      [{ listen: 'yes' }, '/listen'],
      [{ listen: { secrets: 65536 } }, '/listen'],
      [{ listen: { secrets: -1 } }, '/listen'],
      [{ listen: { secrets: 0, garden: 0 } }, '/listen/garden is unknown; known are secrets'],
      [{ listen: { secret: 0 } }, '/listen/secret is unknown; did you mean secrets?'],
      [{ listen: true, fixtures: { garden: {} } }, '/fixtures'],
      [{ listen: true, ttl: 'soon' }, '/ttl'],
    ] as const
    for (const [payload, problem] of cases) {
      const reply = await understudy.inject({ method: 'POST', url: '/_mock/worlds', payload })
      expect([reply.statusCode, reply.json().problems]).toEqual([
        400,
        expect.arrayContaining([expect.stringContaining(problem)]),
      ])
    }
    const conflict = await understudy.inject({
      method: 'POST',
      url: '/_mock/worlds',
      payload: { id: 'default', listen: true },
    })
    expect(conflict.statusCode).toBe(409)
    expect(understudy.worlds().length).toBe(1)
  })

  test('two concurrent requests for a world both get it, and one of them creates it', async () => {
    const understudy = await started()
    const put = (payload: object) =>
      understudy.inject({ method: 'PUT', url: '/_mock/worlds/w', payload })
    const replies = await Promise.all([put({ listen: true }), put({}), put({ listen: true })])
    expect(replies.map(({ statusCode }) => statusCode)).toEqual([201, 200, 200])
    expect(new Set(replies.map(({ body }) => body)).size).toBe(1)
    const none = await understudy.provideWorld('v', { listen: false })
    expect(none.url).toBeUndefined()
  })

  test('many worlds can have listeners: each world answers at its own', async () => {
    const understudy = await started()
    const worlds = []
    for (let number = 0; number < 60; number++) worlds.push(await understudy.openWorld())
    const statuses = worlds.map(async (world) => (await ask(`${world.url}/v1/sys/health`)).status)
    expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]))
    expect(worlds.map((world) => world.requests.find().length)).toEqual(Array(60).fill(1))
  })

  // choice/process#world-listeners-named
  test('a prefix or a header takes precedence over the listener', async () => {
    const understudy = await started()
    const world = await understudy.openWorld()
    const other = understudy.createWorld({ id: 'x' })
    await ask(`${world.url}/_world/x/v1/sys/health`)
    await ask(`${world.url}/v1/sys/health`, { headers: { 'x-mock-world': 'x' } })
    expect([world.requests.find().length, other.requests.find().length]).toEqual([0, 2])
  })
})

describe('behaviour/program#commands: the environment of a world', () => {
  test('names addresses and tokens for its own clients and the products', async () => {
    const understudy = await started({ apiPorts: { scheduler: 0 } })
    const url = await understudy.listen()
    const world = understudy.createWorld({ id: 'w' })
    const worldUrl = `${url}/_world/w`
    const scheduler = `${understudy.apiUrl('scheduler')}/_world/w`
    const { services } = world.info()
    expect(world.env(undefined, {})).toEqual({
      UNDERSTUDY_URL: worldUrl,
      UNDERSTUDY_CONTROL_URL: `${worldUrl}/_mock`,
      UNDERSTUDY_SECRETS_URL: worldUrl,
      UNDERSTUDY_SECRETS_TOKEN: 'root',
      UNDERSTUDY_PLATFORM_URL: worldUrl,
      UNDERSTUDY_PLATFORM_TOKEN: 'owner-token',
      UNDERSTUDY_MESH_URL: worldUrl,
      UNDERSTUDY_MESH_TOKEN: services.mesh.token,
      UNDERSTUDY_SCHEDULER_URL: scheduler,
      UNDERSTUDY_SCHEDULER_TOKEN: services.scheduler.token,
      VAULT_ADDR: worldUrl,
      BAO_ADDR: worldUrl,
      VAULT_TOKEN: 'root',
      BAO_TOKEN: 'root',
      TFE_ADDRESS: worldUrl,
      TFE_HOSTNAME: new URL(url).host,
      TFE_TOKEN: 'owner-token',
      CONSUL_HTTP_ADDR: worldUrl,
      CONSUL_HTTP_TOKEN: services.mesh.token,
      NOMAD_ADDR: scheduler,
      NOMAD_TOKEN: services.scheduler.token,
    })
  })

  test('is written as sh, dotenv, json and for GitHub, per world', async () => {
    const understudy = await started({ rootToken: "o'hara$" })
    const get = async (path: string) => {
      const reply = await understudy.inject(`/_mock${path}`)
      return [reply.statusCode, reply.headers['content-type'], reply.body] as const
    }
    const world = understudy.createWorld({ id: 'w' })
    const at = 'http://localhost:80/_world/w'
    const [status, type, sh] = await get('/worlds/w/env')
    expect([status, type]).toEqual([200, 'text/plain; charset=utf-8'])
    expect(sh).toContain(`export VAULT_ADDR='${at}'\n`)
    expect(sh).toContain(`export VAULT_TOKEN='o'\\''hara$'\n`)
    expect(await get('/worlds/w/env?format=sh')).toEqual([status, type, sh])
    const [, , dotenv] = await get('/worlds/w/env?format=dotenv')
    expect(dotenv).toContain(`VAULT_ADDR=${at}\nBAO_ADDR=${at}\nVAULT_TOKEN="o'hara$"\n`)
    const [, , github] = await get('/worlds/w/env?format=github')
    expect(github).toContain(`VAULT_TOKEN=o'hara$\n`)
    const [, json, body] = await get('/worlds/w/env?format=json')
    expect(json).toMatch(/^application\/json/)
    expect(JSON.parse(body)).toEqual(world.env('http://localhost:80', {}))
    expect(JSON.parse((await get('/env?format=json'))[2])['VAULT_ADDR']).toBe('http://localhost:80')
    const refused = await understudy.inject('/_mock/env?format=xml')
    expect([refused.statusCode, refused.json().problems]).toEqual([
      400,
      [expect.stringContaining('format')],
    ])
  })
})
