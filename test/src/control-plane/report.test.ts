import { describe, expect, onTestFinished, test } from 'vitest'
import {
  createUnderstudy,
  type DialectName,
  type Understudy,
} from '../../../src/embedding/index.ts'
import { readJunit } from '../../support/junit.ts'
import { documentedControl } from '../../support/openapi/documented-control.ts'

const root = { authorization: 'Bearer root' }

async function started(dialect: DialectName = 'neutral'): Promise<Understudy> {
  const understudy = await createUnderstudy({
    clock: 'frozen@2026-01-01T00:00:00Z',
    seed: 'test',
    dialect,
  })
  onTestFinished(() => understudy.close())
  return understudy
}

const send = (understudy: Understudy, method: string, url: string, payload?: object) =>
  understudy.inject({ method, url, headers: root, ...(payload === undefined ? {} : { payload }) })

describe('behaviour/program#reports: a report', () => {
  test('knows the preset of a fault that is over', async () => {
    const understudy = await started()
    const { faults } = understudy.world()
    faults.preset('any-unavailable')
    await send(understudy, 'GET', '/v1/jobs')
    faults.endPreset('any-unavailable')
    expect(understudy.world().report().faults).toEqual([
      expect.objectContaining({ request: 'r1', preset: 'any-unavailable', next: 'gaveUp' }),
    ])
  })

  test.each(['neutral', 'vendor'] as const)(
    'lists the statuses that each operation sent, and the documented ones that it did not (%s)',
    async (dialect) => {
      const understudy = await started(dialect)
      await send(understudy, 'POST', '/v1/secret/data/a', { data: {} })
      await send(understudy, 'GET', '/v1/secret/data/a')
      await send(understudy, 'GET', '/v1/secret/data/none')
      await send(understudy, 'GET', '/v1/secret/data/a')
      await send(understudy, 'GET', '/v1/jobs')
      const { body, status } = await documentedControl(understudy)('GET', '/report')
      expect([status, body.world, body.requests]).toEqual([200, 'default', 5])
      expect(body.operations).toEqual([
        expect.objectContaining({ service: 'scheduler', calls: 1, statuses: { 200: 1 } }),
        {
          service: 'secrets',
          operation: 'kv2ReadData',
          calls: 3,
          statuses: { 200: 2, 404: 1 },
          unseen: expect.arrayContaining([403]),
        },
        expect.objectContaining({ operation: 'kv2WriteData', statuses: { 200: 1 } }),
      ])
      const document = understudy.openApi('secrets')
      const paths = Object.values<Record<string, { operationId: string; responses: object }>>(
        Object(document?.['paths']),
      )
      const read = paths
        .flatMap((item) => Object.values(item))
        .find(({ operationId }) => operationId === 'kv2ReadData')
      const documented = Object.keys(read?.responses ?? {}).filter((name) => name !== 'default')
      expect([200, 404, ...body.operations[1].unseen].sort()).toEqual(documented.map(Number).sort())
      expect(understudy.world().report()).toEqual(body)
    },
  )

  test('lists refused requests with their reasons, and unmatched ones with the operations probably meant', async () => {
    const understudy = await started()
    await understudy.inject({
      url: '/v1/secret/data/a',
      headers: { authorization: 'Bearer wrong' },
    })
    await send(understudy, 'GET', '/v1/sys/helth')
    const { body } = await documentedControl(understudy)('GET', '/report')
    expect(body.refused).toEqual([
      {
        request: 'r1',
        operation: understudy.world().requests.get('r1').operation,
        status: 403,
        rule: understudy.world().explain('r1').rule,
        because: understudy.world().explain('r1').because,
      },
    ])
    expect(JSON.stringify(body)).not.toContain('wrong"')
    expect(body.unmatched).toEqual([
      {
        request: 'r2',
        method: 'GET',
        path: '/v1/sys/helth',
        nearest: understudy.world().explain('r2').nearest,
      },
    ])
    expect(body.unmatched[0].nearest[0].path).toBe('/v1/sys/health')
    expect(understudy.world().report()).toEqual(body)
  })

  // choice/process#report-retries
  test("describes the client's reaction to a fault: an equal request, another one, or no request", async () => {
    const understudy = await started()
    const world = understudy.world()
    world.faults.add({ id: 'busy', when: { first: 2 }, action: { status: 503 } })
    for (let at = 0; at < 5; at += 1) await send(understudy, 'GET', '/v1/secret/data/a?n=1')
    world.faults.add({ id: 'late', times: 1, action: { latency: '1ms' } })
    await understudy.inject('/v1/sys/health')
    world.faults.delete('late')
    await send(understudy, 'GET', '/v1/secret/data/b')
    world.faults.add({ id: 'gone', match: { path: '/**/c' }, action: { status: 500 } })
    await send(understudy, 'GET', '/v1/secret/data/c')
    await send(understudy, 'GET', '/v1/secret/data/b')
    const { body } = await documentedControl(understudy)('GET', '/report')
    const reported = body.faults.map(({ afterMs: _, ...rest }: { afterMs: unknown }) => rest)
    expect(reported).toEqual([
      // The secret does not exist, so all five requests fail and count as retries.
      { fault: 'busy', preset: null, request: 'r1', next: 'retried', retries: 4 },
      { fault: 'busy', preset: null, request: 'r2', next: 'retried', retries: 3 },
      { fault: 'late', preset: null, request: 'r6', next: 'gaveUp', retries: 0 },
      { fault: 'gone', preset: null, request: 'r8', next: 'carriedOn', retries: 0 },
    ])
    expect(body.faults[0].afterMs).toBeGreaterThanOrEqual(0)
    expect(body.faults[2].afterMs).toBeNull()
  })

  // choice/process#report-retries
  test('counts retries until the request is served', async () => {
    const understudy = await started()
    understudy.world().faults.add({ id: 'busy', when: { first: 2 }, action: { status: 503 } })
    for (let at = 0; at < 5; at += 1) await understudy.inject('/v1/sys/health')
    expect(
      understudy
        .world()
        .report()
        .faults.map(({ retries }) => retries),
    ).toEqual([2, 1])
  })

  test('lists faults that were never applied, and whether any request matched', async () => {
    const understudy = await started()
    const { faults } = understudy.world()
    // One star stays within a segment.
    faults.add({ id: 'narrow', match: { path: '/v1/secret/*' }, action: { status: 500 } })
    faults.add({ id: 'third', when: { nth: 3 }, action: { status: 500 } })
    faults.add({ id: 'met', times: 1, action: { status: 503 } })
    await send(understudy, 'GET', '/v1/secret/data/a')
    const { body } = await documentedControl(understudy)('GET', '/report')
    expect(body.unapplied).toEqual([
      { fault: 'narrow', preset: null, matched: 0 },
      { fault: 'third', preset: null, matched: 1 },
    ])
    expect(understudy.world().report()).toEqual(body)
    const markdown = understudy.world().report('markdown')
    expect(markdown).toContain('|  | `narrow` |  | never applied: no request matched |')
    expect(markdown).toContain('never applied: 1 request matched, none was due')
    const [, suite] = readJunit(understudy.world().report('junit'))
    expect(suite?.attributes).toMatchObject({ name: 'faults', tests: '3', failures: '1' })
  })

  // choice/process#report-left-behind
  test('lists tokens and leases that were not revoked since the journal was cleared', async () => {
    const understudy = await started()
    const world = understudy.world()
    const created = async () =>
      (await send(understudy, 'POST', '/v1/auth/token/create')).json().auth
    const [kept, revoked] = [await created(), await created()]
    await send(understudy, 'POST', '/v1/auth/token/create', { type: 'batch' })
    await send(understudy, 'POST', '/v1/auth/token/revoke', { token: revoked.client_token })
    expect(world.report().leftBehind).toEqual({ tokens: [kept.accessor], leases: [] })
    world.requests.clear()
    expect(world.report().leftBehind.tokens).toEqual([])
    const brief = (await send(understudy, 'POST', '/v1/auth/token/create', { ttl: '1h' })).json()
      .auth
    expect(world.report().leftBehind.tokens).toEqual([brief.accessor])
    world.clock.advance('2h')
    expect(world.report().leftBehind.tokens).toEqual([])
  })

  test('is also available as Markdown', async () => {
    const understudy = await started()
    await troubled(understudy)
    const { headers, text } = await documentedControl(understudy)('GET', '/report?format=markdown')
    expect(headers['content-type']).toBe('text/markdown; charset=utf-8')
    expect(text).toBe(understudy.world().report('markdown'))
    expect(text.split('\n').filter((line) => line.startsWith('#'))).toEqual([
      '# World `default`',
      '## Operations',
      '## Faults',
      '## Refused',
      '## Unmatched',
      '## Left behind',
    ])
    for (const part of ['gave up', '`GET /v1/a|b`'.replace('|', '\\|'), '| token |', 'times']) {
      expect(text).toContain(part)
    }
    understudy.world().requests.clear()
    expect(
      understudy
        .world()
        .report('markdown')
        .match(/None\./g)?.length,
    ).toBe(5)
  })

  // choice/process#report-junit
  test('is also available as JUnit XML in the form that CI systems read', async () => {
    const understudy = await started()
    await troubled(understudy)
    const { headers, text } = await documentedControl(understudy)('GET', '/report?format=junit')
    expect(headers['content-type']).toBe('application/xml; charset=utf-8')
    expect(text).toBe(understudy.world().report('junit'))
    const suites = readJunit(text).map(({ attributes: { name, tests, failures } }) => [
      name,
      Number(tests),
      Number(failures),
    ])
    const { operations } = understudy.world().report()
    expect(suites).toEqual([
      ['operations', operations.length, 0],
      ['faults', 3, 1],
      ['refused', 1, 1],
      ['unmatched', 1, 1],
      ['leftBehind', 1, 1],
    ])
    const failures = readJunit(text).flatMap(({ children }) =>
      children.flatMap((each) => each.children.filter(({ name }) => name === 'failure')),
    )
    const [{ because } = { because: '' }] = understudy.world().report().refused
    expect(failures.map((each) => each.attributes['message'])).toContain(`403: ${because}`)
  })

  test('is JUnit XML with the real time that requests took', async () => {
    const understudy = await started()
    const world = understudy.world()
    world.faults.add({ match: { path: '/v1/sys/mounts' }, action: { latency: '20ms' } })
    await send(understudy, 'GET', '/v1/sys/mounts')
    await send(understudy, 'GET', '/v1/sys/mounts')
    await send(understudy, 'GET', '/v1/secret/data/none')
    const [first, second, refused] = world.requests.find().map(({ durationMs }) => durationMs)
    const seconds = (ms = 0) => expect.closeTo(ms / 1000, 2)
    const times = readJunit(world.report('junit')).flatMap(({ children }) =>
      children
        .filter(({ name }) => name === 'testcase')
        .map(({ attributes: { name, time } }) => [name, Number(time)]),
    )
    expect(times).toContainEqual(['listMounts', seconds((first ?? 0) + (second ?? 0))])
    expect(times).toContainEqual(['kv2ReadData (r3)', seconds(refused)])
    const [, duration] = times.find(([name]) => name === 'listMounts') ?? []
    expect(duration).toBeGreaterThanOrEqual(0.04)
  })

  test('is JUnit XML that shows something where nothing went wrong', async () => {
    const understudy = await started()
    const suites = readJunit(understudy.world().report('junit'))
    expect(suites.map(({ attributes: { tests, failures } }) => [tests, failures])).toEqual([
      ['0', '0'],
      ...Array.from({ length: 4 }, () => ['1', '0']),
    ])
  })

  test('covers one world, and refuses an unknown format', async () => {
    const understudy = await started()
    const ask = documentedControl(understudy)
    understudy.createWorld({ id: 'w' })
    await understudy.inject('/_world/w/v1/sys/health')
    expect((await ask('GET', '/worlds/w/report')).body.requests).toBe(1)
    expect((await ask('GET', '/report')).body.requests).toBe(0)
    const refused = await ask('GET', '/report?format=pdf')
    expect([refused.status, refused.body.problems]).toEqual([
      400,
      ['query parameter format must be one of "json", "markdown", "junit"'],
    ])
  })
})

/** Sends a request of each kind that reports list. */
async function troubled(understudy: Understudy): Promise<void> {
  understudy.world().faults.add({ id: 'busy', times: 3, action: { latency: '1ms' } })
  await send(understudy, 'GET', '/v1/sys/mounts')
  await send(understudy, 'GET', '/v1/sys/mounts')
  await understudy.inject('/v1/sys/health')
  await understudy.inject({ url: '/v1/secret/data/a', headers: { authorization: 'Bearer <&>' } })
  await send(understudy, 'GET', '/v1/a|b')
  await send(understudy, 'POST', '/v1/auth/token/create')
}
