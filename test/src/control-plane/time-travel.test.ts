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
  return understudy
}

const write = (understudy: Understudy, path: string, prefix = '') =>
  understudy.inject({
    method: 'POST',
    url: `${prefix}/v1/secret/data/${path}`,
    headers: { authorization: 'Bearer root' },
    payload: { data: { planted: path } },
  })

/** Returns the paths of the secrets in a state. */
const pathsOf = (state: object) =>
  [...new Set(JSON.stringify(state).match(/(?<="planted\W+)\w+/g))].toSorted()

describe('behaviour/program#events: the state as of a request', () => {
  test.each(['neutral', 'vendor'] as const)(
    'equals an export right after it (%s)',
    async (dialect) => {
      const understudy = await started(dialect)
      const ask = documentedControl(understudy)
      const world = understudy.world()
      const exports: string[] = []
      const keep = (text: string) => exports.push(text)
      for (let at = 1; at <= 8; at += 1) {
        await understudy.inject(`/v1/sys/health?n=${at}`)
        keep((await ask('GET', '/state')).text)
        await write(understudy, `p${at}`)
        keep((await ask('GET', '/state')).text)
        if (at === 3) world.clock.advance('40m')
        if (at === 5) world.restore(world.snapshot().id)
        if (at === 6) world.changeOptions({ secrets: { clusterName: 'other' } })
      }
      for (const [at, text] of exports.entries()) {
        const past = await ask('GET', `/state?at=r${at + 1}`)
        expect([at, past.status, past.text]).toEqual([at, 200, text])
      }
      expect(JSON.stringify(world.state('r4'))).toBe(exports[3])
      expect(pathsOf(world.serviceState('secrets', 'r4'))).toEqual(['p1', 'p2'])
      expect((await ask('GET', '/state/secrets?at=r4')).body).toEqual(
        JSON.parse(exports[3] ?? '').secrets,
      )
    },
  )

  test('is also available for a refused request, as it was before', async () => {
    const understudy = await started()
    await write(understudy, 'a')
    await write(understudy, 'data/', '/v1/nowhere')
    await write(understudy, 'b')
    expect(pathsOf(understudy.world().state('r2'))).toEqual(['a'])
  })

  test('is compared with a snapshot', async () => {
    const understudy = await started()
    const ask = documentedControl(understudy)
    const { id } = understudy.world().snapshot()
    await write(understudy, 'a')
    await write(understudy, 'b')
    const first = await ask('GET', `/snapshots/${id}/diff?to=r1`)
    expect([first.body.from, first.body.to]).toEqual([id, 'r1'])
    expect(pathsOf(first.body)).toEqual(['a'])
    expect(understudy.world().diff(id, 'r1')).toEqual(first.body)
    expect(pathsOf(understudy.world().diff(id, 'r2'))).toEqual(['a', 'b'])
  })

  test('is where a new world begins; faults come along with their counts, the journal does not', async () => {
    const understudy = await started()
    const ask = documentedControl(understudy)
    await write(understudy, 'a')
    understudy.world().faults.add({ id: 'f', when: { nth: 3 }, action: { status: 503 } })
    await write(understudy, 'b')
    await write(understudy, 'c')
    const { id, clock } = (await ask('POST', '/worlds', { from: { request: 'r2' } })).body
    expect(clock).toBeUndefined()
    const past = understudy.world(id)
    expect(pathsOf(past.state())).toEqual(['a', 'b'])
    expect(past.faults.get('f').matched).toBe(1)
    expect(past.requests.find()).toEqual([])
    expect((await write(understudy, 'd', past.basePath)).headers['x-mock-request']).toBe('r1')
    expect((await write(understudy, 'e', past.basePath)).statusCode).toBe(503)
    const further = understudy.createWorld({ id: 'w', from: { world: id, request: 'r1' } })
    expect(pathsOf(further.state())).toEqual(['a', 'b', 'd'])
    expect(pathsOf(understudy.world().state())).toEqual(['a', 'b', 'c'])
  })

  test('continues exactly as the world did: ids and time', async () => {
    const understudy = await started()
    await write(understudy, 'a')
    const token = async (prefix: string) =>
      (
        await understudy.inject({
          method: 'POST',
          url: `${prefix}/v1/auth/token/create`,
          headers: { authorization: 'Bearer root' },
        })
      ).json().auth
    const first = await token('')
    const past = understudy.createWorld({ from: { request: 'r1' } })
    expect(await token(past.basePath)).toEqual(first)
  })

  test('is 404 for a request that never existed, 410 for a dropped one', async () => {
    const understudy = await started()
    const ask = documentedControl(understudy)
    const world = understudy.world()
    const { id } = world.snapshot()
    world.changeOptions({ control: { journalSize: 2 } })
    for (const path of ['a', 'b', 'c']) await write(understudy, path)
    const places = (request: string) => [
      ask('GET', `/state?at=${request}`),
      ask('GET', `/state/secrets?at=${request}`),
      ask('GET', `/snapshots/${id}/diff?to=${request}`),
      ask('POST', '/worlds', { from: { request } }),
    ]
    const statuses = async (request: string) =>
      (await Promise.all(places(request))).map(({ status }) => status)
    expect(await statuses('r4')).toEqual([404, 404, 404, 404])
    expect(await statuses('r1')).toEqual([410, 410, 410, 410])
    world.requests.clear()
    expect(await statuses('r3')).toEqual([410, 410, 410, 410])
    expect((await ask('GET', '/state?at=nonsense')).status).toBe(404)
    expect((await ask('POST', '/worlds', { from: { world: 'w', request: 'r3' } })).status).toBe(404)
    expect(understudy.worlds().length).toBe(1)
  })

  test('refuses to start at something that is not a request', async () => {
    const understudy = await started()
    const ask = documentedControl(understudy)
    const created = await ask('POST', '/worlds', { from: { world: 'default', at: 'r1' } })
    expect([created.status, created.body.problems]).toEqual([
      400,
      expect.arrayContaining(['/from/request is missing', '/from/at is unknown']),
    ])
  })
})

describe('behaviour/program#events: the rows that a request wrote, and rewinding', () => {
  test('written rows are shown before and after the request; several writes of one row count as one', async () => {
    const understudy = await started()
    const ask = documentedControl(understudy)
    await write(understudy, 'a')
    await write(understudy, 'a')
    await understudy.inject({ url: '/v1/secret/data/a', headers: { authorization: 'Bearer root' } })
    const first = (await ask('GET', '/requests/r1/changes')).body
    expect(first.request).toBe('r1')
    expect(first.changes.map(({ table }: { table: string }) => table)).toEqual([
      'secrets.kv2-data',
      'secrets.kv2-keys',
    ])
    expect(first.changes[1].before).toBeUndefined()
    const [, key] = (await ask('GET', '/requests/r2/changes')).body.changes
    expect([key.before.current_version, key.after.current_version]).toEqual([1, 2])
    expect((await ask('GET', '/requests/r3/changes')).body.changes).toEqual([])
    expect((await ask('GET', '/requests/r4/changes')).status).toBe(404)
  })

  test('rewinding restores the state before a request, including clock and ids', async () => {
    const understudy = await started()
    const ask = documentedControl(understudy)
    const world = understudy.world()
    const fresh = pathsOf(world.state())
    for (const path of ['a', 'b', 'c']) {
      await write(understudy, path)
      world.clock.advance('1h')
    }
    const left = JSON.stringify(world.state('r1'))
    expect((await ask('POST', '/requests/r2/rewind')).status).toBe(204)
    expect(JSON.stringify(world.state())).toBe(left)
    world.rewind('r1')
    expect(pathsOf(world.state())).toEqual(fresh)
    expect(world.requests.find().length).toBe(3)
    expect((await ask('POST', '/requests/r9/rewind')).status).toBe(404)
  })

  test('refuses a start before the oldest journal entry', async () => {
    const understudy = await started()
    const ask = documentedControl(understudy)
    understudy.world().changeOptions({ control: { journalSize: 2 } })
    for (const path of ['a', 'b', 'c']) await write(understudy, path)
    expect((await ask('POST', '/requests/r1/rewind')).status).toBe(410)
    const oldest = await ask('POST', '/requests/r2/rewind')
    expect(oldest.body.detail).toBe('the journal has no request before "r2" any more')
    expect(oldest.status).toBe(410)
    expect((await ask('POST', '/requests/r3/rewind')).status).toBe(204)
    expect(pathsOf(understudy.world().state())).toEqual(['a', 'b'])
  })
})
