import { describe, expect, test } from 'vitest'
import { blockingReader, drainEventLoop } from '../../../support/blocked-reads.ts'
import { type MeshClient, mesh } from '../../../support/mesh/mesh.ts'

const waiting = blockingReader('x-mesh-index')

const node = (Node: string, more: object = {}) => ({ Node, Address: '10.0.0.1', ...more })
const web = (Port: number) => ({ Service: { ID: 'w1', Service: 'web', Port } })
const check = (CheckID: string, Output: string, ServiceID?: string) => ({
  Check: { CheckID, Name: CheckID, Status: 'passing', Output, ...(ServiceID && { ServiceID }) },
})
const onlyParts = { SkipNodeUpdate: true }

const register = (body: object) => ['catalog/register', body] as const
const deregister = (body: object) => ['catalog/deregister', body] as const

/** Nodes, services and checks before each write. */
const setUp = [
  register({ ...node('n1'), ...web(1) }),
  register({ ...node('n1'), ...check('c1', '', 'w1') }),
  register({ ...node('n1'), ...check('nc', '') }),
  register({ ...node('n2'), Service: { Service: 'db' } }),
  register({ ...node('n2'), ...check('dc', '', 'db') }),
]

const critical = {
  Check: { CheckID: 'c1', Name: 'c1', Status: 'critical', ServiceID: 'w1' },
}

const writes = {
  critical: register({ ...node('n1', onlyParts), ...critical }),
  inTransaction: ['txn', [{ Check: { Verb: 'set', Check: { Node: 'n1', ...critical.Check } } }]],
  instance: register({ ...node('n1', onlyParts), ...web(2) }),
  serviceCheck: register({ ...node('n1', onlyParts), ...check('c1', 'new', 'w1') }),
  nodeCheck: register({ ...node('n1', onlyParts), ...check('nc', 'new') }),
  node: register({ Node: 'N1', Address: '10.0.0.9' }),
  newNode: register(node('absent')),
  newName: register({ ...node('n2', onlyParts), Service: { Service: 'new' } }),
  newProxy: register({
    ...node('n2', onlyParts),
    Service: {
      Kind: 'connect-proxy',
      Service: 'p',
      Port: 1,
      Proxy: { DestinationServiceName: 'new' },
    },
  }),
  other: register({ ...node('n2', onlyParts), Service: { Service: 'db', Port: 9 } }),
  otherCheck: register({ ...node('n2', onlyParts), ...check('dc', 'new', 'db') }),
  removedInstance: deregister({ Node: 'n1', ServiceID: 'w1' }),
  removedNodeCheck: deregister({ Node: 'n1', CheckID: 'nc' }),
  removedOther: deregister({ Node: 'n2', ServiceID: 'db' }),
  removedNode: deregister({ Node: 'n2' }),
  unchanged: register({ ...node('n1'), ...web(1) }),
  key: ['kv/a', 'v'],
} as const

type Write = keyof typeof writes

const ofServiceCheck: readonly Write[] = ['serviceCheck', 'critical', 'inTransaction']

const allChecks: readonly Write[] = [
  'critical',
  'inTransaction',
  'serviceCheck',
  'nodeCheck',
  'otherCheck',
  'removedInstance',
  'removedNodeCheck',
  'removedOther',
  'removedNode',
]

const allServices: readonly Write[] = [
  'newName',
  'newProxy',
  'instance',
  'other',
  'removedInstance',
  'removedOther',
  'removedNode',
]

const ofWeb: readonly Write[] = ['instance', 'node', 'removedInstance']
const lastOfName: readonly Write[] = ['removedInstance', 'removedOther', 'removedNode']

/** Writes that wake a wait of each read, and writes that only raise its index. */
const matrix: Readonly<Record<string, { wakes: readonly Write[]; raises?: readonly Write[] }>> = {
  'health/service/web': {
    wakes: [...ofWeb, ...ofServiceCheck, 'nodeCheck', 'removedNodeCheck'],
  },
  'catalog/service/web': {
    wakes: ofWeb,
    raises: [...ofServiceCheck, 'nodeCheck', 'removedNodeCheck'],
  },
  'health/service/new': { wakes: ['newName'], raises: lastOfName },
  'catalog/service/new': { wakes: ['newName'], raises: lastOfName },
  'health/connect/new': { wakes: ['newProxy'], raises: lastOfName },
  'health/checks/web': { wakes: [...ofServiceCheck, 'removedInstance'], raises: allChecks },
  'health/checks/none': { wakes: [], raises: allChecks },
  'health/node/n1': {
    wakes: [...ofServiceCheck, 'nodeCheck', 'removedInstance', 'removedNodeCheck'],
    raises: allChecks,
  },
  'health/state/passing': { wakes: allChecks },
  'health/state/critical': { wakes: ['critical', 'inTransaction'], raises: allChecks },
  'health/state/warning': { wakes: [], raises: allChecks },
  'health/node/absent': { wakes: [], raises: allChecks },
  'health/state/any': { wakes: allChecks },
  'catalog/services': { wakes: allServices, raises: ['removedNodeCheck'] },
  'catalog/nodes': {
    wakes: ['node', 'newNode', 'removedNode'],
    raises: [...allServices, 'removedNodeCheck'],
  },
  'catalog/node/n1': { wakes: ofWeb },
  'catalog/node-services/n1': { wakes: ofWeb },
  'catalog/node/absent': { wakes: ['newNode'], raises: ['removedNode'] },
}

const indexOf = async (client: MeshClient, path: string) =>
  Number((await client.get(path)).headers['x-mesh-index'])

describe('behaviour/mesh#catalog-index: which write wakes which read and raises its index', () => {
  test.for(Object.keys(writes) as Write[])('%s', async (write) => {
    const { mesh: client } = await mesh({ options: { waitJitter: false } })
    for (const [path, body] of setUp) expect((await client.put(path, body)).text).toBe('true')
    const paths = Object.keys(matrix)
    const before = await Promise.all(paths.map((path) => indexOf(client, path)))
    const reads = await Promise.all(
      paths.map((path, at) => waiting(client, `${path}?index=${before[at]}`)),
    )
    expect(reads.map(({ state }) => state)).toEqual(paths.map(() => 'waits'))
    const [path, body] = writes[write]
    expect((await client.put(path, body)).status).toBe(200)
    await drainEventLoop()
    const after = await Promise.all(paths.map((each) => indexOf(client, each)))
    const seen = paths.map((each, at) => {
      const wakes = reads[at]?.state !== 'waits'
      return [each, wakes, Number(after[at]) > Number(before[at])]
    })
    const expected = Object.entries(matrix).map(([each, { wakes, raises = [] }]) => {
      const isWoken = wakes.includes(write)
      return [each, isWoken, isWoken || raises.includes(write)]
    })
    expect(seen).toEqual(expected)
  })

  test('a wait that ends by time has the index and content with which it began', async () => {
    const { mesh: client, clock } = await mesh({ options: { waitJitter: false } })
    for (const [path, body] of setUp) await client.put(path, body)
    const index = await indexOf(client, 'health/checks/web')
    const read = await waiting(client, `health/checks/web?index=${index}&wait=10s`)
    await client.put(...writes.otherCheck)
    clock.advance(10_000)
    await drainEventLoop()
    expect(read.outcome).toEqual([200, String(index)])
  })

  test('cached reads: a query is a miss, then a hit; results that are not refreshed grow old', async () => {
    const { mesh: client, clock, world } = await mesh()
    const index = world.store.index('mesh')
    const cacheOf = async (path: string) => {
      const { headers } = await client.get(path)
      return [headers['x-cache'], headers['age']]
    }
    const refreshed = [
      ...['health/service/web', 'health/connect/web', 'health/ingress/web'],
      ...['catalog/service/web', 'catalog/connect/web', 'catalog/services'],
      'discovery-chain/web',
    ]
    for (const path of refreshed) {
      expect([path, await cacheOf(path)]).toEqual([path, [undefined, undefined]])
      expect([path, await cacheOf(`${path}?cached`)]).toEqual([path, ['MISS', undefined]])
      clock.advance(2_000)
      expect([path, await cacheOf(`${path}?cached`)]).toEqual([path, ['HIT', '0']])
    }
    expect(await cacheOf('health/service/web?cached&passing')).toEqual(['MISS', undefined])
    expect(await cacheOf('catalog/datacenters?cached')).toEqual(['MISS', undefined])
    clock.advance(2_500)
    expect(await cacheOf('catalog/datacenters?cached')).toEqual(['HIT', '2'])
    expect(await cacheOf('catalog/nodes?cached')).toEqual([undefined, undefined])
    const match = 'connect/intentions/match?by=source&name=web'
    expect(await cacheOf(match)).toEqual([undefined, undefined])
    expect(await cacheOf(`${match}&cached`)).toEqual(['MISS', undefined])
    expect(await cacheOf(`${match}&name=api&cached`)).toEqual(['MISS', undefined])
    clock.advance(2_000)
    expect(await cacheOf(`${match}&cached`)).toEqual(['HIT', '0'])
    expect(await cacheOf('agent/connect/ca/roots')).toEqual(['MISS', undefined])
    expect(await cacheOf('agent/connect/ca/roots')).toEqual(['HIT', '0'])
    expect(await cacheOf('connect/ca/roots?cached')).toEqual([undefined, undefined])
    const compile = async (body: object) =>
      (await client.post('discovery-chain/web?cached', body)).headers['x-cache']
    expect(await compile({ OverrideProtocol: 'http' })).toBe('MISS')
    expect(await compile({ OverrideProtocol: 'grpc' })).toBe('MISS')
    expect(await compile({ OverrideProtocol: 'http' })).toBe('HIT')
    expect(world.store.index('mesh')).toBe(index)
    await client.post('query', { Name: 'q', Service: { Service: 'web' } })
    expect(await cacheOf('query/q/execute')).toEqual([undefined, undefined])
    expect(await cacheOf('query/q/execute?cached')).toEqual(['MISS', undefined])
    clock.advance(3_500)
    expect(await cacheOf('query/q/execute?cached')).toEqual(['HIT', '3'])
  })

  test('a thousand waits for services: one check changes, and only its reader wakes', async () => {
    const { mesh: client, world } = await mesh()
    for (let at = 0; at < 50; at++) {
      await client.put('agent/service/register', { Name: `s${at}`, Check: { TTL: '1m' } })
    }
    const index = await indexOf(client, 'catalog/services')
    const reads = await Promise.all(
      Array.from({ length: 1_000 }, (_, at) =>
        waiting(client, `health/service/s${at % 50}?index=${index}`),
      ),
    )
    expect(world.blockedReaders).toBe(1_000)
    await client.put('agent/check/pass/service:s7')
    await drainEventLoop()
    expect(world.blockedReaders).toBe(980)
    expect(reads[7]?.outcome).toEqual([200, String(index + 1)])
  })
})
