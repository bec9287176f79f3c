import { describe, expect, test } from 'vitest'
import type { DialectName } from '../../../../routes/http/declare/dialect.ts'
import { scheduler } from '../../../support/scheduler/scheduler.ts'
import { exampleJob, failureOf, requireSuccess } from '../support.ts'

const section = 'behaviour/scheduler#agent'
const well = { message: 'ok', ok: true }
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

describe(`the status of the cluster (${section})`, () => {
  // choice/scheduler#scheduler-head-and-options choice/scheduler#cluster-status-region
  test.each([
    ['status/leader', '"127.0.0.1:4647"'],
    ['status/peers', '["127.0.0.1:4647"]'],
    ['regions', '["global"]'],
    ['agent/servers', '["127.0.0.1:4647"]'],
    ['agent/health', '{"client":{"message":"ok","ok":true},"server":{"message":"ok","ok":true}}'],
  ])('%s, without the headers of reads', async (path, text) => {
    const { scheduler: client } = await scheduler()
    const reply = await client.get(path)
    expect([reply.status, reply.text, reply.headers['content-type']]).toEqual([
      200,
      text,
      'application/json',
    ])
    expect(Object.keys(reply.headers).filter((name) => name.startsWith('x-sched'))).toEqual([])
    const pretty = await client.get(`${path}?pretty`)
    expect(pretty.text).toBe(`${JSON.stringify(JSON.parse(text), null, 4)}\n`)
    for (const verb of ['POST', 'PUT', 'DELETE']) {
      expect(await failureOf(client.request(verb, path))).toEqual([405, 'Invalid method'])
    }
    if (path !== 'regions') {
      const elsewhere = client.get(`${path}?region=mars`)
      expect(await failureOf(elsewhere)).toEqual([500, 'No path to region'])
    }
    expect((await client.get(`${path}?region=global`)).status).toBe(200)
  })

  // behaviour/scheduler#conventions: the parameters of every read.
  test.each([
    ...['status/leader', 'status/peers', 'regions', 'agent/health', 'agent/members'],
    ...['operator/raft/configuration', 'operator/autopilot/configuration'],
    'operator/autopilot/health',
  ])('%s validates the parameters of reads', async (path) => {
    const { scheduler: client } = await scheduler()
    expect(await failureOf(client.get(`${path}?index=x`))).toEqual([400, 'Invalid index'])
    const page = await failureOf(client.get(`${path}?per_page=x`))
    expect(page).toEqual([400, 'Expect a number for `per_page` query string parameter'])
  })

  test('the region is an option', async () => {
    const { scheduler: client } = await scheduler({ options: { region: 'mars' } })
    expect((await client.get('regions')).body).toEqual(['mars'])
    expect((await client.get('nodes?region=mars')).status).toBe(200)
    expect(await failureOf(client.get('nodes?region=global'))).toEqual([500, 'No path to region'])
    const { Members } = (await client.get('agent/members')).body
    expect(Members[0]).toMatchObject({ Name: 'sched-server-1.mars', Tags: { region: 'mars' } })
  })

  test('a shared port does not serve the status', async () => {
    const { scheduler: client } = await scheduler({ dedicated: false })
    const paths = ['status/leader', 'regions', 'nodes', 'allocations', 'acl/tokens']
    for (const path of [...paths, 'agent/self', 'agent/members', 'operator/raft/configuration']) {
      expect((await client.get(path)).status).toBe(404)
    }
    expect((await client.get('jobs')).status).toBe(200)
  })
})

describe(`the agent's health (${section})`, () => {
  test('type selects the client or the server', async () => {
    const { scheduler: client } = await scheduler()
    const health = async (type: string) => (await client.get(`agent/health?${type}`)).body
    expect(await health('type=client')).toEqual({ client: well })
    expect(await health('type=server')).toEqual({ server: well })
    expect(await health('type=server&type=client')).toEqual({ client: well, server: well })
    expect(await health('type=other')).toEqual({})
    expect(await health('type=')).toEqual({})
  })

  // choice/scheduler#agent-no-leader
  test('without a leader the server is unhealthy and only answers requests that need no leader', async () => {
    const { scheduler: client } = await scheduler({ options: { noLeader: true } })
    const server = { message: 'no leader', ok: false }
    const reply = await client.get('agent/health')
    expect([reply.status, JSON.parse(reply.text)]).toEqual([500, { client: well, server }])
    const half = await client.get('agent/health?type=server')
    expect([half.status, JSON.parse(half.text)]).toEqual([500, { server }])
    expect((await client.get('agent/health?type=client')).status).toBe(200)
    expect((await client.get('status/leader')).text).toBe('""')
    const none = [500, 'No cluster leader']
    expect(await failureOf(client.get('jobs'))).toEqual(none)
    expect(await failureOf(client.post('jobs', { Job: exampleJob() }))).toEqual(none)
    expect(await failureOf(client.post('jobs?stale', { Job: exampleJob() }))).toEqual(none)
    const stale = await requireSuccess(client.get('jobs?stale'))
    expect([stale.body, stale.headers['x-sched-knownleader']]).toEqual([[], 'false'])
    expect((await client.get('agent/self')).body.stats.sched).toMatchObject({ leader: 'false' })
    expect((await client.get('regions')).body).toEqual(['global'])
  })
})

describe.each<[DialectName, 'sched' | 'nomad']>([
  ['neutral', 'sched'],
  ['vendor', 'nomad'],
])(`the agent (${section}; %s)`, (dialect, product) => {
  // choice/scheduler#agent-servers
  test('members lists the only server', async () => {
    const { scheduler: client } = await scheduler({ dialect, options: { version: '1.2.3' } })
    const { body } = await requireSuccess(client.get('agent/members'))
    expect(body).toEqual({
      ServerName: 'sched-server-1',
      ServerRegion: 'global',
      ServerDC: 'dc1',
      Members: [
        {
          Name: 'sched-server-1.global',
          Addr: '127.0.0.1',
          Port: 4648,
          Tags: {
            id: expect.stringMatching(uuid),
            role: product,
            region: 'global',
            dc: 'dc1',
            build: '1.2.3',
            vsn: '1',
            raft_vsn: '3',
            expect: '1',
            bootstrap: '1',
            port: '4647',
            rpc_addr: '127.0.0.1',
            revision: '',
          },
          Status: 'alive',
          ProtocolMin: 1,
          ProtocolMax: 5,
          ProtocolCur: 2,
          DelegateMin: 2,
          DelegateMax: 5,
          DelegateCur: 4,
        },
      ],
    })
  })

  // choice/scheduler#agent-client choice/scheduler#agent-configuration
  // choice/scheduler#agent-numbers
  test('self returns the member, its statistics and its configuration', async () => {
    const { scheduler: client, clock } = await scheduler({
      dialect,
      options: { aclEnabled: false },
    })
    const before = (await requireSuccess(client.get('agent/self'))).body
    expect(Object.keys(before).sort()).toEqual(['config', 'member', 'stats'])
    expect(before.member).toEqual((await client.get('agent/members')).body.Members[0])
    const [node] = (await client.get('nodes')).body
    expect(before.stats).toMatchObject({
      [product]: {
        server: 'true',
        leader: 'true',
        leader_addr: '127.0.0.1:4647',
        bootstrap: 'true',
        known_regions: '1',
      },
      raft: { state: 'Leader', num_peers: '0', protocol_version: '3', last_log_index: '10' },
      serf: { members: '1', failed: '0', left: '0' },
      runtime: {
        'kernel.name': 'linux',
        arch: 'amd64',
        version: 'go1.24',
        cpu_count: '4',
        max_procs: '4',
        goroutines: '120',
      },
      client: {
        node_id: node.ID,
        known_servers: '127.0.0.1:4647',
        num_allocations: '0',
        last_heartbeat: '5s',
        heartbeat_ttl: '15s',
      },
    })
    const values = Object.values(before.stats).flatMap((part) => Object.values(Object(part)))
    expect(values.filter((value) => typeof value !== 'string')).toEqual([])
    expect(before.config).toMatchObject({
      Region: 'global',
      Datacenter: 'dc1',
      NodeName: 'sched-server-1',
      Ports: { HTTP: 4646, RPC: 4647, Serf: 4648 },
      ACL: { Enabled: false, TokenTTL: 30e9, PolicyTTL: 30e9, RoleTTL: 30e9, ReplicationToken: '' },
      Server: {
        Enabled: true,
        JobTrackedVersions: 6,
        JobMaxSourceSize: '1M',
        EventBufferSize: 100,
        Search: { FuzzyEnabled: true, LimitQuery: 20, LimitResults: 100, MinTermLength: 2 },
      },
      Client: { Enabled: true, NodePool: 'default', MinDynamicPort: 20000, MaxDynamicPort: 32000 },
      UI: { Enabled: true },
      Vaults: [{ Name: 'default', Token: '' }],
      Consuls: [{ Name: 'default', Token: '' }],
      Version: { Version: '1.9.7', VersionPrerelease: '', Revision: '', BuildDate: null },
    })
    const job = exampleJob({
      Type: 'system',
      TaskGroups: [{ Name: 'g', Tasks: [{ Name: 't', Driver: 'exec' }] }],
    })
    await requireSuccess(client.post('jobs', { Job: job }))
    clock.advance(1000)
    const after = (await client.get('agent/self')).body.stats
    expect(after.client.num_allocations).toBe('1')
    expect(Number(after.raft.last_log_index)).toBeGreaterThan(10)
  })
})

describe(`how servers agree (${section})`, () => {
  // choice/scheduler#agent-servers choice/scheduler#agent-autopilot
  test('autopilot and raft know one server; durations are texts', async () => {
    const { scheduler: client } = await scheduler()
    const { id } = (await client.get('agent/members')).body.Members[0].Tags
    const server = { ID: id, Address: '127.0.0.1:4647', Leader: true, Voter: true }
    expect((await requireSuccess(client.get('operator/autopilot/health'))).body).toEqual({
      Healthy: true,
      FailureTolerance: 0,
      Servers: [
        {
          ...server,
          Name: 'sched-server-1.global',
          SerfStatus: 'alive',
          Version: '1.9.7',
          LastContact: '0s',
          LastTerm: 2,
          LastIndex: 10,
          Healthy: true,
          StableSince: '2026-01-01T00:00:00Z',
        },
      ],
      Leader: id,
      Voters: [id],
    })
    expect(
      (await requireSuccess(client.get('operator/autopilot/configuration'))).body,
    ).toMatchObject({
      CleanupDeadServers: true,
      LastContactThreshold: '200ms',
      MaxTrailingLogs: 250,
      ServerStabilizationTime: '10s',
      CreateIndex: 1,
      ModifyIndex: 1,
    })
    expect((await client.put('operator/autopilot/configuration', {})).status).toBe(404)
    expect((await requireSuccess(client.get('operator/raft/configuration'))).body).toEqual({
      Index: 0,
      Servers: [{ ...server, Node: 'sched-server-1.global', RaftProtocol: '3' }],
    })
    const put = (path: string) => failureOf(client.put(path, {}))
    expect(await put('operator/autopilot/health')).toEqual([404, 'Invalid method'])
    expect(await put('operator/raft/configuration')).toEqual([405, ''])
  })

  // choice/scheduler#agent-client
  test('without nodes the agent is a server only', async () => {
    const { scheduler: client } = await scheduler({ document: { scheduler: { nodes: [] } } })
    const { stats, config } = (await requireSuccess(client.get('agent/self'))).body
    expect([stats.client, config.Client.Enabled]).toEqual([undefined, false])
  })
})
