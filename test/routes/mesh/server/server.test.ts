import { describe, expect, test } from 'vitest'
import { blockingReader, drainEventLoop } from '../../../support/blocked-reads.ts'
import { mesh } from '../../../support/mesh/mesh.ts'
import { meshWithAcls } from '../../../support/mesh/mesh-acl.ts'

const waiting = blockingReader('x-mesh-index')
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/
const filtered = 'x-mesh-results-filtered-by-acls'

const dialects = [
  ['neutral', 'mesh'],
  ['vendor', 'consul'],
] as const

describe('behaviour/mesh#agent and agent', () => {
  test('status needs no token and has no index', async () => {
    const { as } = await meshWithAcls()
    const leader = await as('stranger').get('status/leader')
    expect([leader.status, leader.text]).toEqual([200, '"127.0.0.1:8300"'])
    expect(leader.headers['x-mesh-index']).toBeUndefined()
    expect((await as('stranger').get('status/peers')).text).toBe('["127.0.0.1:8300"]')
  })

  test.each(dialects)('agent/self and members (%s)', async (dialect, product) => {
    const { mesh: client } = await mesh({ dialect, options: { nodeName: 'n1' } })
    const { body, headers } = await client.get('agent/self')
    expect(Object.keys(body)).toEqual(['Config', 'DebugConfig', 'Coord', 'Member', 'Stats', 'Meta'])
    expect(headers['x-mesh-index']).toBeUndefined()
    expect(body.Config).toEqual({
      Datacenter: 'dc1',
      PrimaryDatacenter: 'dc1',
      NodeName: 'n1',
      NodeID: expect.stringMatching(uuid),
      Revision: '',
      Server: true,
      Version: '1.18.0+ent',
      BuildDate: '2024-02-26T00:00:00Z',
    })
    expect(body.DebugConfig).toMatchObject({ EnableDebug: false, KVMaxValueSize: 524_288 })
    expect(body.Meta).toEqual({
      [`${product}-network-segment`]: '',
      [`${product}-version`]: '1.18.0+ent',
    })
    expect(body.Stats[product]).toMatchObject({ acl: 'disabled', leader: 'true' })
    expect(body.Stats.raft).toMatchObject({ applied_index: '6', state: 'Leader' })
    const members = await client.get('agent/members')
    expect(members.body).toEqual([body.Member])
    expect(members.headers['x-mesh-index']).toBeUndefined()
    expect(body.Member).toMatchObject({
      Name: 'n1',
      Port: 8301,
      Tags: { acls: '0', role: product, id: body.Config.NodeID, build: '1.18.0+ent:' },
    })
    expect((await client.get('agent/members?wan')).body[0].Name).toBe('n1.dc1')
    expect((await client.get('agent/members?segment=_all')).body).toHaveLength(1)
    expect((await client.get('agent/checks')).text).toBe('{}')
    expect((await client.get('agent/services')).text).toBe('{}')
  })

  test('an unknown token is refused even if nothing would be listed', async () => {
    const { as } = await meshWithAcls()
    const paths = ['agent/checks', 'agent/services', 'catalog/node/nowhere', 'catalog/node/mesh-1']
    const replies = await Promise.all(paths.map((path) => as('stranger').get(path)))
    expect(replies.map(({ status, text }) => [status, text])).toEqual(
      paths.map(() => [403, 'ACL not found']),
    )
  })

  test('requires agent:read on the node, and node:read for members', async () => {
    const { clientWithRules, mesh: anonymous } = await meshWithAcls()
    const none = await clientWithRules('')
    const denied = await none.get('agent/self')
    expect([denied.status, denied.text]).toEqual([
      403,
      expect.stringContaining(`lacks permission 'agent:read' on "mesh-1"`),
    ])
    const members = await none.get('agent/members')
    expect([members.text, members.headers[filtered]]).toEqual(['[]', 'true'])
    expect((await anonymous.get('agent/members')).headers[filtered]).toBeUndefined()
    const some = await clientWithRules(
      'agent "mesh-1" { policy = "read" } node_prefix "" { policy = "read" }',
    )
    expect((await some.get('agent/self')).status).toBe(200)
    const seen = await some.get('agent/members')
    expect([seen.body.length, seen.headers[filtered]]).toEqual([1, undefined])
  })

  test('the node ID belongs to the world: same seed, same ID, without affecting other IDs', async () => {
    const [a, b] = [await mesh(), await mesh()]
    const idOf = async ({ mesh: client }: typeof a) =>
      (await client.get('agent/self')).body.Config.NodeID
    expect(await idOf(a)).toBe(await idOf(b))
  })

  test('raft configuration requires operator:read', async () => {
    const { manager, mesh: anonymous } = await meshWithAcls()
    const { text, body } = await manager.get('operator/raft/configuration')
    expect(text).toBe(
      `{"Servers":[{"ID":"${body.Servers[0].ID}","Node":"mesh-1","Address":"127.0.0.1:8300","Leader":true,"ProtocolVersion":"3","Voter":true,"LastIndex":6}],"Index":0}`,
    )
    expect((await anonymous.get('operator/raft/configuration')).text).toContain('operator:read')
  })

  test.each([
    'default',
    'agent',
    'agent_recovery',
    'replication',
    'config_file_service_registration',
    'dns',
    'acl_token',
  ])('agent/token/%s takes a token of the agent and needs agent:write', async (kind) => {
    const { manager, mesh: anonymous } = await meshWithAcls()
    const path = `agent/token/${kind}`
    expect((await anonymous.put(path, { Token: 't' })).text).toContain(
      `lacks permission 'agent:write' on "mesh-1"`,
    )
    const set = await manager.put(path, { Token: 't' })
    expect([set.status, set.text]).toEqual([200, ''])
  })

  test('the default token of the agent applies to requests without a token', async () => {
    const { manager, mesh: anonymous, token, policy } = await meshWithAcls()
    const ID = await policy('reader', 'agent_prefix "" { policy = "read" }')
    const { SecretID } = await token({ Policies: [{ ID }] })
    for (const kind of ['acl_token', 'default']) {
      expect((await anonymous.get('agent/self')).status).toBe(403)
      await manager.put(`agent/token/${kind}`, { Token: SecretID })
      expect((await anonymous.get('agent/self')).status).toBe(200)
      expect((await anonymous.get('acl/token/self')).body.SecretID).toBe(SecretID)
      expect((await anonymous.get('catalog/nodes')).headers[filtered]).toBe('true')
      await manager.put('agent/token/default', { Token: '' })
    }
    await manager.put('agent/token/default', { Token: 'nobody' })
    expect((await anonymous.get('catalog/nodes')).text).toBe('ACL not found')
    await manager.put('agent/token/default', { Token: '' })
    await manager.put('agent/token/agent', { Token: SecretID })
    expect((await anonymous.get('agent/self')).status).toBe(403)
  })

  test('commands to the agent are accepted and change nothing', async () => {
    const { mesh: client, world } = await mesh()
    const index = world.store.index('mesh')
    const commands = ['reload', 'leave', 'join/127.0.0.1:8301', 'force-leave/mesh-1']
    for (const command of commands) {
      const { status, text, headers } = await client.put(`agent/${command}`)
      expect([status, text, headers['content-type']]).toEqual([
        200,
        '',
        'text/plain; charset=utf-8',
      ])
    }
    const unknown = await client.put('agent/force-leave/x')
    expect([unknown.status, unknown.text]).toEqual([500, "agent: No node found with name 'x'"])
    expect(world.store.index('mesh')).toBe(index)
  })

  test.each(dialects)('version, host and metrics of the agent (%s)', async (dialect, product) => {
    const { mesh: client } = await mesh({ dialect })
    expect((await client.get('agent/version')).body).toMatchObject({
      ...{ SHA: '', HumanVersion: '1.18.0+ent', FIPS: '' },
    })
    const host = (await client.get('agent/host')).body
    expect(Object.keys(host)).toEqual(['Memory', 'CPU', 'Host', 'Disk', 'CollectionTime', 'Errors'])
    const { Gauges, ...metrics } = (await client.get('agent/metrics')).body
    expect(metrics).toEqual({
      Timestamp: '2026-01-01 00:00:00 +0000 UTC',
      ...{ Points: [], Counters: [], Samples: [] },
    })
    expect(Gauges).toContainEqual({
      Name: `${product}.mesh-1.members.servers`,
      Value: 1,
      Labels: {},
    })
    const prometheus = await client.get('agent/metrics?format=prometheus')
    expect([prometheus.status, prometheus.text]).toEqual([200, ''])
    expect(prometheus.headers[`x-${product}-reason`]).toMatch(/^Prometheus is not enabled/)
  })

  test('the monitor refuses an unknown level, and otherwise sends a line for each request', async () => {
    const { mesh: client, world } = await mesh()
    const refused = await client.get('agent/monitor?loglevel=loud')
    expect([refused.status, refused.text]).toEqual([400, 'Unknown log level: loud'])
    const read = await waiting(client, 'agent/monitor?loglevel=warn')
    const all = await waiting(client, 'agent/monitor?loglevel=debug&logjson')
    await client.get('status/leader')
    await client.get('agent/monitor?loglevel=loud')
    expect(read.state).toBe('waits')
    world.close()
    await drainEventLoop()
    const time = '2026-01-01T00:00:00.000Z'
    const line = expect.stringMatching(
      `^${time} \\[ERROR\\] agent\\.http: Request error: method=GET url=/v1/agent/monitor status=400 latency=[\\d.]+ms\n$`,
    )
    expect(read.state).toEqual([200, undefined, line])
    const lines = all.reply?.text.trim().split('\n')
    expect(lines?.map((each) => JSON.parse(each))).toMatchObject([
      { '@level': 'debug', '@message': 'Request finished', url: '/v1/agent/monitor' },
      {
        '@module': 'agent.http',
        '@timestamp': '2026-01-01T00:00:00.000000Z',
        url: '/v1/status/leader',
      },
      { '@level': 'error', status: 400 },
    ])
  })

  test('members have no segments', async () => {
    const { mesh: client } = await mesh()
    expect((await client.get('agent/members?segment=a')).text).toBe('[]')
    const { mesh: community } = await mesh({ options: { edition: 'community' } })
    const alone = await community.get('agent/members?segment=a')
    expect([alone.status, alone.text]).toEqual([
      500,
      'Network segments are not supported in this version of Consul',
    ])
    const wan = await community.get('agent/members?segment=a&wan=1')
    expect([wan.status, wan.text]).toEqual([400, 'Cannot provide a segment with wan=true'])
  })

  test('agent/token refuses unknown kinds and bodies, and is off without ACLs', async () => {
    const { manager } = await meshWithAcls()
    const unknown = await manager.put('agent/token/x', { Token: 't' })
    expect([unknown.status, unknown.text]).toEqual([404, 'Token "x" is unknown'])
    const odd = await manager.put('agent/token/default', '{"Token":5}')
    expect([odd.status, odd.text]).toEqual([
      400,
      'Request decode failed: json: cannot unmarshal number into Go struct field AgentToken.Token of type string',
    ])
    const { mesh: client } = await mesh()
    const off = await client.put('agent/token/default', { Token: 't' })
    expect([off.status, off.text]).toEqual([401, 'ACL support disabled'])
  })

  test('configuration entries are written at their list, not below it', async () => {
    const { mesh: client } = await mesh()
    const { status, text } = await client.put('config/x', {})
    expect([status, text]).toEqual([405, 'method PUT not allowed'])
  })
})

describe('behaviour/mesh#catalog', () => {
  test('options set the ID and the metadata of the node, and the ID of the mesh', async () => {
    const nodeId = '0a1b2c3d-0000-4000-8000-00000000000f'
    const options = { nodeId, nodeMeta: { rack: '1' }, clusterId: 'c' }
    const { mesh: client } = await mesh({ options })
    const get = async (path: string) => (await client.get(path)).body
    expect(await get('catalog/nodes?node-meta=rack:1')).toMatchObject([{ ID: nodeId }])
    expect(await get('agent/self')).toMatchObject({
      Config: { NodeID: nodeId },
      DebugConfig: { SerfAdvertiseAddrLAN: 'tcp://127.0.0.1:8301' },
      Meta: { rack: '1', 'mesh-version': '1.18.0+ent' },
    })
    expect((await get('connect/ca/roots')).TrustDomain).toBe('c.consul')
  })

  test.each(dialects)('the server itself (%s)', async (dialect, product) => {
    const { mesh: client } = await mesh({ dialect })
    const get = async (path: string) => (await client.get(path)).body
    expect(await get('catalog/datacenters')).toEqual(['dc1'])
    const [node] = await get('catalog/nodes')
    expect(node).toEqual({
      ID: expect.stringMatching(uuid),
      Node: 'mesh-1',
      Address: '127.0.0.1',
      Datacenter: 'dc1',
      TaggedAddresses: {
        lan: '127.0.0.1',
        lan_ipv4: '127.0.0.1',
        wan: '127.0.0.1',
        wan_ipv4: '127.0.0.1',
      },
      Meta: { [`${product}-network-segment`]: '', [`${product}-version`]: '1.18.0+ent' },
      CreateIndex: 6,
      ModifyIndex: 6,
    })
    expect(await get('catalog/services')).toEqual({ [product]: [] })
    const [health] = await get(`health/service/${product}?passing`)
    expect(health.Node).toEqual(node)
    expect(health.Service).toMatchObject({ ID: product, Service: product, Port: 8300 })
    expect(health.Service.Meta).toEqual({
      non_voter: 'false',
      raft_version: '3',
      read_replica: 'false',
      serf_protocol_current: '2',
      serf_protocol_max: '5',
      serf_protocol_min: '1',
      version: '1.18.0',
    })
    expect(health.Checks).toMatchObject([{ CheckID: 'serfHealth', Status: 'passing' }])
    expect(await get('catalog/node/mesh-1')).toEqual({
      Node: node,
      Services: { [product]: health.Service },
    })
    expect(await get(`catalog/service/${product}`)).toMatchObject([
      {
        Node: 'mesh-1',
        TaggedAddresses: node.TaggedAddresses,
        NodeMeta: node.Meta,
        ServiceName: product,
        ServiceMeta: health.Service.Meta,
        ServicePort: 8300,
        ServiceLocality: null,
      },
    ])
    for (const path of ['health/node/mesh-1', 'health/state/any', 'health/state/passing']) {
      expect(await get(path)).toEqual(health.Checks)
    }
  })

  test('missing objects: null, [] and 400 without a name', async () => {
    const { mesh: client } = await mesh()
    expect((await client.get('catalog/node/x')).text).toBe('null')
    for (const path of [
      'catalog/service/x',
      'catalog/service/mesh?tag=a',
      'health/service/mesh?tag=a',
      'health/service/x',
      'health/node/x',
      'health/state/critical',
    ]) {
      expect((await client.get(path)).text).toBe('[]')
    }
    expect((await client.get('catalog/node/')).text).toBe('Missing node name')
    expect((await client.get('catalog/service/')).text).toBe('Missing service name')
    // The common parameters of reads are validated first.
    for (const path of ['catalog/node/', 'catalog/service/', 'health/service/', 'health/node/']) {
      expect((await client.get(`${path}?index=x`)).text).toBe('Invalid index')
    }
  })

  test.each(dialects)(
    'node-meta filters by metadata of the node (%s)',
    async (dialect, product) => {
      const { mesh: client } = await mesh({ dialect })
      const version = `node-meta=${product}-version:1.18.0%2Bent`
      for (const [path, empty] of [
        ['catalog/nodes', '[]'],
        ['catalog/services', '{}'],
        [`catalog/service/${product}`, '[]'],
        [`health/service/${product}`, '[]'],
        ['health/state/any', '[]'],
      ] as const) {
        const all = (await client.get(path)).text
        const segment = `${version}&node-meta=${product}-network-segment:`
        expect((await client.get(`${path}?${version}`)).text).toBe(all)
        expect((await client.get(`${path}?${segment}`)).text).toBe(all)
        expect((await client.get(`${path}?${version}&node-meta=rack:1`)).text).toBe(empty)
        expect((await client.get(`${path}?node-meta=${product}-version`)).text).toBe(empty)
      }
    },
  )

  test('rights filter records', async () => {
    const { clientWithRules, mesh: anonymous } = await meshWithAcls()
    const none = await clientWithRules('')
    for (const [path, text] of [
      ['catalog/nodes', '[]'],
      ['catalog/services', '{}'],
      ['catalog/node/mesh-1', 'null'],
      ['catalog/service/mesh', '[]'],
      ['health/service/mesh', '[]'],
      ['health/state/any', '[]'],
    ] as const) {
      const reply = await none.get(path)
      expect([path, reply.text, reply.headers[filtered]]).toEqual([path, text, 'true'])
      expect((await anonymous.get(path)).headers[filtered]).toBeUndefined()
    }
    const nodes = await clientWithRules('node_prefix "" { policy = "read" }')
    expect((await nodes.get('catalog/nodes')).body).toHaveLength(1)
    expect((await nodes.get('catalog/node/mesh-1')).body.Services).toEqual({})
  })

  test('reads have all headers and wait until they time out', async () => {
    const { mesh: client, clock } = await mesh({ options: { waitJitter: false } })
    const { headers } = await client.get('catalog/nodes?consistent')
    expect(headers).toMatchObject({
      'x-mesh-index': '6',
      'x-mesh-knownleader': 'true',
      'x-mesh-effective-consistency': 'consistent',
    })
    expect((await client.get('catalog/datacenters')).headers['x-mesh-index']).toBeUndefined()
    const read = await waiting(client, 'catalog/services?index=6&wait=10s')
    await client.put('kv/a', 'v')
    await drainEventLoop()
    expect(read.state).toBe('waits')
    clock.advance(10_000)
    await drainEventLoop()
    expect(read.state).toEqual([200, '6', { mesh: [] }])
  })
})
