import { describe, expect, test } from 'vitest'
import { blockingReader, drainEventLoop } from '../../../support/blocked-reads.ts'
import { type MeshClient, mesh } from '../../../support/mesh/mesh.ts'
import { meshWithAcls } from '../../../support/mesh/mesh-acl.ts'

const waiting = blockingReader('x-mesh-index')
const uuid = expect.stringMatching(
  /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/,
)
const unknownId = 'ffffffff-0000-4000-8000-000000000000'
const SECOND = 1_000_000_000

async function create(client: MeshClient, body?: object, query = ''): Promise<string> {
  const reply = await client.put(`session/create${query}`, body)
  expect([reply.status, reply.body]).toEqual([200, { ID: uuid }])
  return reply.body.ID
}

describe('behaviour/mesh#sessions: lock delays and checks', () => {
  test.for([
    ['-5s', -5e18],
    ['1ns', SECOND],
    ['2us', 2_000],
    [-1, -SECOND],
    [0, 0],
    [1.5, SECOND],
    [999, 999 * SECOND],
    [1_000, 1_000],
    [1e19, 0],
    [true, 0],
    [[], 0],
    [null, 15 * SECOND],
  ] as const)('the lock delay %j is %d nanoseconds', async ([LockDelay, expected]) => {
    const { mesh: client } = await mesh()
    const id = await create(client, { LockDelay })
    const [session] = (await client.get(`session/info/${id}`)).body
    expect(session.LockDelay).toBe(expected)
  })

  test('a negative lock delay delays no lock', async () => {
    const { mesh: client } = await mesh()
    const id = await create(client, { LockDelay: '-5s' })
    await client.put(`kv/a?acquire=${id}`)
    await client.put(`session/destroy/${id}`)
    const next = await create(client)
    expect((await client.put(`kv/a?acquire=${next}`)).text).toBe('true')
  })

  const serf = 'serfHealth'
  test.for([
    [{ Checks: [serf] }, { NodeChecks: [serf], ServiceChecks: null }],
    [{ Checks: [] }, { NodeChecks: [], ServiceChecks: null }],
    [{ Checks: null }, { NodeChecks: [], ServiceChecks: null }],
    [{ NodeChecks: null }, { NodeChecks: null, ServiceChecks: null }],
    [{ NodeChecks: [] }, { NodeChecks: [], ServiceChecks: null }],
    [
      { Checks: [], NodeChecks: ['x'] },
      { NodeChecks: [], ServiceChecks: null },
    ],
    [
      { Checks: [serf, serf], NodeChecks: [] },
      { NodeChecks: [], ServiceChecks: null },
    ],
    [{ checks: [serf, serf] }, { NodeChecks: [serf], ServiceChecks: null, Checks: [serf, serf] }],
    [{ ServiceChecks: [] }, { NodeChecks: [serf], ServiceChecks: [] }],
  ] as const)('a session of %j has %j', async ([body, expected]) => {
    const { mesh: client } = await mesh()
    const id = await create(client, body)
    const [session] = (await client.get(`session/info/${id}`)).body
    const { NodeChecks, ServiceChecks, Checks } = session
    expect({ NodeChecks, ServiceChecks, ...(Checks && { Checks }) }).toEqual(expected)
  })

  test.for([{ Checks: ['x'] }, { NodeChecks: ['x'] }, { ServiceChecks: [{ ID: 'x' }] }])(
    '%j names a check that there is not: 500',
    async (body) => {
      const { mesh: client } = await mesh()
      const { status, text } = await client.put('session/create', body)
      expect([status, text]).toEqual([500, "apply failed: Missing check 'x' registration"])
    },
  )
})

describe('behaviour/mesh#sessions', () => {
  test.each(['neutral', 'vendor'] as const)(
    'create, info, list, node, destroy (%s)',
    async (dialect) => {
      const { mesh: client } = await mesh({ dialect })
      const ID = await create(client)
      const session = {
        ID,
        Name: '',
        Node: 'mesh-1',
        LockDelay: 15 * SECOND,
        Behavior: 'release',
        TTL: '',
        NodeChecks: ['serfHealth'],
        ServiceChecks: null,
        CreateIndex: 7,
        ModifyIndex: 7,
      }
      for (const path of [`session/info/${ID}`, 'session/list', 'session/node/mesh-1']) {
        const { status, text, headers } = await client.get(path)
        expect([status, text]).toEqual([200, JSON.stringify([session])])
        expect([headers['x-mesh-index'], headers['x-mesh-knownleader']]).toEqual(['7', 'true'])
        expect(headers['x-mesh-effective-consistency']).toBeUndefined()
      }
      expect((await client.put(`session/renew/${ID}`)).text).toBe(JSON.stringify([session]))
      expect((await client.get('session/node/other')).text).toBe('[]')
      for (let count = 0; count < 2; count++) {
        const { status, text } = await client.put(`session/destroy/${ID}`)
        expect([status, text]).toEqual([200, 'true'])
      }
      const missing = await client.get(`session/info/${ID}`)
      expect([missing.status, missing.text, missing.headers['x-mesh-index']]).toEqual([
        200,
        '[]',
        '8',
      ])
      const renewed = await client.put(`session/renew/${ID}`)
      expect([renewed.status, renewed.text]).toEqual([404, `Session id '${ID}' not found`])
    },
  )

  test.for([
    [{ LockDelay: '5s' }, { LockDelay: 5 * SECOND }],
    [{ LockDelay: 20 }, { LockDelay: 20 * SECOND }],
    [{ LockDelay: 999 }, { LockDelay: 999 * SECOND }],
    [{ LockDelay: 5 * SECOND }, { LockDelay: 5 * SECOND }],
    [{ LockDelay: '0s' }, { LockDelay: 0 }],
    [
      { Behavior: 'delete', TTL: '10s', Name: 'n' },
      { Behavior: 'delete', TTL: '10s', Name: 'n' },
    ],
    [{ TTL: '24h' }, { TTL: '24h' }],
    [{ NodeChecks: [] }, { NodeChecks: [] }],
    [{ Checks: [] }, { NodeChecks: [] }],
    [
      { ID: unknownId, Unknown: 1, Node: 'mesh-1' },
      { ID: uuid, Node: 'mesh-1' },
    ],
  ] as const)('%o is kept as %o', async ([input, kept]) => {
    const { mesh: client } = await mesh()
    const ID = await create(client, input)
    expect(ID).not.toBe(unknownId)
    expect((await client.get(`session/info/${ID}`)).body[0]).toMatchObject(kept)
  })

  // choice/mesh#session-empty-node
  test.for([
    ['session/create', '{', 400, 'Request decode failed: unexpected EOF'],
    [
      'session/create',
      { LockDelay: 'x' },
      400,
      'Request decode failed: time: invalid duration "x"',
    ],
    [
      'session/create',
      { TTL: '1s' },
      500,
      "Invalid Session TTL '1000000000', must be between [10s=24h0m0s]",
    ],
    [
      'session/create',
      { TTL: '25h' },
      500,
      "Invalid Session TTL '90000000000000', must be between [10s=24h0m0s]",
    ],
    ['session/create', { TTL: 'x' }, 500, 'Session TTL \'x\' invalid: time: invalid duration "x"'],
    ['session/create', { Behavior: 'x' }, 500, "Invalid Behavior setting 'x'"],
    ['session/create', { Node: '', TTL: 'x' }, 500, 'Must provide Node'],
    ['session/create', { Node: 'x' }, 500, 'apply failed: Missing node registration'],
    ['session/create', { NodeChecks: ['x'] }, 500, "apply failed: Missing check 'x' registration"],
    ['session/destroy/', undefined, 400, 'Missing session'],
    ['session/renew/', undefined, 400, 'Missing session'],
  ] as const)('PUT %s %o: %i %s', async ([path, body, status, text]) => {
    const { mesh: client, world } = await mesh()
    const reply = await client.put(path, body)
    expect([reply.status, reply.text]).toEqual([status, text])
    expect(world.store.index('mesh')).toBe(6)
  })

  test('reads without a name are 400', async () => {
    const { mesh: client } = await mesh()
    expect((await client.get('session/info/')).text).toBe('Missing session')
    expect((await client.get('session/node/')).text).toBe('Missing node name')
    expect((await client.get('session/node/?index=x')).text).toBe('Invalid index')
  })

  // choice/mesh#session-rights-of-unknown
  test('rights: session:write to create, destroy and renew; reads are filtered', async () => {
    const { manager, clientWithRules, mesh: anonymous } = await meshWithAcls()
    const reader = await clientWithRules('session_prefix "" { policy = "read" }')
    const writer = await clientWithRules('session "mesh-1" { policy = "write" }')
    const denied = expect.stringContaining(`lacks permission 'session:write' on "mesh-1"`)
    const ID = await create(writer)
    for (const path of ['session/create', `session/destroy/${ID}`, `session/renew/${ID}`]) {
      const { status, text } = await reader.put(path)
      expect([path, status, text]).toEqual([path, 403, denied])
    }
    expect((await reader.get('session/list')).body).toHaveLength(1)
    const none = await (await clientWithRules('')).get(`session/info/${ID}`)
    expect([none.status, none.text, none.headers['x-mesh-results-filtered-by-acls']]).toEqual([
      200,
      '[]',
      'true',
    ])
    const minimal = await anonymous.get('session/list')
    expect([minimal.text, minimal.headers['x-mesh-results-filtered-by-acls']]).toEqual([
      '[]',
      undefined,
    ])
    expect((await writer.put(`session/destroy/${ID}`)).text).toBe('true')
    // No right is required for an unknown session.
    expect((await reader.put(`session/destroy/${ID}`)).text).toBe('true')
    expect((await reader.put(`session/renew/${ID}`)).status).toBe(404)
    expect((await manager.get('session/list')).text).toBe('[]')
  })

  test('sessions belong to a namespace and end with it', async () => {
    const { mesh: client, clock } = await mesh()
    await client.put('namespace', { Name: 'Team' })
    const ID = await create(client, {}, '?ns=team')
    expect((await client.get('session/list')).headers['x-mesh-index']).toBe('1')
    expect((await client.get(`session/info/${ID}?ns=team`)).body[0].Namespace).toBe('Team')
    expect((await client.get(`session/info/${ID}`)).text).toBe('[]')
    const foreign = await client.put(`kv/a?acquire=${ID}`, 'v')
    expect(foreign.text).toBe(`raft apply failed: invalid session "${ID}"`)
    await client.delete('namespace/team')
    clock.advance(500)
    expect((await client.get('namespace/team')).status).toBe(404)
    await client.put('namespace', { Name: 'team' })
    expect((await client.get('session/list?ns=team')).text).toBe('[]')
  })

  test('a session that is not renewed ends after twice its TTL', async () => {
    const { mesh: client, clock } = await mesh()
    const ID = await create(client, { TTL: '10s' })
    const sessionCount = async () => (await client.get(`session/info/${ID}`)).body.length
    clock.advance(19_999)
    expect(await sessionCount()).toBe(1)
    await client.put(`session/renew/${ID}`)
    clock.advance(19_999)
    expect(await sessionCount()).toBe(1)
    clock.advance(1)
    expect(await sessionCount()).toBe(0)
  })

  test('reads wait only for their sessions', async () => {
    const { mesh: client, clock } = await mesh({ options: { waitJitter: false } })
    const ID = await create(client)
    const one = await waiting(client, `session/info/${ID}?index=7`)
    const all = await waiting(client, 'session/list?index=7')
    const timed = await waiting(client, 'session/list?index=8&wait=10s')
    const other = await create(client)
    await drainEventLoop()
    expect([one.state, all.state]).toMatchObject(['waits', [200, '8', [{}, {}]]])
    await client.put(`session/destroy/${ID}`)
    await drainEventLoop()
    expect(one.state).toEqual([200, '9', []])
    expect(timed.state).toMatchObject([200, '9', [{ ID: other }]])
    const quiet = await waiting(client, 'session/list?index=9&wait=10s')
    clock.advance(10_000)
    await drainEventLoop()
    expect(quiet.state).toMatchObject([200, '9', [{}]])
  })

  test('the shared port serves no sessions', async () => {
    const { mesh: client } = await mesh({ dedicated: false })
    for (const path of ['session/list', 'status/leader', 'agent/self', 'catalog/nodes', 'kv']) {
      expect((await client.get(path)).status).toBe(404)
    }
  })
})

describe('behaviour/mesh#locks', () => {
  const readEntry = async (client: MeshClient, key = 'a') =>
    (await client.get(`kv/${key}`)).body?.[0]

  test('the holder acquires and releases a lock; the reply to all other sessions is false', async () => {
    const { mesh: client } = await mesh()
    const [s, other] = [await create(client), await create(client)]
    const put = async (query: string, value = 'v') =>
      (await client.put(`kv/a?${query}`, value)).body
    expect(await put(`release=${s}`)).toBe(false)
    expect(await put(`acquire=${s}&flags=3304740253564472344`)).toBe(true)
    expect((await client.get('kv/a')).text).toBe(
      `[{"LockIndex":1,"Key":"a","Flags":3304740253564472344,"Value":"dg==","Session":"${s}","CreateIndex":9,"ModifyIndex":9}]`,
    )
    expect(await put(`acquire=${other}`, 'w')).toBe(false)
    expect(await put(`release=${other}`, 'w')).toBe(false)
    expect(await readEntry(client)).toMatchObject({ ModifyIndex: 9, Session: s })
    expect(await put(`acquire=${s}`, 'w')).toBe(true)
    expect(await readEntry(client)).toMatchObject({ LockIndex: 1, ModifyIndex: 10, Flags: 0 })
    expect(await put(`release=${s}`, 'x')).toBe(true)
    const free = await readEntry(client)
    expect(free).toMatchObject({ LockIndex: 1, ModifyIndex: 11 })
    expect(free).not.toHaveProperty('Session')
    // A release causes no lock delay.
    expect(await put(`acquire=${other}`)).toBe(true)
    expect(await readEntry(client)).toMatchObject({ LockIndex: 2, Session: other })
  })

  test('plain writes and deletions ignore locks; the holder stays, the lock index is 0', async () => {
    const { mesh: client } = await mesh()
    const s = await create(client)
    await client.put(`kv/a?acquire=${s}`, 'v')
    await client.put('kv/a', 'v')
    expect(await readEntry(client)).toMatchObject({ LockIndex: 0, Session: s, ModifyIndex: 9 })
    await client.put('kv/a', 'v')
    expect(await readEntry(client)).toMatchObject({ ModifyIndex: 9 })
    await client.put('kv/a?cas=9', 'w')
    expect(await readEntry(client)).toMatchObject({ LockIndex: 0, Session: s, ModifyIndex: 10 })
    expect((await client.delete('kv/a')).body).toBe(true)
    expect(await readEntry(client)).toBeUndefined()
  })

  test('an unknown session is 500', async () => {
    const { mesh: client } = await mesh()
    for (const [query, text] of [
      [`acquire=${unknownId}`, `raft apply failed: invalid session "${unknownId}"`],
      ['acquire=', 'raft apply failed: missing session'],
      ['release=', 'raft apply failed: missing session'],
    ]) {
      const reply = await client.put(`kv/a?${query}`, 'v')
      expect([reply.status, reply.text]).toEqual([500, text])
    }
    expect((await client.put(`kv/a?release=${unknownId}`, 'v')).body).toBe(false)
  })

  test.for([
    ['release', { LockIndex: 1, Key: 'a' }],
    ['delete', undefined],
  ] as const)(
    'the end of a session with behaviour %s, then the lock delay',
    async ([Behavior, left]) => {
      const { mesh: client, clock } = await mesh()
      const s = await create(client, { Behavior, LockDelay: '20s' })
      await client.put(`kv/a?acquire=${s}`, 'v')
      await client.put(`session/destroy/${s}`)
      const found = await client.get('kv/a')
      if (left === undefined) expect(found.status).toBe(404)
      else {
        expect(found.body[0]).toMatchObject({ ...left, ModifyIndex: 9 })
        expect(found.body[0]).not.toHaveProperty('Session')
      }
      expect(found.headers['x-mesh-index']).toBe('9')
      const next = await create(client)
      const acquire = async () => (await client.put(`kv/a?acquire=${next}`, 'v')).body
      expect(await acquire()).toBe(false)
      clock.advance(19_999)
      expect(await acquire()).toBe(false)
      clock.advance(1)
      expect(await acquire()).toBe(true)
    },
  )

  test('a lock delay lasts at most one minute; without a delay the key is free at once', async () => {
    const { mesh: client, clock } = await mesh()
    const [long, none] = [
      await create(client, { LockDelay: '10m' }),
      await create(client, { LockDelay: '0s' }),
    ]
    await client.put(`kv/a?acquire=${long}`, 'v')
    await client.put(`kv/b?acquire=${none}`, 'v')
    for (const id of [long, none]) await client.put(`session/destroy/${id}`)
    const next = await create(client)
    expect((await client.put(`kv/b?acquire=${next}`)).body).toBe(true)
    clock.advance(59_999)
    expect((await client.put(`kv/a?acquire=${next}`)).body).toBe(false)
    clock.advance(1)
    expect((await client.put(`kv/a?acquire=${next}`)).body).toBe(true)
  })

  test('the end of the TTL releases keys and wakes readers that wait for them', async () => {
    const { mesh: client, clock } = await mesh({ options: { waitJitter: false } })
    const s = await create(client, { TTL: '10s' })
    await client.put(`kv/a?acquire=${s}`, 'v')
    const read = await waiting(client, 'kv/a?index=8')
    clock.advance(20_000)
    await drainEventLoop()
    expect(read.state).toMatchObject([200, '9', [{ LockIndex: 1 }]])
  })

  test('acquire requires key:write', async () => {
    const { manager, clientWithRules } = await meshWithAcls()
    const s = await create(manager)
    const reader = await clientWithRules('key_prefix "" { policy = "read" }')
    expect((await reader.put(`kv/a?acquire=${s}`, 'v')).status).toBe(403)
  })
})
