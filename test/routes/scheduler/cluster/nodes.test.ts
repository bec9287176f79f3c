import { describe, expect, test } from 'vitest'
import type { Node } from '../../../../state/scheduler/cluster/model/node-shapes.ts'
import { scheduler } from '../../../support/scheduler/scheduler.ts'
import { apiHeaders, failureOf, readHeaders, register } from '../support.ts'
import { listed, mockJob, unknownId } from './support.ts'

const section = 'behaviour/scheduler#beyond'

const drivers = ['docker', 'exec', 'raw_exec', 'java', 'qemu', 'podman', 'mock']

/** Returns a default node as lists show it. */
function stub(number: number) {
  const driver = (name: string) => ({
    Attributes: { [`driver.${name}`]: 'true' },
    Detected: true,
    Healthy: true,
    HealthDescription: 'Healthy',
    UpdateTime: '2026-01-01T00:00:00Z',
  })
  return {
    Address: `127.0.0.${number}`,
    ID: expect.stringMatching(/^[0-9a-f-]{36}$/),
    Datacenter: 'dc1',
    Name: `sched-client-${number}`,
    NodePool: 'default',
    NodeClass: '',
    Version: '1.9.7',
    Drain: false,
    SchedulingEligibility: 'eligible',
    Status: 'ready',
    StatusDescription: '',
    Drivers: Object.fromEntries(drivers.map((name) => [name, driver(name)])),
    HostVolumes: null,
    LastDrain: null,
    CreateIndex: 10,
    ModifyIndex: 10,
  }
}

describe(`nodes (${section}; behaviour/scheduler#nodes)`, () => {
  // choice/scheduler#scheduler-seeded-index
  test('a fresh cluster has three nodes, listed by ID', async () => {
    const { scheduler: client } = await scheduler()
    const list = await client.get('nodes')
    const found: readonly Node[] = list.body
    expect(apiHeaders(list)).toEqual(readHeaders(10))
    expect([...found].sort((a, b) => (a.Name < b.Name ? -1 : 1))).toEqual([1, 2, 3].map(stub))
    const ids = found.map(({ ID }) => ID)
    expect(ids).toEqual([...ids].sort())
    expect(await listed(client, `nodes?prefix=${ids[1]?.slice(0, 8)}`)).toEqual([found[1]])
    const page = await client.get('nodes?per_page=2')
    expect([page.body, page.headers['x-sched-nexttoken']]).toEqual([found.slice(0, 2), ids[2]])
    expect(await listed(client, 'nodes?filter=Name+==+"sched-client-2"')).toEqual([
      found.find(({ Name }) => Name === 'sched-client-2'),
    ])
    expect(await listed(client, 'nodes?filter=Attributes["kernel.name"]+==+windows')).toEqual([])
  })

  // choice/scheduler#cluster-node-members
  test('a node has all members (behaviour/scheduler#node-endpoints)', async () => {
    const { scheduler: client } = await scheduler()
    const [first] = await listed<Node>(client, 'nodes?filter=Name+==+"sched-client-1"')
    const { body, headers } = await client.get(`node/${first?.ID}`)
    const { Version: _version, ...members } = stub(1)
    const older = {
      CPU: 0,
      Cores: 0,
      MemoryMB: 0,
      MemoryMaxMB: 0,
      SecretsMB: 0,
      DiskMB: 0,
      IOPS: 0,
      Networks: null,
      Devices: null,
      NUMA: null,
    }
    expect(headers['x-sched-index']).toBe('10')
    expect(body).toEqual({
      ...members,
      SecretID: '',
      Attributes: {
        'kernel.name': 'linux',
        'kernel.version': '6.1.0',
        'cpu.arch': 'amd64',
        'cpu.numcores': '4',
        'os.name': 'debian',
        'os.version': '12',
        'os.signals': expect.stringMatching(/^SIGABRT,.*,SIGXFSZ$/),
        'sched.version': '1.9.7',
        'sched.service_discovery': 'true',
        'mesh.version': '1.20.6',
        'mesh.grpc': '8502',
        'secrets.version': '1.18.5',
        'plugins.cni.version.bridge': 'v1.6.2',
        'plugins.cni.version.firewall': 'v1.6.2',
        'plugins.cni.version.host-local': 'v1.6.2',
        'plugins.cni.version.loopback': 'v1.6.2',
        'plugins.cni.version.mesh-cni': 'v1.7.0',
        'plugins.cni.version.portmap': 'v1.6.2',
        'unique.hostname': 'sched-client-1',
        ...Object.fromEntries(drivers.map((name) => [`driver.${name}`, '1'])),
      },
      Meta: null,
      Links: {},
      ComputedClass: expect.stringMatching(/^v1:\d+$/),
      HTTPAddr: '127.0.0.1:4646',
      TLSEnabled: false,
      NodeResources: {
        Cpu: { CpuShares: 4000, TotalCpuCores: 4, ReservableCpuCores: [0, 1, 2, 3] },
        Memory: { MemoryMB: 8192 },
        Disk: { DiskMB: 100_000 },
        Devices: null,
        MinDynamicPort: 20_000,
        MaxDynamicPort: 32_000,
        Networks: [
          { Mode: 'host', Device: 'eth0', CIDR: '127.0.0.1/32', IP: '127.0.0.1', MBits: 1000 },
        ],
        NodeNetworks: [
          {
            Mode: 'host',
            Device: 'eth0',
            MacAddress: '',
            Speed: 1000,
            Addresses: [
              {
                Family: 'ipv4',
                Alias: 'default',
                Address: '127.0.0.1',
                ReservedPorts: '',
                Gateway: '',
              },
            ],
          },
        ],
        Processors: {
          Topology: {
            Distances: [[10]],
            Cores: [0, 1, 2, 3].map((ID) => ({
              SocketID: 0,
              NodeID: 0,
              ID,
              Grade: true,
              Disable: false,
              BaseSpeed: 1000,
              MaxSpeed: 0,
              GuessSpeed: 0,
            })),
            OverrideTotalCompute: 0,
            OverrideWitholdCompute: 0,
            BusAssociativity: null,
          },
        },
      },
      ReservedResources: {
        Cpu: { CpuShares: 0, ReservedCpuCores: null },
        Memory: { MemoryMB: 0 },
        Disk: { DiskMB: 0 },
        Networks: { ReservedHostPorts: '' },
      },
      Resources: older,
      Reserved: older,
      DrainStrategy: null,
      Events: [
        {
          Message: 'Node registered',
          Subsystem: 'Cluster',
          Details: null,
          Timestamp: '2026-01-01T00:00:00Z',
          CreateIndex: 0,
        },
      ],
      StatusUpdatedAt: 1_767_225_600,
      LastMissedHeartbeatIndex: 0,
      LastAllocUpdateIndex: 0,
      CgroupParent: 'sched.slice',
      HostNetworks: null,
      CSIControllerPlugins: {},
      CSINodePlugins: {},
    })
  })

  // choice/scheduler#cluster-node-members
  test('similar nodes share a computed class (behaviour/scheduler#node-endpoints)', async () => {
    const nodes = [
      { name: 'a' },
      { name: 'b', attributes: { 'unique.rack': '7' } },
      { name: 'c', meta: { rack: '7' } },
      { name: 'd', class: 'large' },
    ]
    const { scheduler: client } = await scheduler({ document: { scheduler: { nodes } } })
    const classes = new Map<string, string>()
    for (const { ID, Name } of await listed<Node>(client, 'nodes')) {
      classes.set(Name, (await client.get(`node/${ID}`)).body.ComputedClass)
    }
    expect(classes.get('b')).toBe(classes.get('a'))
    expect(new Set(classes.values()).size).toBe(3)
  })

  // choice/scheduler#cluster-node-members
  test('the last allocation update is the last report of its client (behaviour/scheduler#node-endpoints)', async () => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, mockJob({ t: {} }, {}, { Type: 'system' }))
    clock.advance(1000)
    const [allocation] = await listed<{ NodeID: string; ModifyIndex: number }>(
      client,
      'job/example/allocations',
    )
    const { LastAllocUpdateIndex, ModifyIndex } = (await client.get(`node/${allocation?.NodeID}`))
      .body
    expect([LastAllocUpdateIndex, ModifyIndex]).toEqual([allocation?.ModifyIndex, 10])
    expect(await listed(client, 'nodes?filter=LastAllocUpdateIndex+==+0')).toHaveLength(3)
  })

  test('filters of the list see all members of a node (behaviour/scheduler#filters)', async () => {
    const nodes = [{ name: 'a', capacity: { cpu: 1, memory: 512, disk: 1 } }, { name: 'b' }]
    const { scheduler: client } = await scheduler({ document: { scheduler: { nodes } } })
    const filter = 'NodeResources.Memory.MemoryMB == 512 and SchedulingEligibility == eligible'
    const found = await listed<Node>(client, `nodes?filter=${encodeURIComponent(filter)}`)
    expect(found.map(({ Name }) => Name)).toEqual(['a'])
  })

  test("attributes carry the product's name in the vendor dialect (behaviour/scheduler#vendor-names)", async () => {
    const { scheduler: client, clock } = await scheduler({ dialect: 'vendor' })
    const [first] = await listed<Node>(client, 'nodes')
    const { Attributes, CgroupParent, Drivers } = (await client.get(`node/${first?.ID}`)).body
    expect([Attributes['nomad.version'], Attributes['sched.version']]).toEqual(['1.9.7', undefined])
    expect([CgroupParent, Drivers.mock_driver.Attributes]).toEqual([
      'nomad.slice',
      { 'driver.mock_driver': 'true' },
    ])
    for (const name of ['nomad', 'sched']) {
      const Constraints = [
        { LTarget: `\${attr.${name}.version}`, RTarget: '>= 1.7', Operand: 'version' },
      ]
      await register(client, mockJob({ t: {} }, {}, { ID: name, Constraints }))
    }
    clock.advance(50)
    const placed = await listed<{ JobID: string }>(client, 'allocations')
    expect(placed.map(({ JobID }) => JobID).sort()).toEqual(['nomad', 'sched'])
  })

  test('node/x is not a UUID; an unknown node has no allocations (behaviour/scheduler#beyond)', async () => {
    const { scheduler: client } = await scheduler()
    expect(await failureOf(client.get('node/x'))).toEqual([
      500,
      'node lookup failed: index error: UUID must be 36 characters',
    ])
    for (const id of ['x', unknownId]) {
      expect(await listed(client, `node/${id}/allocations`)).toEqual([])
    }
  })

  test('the option version changes only the reported version (3b, release played)', async () => {
    const { scheduler: client } = await scheduler({ options: { version: '1.6.2' } })
    const [node] = await listed<{ ID: string; Version: string }>(client, 'nodes')
    expect(node?.Version).toBe('1.6.2')
    expect((await client.get(`node/${node?.ID}`)).body.Attributes['sched.version']).toBe('1.6.2')
  })

  test('an unknown node is 404 with the index of the table', async () => {
    const { scheduler: client } = await scheduler()
    const reply = await client.get(`node/${unknownId}`)
    expect([reply.status, reply.text, apiHeaders(reply)]).toEqual([
      404,
      'node not found',
      readHeaders(10),
    ])
    expect(await listed(client, `node/${unknownId}/allocations`)).toEqual([])
  })

  // choice/scheduler#cluster-allocations-of-node
  test('allocations of a node are returned in full', async () => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, mockJob({ t: {} }, {}, { Type: 'system' }))
    clock.advance(500)
    const [first] = await listed<Node>(client, 'nodes')
    const found = await listed<{ ID: string; NodeID: string }>(
      client,
      `node/${first?.ID}/allocations`,
    )
    expect(found).toHaveLength(1)
    expect(found[0]).toEqual((await client.get(`allocation/${found[0]?.ID}`)).body)
    expect(found[0]?.NodeID).toBe(first?.ID)
  })

  // choice/scheduler#cluster-allocations-of-node
  test('ended allocations are included, as in the reference', async () => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, mockJob({ t: {} }, {}, { Type: 'sysbatch' }))
    clock.advance(5000)
    const [first] = await listed<Node>(client, 'nodes')
    const found = await listed<{ ClientStatus: string }>(client, `node/${first?.ID}/allocations`)
    expect(found.map(({ ClientStatus }) => ClientStatus)).toEqual(['complete'])
  })
})
