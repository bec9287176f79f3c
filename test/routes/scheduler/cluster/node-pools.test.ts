import { describe, expect, test } from 'vitest'
import { blockingReader, drainEventLoop } from '../../../support/blocked-reads.ts'
import { scheduler } from '../../../support/scheduler/scheduler.ts'
import {
  apiHeaders,
  exampleJob,
  failureOf,
  frozenScheduler,
  readHeaders,
  register,
  requireSuccess,
} from '../support.ts'
import { listed, mockJob } from './support.ts'

const section = 'behaviour/scheduler#beyond'
const waiting = blockingReader('x-sched-index')
const more = 'behaviour/scheduler#node-endpoints'

describe(`node pools (${section})`, () => {
  const pool = (Name: string, Description: string) => ({
    Name,
    Description,
    Meta: null,
    SchedulerConfiguration: null,
    Hash: null,
    CreateIndex: 1,
    ModifyIndex: 1,
  })
  const builtin = [
    pool('all', 'Node pool with all nodes in the cluster.'),
    pool('default', 'Default node pool.'),
  ]

  // choice/scheduler#scheduler-seeded-index
  test('the builtin pools have index 1 (behaviour/scheduler#agent, Blocking)', async () => {
    const { scheduler: client } = await scheduler()
    const list = await client.get('node/pools')
    expect([list.body, apiHeaders(list)]).toEqual([builtin, readHeaders(1)])
    expect((await client.get('node/pool/all')).body).toEqual(builtin[0])
    expect(await listed(client, 'node/pools?prefix=d')).toEqual([builtin[1]])
  })

  test('an unknown pool is refused', async () => {
    const { scheduler: client } = await scheduler()
    const reply = await client.get('node/pool/absent')
    expect([reply.status, reply.text, apiHeaders(reply)]).toEqual([
      404,
      'node pool not found',
      readHeaders(1),
    ])
  })

  test('a job can select one pool or all', async () => {
    const nodes = [{ name: 'a' }, { name: 'b', pool: 'gpu' }]
    const { scheduler: client, clock } = await scheduler({ document: { scheduler: { nodes } } })
    for (const NodePool of ['gpu', 'default', 'all']) {
      await register(client, mockJob({ t: {} }, {}, { ID: NodePool, NodePool, Type: 'system' }))
    }
    clock.advance(50)
    const placed = await listed<{ JobID: string; NodeName: string }>(client, 'allocations')
    expect(placed.map(({ JobID, NodeName }) => `${JobID} ${NodeName}`).sort()).toEqual([
      'all a',
      'all b',
      'default a',
      'gpu b',
    ])
  })
})

describe(`writing node pools (${more})`, () => {
  const gpu = { Name: 'gpu', Description: 'Fast', Meta: { rack: 'r1' } }

  test('a pool is created and replaced, by either path and verb', async () => {
    const { scheduler: client } = await frozenScheduler()
    const made = await requireSuccess(client.post('node/pools', gpu))
    expect([made.text, apiHeaders(made)]).toEqual(['', { 'x-sched-index': '11' }])
    const first = await client.get('node/pool/gpu')
    expect([first.body, apiHeaders(first)]).toEqual([
      {
        ...gpu,
        SchedulerConfiguration: null,
        Hash: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
        CreateIndex: 11,
        ModifyIndex: 11,
      },
      readHeaders(11),
    ])
    await requireSuccess(
      client.request('PUT', 'node/pool/gpu', { Name: 'gpu', Description: 'Slow' }),
    )
    const { Hash, ...second } = (await client.get('node/pool/gpu')).body
    expect(second).toEqual({
      Name: 'gpu',
      Description: 'Slow',
      Meta: null,
      SchedulerConfiguration: null,
      CreateIndex: 11,
      ModifyIndex: 12,
    })
    expect(Hash).not.toBe(first.body.Hash)
  })

  test.each([
    ['node/pools', undefined, 400, 'Request body is empty'],
    ['node/pool/gpu', {}, 400, 'Node pool name does not match request path'],
    ['node/pool/gpu', { Name: 'cpu' }, 400, 'Node pool name does not match request path'],
    [
      'node/pools',
      { Name: 'a b' },
      400,
      'invalid node pool "a b": 1 error occurred:\n\t* invalid name "a b", must match regex ^[a-zA-Z0-9-_]{1,128}$\n\n',
    ],
    [
      'node/pools',
      { Name: 'a', Description: 'x'.repeat(257) },
      400,
      'invalid node pool "a": 1 error occurred:\n\t* description longer than 256\n\n',
    ],
    ['node/pools', { Name: 'default' }, 400, 'modifying node pool "default" is not allowed'],
    ['node/pool/all', { Name: 'all' }, 400, 'modifying node pool "all" is not allowed'],
    [
      'node/pools',
      { Name: 'a', SchedulerConfiguration: { SchedulerAlgorithm: 'spread' } },
      500,
      'Feature "Node Pools Governance" is unlicensed',
    ],
    [
      'node/pools',
      { Name: 1 },
      400,
      'json: cannot unmarshal number into Go struct field NodePool.Name of type string',
    ],
  ])('%s with %j is refused', async (path, body, status, text) => {
    const { scheduler: client } = await frozenScheduler()
    expect(await failureOf(client.request('POST', path, body))).toEqual([status, text])
    expect(await listed(client, 'node/pools')).toHaveLength(2)
  })

  test('an unused pool is deleted', async () => {
    const nodes = [{ name: 'a', pool: 'gpu' }]
    const { scheduler: client } = await frozenScheduler({ document: { scheduler: { nodes } } })
    await register(client, exampleJob({ NodePool: 'gpu' }))
    const inUse = (count: string, ...errors: readonly string[]) =>
      `${count} occurred:\n${errors.map((error) => `\t* node pool "gpu" has ${error} in regions: [global]\n`).join('')}\n`
    const remove = () => failureOf(client.request('DELETE', 'node/pool/gpu'))
    expect(await remove()).toEqual([500, inUse('2 errors', 'non-terminal jobs', 'nodes')])
    await requireSuccess(client.request('DELETE', 'job/example?purge=true'))
    expect(await remove()).toEqual([500, inUse('1 error', 'nodes')])
    await requireSuccess(client.post('node/pools', { Name: 'spare' }))
    const gone = await requireSuccess(client.request('DELETE', 'node/pool/spare'))
    expect([gone.text, apiHeaders(gone)]).toEqual(['', { 'x-sched-index': '14' }])
    expect((await client.get('node/pool/spare')).status).toBe(404)
  })

  test.each([
    ['x', 500, 'node pool x not found'],
    ['all', 500, 'deleting node pool "all" is not allowed'],
    [
      'default',
      500,
      '1 error occurred:\n\t* node pool "default" has nodes in regions: [global]\n\n',
    ],
    ['', 400, 'node pool name is empty'],
  ])('deleting %j is refused', async (name, status, text) => {
    const { scheduler: client } = await frozenScheduler()
    expect(await failureOf(client.request('DELETE', `node/pool/${name}`))).toEqual([status, text])
  })

  test('jobs and nodes of a pool are listed like others; the pool all has every node', async () => {
    const nodes = [{ name: 'a', pool: 'gpu' }, { name: 'b' }]
    const { scheduler: client } = await frozenScheduler({ document: { scheduler: { nodes } } })
    for (const ID of ['one', 'two']) {
      await register(client, exampleJob({ ID, NodePool: 'gpu', Meta: { of: ID } }))
    }
    await register(client, exampleJob({ ID: 'three' }))
    const all = await listed<{ ID: string; NodePool: string }>(client, 'jobs?meta=true')
    const own = await client.get('node/pool/gpu/jobs?meta=true')
    expect(own.body).toEqual(all.filter(({ NodePool }) => NodePool === 'gpu'))
    expect(own.headers['x-sched-index']).toBe('13')
    const page = await client.get('node/pool/gpu/jobs?per_page=1')
    expect([page.body[0].ID, page.headers['x-sched-nexttoken']]).toEqual(['one', 'default.two'])
    expect(await listed(client, 'node/pool/gpu/jobs?filter=ID+==+none')).toEqual([])
    const found = await listed<{ Name: string }>(client, 'nodes?resources=true')
    const of = (name: string) => listed(client, `node/pool/${name}/nodes?resources=true`)
    expect(await of('gpu')).toEqual(found.filter(({ Name }) => Name === 'a'))
    expect(await of('all')).toEqual(found)
    const unknown = await client.get('node/pool/x/nodes')
    expect([unknown.body, apiHeaders(unknown)]).toEqual([[], readHeaders(0)])
    const nothing = await client.get('node/pool/x/jobs')
    expect([nothing.body, apiHeaders(nothing)]).toEqual([[], readHeaders(0)])
  })

  test.each([
    ['jobs?prefix=a', 400, 'prefix argument not allowed'],
    ['nodes?prefix=a', 400, 'prefix argument not allowed'],
    [
      'nodes?os=x',
      400,
      'Failed to parse node list fields: Failed to parse value of "os" (x) as a bool: strconv.ParseBool: parsing "x": invalid syntax',
    ],
  ])('%s of a pool is refused', async (path, status, text) => {
    const { scheduler: client } = await frozenScheduler()
    expect(await failureOf(client.get(`node/pool/default/${path}`))).toEqual([status, text])
  })

  test('a blocking read of a pool wakes for its changes and its deletion', async () => {
    const { scheduler: client } = await frozenScheduler()
    await requireSuccess(client.post('node/pools', gpu))
    const one = await waiting(client, 'node/pool/gpu?index=11&wait=1m')
    const list = await waiting(client, 'node/pools?index=11&wait=1m')
    expect([one.state, list.state]).toEqual(['waits', 'waits'])
    await requireSuccess(client.post('node/pools', { ...gpu, Description: 'Slow' }))
    await drainEventLoop()
    expect([one.outcome, list.outcome]).toEqual([
      [200, '12'],
      [200, '12'],
    ])
  })
})
