import { describe, expect, test } from 'vitest'
import { problem } from '../../../support/control.ts'
import {
  allocationOf,
  deployments,
  events,
  listed,
  mockJob,
  overview,
  reasons,
  stateOf,
} from '../cluster/support.ts'
import { type Members, periodicJob, register } from '../support.ts'
import { scheduledPlane } from './scheduler-plane.ts'

describe('behaviour/program#control-plane: versions of a job', () => {
  test('are listed with their differences, without an API request', async () => {
    const { ask, client } = await scheduledPlane()
    await register(client, mockJob({ t: { Env: { LEVEL: 'info' } } }))
    await register(client, mockJob({ t: { Env: { LEVEL: 'debug' } } }))
    const { status, body } = await ask('GET', '/scheduler/jobs/example/versions?namespace=default')
    expect(status).toBe(200)
    expect(body.versions).toMatchObject([
      { version: 1, since: 0, diff: { Type: 'Edited', ID: 'example' } },
      { version: 0, since: null, diff: null },
    ])
    const reply = await client.get('job/example/versions?diffs=true')
    expect([body.versions[0].diff]).toEqual(reply.body.Diffs)
    expect((await ask('GET', '/scheduler/jobs/example/versions?namespace=x')).status).toBe(404)
  })
})

describe('outcomes (behaviour/scheduler#steering)', () => {
  const rule = { job: 'example', task: 't', exit_code: 3 }

  // choice/scheduler#cluster-rules
  test('are added, listed and removed', async () => {
    const { ask } = await scheduledPlane()
    const first = await ask('POST', '/scheduler/outcomes', rule)
    const second = await ask('POST', '/scheduler/outcomes', { exit_code: 4, run_for: '2s' })
    expect([first.status, first.body, second.body]).toEqual([
      201,
      { id: '00000001' },
      { id: '00000002' },
    ])
    const list = async () => (await ask('GET', '/scheduler/outcomes')).body.outcomes
    expect(await list()).toEqual([
      { id: '00000001', ...rule },
      { id: '00000002', exit_code: 4, run_for: '2s' },
    ])
    const gone = await ask('DELETE', '/scheduler/outcomes/00000001')
    expect([gone.status, gone.text]).toEqual([204, ''])
    expect(await list()).toHaveLength(1)
    expect((await ask('DELETE', '/scheduler/outcomes/00000001')).body).toEqual(
      problem(404, 'Not Found', 'there is no outcome "00000001"'),
    )
    await ask('DELETE', '/scheduler/outcomes')
    expect(await list()).toEqual([])
  })

  test.each([
    [{ exit: 1 }, '/exit is unknown'],
    [{ exit_code: 'x' }, '/exit_code must be integer'],
    [{ attempt: 0 }, '/attempt must be >= 1'],
  ])('%o is refused', async (body, why) => {
    const { ask } = await scheduledPlane()
    const reply = await ask('POST', '/scheduler/outcomes', body)
    expect([reply.status, reply.body.problems]).toEqual([400, [why]])
    expect((await ask('GET', '/scheduler/outcomes')).body).toEqual({ outcomes: [] })
  })

  test('an invalid duration is refused', async () => {
    const { ask } = await scheduledPlane()
    for (const wrong of [{ run_for: 'soon' }, { kill_after: '1 year' }, { run_for: '-1s' }]) {
      expect((await ask('POST', '/scheduler/outcomes', wrong)).status).toBe(400)
    }
  })

  /** Returns the exit code of a batch task that lasts a second. */
  async function exitOf(job: Members, ...rules: readonly Members[]) {
    const { ask, client, advance } = await scheduledPlane()
    for (const each of rules) await ask('POST', '/scheduler/outcomes', each)
    await register(client, { ...job, Type: 'batch' })
    advance(1250)
    const state = stateOf(await allocationOf(client), 't')
    return state.Events?.find(({ Type }) => Type === 'Terminated')?.ExitCode
  }

  const metas = (task?: string, group?: string, job?: string, Config: Members = {}) => {
    const meta = (code?: string) => (code === undefined ? {} : { Meta: { mock_exit_code: code } })
    return mockJob({ t: { Config, ...meta(task) } }, meta(group), meta(job))
  }

  test.each([
    ['nothing said', metas(), [], 0],
    ["the job's Meta", metas(undefined, undefined, '11'), [], 11],
    ["the group's Meta", metas(undefined, '12', '11'), [], 12],
    ["the task's Meta", metas('13', '12', '11'), [], 13],
    ['the configuration', metas('13', '12', '11', { exit_code: 14 }), [], 14],
    ['a rule', metas('13', '12', '11', { exit_code: 14 }), [{ exit_code: 15 }], 15],
    ['the first rule that fits', metas(), [{ job: 'x', exit_code: 1 }, { exit_code: 2 }], 2],
    ['the first of two', metas(), [{ task: 't', exit_code: 1 }, { exit_code: 2 }], 1],
    ['all that a rule names', metas(), [{ ...rule, namespace: 'default', group: 'g' }], 3],
    ['not another namespace', metas(), [{ namespace: 'x', exit_code: 1 }], 0],
    ['not another group', metas(), [{ group: 'x', exit_code: 1 }], 0],
    ['not another attempt', metas(), [{ attempt: 2, exit_code: 1 }], 0],
  ])('%s decides', async (_what, job, rules, code) => {
    expect(await exitOf(job, ...rules)).toBe(code)
  })

  test('a rule for one attempt: the next start succeeds', async () => {
    const { ask, client, advance } = await scheduledPlane()
    await ask('POST', '/scheduler/outcomes', { attempt: 1, exit_code: 9 })
    await register(client, mockJob({ t: {} }, {}, { Type: 'batch' }))
    advance(60_000)
    expect(events(await allocationOf(client), 't').slice(2)).toEqual([
      'Started: Task started by client',
      'Terminated: Exit Code: 9',
      'Restarting: Task restarting in 15s',
      'Started: Task started by client',
      'Terminated: Exit Code: 0',
    ])
  })
})

describe('schedulerMode manual (behaviour/scheduler#cluster)', () => {
  test('an admin call executes the steps one by one', async () => {
    const { ask, client, advance } = await scheduledPlane({ schedulerMode: 'manual' })
    const { EvalID } = await register(client, mockJob({ t: {} }))
    advance(60_000)
    expect(await reasons(client)).toEqual(['job-register pending'])
    const one = await ask('POST', '/scheduler/step', {})
    expect([one.status, one.body]).toEqual([
      200,
      { steps: [{ at: '2026-01-01T00:00:00.05Z', kind: 'scheduler.evaluation', id: EvalID }] },
    ])
    const { ID } = await allocationOf(client)
    const task = { kind: 'scheduler.task', id: `${ID} t` }
    const three = await ask('POST', '/scheduler/step', { count: 3 })
    expect(three.body.steps.map(({ kind, id }: Members) => ({ kind, id }))).toEqual([
      task,
      task,
      task,
    ])
    expect(await overview(client)).toEqual(['example.g[0] v0 run/running'])
    // The steps of the deployment follow, and no others.
    const rest = await ask('POST', '/scheduler/step', { count: 100 })
    expect(rest.body.steps.length).toBeLessThan(10)
    expect((await ask('POST', '/scheduler/step', {})).body).toEqual({ steps: [] })
    expect(await deployments(client)).toEqual([
      [0, 'successful', 'Deployment completed successfully'],
    ])
  })

  test('a frozen cluster executes no step', async () => {
    const { ask, client } = await scheduledPlane({ schedulerMode: 'frozen' })
    await register(client, mockJob({ t: {} }))
    expect((await ask('POST', '/scheduler/step', { count: 9 })).body).toEqual({ steps: [] })
  })

  test('in auto mode the call executes steps early', async () => {
    const { ask, client } = await scheduledPlane()
    await register(client, mockJob({ t: {} }))
    expect((await ask('POST', '/scheduler/step', {})).body.steps).toHaveLength(1)
    expect(await overview(client)).toEqual(['example.g[0] v0 run/pending'])
  })

  test.each([{ count: 0 }, { count: 1.5 }, { count: 10_001 }, { counts: 1 }])(
    '%o is refused',
    async (body) => {
      const { ask } = await scheduledPlane()
      expect((await ask('POST', '/scheduler/step', body)).status).toBe(400)
    },
  )

  test.each(['manual', 'frozen'] as const)(
    'from %s to auto: the cluster continues',
    async (mode) => {
      const { client, advance, options } = await scheduledPlane({ schedulerMode: mode })
      await register(client, mockJob({ t: {} }))
      advance(60_000)
      expect(await overview(client)).toEqual([])
      await options({ schedulerMode: 'auto' })
      // Overdue steps run now, the others at their own time.
      advance(0)
      expect(await overview(client)).toEqual(['example.g[0] v0 run/pending'])
      advance(200)
      expect(await overview(client)).toEqual(['example.g[0] v0 run/running'])
      await options({ schedulerMode: 'manual' })
      advance(60_000)
      expect(await deployments(client)).toEqual([[0, 'running', 'Deployment is running']])
      await options({ schedulerMode: 'auto' })
      advance(1000)
      expect(await deployments(client)).toEqual([
        [0, 'successful', 'Deployment completed successfully'],
      ])
    },
  )

  // choice/scheduler#cluster-manual-launches
  test('periodic jobs are still launched by the clock', async () => {
    const { client, advance } = await scheduledPlane({ schedulerMode: 'manual' })
    await register(client, periodicJob())
    advance(3_600_000)
    const jobs = await listed<{ ID: string }>(client, 'jobs')
    expect(jobs.map(({ ID }) => ID)).toEqual(['cron', 'cron/periodic-1767229200'])
  })
})

describe('nodes added on the control plane (behaviour/scheduler#nodes)', () => {
  // choice/scheduler#cluster-node-replaced
  test('a node is added, and pending allocations are placed on it', async () => {
    const { ask, client, advance } = await scheduledPlane({}, { nodes: [] })
    await register(client, mockJob({ t: {} }))
    advance(100)
    expect(await reasons(client)).toEqual(['job-register complete', 'queued-allocs blocked'])
    const id = '11111111-2222-4333-8444-555555555555'
    const reply = await ask('POST', '/scheduler/nodes', {
      id,
      name: 'n1',
      address: '10.0.0.1',
      datacenter: 'dc9',
      pool: 'gpu',
      class: 'big',
      drivers: ['mock'],
      attributes: { 'kernel.name': 'plan9', 'os.name': null },
      meta: { rack: 'r1' },
      capacity: { cpu: 4000, memory: 8000, disk: 10_000 },
    })
    expect([reply.status, reply.body]).toEqual([
      200,
      expect.objectContaining({
        ID: id,
        Name: 'n1',
        Address: '10.0.0.1',
        Datacenter: 'dc9',
        NodePool: 'gpu',
        NodeClass: 'big',
        Status: 'ready',
        SchedulingEligibility: 'eligible',
        Meta: { rack: 'r1' },
        Capacity: { CPU: 4000, MemoryMB: 8000, DiskMB: 10_000 },
        Attributes: expect.objectContaining({
          'kernel.name': 'plan9',
          'kernel.version': '6.1.0',
          'cpu.arch': 'amd64',
          'cpu.numcores': '4',
          'os.version': '12',
          'sched.version': '1.9.7',
          'unique.hostname': 'n1',
          'driver.mock': '1',
        }),
      }),
    ])
    expect(reply.body.Attributes).not.toHaveProperty('os.name')
    const { Capacity, Version, Drivers, ...node } = reply.body
    const registered = (await client.get(`node/${id}`)).body
    expect(registered).toMatchObject({
      ...node,
      NodeResources: {
        Cpu: { CpuShares: Capacity.CPU },
        Memory: { MemoryMB: Capacity.MemoryMB },
        Disk: { DiskMB: Capacity.DiskMB },
      },
    })
    expect([Version, Object.keys(registered.Drivers)]).toEqual(['1.9.7', Object.keys(Drivers)])
    advance(500)
    // The node belongs to another pool.
    expect(await overview(client)).toEqual([])
    await ask('POST', '/scheduler/nodes', { id, name: 'n1' })
    advance(500)
    expect(await overview(client)).toEqual(['example.g[0] v0 run/running'])
    expect((await client.get('nodes')).body).toHaveLength(1)
  })

  // choice/scheduler#cluster-node-replaced
  test('allocations are lost if their node is replaced by one that is down', async () => {
    const { ask, client, advance } = await scheduledPlane()
    await register(client, mockJob({ t: {} }))
    advance(500)
    const { NodeID: id } = await allocationOf(client)
    await ask('POST', '/scheduler/nodes', { id, name: 'n', status: 'down' })
    advance(500)
    expect(await overview(client)).toEqual([
      'example.g[0] v0 stop/lost',
      'example.g[0] v0 run/running',
    ])
  })

  test.each([
    [{}, '/name is missing'],
    [{ name: 'n', id: 'x' }, '/id must match'],
    [{ name: 'n', cpu: 1 }, '/cpu is unknown'],
    [{ name: 'n', status: 'gone' }, '/status must be one of'],
    [{ name: 'n', capacity: { cpu: 1 } }, '/capacity'],
  ])('%o is refused', async (body, why) => {
    const { ask, client } = await scheduledPlane()
    const reply = await ask('POST', '/scheduler/nodes', body)
    expect(reply.status).toBe(400)
    expect(reply.body.problems[0]).toContain(why)
    expect((await client.get('nodes')).body).toHaveLength(3)
  })
})
