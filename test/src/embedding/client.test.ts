import { createServer } from 'node:http'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { ControlError, connect } from '../../../src/embedding/client.ts'
import setUp from '../../../src/embedding/global-setup.ts'
import tearDown from '../../../src/embedding/global-teardown.ts'
import { createUnderstudy } from '../../../src/embedding/index.ts'
import type { UnderstudyOptions } from '../../../src/embedding/understudy-options.ts'

/**
 * Tests of a server that runs elsewhere, and of one server for many workers of a test runner
 * (behaviour/program#worlds-for-clients and behaviour/program#test-runners).
 */

async function served(options: UnderstudyOptions = {}): Promise<string> {
  const understudy = await createUnderstudy(options)
  onTestFinished(() => understudy.close())
  return understudy.listen()
}

const headers = { 'x-secrets-token': 'root' }
const secret = { secrets: { kv: { secret: { app: { a: 1 } } } } }
const read = (url: string) => fetch(`${url}/v1/secret/data/app`, { headers })

/** Returns the error of a rejected promise. */
async function refusalOf(asked: Promise<unknown>): Promise<ControlError> {
  const error = await asked.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof ControlError) return error
  throw new Error('it is not refused')
}

describe('behaviour/program#worlds-for-clients: worlds of a server that runs elsewhere', () => {
  test('have addresses of their own, and are isolated', async () => {
    const server = connect({ url: await served() })
    const one = await server.openWorld({ fixtures: secret })
    const other = await server.openWorld()
    const statuses = [one, other].map(async (world) => (await read(world.apiUrl('secrets'))).status)
    expect(await Promise.all(statuses)).toEqual([200, 404])
    expect(one.env['VAULT_ADDR']).toBe(one.apiUrl('secrets'))
    expect(one.id).not.toBe(other.id)
  })

  test('return their requests, apply faults, and explain refusals', async () => {
    const world = await connect({ url: await served() }).openWorld({ id: 'w' })
    const url = world.apiUrl('secrets')
    await read(url)
    const [entry] = await world.requests.find()
    expect(entry).toMatchObject({ id: 'r1', status: 404 })
    expect(await world.requests.verify({ match: { method: 'GET' } })).toBe(1)
    expect(await world.requests.wait({ match: { status: 404 } })).toHaveLength(1)
    expect((await world.explain('r1')).because).toMatch(/app/)
    expect((await world.report()).operations.length).toBeGreaterThan(0)
    await world.requests.clear()
    expect(await world.requests.find()).toEqual([])
    const { id } = await world.faults.add({ match: {}, action: { status: 503 } })
    await world.faults.preset('secrets-sealed')
    expect((await world.faults.list()).map((fault) => fault.id)).toContain(id)
    expect((await read(url)).status).toBe(503)
    await world.faults.delete(id)
    await world.faults.clear()
    expect((await read(url)).status).toBe(404)
  })

  test('clients import a state, advance, reset and end a world', async () => {
    const server = connect({ url: await served() })
    const world = await server.openWorld({ id: 'w', clock: 'frozen@2026-01-01T00:00:00Z' })
    await world.importState(secret)
    expect((await read(world.apiUrl('secrets'))).status).toBe(200)
    expect(await world.advance('1h')).toMatchObject({ now: '2026-01-01T01:00:00Z' })
    await world.reset()
    expect((await read(world.apiUrl('secrets'))).status).toBe(404)
    expect((await server.world('w')).id).toBe('w')
    await world[Symbol.asyncDispose]()
    expect(await refusalOf(server.world('w'))).toMatchObject({ status: 404 })
  })

  test('refuse in the words of the control plane', async () => {
    const server = connect({ url: await served() })
    const world = await server.world()
    expect(await refusalOf(server.world('none'))).toMatchObject({
      name: 'ControlError',
      status: 404,
      message: 'there is no world "none"',
    })
    const unverified = await refusalOf(world.requests.verify({ match: { method: 'GET' } }))
    expect(unverified).toMatchObject({ status: 422, problem: { count: 0, nearMisses: [] } })
    const mistaken = await refusalOf(world.control('POST', '/faults', { verb: 'GET' }))
    expect(mistaken.status).toBe(400)
    expect(mistaken.problem['problems']).toContainEqual(expect.stringContaining('/verb'))
    expect(await refusalOf(server.shutdown())).toMatchObject({ status: 403 })
  })

  test('a token opens the control plane', async () => {
    const url = await served({ controlToken: 'let-me-in' })
    expect((await refusalOf(connect({ url }).world())).status).toBe(401)
    expect((await connect({ url, controlToken: 'let-me-in' }).world()).id).toBe('default')
  })

  test('an answer that is not JSON is reported by its status', async () => {
    const server = createServer((_request, reply) => reply.writeHead(502).end('no'))
    onTestFinished(() => void server.close())
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const refusal = await refusalOf(connect({ url: `http://127.0.0.1:${port}` }).world())
    expect([refusal.status, refusal.message]).toEqual([502, 'the control plane answered 502'])
  })
})

describe('behaviour/program#test-runners: one server for many workers', () => {
  const before = { ...process.env }
  beforeEach(() => {
    for (const name of Object.keys(process.env)) {
      if (name.startsWith('UNDERSTUDY_')) delete process.env[name]
    }
  })
  afterEach(() => {
    for (const name of Object.keys(process.env)) delete process.env[name]
    Object.assign(process.env, before)
  })

  test('is set up as variables say, found without an address, and ended', async () => {
    process.env['UNDERSTUDY_ROOT_TOKEN'] = 'other'
    const end = await setUp()
    const world = await connect().openWorld()
    expect([world.env['VAULT_TOKEN'], process.env['VAULT_TOKEN']]).toEqual(['other', 'other'])
    expect(process.env['UNDERSTUDY_URL']).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    await end()
    await expect(connect().world()).rejects.toThrow('fetch failed')
  })

  test('is ended by a module of its own, which Jest wants', async () => {
    const end = await setUp()
    onTestFinished(end)
    await tearDown()
    await expect(connect().world()).rejects.toThrow('fetch failed')
  })

  test('is not set up by variables that make no sense', async () => {
    process.env['UNDERSTUDY_DIALECT'] = 'latin'
    await expect(setUp()).rejects.toThrow(/UNDERSTUDY_DIALECT/)
  })
})
