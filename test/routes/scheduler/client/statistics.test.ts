import { describe, expect, test } from 'vitest'
import type { DialectName } from '../../../../routes/http/declare/dialect.ts'
import { scheduler } from '../../../support/scheduler/scheduler.ts'
import { allocationOf, mockJob, unknownId } from '../cluster/support.ts'
import { failureOf, type Members, requireSuccess } from '../support.ts'

const section = 'behaviour/scheduler#statistics'
const mebibyte = 1024 * 1024
const Resources = { CPU: 500, MemoryMB: 256 }

/** Starts a server with a job whose tasks run. */
async function running(
  tasks: Readonly<Record<string, Members>> = { t: { Resources } },
  group: Members = {},
  dialect: DialectName = 'neutral',
) {
  const served = await scheduler({ dialect })
  const { scheduler: client, clock } = served
  await requireSuccess(client.post('jobs', { Job: mockJob(tasks, group) }))
  clock.advance(1000)
  const { ID: id, NodeID: node } = await allocationOf(client)
  const stats = async (more = '') =>
    (await requireSuccess(client.get(`client/allocation/${id}/stats${more}`))).body
  const host = async (of = node) =>
    (await requireSuccess(client.get(`client/stats?node_id=${of}`))).body
  return { ...served, client, id, node, stats, host }
}

describe(`statistics of an allocation (${section})`, () => {
  // choice/scheduler#client-usage
  test('stay within the requested resources, and the total is their sum', async () => {
    const { stats, clock } = await running({ a: { Resources }, b: { Resources } })
    const before = await stats()
    expect(before.ResourceUsage.DeviceStats).toEqual([])
    expect(Object.keys(before.Tasks)).toEqual(['a', 'b'])
    for (const name of ['a', 'b']) {
      const { ResourceUsage, Pids, Timestamp } = before.Tasks[name]
      const { CpuStats, MemoryStats, DeviceStats } = ResourceUsage
      expect([DeviceStats, Pids]).toEqual([null, null])
      expect(Timestamp).toBe(before.Timestamp)
      expect(CpuStats).toMatchObject({
        Measured: ['System Mode', 'User Mode', 'Percent'],
        ThrottledPeriods: 0,
        ThrottledTime: 0,
      })
      expect(CpuStats.SystemMode + CpuStats.UserMode).toBeCloseTo(CpuStats.Percent)
      expect(CpuStats.TotalTicks).toBeGreaterThanOrEqual(25)
      expect(CpuStats.TotalTicks).toBeLessThanOrEqual(200)
      expect(MemoryStats).toMatchObject({ Measured: ['RSS', 'Swap'], Swap: 0, Cache: 0 })
      expect(MemoryStats.RSS).toBe(MemoryStats.Usage)
      expect(MemoryStats.RSS).toBeGreaterThanOrEqual(0.2 * 256 * mebibyte)
      expect(MemoryStats.RSS).toBeLessThanOrEqual(0.7 * 256 * mebibyte)
    }
    const { a, b } = before.Tasks
    const { MemoryStats, CpuStats } = before.ResourceUsage
    const rss = a.ResourceUsage.MemoryStats.RSS + b.ResourceUsage.MemoryStats.RSS
    const ticks = a.ResourceUsage.CpuStats.TotalTicks + b.ResourceUsage.CpuStats.TotalTicks
    expect(MemoryStats.RSS).toBe(rss)
    expect(CpuStats.TotalTicks).toBeCloseTo(ticks)
    clock.advance(60_000)
    const after = await stats()
    expect(after.ResourceUsage).toEqual(before.ResourceUsage)
    expect(after.Timestamp).toBeGreaterThan(before.Timestamp)
    expect(Object.keys((await stats('?task=a')).Tasks)).toEqual(['a'])
    expect((await stats('?task=x')).Tasks).toEqual({})
  })

  // choice/scheduler#client-usage
  test('are 0 for tasks that do not run, and keep their last values after the end', async () => {
    const late = { Resources, Config: { start_block_for: '1h' } }
    const { stats, client, clock, id } = await running({ t: { Resources }, late })
    const before = await stats()
    expect(before.Tasks.late.ResourceUsage).toMatchObject({
      CpuStats: { Percent: 0, TotalTicks: 0 },
      MemoryStats: { RSS: 0, Usage: 0 },
    })
    await requireSuccess(client.post(`allocation/${id}/stop`))
    clock.advance(1000)
    const after = await stats()
    expect(after.Tasks.t.ResourceUsage).toEqual(before.Tasks.t.ResourceUsage)
    clock.advance(60_000)
    expect((await stats()).Timestamp).toBe(after.Timestamp)
  })

  test('accept any method; missing objects are refused', async () => {
    const { client, id, world } = await running()
    const path = `client/allocation/${id}/stats`
    for (const method of ['POST', 'PUT', 'DELETE']) {
      expect((await client.request(method, path)).status).toBe(200)
    }
    expect(await failureOf(client.get('client/allocation/x/stats'))).toEqual([
      500,
      'alloc lookup failed: index error: UUID must be 36 characters',
    ])
    expect(await failureOf(client.get(`client/allocation/${unknownId}/stats`))).toEqual([
      404,
      `Unknown allocation "${unknownId}"`,
    ])
    expect(await failureOf(client.get(`client/allocation/${id}/nonsense`))).toEqual([
      404,
      'resource not found',
    ])
    const { NodeID } = await allocationOf(client)
    world.transitions.get('scheduler.node')?.force(world, NodeID, 'down', {})
    expect(await failureOf(client.get(path))).toEqual([404, 'No path to node'])
  })
})

describe(`statistics of a node (${section})`, () => {
  // choice/scheduler#client-host
  test('totals are its resources, and usage grows with its tasks', async () => {
    const { host, node, stats, client, clock } = await running()
    const { ResourceUsage } = await stats()
    const one = await host()
    expect(one.Memory.Total).toBe(8192 * mebibyte)
    expect(one.Memory.Used).toBe(Math.round(ResourceUsage.MemoryStats.RSS + 0.1 * one.Memory.Total))
    expect(one.Memory.Free).toBe(one.Memory.Total - one.Memory.Used)
    expect(one.CPUTicksConsumed).toBeCloseTo(400 + ResourceUsage.CpuStats.TotalTicks)
    expect(one.CPU).toHaveLength(4)
    expect(Object.keys(one.CPU[0])).toEqual([
      'CPU',
      'User',
      'System',
      'Idle',
      'TotalPercent',
      'TotalTicks',
    ])
    expect(one.DiskStats).toEqual([{ ...one.AllocDirStats, Device: '/dev/vda', Mountpoint: '/' }])
    expect(one.AllocDirStats).toMatchObject({ Device: '', Mountpoint: '', UsedPercent: 10 })
    expect([one.DeviceStats, one.Uptime]).toEqual([null, 1])
    const others = (await client.get('nodes')).body.filter(({ ID }: { ID: string }) => ID !== node)
    expect((await host(others[0].ID)).CPUTicksConsumed).toBe(400)
    clock.advance(10_000)
    expect((await host()).Uptime).toBe(11)
  })

  test('the agent is a node itself; missing nodes are refused', async () => {
    const { client, host, world } = await running()
    const [{ ID: first }] = (await client.get('nodes')).body
    expect((await requireSuccess(client.get('client/stats'))).body).toEqual(await host(first))
    expect(await failureOf(client.get('client/stats?node_id=x'))).toEqual([
      500,
      'node lookup failed: index error: UUID must be 36 characters',
    ])
    expect(await failureOf(client.get(`client/stats?node_id=${unknownId}`))).toEqual([
      404,
      `Unknown node ${unknownId}`,
    ])
    world.transitions.get('scheduler.node')?.force(world, first, 'down', {})
    expect(await failureOf(client.get('client/stats'))).toEqual([404, 'No path to node'])
  })
})

describe(`garbage collection on clients (${section})`, () => {
  // choice/scheduler#client-collection
  test('collects ended allocations; others are not eligible', async () => {
    const Config = { stdout_string: 'printed' }
    const { client, clock, id, node } = await running({ t: { Config } })
    const gc = (method = 'POST') => client.request(method, `client/allocation/${id}/gc`)
    const log = async () =>
      (await requireSuccess(client.get(`client/fs/logs/${id}?task=t&type=stdout&plain=true`))).text
    const notYet = [500, 'No such allocation on client, or allocation not eligible for GC']
    expect(await failureOf(gc())).toEqual(notYet)
    for (const method of ['POST', 'PUT', 'GET']) {
      const reply = await requireSuccess(client.request(method, `client/gc?node_id=${node}`))
      expect(reply.text).toBe('')
    }
    expect(await log()).toBe('printed')
    await requireSuccess(client.post(`allocation/${id}/stop`))
    clock.advance(1000)
    expect(await log()).toBe('printed')
    expect((await requireSuccess(gc('GET'))).text).toBe('')
    expect(await log()).toBe('')
  })
})

describe.each<[DialectName, string, string]>([
  ['neutral', 'sched', 'sched: http ok'],
  ['vendor', 'nomad', 'nomad: http ok'],
])(`results of checks (${section}; %s)`, (dialect, Provider, output) => {
  // choice/scheduler#client-checks
  test('are null without checks, or else indexed by ID', async () => {
    const plain = await running({ t: {} }, {}, dialect)
    const path = (id: string) => `client/allocation/${id}/checks`
    expect((await requireSuccess(plain.client.get(path(plain.id)))).text).toBe('null')
    const check = { Name: 'up', Type: 'http', Path: '/', Interval: 1e10, Timeout: 1e9 }
    const Services = [{ Name: 'web', Provider, PortLabel: '80', Checks: [check] }]
    const { client, id } = await running({ t: {} }, { Services }, dialect)
    const { body } = await requireSuccess(client.get(path(id)))
    const [ID = ''] = Object.keys(body)
    expect(body[ID]).toMatchObject({
      ID,
      Mode: 'healthiness',
      Status: 'success',
      StatusCode: 200,
      Output: output,
      Group: 'example.g[0]',
      Service: 'web',
      Check: 'up',
    })
    const late = { t: { Config: { start_block_for: '1h' } } }
    const waiting = await running(late, { Services }, dialect)
    const pending = (await requireSuccess(waiting.client.get(path(waiting.id)))).body
    expect(Object.values(pending)).toMatchObject([{ Status: 'pending' }])
  })
})
