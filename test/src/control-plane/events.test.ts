import { get, type IncomingMessage } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  createUnderstudy,
  type DialectName,
  type Understudy,
} from '../../../src/embedding/index.ts'
import { documentedControl } from '../../support/openapi/documented-control.ts'

async function started(dialect: DialectName = 'neutral'): Promise<Understudy> {
  const understudy = await createUnderstudy({
    clock: 'frozen@2026-01-01T00:00:00Z',
    seed: 'test',
    dialect,
  })
  onTestFinished(() => understudy.close())
  await understudy.listen()
  return understudy
}

interface Told {
  readonly type: string
  readonly id: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
  readonly data: any
}

/** Opens a stream of events over a real socket. */
async function listening(
  understudy: Understudy,
  path: string,
  headers: Record<string, string> = {},
) {
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${understudy.url}/_mock${path}`, { headers }, resolve).on('error', reject)
  })
  onTestFinished(() => void reply.destroy())
  const events: Told[] = []
  let comments = 0
  let rest = ''
  let ended = false
  reply.setEncoding('utf8').on('data', (text: string) => {
    const blocks = (rest + text).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const [, type, id, data] = /^event: (\w+)\nid: (\d+)\ndata: (.*)$/.exec(block) ?? []
      if (type === undefined) {
        expect(block).toMatch(/^:/)
        comments += 1
      } else events.push({ type, id: Number(id), data: JSON.parse(data ?? '') })
    }
  })
  reply.on('end', () => {
    ended = true
  })
  reply.on('error', () => {})
  return {
    reply,
    received: events,
    until: (count: number) => expect.poll(() => events.length, { timeout: 10_000 }).toBe(count),
    ended: () => expect.poll(() => ended, { timeout: 10_000 }).toBe(true),
    comments: () => comments,
  }
}

const write = (understudy: Understudy, path: string, prefix = '') =>
  understudy.inject({
    method: 'POST',
    url: `${prefix}/v1/secret/data/${path}`,
    headers: { authorization: 'Bearer root' },
    payload: { data: { a: 'geheim' } },
  })

describe('behaviour/program#events: events', () => {
  test.each(['neutral', 'vendor'] as const)(
    'are requests without bodies, their changes, the clock, faults and the world (%s)',
    async (dialect) => {
      const understudy = await started(dialect)
      const stream = await listening(understudy, '/events')
      expect(stream.reply.headers['content-type']).toBe('text/event-stream; charset=utf-8')
      expect(stream.reply.headers['x-accel-buffering']).toBe('no')
      const world = understudy.world()
      await write(understudy, 'a')
      const changes = world.requests.get('r1').changes
      world.clock.advance('1s')
      world.clock.set({ mode: 'frozen', at: '2026-02-01T00:00:00Z' })
      world.faults.add({ id: 'f', times: 1, action: { status: 503, errors: ['x'] } })
      await understudy.inject('/v1/sys/health')
      world.restore(world.snapshot().id)
      world.reset()
      await stream.until(changes.length + 7)
      expect(stream.received.map(({ type }) => type)).toEqual([
        ...changes.map(() => 'change'),
        ...['request', 'clock', 'clock', 'fault', 'request', 'world', 'world'],
      ])
      expect(stream.received.slice(0, changes.length).map(({ data }) => data)).toEqual(
        changes.map((change) => ({ ...change, request: 'r1' })),
      )
      const [first, moved, set, fault, faulted, restored, reset] = stream.received
        .slice(changes.length)
        .map(({ data }) => data)
      expect(first).toMatchObject({ id: 'r1', status: 200, outcome: 'served', committed: true })
      expect(first).not.toHaveProperty('body')
      expect(first).not.toHaveProperty('responseBody')
      expect(JSON.stringify(stream.received)).not.toMatch(/geheim|Bearer root/)
      expect(moved).toEqual({ now: '2026-01-01T00:00:01Z', mode: 'frozen', fired: [] })
      expect(set).toMatchObject({ now: '2026-02-01T00:00:00Z', mode: 'frozen' })
      expect(fault).toEqual({
        id: 'f',
        preset: null,
        request: 'r2',
        action: { status: 503, errors: ['x'] },
      })
      expect(faulted).toMatchObject({ id: 'r2', fault: 'f', outcome: 'faulted' })
      expect([restored, reset]).toEqual([
        { id: 'default', change: 'restored' },
        { id: 'default', change: 'reset' },
      ])
      const ids = stream.received.map(({ id }) => id)
      expect(ids).toEqual(ids.toSorted((a, b) => a - b))
    },
  )

  test('are of the types that were asked for', async () => {
    const understudy = await started()
    const stream = await listening(understudy, '/events?types=clock,request')
    await write(understudy, 'a')
    understudy.world().clock.advance('1s')
    await stream.until(2)
    expect(stream.received.map(({ type }) => type)).toEqual(['request', 'clock'])
    const ask = documentedControl(understudy)
    const refused = await ask('GET', '/events?types=clock,weather')
    expect([refused.status, refused.body.problems]).toEqual([
      400,
      [
        'query parameter types must be some of request, change, clock, fault, world, journal, parted by commas',
      ],
    ])
  })

  test('of a cleared journal are sent only to readers that ask for them', async () => {
    const understudy = await started()
    const stream = await listening(understudy, '/events?types=request,journal')
    const others = await listening(understudy, '/events')
    await write(understudy, 'a')
    understudy.world().requests.clear()
    understudy.world().reset(['journal'])
    await write(understudy, 'b')
    await stream.until(4)
    expect(stream.received.map(({ type }) => type)).toEqual([
      'request',
      'journal',
      'journal',
      'request',
    ])
    expect(stream.received[1]?.data).toEqual({ cleared: true })
    await write(understudy, 'c')
    await expect.poll(() => others.received.at(-1)?.data.path).toBe('/v1/secret/data/c')
    expect(others.received.some(({ type }) => type === 'journal')).toBe(false)
  })

  // choice/process#event-numbers
  test('are numbered by a million for each request that was answered, and one for each since', async () => {
    const understudy = await started()
    const stream = await listening(understudy, '/events')
    await understudy.inject('/v1/sys/health')
    for (let at = 0; at < 2; at += 1) understudy.world().clock.advance('1s')
    understudy.world().reset(['faults'])
    await understudy.inject('/v1/sys/health')
    await stream.until(5)
    expect(stream.received.map(({ type, id }) => [type, id])).toEqual([
      ['request', 1_000_000],
      ['clock', 1_000_001],
      ['clock', 1_000_002],
      ['world', 1_000_002],
      ['request', 2_000_000],
    ])
  })

  // choice/process#event-resuming
  test('continue after the last event that a client saw, as far as the journal reaches', async () => {
    const understudy = await started()
    const world = understudy.world()
    world.changeOptions({ control: { journalSize: 3 } })
    const first = await listening(understudy, '/events')
    await write(understudy, 'a')
    await expect.poll(() => first.received.at(-1)?.type).toBe('request')
    const seen = first.received.at(-1)?.id
    first.reply.destroy()
    world.faults.add({ id: 'f', times: 1, action: { latency: '1ms' } })
    await write(understudy, 'b')
    await understudy.inject('/v1/sys/health')
    const again = await listening(understudy, '/events', { 'last-event-id': String(seen) })
    await expect
      .poll(() => again.received.length)
      .toBe(3 + world.requests.get('r2').changes.length - 0)
    const types = again.received.map(({ type }) => type)
    expect([types[0], types.slice(-2)]).toEqual(['fault', ['request', 'request']])
    expect(
      again.received.flatMap(({ type, data }) => (type === 'request' ? [data.id] : [])),
    ).toEqual(['r2', 'r3'])
    // Repeated events keep their numbers, and later events continue the numbering.
    await understudy.inject('/v1/sys/health')
    await expect.poll(() => again.received.at(-1)?.data.id).toBe('r4')
    const ids = again.received.map(({ id }) => id)
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b))
    for (let at = 0; at < 4; at += 1) await understudy.inject('/v1/sys/health')
    const late = await listening(understudy, '/events?types=request', { 'last-event-id': '0' })
    await late.until(3)
    expect(late.received.map(({ data }) => data.id)).toEqual(['r6', 'r7', 'r8'])
    const refused = await understudy.inject({
      url: '/_mock/events',
      headers: { 'last-event-id': 'r3' },
    })
    expect([refused.statusCode, refused.json().problems]).toEqual([
      400,
      ['header Last-Event-ID must be the id of an event, a whole number'],
    ])
  })

  // choice/process#event-resuming
  test('events of no request are also sent to readers that reconnect', async () => {
    const understudy = await started()
    const world = understudy.world()
    const first = await listening(understudy, '/events')
    world.clock.advance('1s')
    await first.until(1)
    const seen = first.received[0]?.id
    first.reply.destroy()
    world.clock.advance('1h')
    await understudy.inject('/v1/sys/health')
    world.secrets.put('secret/a', { a: 'geheim' })
    world.clock.set({ mode: 'frozen', at: '2026-03-01T00:00:00Z' })
    const again = await listening(understudy, '/events', { 'last-event-id': String(seen) })
    await expect.poll(() => again.received.at(-1)?.data.now).toBe('2026-03-01T00:00:00Z')
    const types = again.received.map(({ type }) => type)
    expect(types).toEqual(['clock', 'request', ...types.slice(2, -1).map(() => 'change'), 'clock'])
    expect(types.length).toBeGreaterThan(3)
    expect(again.received[0]?.data).toEqual({
      now: '2026-01-01T01:00:01Z',
      mode: 'frozen',
      fired: [],
    })
    expect(again.received[2]?.data).toMatchObject({ kind: 'put', request: null })
    const ids = again.received.map(({ id }) => id)
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b))
    // These events are dropped together with the requests around them.
    world.changeOptions({ control: { journalSize: 2 } })
    for (let at = 0; at < 4; at += 1) await understudy.inject('/v1/sys/health')
    world.clock.advance('1s')
    const late = await listening(understudy, '/events', { 'last-event-id': '0' })
    await expect.poll(() => late.received.at(-1)?.type).toBe('clock')
    expect(late.received.map(({ type }) => type)).toEqual(['request', 'request', 'clock'])
  })

  test('of a world end with it; those of the process contain the events of all worlds', async () => {
    const understudy = await started()
    const all = await listening(understudy, '/events')
    const world = understudy.createWorld({ id: 'w' })
    const own = await listening(understudy, '/worlds/w/events')
    await write(understudy, 'a', world.basePath)
    world.reset()
    understudy.createWorld({ id: 'other' })
    understudy.deleteWorld('w')
    await own.ended()
    expect(own.received.filter(({ type }) => type === 'world').map(({ data }) => data)).toEqual([
      { id: 'w', change: 'reset' },
      { id: 'w', change: 'deleted' },
    ])
    expect(own.received.at(-1)?.data.change).toBe('deleted')
    await all.until(4)
    expect(all.received.map(({ data }) => data)).toEqual([
      { id: 'w', change: 'made' },
      { id: 'w', change: 'reset' },
      { id: 'other', change: 'made' },
      { id: 'w', change: 'deleted' },
    ])
    expect((await documentedControl(understudy)('GET', '/worlds/w/events')).status).toBe(404)
  })

  test('are not begun for HEAD, which is answered at once', async () => {
    const understudy = await started()
    const reply = await fetch(`${understudy.url}/_mock/events`, { method: 'HEAD' })
    expect([reply.status, reply.headers.get('content-type'), await reply.text()]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
      '',
    ])
  })

  test('end when the process does', async () => {
    const understudy = await started()
    const stream = await listening(understudy, '/events')
    await understudy.close()
    await stream.ended()
  })

  test('report jobs that fall due by themselves', async () => {
    const understudy = await started()
    const stream = await listening(understudy, '/events?types=clock')
    const auth = { authorization: 'Bearer root' }
    await understudy.inject({
      method: 'POST',
      url: '/v1/auth/token/create',
      headers: auth,
      payload: { ttl: '1m' },
    })
    understudy.world().clock.advance('2m')
    await stream.until(1)
    expect(stream.received[0]?.data.fired).toEqual([
      { at: '2026-01-01T00:01:00Z', kind: 'secrets.token.expire', id: expect.any(String) },
    ])
    await understudy.inject({
      method: 'POST',
      url: '/v1/auth/token/create',
      headers: auth,
      payload: { ttl: '1m' },
    })
    understudy.world().clock.set({ mode: 'frozen', at: '2026-01-02T00:00:00Z' })
    await stream.until(2)
    expect(stream.received.slice(1).map(({ data }) => data.fired.length)).toEqual([1])
  })

  test('are lost for a reader that does not read: its connection is closed', async () => {
    const understudy = await started()
    const { reply } = await listening(understudy, '/events?types=request')
    let cut = false
    reply.on('close', () => {
      cut = true
    })
    reply.pause()
    const headers = { 'x-padding': 'p'.repeat(500_000) }
    for (let at = 0; at < 60; at += 1) await understudy.inject({ url: '/v1/sys/health', headers })
    reply.resume()
    await expect.poll(() => cut, { timeout: 10_000 }).toBe(true)
    expect(reply.complete).toBe(false)
  })

  test('reach an embedding program too, as they happen', async () => {
    const understudy = await started()
    const world = understudy.world()
    const events: string[] = []
    const stop = world.follow(({ type }) => events.push(type), ['request', 'world'])
    await write(understudy, 'a')
    understudy.createWorld({ id: 'w' })
    world.reset()
    stop()
    await write(understudy, 'b')
    expect(events).toEqual(['request', 'world'])
  })
})
