import { describe, expect, test } from 'vitest'
import { controlOperations as operationsOf } from '../../../../routes/control/operations.ts'
import { services } from '../../../../src/services.ts'
import { Refusal } from '../../../../state/kernel/refusal.ts'
import { control, problem } from '../../../support/control.ts'
import { garden, notes, plants, start } from '../../../support/kernel.ts'

const controlOperations = operationsOf(services)

const noClock =
  '/clock must be real, frozen, frozen@TIME (RFC 3339, from 1970 to 9999) or scaled@RATE (a number above 0, at most 1000000)'

const oakOf = (world: { table(definition: typeof plants): { get(key: string): unknown } }) =>
  world.table(plants).get('oak')

describe('behaviour/program#control-plane: health and readiness', () => {
  test('health is 200 as long as the process responds, by GET and HEAD', async () => {
    const { ask } = await control({ ready: () => false })
    const reply = await ask('GET', '/health')
    expect([reply.status, reply.body]).toEqual([200, { healthy: true }])
    expect(reply.headers['cache-control']).toBe('no-store')
    expect((await ask('HEAD', '/health')).status).toBe(200)
  })

  test('readiness is 503 until everything is loaded', async () => {
    let ready = false
    const { ask } = await control({ ready: () => ready })
    const early = await ask('GET', '/ready')
    expect(early.status).toBe(503)
    expect(early.body).toEqual(
      problem(503, 'Service Unavailable', 'listeners are being opened or closed'),
    )
    ready = true
    const late = await ask('GET', '/ready')
    expect([late.status, late.body]).toEqual([200, { ready: true }])
  })
})

describe('issue 15: somebody looks at the server', () => {
  test.each(['/', '/_mock', '/_mock/'])(
    'GET %s returns what the server is and where its documents are',
    async (url) => {
      const { app } = await control()
      const reply = await app.inject({ url, headers: { host: 'mock:81' } })
      expect(reply.statusCode).toBe(200)
      expect(reply.headers['content-type']).toBe('text/plain; charset=utf-8')
      expect(reply.body.split('\n').slice(0, 6)).toEqual([
        'infra-understudy 1.2.3: a mock of these APIs, for tests; it speaks the neutral dialect.',
        '',
        '  garden    http://mock:4600',
        '  pond      http://mock:81',
        '',
        'The control plane is at http://mock:81/_mock:',
      ])
    },
  )

  test('names existing paths', async () => {
    const { app } = await control()
    const { body } = await app.inject({ url: '/' })
    const places = [...body.matchAll(/^ {2}\/_mock(\/[a-z.]+)/gm)].map(([, place]) => `${place}`)
    const known = ['/ui', ...controlOperations.map(({ path }) => path)]
    expect([places.length, places.filter((place) => !known.includes(place))]).toEqual([5, []])
  })
})

describe('behaviour/program#fresh-world: info', () => {
  const facts = {
    name: 'infra-understudy',
    version: '1.2.3',
    dialect: 'neutral',
    ports: { garden: 4600 },
  }

  test('describes the process, under the address that the caller used', async () => {
    const { ask, world } = await control()
    const reply = await ask('GET', '/info', undefined, { host: 'mock:81' })
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({
      ...facts,
      world: 'default',
      seed: 'test',
      services: {
        garden: { url: 'http://mock:4600', gardener: world.table(plants).get('oak')?.id },
        pond: { url: 'http://mock:81' },
      },
    })
  })

  test('of another world has its prefix, however the world was named', async () => {
    const { ask, worlds } = await control()
    worlds.create({ id: 'w' })
    const expected = {
      ...facts,
      world: 'w',
      seed: 'test/w',
      services: {
        garden: {
          url: 'http://localhost:4600/_world/w',
          gardener: worlds.default.table(plants).get('oak')?.id,
        },
        pond: { url: 'http://localhost:80/_world/w' },
      },
    }
    expect((await ask('GET', '/worlds/w/info')).body).toEqual(expected)
    expect((await ask('GET', '/_world/w/_mock/info')).body).toEqual(expected)
    expect((await ask('GET', '/info', undefined, { 'x-mock-world': 'w' })).body).toEqual(expected)
  })

  test('contains current values', async () => {
    const { ask, world } = await control()
    world.write(() => world.table(plants).delete('oak'))
    expect((await ask('GET', '/info')).body.services.garden.gardener).toBeNull()
  })
})

describe('behaviour/program#control-plane: worlds', () => {
  test('are created, listed, described and deleted', async () => {
    const { ask, worlds } = await control()
    const made = await ask('POST', '/worlds', { id: 'w' })
    expect(made.status).toBe(201)
    expect(made.headers['location']).toBe('/_mock/worlds/w')
    expect(made.body).toEqual({
      id: 'w',
      basePath: '/_world/w',
      info: (await ask('GET', '/worlds/w/info')).body,
    })
    const madeAt = expect.stringMatching(/^2\d{3}-.*Z$/)
    const clock = { mode: 'frozen', now: expect.any(String) }
    const overview = { dialect: 'neutral', madeAt, requests: 0, clock }
    expect((await ask('GET', '/worlds')).body).toEqual({
      worlds: [
        { id: 'default', basePath: '', ...overview },
        { id: 'w', basePath: '/_world/w', ...overview },
      ],
    })
    expect((await ask('GET', '/worlds/w')).body).toEqual(made.body)
    const gone = await ask('DELETE', '/worlds/w')
    expect([gone.status, gone.text]).toEqual([204, ''])
    expect(worlds.find('w')).toBeUndefined()
    const absent = problem(404, 'Not Found', 'there is no world "w"')
    for (const [method, path] of [
      ['GET', '/worlds/w'],
      ['DELETE', '/worlds/w'],
      ['POST', '/worlds/w/reset'],
      ['GET', '/_world/w/_mock/info'],
    ] as const) {
      const reply = await ask(method, path)
      expect([reply.status, reply.body]).toEqual([404, absent])
    }
  })

  // choice/process#world-ids
  test('get an id if they have none', async () => {
    const { ask, worlds } = await control()
    const { status, body } = await ask('POST', '/worlds')
    expect(status).toBe(201)
    expect(body.id).toMatch(/^w-[0-9A-Za-z]{10}$/)
    expect(body.basePath).toBe(`/_world/${body.id}`)
    expect(worlds.list().map(({ id }) => id)).toEqual(['default', body.id])
  })

  test('are created with every possible setting', async () => {
    const { ask, worlds } = await control()
    const made = await ask('POST', '/worlds', {
      id: 'w',
      seed: 's',
      clock: { mode: 'frozen', at: '2030-01-01T00:00:00+01:00' },
      options: { garden: { depth: 8 } },
      fixtures: { garden: { heights: { elm: 4 } } },
    })
    expect(made.status).toBe(201)
    const world = worlds.get('w')
    expect(world.clock.now()).toBe(Date.UTC(2029, 11, 31, 23))
    expect(world.table(plants).get('oak')?.height).toBe(8)
    expect(world.table(plants).get('elm')?.height).toBe(4)
    expect(oakOf(world)).toEqual(
      oakOf(worlds.create({ seed: 's', options: { garden: { depth: 8 } } })),
    )
  })

  test.each([
    ['frozen@2030-01-01T00:00:00+01:00', { mode: 'frozen', at: Date.UTC(2029, 11, 31, 23) }],
    ['frozen', { mode: 'frozen' }],
    ['scaled@60', { mode: 'scaled', rate: 60 }],
    ['real', { mode: 'real', offset: 0 }],
  ])('accept the clock %s, in the syntax of the command line', async (clock, state) => {
    const { ask, worlds } = await control()
    expect((await ask('PUT', '/worlds/w', { clock })).status).toBe(201)
    expect(worlds.get('w').clock.state).toMatchObject(state)
  })

  // choice/process#snapshots
  test('fork from another world or from a snapshot', async () => {
    const { ask, worlds, world } = await control()
    const note = (text: string) => world.write(() => world.table(notes).put('n', { text }))
    note('then')
    const snapshot = (await ask('POST', '/snapshots')).body.id
    note('now')
    await ask('POST', '/worlds', { id: 'now', from: 'default' })
    await ask('POST', '/worlds', { id: 'then', from: snapshot })
    expect(worlds.get('now').table(notes).get('n')).toEqual({ text: 'now' })
    expect(worlds.get('then').table(notes).get('n')).toEqual({ text: 'then' })
  })

  // choice/process#clock-scaled-late
  test.each([
    [
      { id: 'a/b' },
      400,
      '"a/b" is not a world id: letters, digits, ".", "_" and "-" only',
      ['/id is not a world id: letters, digits, ".", "_" and "-" only'],
    ],
    [{ id: 'default' }, 409, 'there is a world "default" already', undefined],
    [{ from: 'x' }, 404, 'there is no snapshot or world "x"', undefined],
    [
      { seed: 1, nope: 2 },
      400,
      '/nope is unknown; /seed must be string',
      ['/nope is unknown', '/seed must be string'],
    ],
    [{ clock: { mode: 'scaled' } }, 400, '/clock/rate is missing', ['/clock/rate is missing']],
    [
      { clock: { mode: 'scaled', rate: 1e308 } },
      400,
      '/clock/rate must be <= 1000000',
      ['/clock/rate must be <= 1000000'],
    ],
    [
      { clock: { mode: 'frozen', at: 'noon' } },
      400,
      '/clock/at must be an RFC 3339 time from 1970 to 9999, as 2026-01-02T03:04:05Z',
      ['/clock/at must be an RFC 3339 time from 1970 to 9999, as 2026-01-02T03:04:05Z'],
    ],
    ...[
      'noon',
      'frozen@noon',
      'frozen@9999-12-31T23:59:59-01:00',
      'scaled@0',
      'scaled@1000001',
      '',
    ].map((clock) => [{ clock }, 400, noClock, [noClock]] as const),
    [
      { options: { garden: { soil: 'mud' } } },
      400,
      '/options/garden/soil must be one of "clay", "sand"',
      ['/options/garden/soil must be one of "clay", "sand"'],
    ],
    [
      { fixtures: { garden: { heights: { elm: -1 } } } },
      400,
      '/fixtures/garden/heights/elm must be >= 0',
      ['/fixtures/garden/heights/elm must be >= 0'],
    ],
    [{ fixtures: { garden: { heights: { weed: 1 } } } }, 400, 'weeds are not planted', undefined],
  ] as const)('are not created from %j', async (request, status, detail, problems) => {
    const { ask, worlds } = await control()
    const reply = await ask('POST', '/worlds', request)
    const titles = { 400: 'Bad Request', 404: 'Not Found', 409: 'Conflict' } as const
    expect(reply.status).toBe(status)
    expect(reply.body).toEqual(problem(status, titles[status], detail, problems && [...problems]))
    expect(worlds.list().length).toBe(1)
  })

  test('cannot be deleted if they are the default world', async () => {
    const { ask } = await control()
    const reply = await ask('DELETE', '/worlds/default')
    expect(reply.status).toBe(409)
    expect(reply.body).toEqual(problem(409, 'Conflict', 'the default world cannot be deleted'))
  })

  test('are driven under their own path only', async () => {
    const { ask, worlds, world } = await control()
    await ask('POST', '/worlds', { id: 'w' })
    await ask('POST', '/worlds/w/clock/advance', { by: '1s' })
    await ask('POST', '/_world/w/_mock/clock/advance', { by: '1s' })
    await ask('POST', '/clock/advance', { by: '1s' }, { 'x-mock-world': 'w' })
    expect([worlds.get('w').clock.now(), world.clock.now()]).toEqual([start + 3000, start])
  })
})

describe('behaviour/program#control-plane: shutdown', () => {
  test('is off unless enabled', async () => {
    const { ask } = await control()
    const reply = await ask('POST', '/shutdown')
    expect(reply.status).toBe(403)
    expect(reply.body).toEqual(
      problem(403, 'Forbidden', 'shutdown is off; enable it with --allow-shutdown'),
    )
  })

  test('is answered before the process ends', async () => {
    let stopped = 0
    const { ask } = await control({ shutdown: () => void stopped++ })
    const reply = await ask('POST', '/shutdown')
    expect([reply.status, reply.body, stopped]).toEqual([202, { stopping: true }, 1])
  })
})

describe('behaviour/program#control-plane: failures outside the operations are also problems', () => {
  test('an unknown path', async () => {
    const { ask } = await control()
    const reply = await ask('GET', '/nothing?a=b')
    expect(reply.status).toBe(404)
    expect(reply.headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expect(reply.body).toEqual(
      problem(404, 'Not Found', 'there is nothing at /_mock/nothing; see /_mock/openapi.json'),
    )
  })

  test('a method that the path does not support', async () => {
    const { ask } = await control()
    const reply = await ask('DELETE', '/clock')
    expect(reply.status).toBe(405)
    expect(reply.headers['allow']).toBe('GET, PUT')
    expect(reply.body).toEqual(
      problem(405, 'Method Not Allowed', '/_mock/clock takes GET, PUT only'),
    )
  })

  test('a body that is not JSON', async () => {
    const { ask } = await control()
    const reply = await ask('POST', '/reset', '{"what": ')
    expect(reply.status).toBe(400)
    expect(reply.body).toEqual(
      problem(400, 'Bad Request', 'the body is not valid JSON: Unexpected end of JSON input', [
        'the body is not valid JSON: Unexpected end of JSON input',
      ]),
    )
  })

  test('a body that is too large', async () => {
    const { ask } = await control()
    const reply = await ask('PATCH', '/options', `"${'x'.repeat(32 * 1024 * 1024)}"`)
    expect(reply.status).toBe(413)
    expect(reply.body).toEqual(problem(413, 'Payload Too Large', 'Request body is too large'))
  })

  test('a malformed path', async () => {
    const { ask } = await control()
    const reply = await ask('GET', '/%zz')
    expect(reply.status).toBe(400)
    expect(reply.body).toEqual(
      problem(400, 'Bad Request', "'/_mock/%zz' is not a valid url component"),
    )
  })

  test('an internal error, whose details only the log shows', async () => {
    const logged: string[] = []
    const describe = () => {
      throw new Error('secret details')
    }
    const { ask } = await control({ describe }, {}, { write: (line) => logged.push(line) })
    const reply = await ask('GET', '/info')
    expect(reply.status).toBe(500)
    expect(reply.text).not.toContain('secret details')
    expect(reply.body).toEqual(
      problem(
        500,
        'Internal Server Error',
        `unexpected exception; the log has it under ${reply.body.requestId}`,
      ),
    )
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([
      {
        reqId: reply.body.requestId,
        msg: 'unexpected exception in the control plane',
        err: { message: 'secret details' },
      },
    ])
  })

  test.each([
    ['precondition', 412, 'Precondition Failed'],
    ['upstream', 502, 'Bad Gateway'],
    ['unsupported', 405, 'Method Not Allowed'],
    ['denied', 403, 'Forbidden'],
  ] as const)('a refusal of the kind %s', async (kind, status, title) => {
    const service = {
      ...garden,
      info: () => {
        throw new Refusal(kind, 'because')
      },
    }
    const { ask } = await control({}, { services: [service] })
    const reply = await ask('GET', '/info')
    expect([reply.status, reply.body]).toEqual([status, problem(status, title, 'because')])
  })
})

describe('behaviour/program#control-plane: the OpenAPI document', () => {
  test('describes every operation and the content of a state document', async () => {
    const { ask } = await control()
    const { status, body } = await ask('GET', '/openapi.json')
    expect(status).toBe(200)
    expect([body.openapi, body.info.version, body.servers]).toEqual([
      '3.1.0',
      '1.2.3',
      [{ url: '/_mock' }],
    ])
    const described = Object.entries<Record<string, { operationId: string }>>(body.paths).flatMap(
      ([path, item]) =>
        Object.entries(item).map(([method, one]) => `${method} ${path} ${one.operationId}`),
    )
    expect(described.sort()).toEqual(
      controlOperations
        .map(({ method, path, id }) => {
          return `${method.toLowerCase()} ${path.replace(/:(\w+)/g, '{$1}')} ${id}`
        })
        .sort(),
    )
    expect(new Set(controlOperations.map(({ id }) => id)).size).toBe(controlOperations.length)
    const references = [...new Set(JSON.stringify(body).match(/"\$ref":"[^"]*"/g))].sort()
    expect(references).toEqual([
      '"$ref":"#/components/responses/Failure"',
      '"$ref":"#/components/schemas/Failure"',
      '"$ref":"#/components/schemas/StateDocument"',
    ])
    const document = body.components.schemas.StateDocument
    expect(Object.keys(document.properties)).toEqual([
      'format',
      'world',
      'options',
      'garden',
      'pond',
    ])
    expect(Object.keys(document.properties.garden.properties)).toEqual(['heights', 'tables'])
    expect(Object.keys(document.properties.world.properties.tables.properties)).toEqual([
      'agenda',
      'transitions',
      'agenda-names',
      'agenda-count',
    ])
  })
})
