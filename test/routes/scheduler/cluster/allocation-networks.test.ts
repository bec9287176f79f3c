import { describe, expect, test } from 'vitest'
import type { Allocation } from '../../../../state/scheduler/cluster/model/allocation-shapes.ts'
import { scheduler } from '../../../support/scheduler/scheduler.ts'
import { register, requireSuccess, uuid } from '../support.ts'

const section = 'behaviour/scheduler#nodes'

const web = {
  Name: 'web',
  Driver: 'docker',
  Config: { image: 'web:1' },
  Resources: { CPU: 200, MemoryMB: 64 },
}
const init = {
  ...web,
  Name: 'init',
  Lifecycle: { Hook: 'prestart', Sidecar: true },
  Resources: { CPU: 50, MemoryMB: 32 },
}
const network = {
  ReservedPorts: [{ Label: 'admin', Value: 9000, To: 80 }],
  DynamicPorts: [{ Label: 'http' }, { Label: 'same', To: -1 }],
}

/**
 * Returns the full allocations of a job with this network, placed but not yet reported by clients.
 */
async function placed(
  change: { dialect?: 'vendor'; Count?: number; network?: object | null; tasks?: unknown[] } = {},
) {
  const { dialect, Count = 1, tasks = [web, init] } = change
  const served = await scheduler(dialect === undefined ? {} : { dialect })
  const { scheduler: api, clock } = served
  const Networks = change.network === null ? null : [change.network ?? network]
  await register(api, { ID: 'j', TaskGroups: [{ Name: 'g', Count, Tasks: tasks, Networks }] })
  clock.advance(50)
  const fetchAllocations = async (job = 'j') => {
    const { body } = await requireSuccess(api.get(`job/${job}/allocations`))
    const ids: readonly string[] = body.map(({ ID }: { ID: string }) => ID)
    const replies = await Promise.all(ids.map((id) => requireSuccess(api.get(`allocation/${id}`))))
    return replies.map((reply) => reply.body)
  }
  return { api, clock, whole: fetchAllocations }
}

/** Returns the allocations by node. */
function grouped(allocations: readonly Allocation[]): ReadonlyMap<string, readonly Allocation[]> {
  const nodes = new Set(allocations.map(({ NodeID }) => NodeID))
  return new Map(Array.from(nodes, (id) => [id, allocations.filter(({ NodeID }) => NodeID === id)]))
}

const dynamic = expect.toSatisfy((port: number) => port >= 20_000 && port <= 32_000)

describe(`the network of an allocation with ports (${section})`, () => {
  test("has the node's address, reserved ports as requested and dynamic ones from 20000 to 32000", async () => {
    const { whole: fetchAllocations, api } = await placed()
    const [allocation] = await fetchAllocations()
    const { body: node } = await requireSuccess(api.get(`node/${allocation.NodeID}`))
    const IP = node.Address
    const [http, same] = allocation.AllocatedResources.Shared.Networks[0].DynamicPorts
    const onDefault = { HostNetwork: 'default', IgnoreCollision: false }
    const Networks = [
      {
        Device: '',
        CIDR: '',
        IP,
        MBits: 0,
        Mode: '',
        DNS: null,
        ReservedPorts: [{ Label: 'admin', Value: 9000, To: 80, ...onDefault }],
        DynamicPorts: [
          { Label: 'http', Value: dynamic, To: 0, ...onDefault },
          { Label: 'same', Value: dynamic, To: same.Value, ...onDefault },
        ],
        Hostname: '',
        CNI: null,
      },
    ]
    expect(allocation.AllocatedResources).toEqual({
      Shared: {
        DiskMB: 300,
        Networks,
        Ports: [
          { Label: 'admin', Value: 9000, To: 80, HostIP: IP },
          { Label: 'http', Value: http.Value, To: 0, HostIP: IP },
          { Label: 'same', Value: same.Value, To: same.Value, HostIP: IP },
        ],
      },
      TaskLifecycles: { web: null, init: { Hook: 'prestart', Sidecar: true } },
      Tasks: {
        web: {
          Cpu: { CpuShares: 200, ReservedCores: null },
          Memory: { MemoryMB: 64, MemoryMaxMB: 0 },
          Devices: null,
          Networks: null,
        },
        init: {
          Cpu: { CpuShares: 50, ReservedCores: null },
          Memory: { MemoryMB: 32, MemoryMaxMB: 0 },
          Devices: null,
          Networks: null,
        },
      },
    })
    expect(allocation.Resources).toMatchObject({
      CPU: 250,
      MemoryMB: 96,
      MemoryMaxMB: 96,
      DiskMB: 300,
      Networks,
    })
    expect(allocation.SharedResources).toMatchObject({ CPU: 0, MemoryMB: 0, DiskMB: 300, Networks })
    expect(allocation.TaskResources).toMatchObject({
      web: { CPU: 200, MemoryMB: 64, DiskMB: 0, Networks: null },
      init: { CPU: 50, MemoryMB: 32, DiskMB: 0, Networks: null },
    })
  })

  test('dynamic ports are unique on a node', async () => {
    const DynamicPorts = Array.from({ length: 100 }, (_, at) => ({ Label: `p${at}` }))
    const { whole: fetchAllocations } = await placed({ Count: 30, network: { DynamicPorts } })
    const byNode = grouped(await fetchAllocations())
    for (const allocations of byNode.values()) {
      const ports = allocations.flatMap(({ AllocatedResources }) =>
        (AllocatedResources.Shared.Ports ?? []).map(({ Value }) => Value),
      )
      expect(new Set(ports).size).toBe(ports.length)
    }
    expect(byNode.size).toBe(3)
  })

  test('without networks an allocation has no ports', async () => {
    const { whole: fetchAllocations } = await placed({ network: null })
    const [{ AllocatedResources, Resources }] = await fetchAllocations()
    expect(AllocatedResources.Shared).toEqual({ DiskMB: 300, Networks: null, Ports: null })
    expect(Resources.Networks).toBeNull()
  })

  test('the vendor dialect omits empty members of networks and ports', async () => {
    const { whole: fetchAllocations } = await placed({ dialect: 'vendor' })
    const [{ AllocatedResources }] = await fetchAllocations()
    expect(AllocatedResources.Shared.Ports).toEqual([
      { Label: 'admin', Value: 9000, To: 80, HostIP: expect.any(String) },
      { Label: 'http', Value: dynamic, HostIP: expect.any(String) },
      { Label: 'same', Value: dynamic, To: dynamic, HostIP: expect.any(String) },
    ])
    expect(AllocatedResources.Shared.Networks).toEqual([
      {
        IP: expect.any(String),
        ReservedPorts: [{ Label: 'admin', Value: 9000, To: 80, HostNetwork: 'default' }],
        DynamicPorts: [
          { Label: 'http', Value: dynamic, HostNetwork: 'default' },
          { Label: 'same', Value: dynamic, To: dynamic, HostNetwork: 'default' },
        ],
      },
    ])
  })

  test('lists with resources show the network', async () => {
    const { api, whole: fetchAllocations } = await placed()
    const [{ AllocatedResources }] = await fetchAllocations()
    const { body } = await requireSuccess(api.get('allocations?resources=true'))
    expect(body[0].AllocatedResources).toEqual(AllocatedResources)
  })

  test('allocations of a node are returned in full', async () => {
    const { api, whole: fetchAllocations } = await placed()
    const [allocation] = await fetchAllocations()
    const { body } = await requireSuccess(api.get(`node/${allocation.NodeID}/allocations`))
    expect(body).toEqual([allocation])
  })
})

describe(`the network that a client reports (${section})`, () => {
  const host = { InterfaceName: '', Address: '', AddressIPv6: '', DNS: null }

  test.each([
    { Mode: '', network: {} },
    { Mode: 'host', network: { Mode: 'host' } },
    { Mode: 'none at all', network: null },
  ])('appears with the report, and is empty: $Mode', async (settings) => {
    const { clock, whole: fetchAllocations } = await placed(settings)
    expect((await fetchAllocations())[0].NetworkStatus).toBeNull()
    clock.advance(50)
    expect((await fetchAllocations())[0].NetworkStatus).toEqual(host)
  })

  test('a bridge has its own address', async () => {
    const { clock, whole: fetchAllocations } = await placed({
      Count: 6,
      network: { Mode: 'bridge' },
    })
    clock.advance(100)
    const byNode = grouped(await fetchAllocations())
    const statuses = Array.from(byNode.values(), (allocations) =>
      allocations
        .map(({ NetworkStatus }) => NetworkStatus)
        .sort((a, b) => (String(a?.Address) < String(b?.Address) ? -1 : 1)),
    )
    const addresses = ['172.26.64.2', '172.26.64.3']
    const both = addresses.map((Address) => ({ ...host, InterfaceName: 'eth0', Address }))
    expect(statuses).toEqual([both, both, both])
  })

  test('a bridge has the lowest free address on its node', async () => {
    const bridge = { Mode: 'bridge' }
    const { api, clock, whole: fetchAllocations } = await placed({ Count: 3, network: bridge })
    const more = async (ID: string, Count: number) => {
      const TaskGroups = [{ Name: 'g', Count, Tasks: [web], Networks: [bridge] }]
      await register(api, { ID, TaskGroups })
      clock.advance(200)
      const byNode = grouped(await fetchAllocations(ID))
      return Array.from(byNode.values(), (allocations) =>
        allocations.map(({ NetworkStatus }) => NetworkStatus?.Address).sort(),
      )
    }
    const perNode = (...addresses: readonly string[]) => [addresses, addresses, addresses]
    expect(await more('second', 3)).toEqual(perNode('172.26.64.3'))
    await requireSuccess(api.delete('job/j'))
    clock.advance(1000)
    expect(await more('third', 3)).toEqual(perNode('172.26.64.2'))
    const eight = [10, 11, 4, 5, 6, 7, 8, 9].map((host) => `172.26.64.${host}`)
    expect(await more('fourth', 24)).toEqual(perNode(...eight))
    expect(await more('fifth', 3)).toEqual(perNode('172.26.64.12'))
  })
})

test('every allocation names the key of the world (behaviour/scheduler#operator)', async () => {
  const { whole: fetchAllocations } = await placed({ Count: 2 })
  const keys = (await fetchAllocations()).map(({ SigningKeyID }) => SigningKeyID)
  expect(keys[0]).toMatch(uuid)
  expect(keys[1]).toBe(keys[0])
})
