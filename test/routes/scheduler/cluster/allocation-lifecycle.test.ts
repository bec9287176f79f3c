import { describe, expect, test } from 'vitest'
import { scheduler } from '../../../support/scheduler/scheduler.ts'
import { event } from '../../../support/scheduler/scheduler-cluster.ts'
import { testTime } from '../../../support/secrets/secrets.ts'
import {
  apiHeaders,
  exampleJob,
  readExample,
  readHeaders,
  register,
  requireSuccess,
  uuid,
} from '../support.ts'
import {
  allocationOf,
  allocationsOf,
  counters,
  events,
  listed,
  mockJob,
  overview,
  reasons,
  stateOf,
  statusOf,
} from './support.ts'

const second = 1e9
const nothing = {
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
const life = 'behaviour/scheduler#allocations'
/** Start time of the clock in nanoseconds. */
const start = testTime * 1e6
const received = 'Received: Task received by client'
const setup = 'Task Setup: Building Task Directory'
const started = 'Started: Task started by client'

describe(`the life of a service (${life})`, () => {
  test('a docker task is received, built, pulled and started', async () => {
    const { scheduler: client, clock } = await scheduler()
    const { EvalID } = await register(client, exampleJob())
    expect(await listed(client, 'job/example/allocations')).toEqual([])
    clock.advance(50)
    const nodes = await listed<{ ID: string; Name: string }>(client, 'nodes')
    const node = nodes.find(({ Name }) => Name === 'sched-client-1')
    const stub = {
      ID: expect.stringMatching(/^[0-9a-f-]{36}$/),
      EvalID,
      Name: 'example.cache[0]',
      Namespace: 'default',
      NodeID: node?.ID,
      NodeName: node?.Name,
      PreviousAllocation: '',
      NextAllocation: '',
      RescheduleTracker: null,
      JobID: 'example',
      JobType: 'service',
      JobVersion: 0,
      TaskGroup: 'cache',
      DesiredStatus: 'run',
      DesiredDescription: '',
      DesiredTransition: {
        Migrate: null,
        Reschedule: null,
        ForceReschedule: null,
        NoShutdownDelay: null,
      },
      ClientStatus: 'pending',
      ClientDescription: '',
      DeploymentStatus: null,
      TaskStates: null,
      FollowupEvalID: '',
      PreemptedAllocations: null,
      PreemptedByAllocation: '',
      CreateIndex: 13,
      ModifyIndex: 13,
      CreateTime: start + 0.05 * second,
      ModifyTime: start + 0.05 * second,
    }
    const placed = await client.get('job/example/allocations')
    expect([placed.body, apiHeaders(placed)]).toEqual([[stub], readHeaders(13)])
    expect(await statusOf(client)).toBe('running')
    expect(await counters(client, 'cache')).toEqual({ Starting: 1 })
    clock.advance(50)
    expect((await allocationOf(client)).ClientDescription).toBe('No tasks have started')
    clock.advance(250)
    const running = {
      ...stub,
      ClientStatus: 'running',
      ClientDescription: 'Tasks are running',
      TaskStates: {
        redis: {
          State: 'running',
          Failed: false,
          Restarts: 0,
          LastRestart: null,
          StartedAt: '2026-01-01T00:00:00.35Z',
          FinishedAt: null,
          Events: [
            event('Received', start + 0.1 * second, {
              DisplayMessage: 'Task received by client',
            }),
            event('Task Setup', start + 0.15 * second, {
              Message: 'Building Task Directory',
              DisplayMessage: 'Building Task Directory',
              Details: { message: 'Building Task Directory' },
            }),
            event('Driver', start + 0.15 * second, {
              DriverMessage: 'Downloading image redis:7',
              DisplayMessage: 'Downloading image redis:7',
              Details: { driver_message: 'Downloading image redis:7' },
            }),
            event('Started', start + 0.35 * second, { DisplayMessage: 'Task started by client' }),
          ],
          TaskHandle: null,
          Paused: '',
        },
      },
      ModifyIndex: 17,
      ModifyTime: start + 0.35 * second,
    }
    expect(await listed(client, 'job/example/allocations')).toEqual([running])
    expect(await counters(client, 'cache')).toEqual({ Running: 1 })
    const whole = await client.get(`allocation/${placed.body[0].ID}`)
    expect(apiHeaders(whole)).toEqual(readHeaders(17))
    const [deployment] = await listed<{ ID: string }>(client, 'deployments')
    const { JobType: _type, JobVersion: _version, ...members } = running
    expect(whole.body).toEqual({
      ...members,
      Job: readExample(),
      DeploymentID: deployment?.ID,
      AllocatedResources: {
        Tasks: {
          redis: {
            Cpu: { CpuShares: 100, ReservedCores: null },
            Memory: { MemoryMB: 300, MemoryMaxMB: 0 },
            Networks: null,
            Devices: null,
          },
        },
        TaskLifecycles: { redis: null },
        Shared: { DiskMB: 300, Networks: null, Ports: null },
      },
      Resources: { ...nothing, CPU: 100, MemoryMB: 300, MemoryMaxMB: 300, DiskMB: 300 },
      SharedResources: { ...nothing, DiskMB: 300 },
      TaskResources: { redis: { ...nothing, CPU: 100, MemoryMB: 300 } },
      NetworkStatus: { InterfaceName: '', Address: '', AddressIPv6: '', DNS: null },
      SigningKeyID: expect.stringMatching(uuid),
      Metrics: expect.objectContaining({
        NodesEvaluated: 3,
        NodesFiltered: 0,
        NodesInPool: 3,
        NodesAvailable: { dc1: 3 },
        ConstraintFiltered: null,
      }),
      AllocModifyIndex: 13,
    })
  })

  test('artifacts are downloaded before the image', async () => {
    const { scheduler: client, clock } = await scheduler()
    const task = {
      Name: 't',
      Driver: 'docker',
      Config: { image: 'a:1' },
      Artifacts: [{ GetterSource: 'https://example.com/a.tgz' }],
    }
    await register(client, exampleJob({ TaskGroups: [{ Name: 'g', Tasks: [task] }] }))
    clock.advance(450)
    expect(events(await allocationOf(client), 't')).toEqual([
      received,
      setup,
      'Downloading Artifacts: Client is downloading artifacts',
      'Driver: Downloading image a:1',
      started,
    ])
  })

  test('a service restarts after exit 0 as well', async () => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, mockJob({ t: { Config: { run_for: '1s' } } }))
    clock.advance(1250)
    expect(events(await allocationOf(client), 't').slice(-3)).toEqual([
      started,
      'Terminated: Exit Code: 0',
      'Restarting: Task restarting in 15s',
    ])
    expect(await overview(client)).toEqual(['example.g[0] v0 run/pending'])
  })

  test('a task of a stopped job gets an interrupt and ends', async () => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, mockJob({ t: {} }))
    clock.advance(11_000)
    await requireSuccess(client.delete('job/example'))
    clock.advance(49)
    expect(await overview(client)).toEqual(['example.g[0] v0 run/running'])
    clock.advance(1)
    expect(await overview(client)).toEqual(['example.g[0] v0 stop/running'])
    clock.advance(100)
    expect(await overview(client)).toEqual(['example.g[0] v0 stop/complete'])
    const allocation = await allocationOf(client)
    expect(events(allocation, 't').slice(-3)).toEqual([
      'Killing: Sent interrupt. Waiting 5s before force killing',
      'Terminated: Exit Code: 0',
      'Killed: Task successfully killed',
    ])
    expect(stateOf(allocation, 't')).toMatchObject({ State: 'dead', Failed: false })
    expect([allocation.DesiredDescription, allocation.ClientDescription]).toEqual([
      'alloc not needed due to job update',
      'All tasks have completed',
    ])
    expect(await statusOf(client)).toBe('dead')
    expect(await counters(client, 'g')).toEqual({ Complete: 1 })
  })
})

describe(`tasks that end (${life})`, () => {
  const restart = { Attempts: 1, Delay: 5 * second, Interval: 60 * second, Mode: 'fail' }
  const reschedule = {
    Attempts: 1,
    Interval: 3600 * second,
    Delay: 10 * second,
    DelayFunction: 'constant',
    Unlimited: false,
  }
  const batch = (config: object, group: object = {}) =>
    mockJob(
      { t: { Config: { run_for: '2s', ...config } } },
      { RestartPolicy: restart, ReschedulePolicy: reschedule, ...group },
      { Type: 'batch' },
    )

  test('a batch task is complete after exit 0', async () => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, batch({}))
    clock.advance(2250)
    const allocation = await allocationOf(client)
    expect(events(allocation, 't')).toEqual([received, setup, started, 'Terminated: Exit Code: 0'])
    expect(stateOf(allocation, 't')).toMatchObject({
      State: 'dead',
      Failed: false,
      FinishedAt: '2026-01-01T00:00:02.25Z',
    })
    expect(await overview(client)).toEqual(['example.g[0] v0 run/complete'])
    expect(allocation.ClientDescription).toBe('All tasks have completed')
    expect([await statusOf(client), await counters(client, 'g')]).toEqual(['dead', { Complete: 1 }])
    expect(await reasons(client)).toEqual(['job-register complete'])
  })

  test('a failing task is restarted, then rescheduled, then given up', async () => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, batch({ exit_code: 1 }))
    clock.advance(2250)
    const restarting = await allocationOf(client)
    expect(stateOf(restarting, 't').Events?.slice(-2)).toEqual([
      event('Terminated', start + 2.25 * second, {
        ExitCode: 1,
        DisplayMessage: 'Exit Code: 1',
        Details: { exit_code: '1', signal: '0', oom_killed: 'false' },
      }),
      event('Restarting', start + 2.25 * second, {
        StartDelay: 5 * second,
        RestartReason: 'Restart within policy',
        DisplayMessage: 'Task restarting in 5s',
        Details: { start_delay: '5000000000', restart_reason: 'Restart within policy' },
      }),
    ])
    expect(stateOf(restarting, 't')).toMatchObject({
      State: 'pending',
      Restarts: 1,
      LastRestart: '2026-01-01T00:00:02.25Z',
    })
    clock.advance(7100)
    const gaveUp = 'Exceeded allowed attempts 1 in interval 1m0s and mode is "fail"'
    const failed = await allocationOf(client)
    expect(stateOf(failed, 't').Events?.at(-1)).toMatchObject({
      Type: 'Not Restarting',
      FailsTask: true,
      RestartReason: gaveUp,
      DisplayMessage: gaveUp,
    })
    expect([failed.ClientStatus, failed.ClientDescription, failed.DesiredStatus]).toEqual([
      'failed',
      'Failed tasks',
      'run',
    ])
    expect(await statusOf(client)).toBe('pending')
    clock.advance(50)
    // A follow-up evaluation waits for the delay of the policy.
    expect(await reasons(client)).toEqual([
      'job-register complete',
      'alloc-failure complete',
      'alloc-failure pending',
    ])
    expect((await allocationOf(client)).FollowupEvalID).not.toBe('')
    clock.advance(60_000)
    const [old, next] = await allocationsOf(client)
    expect(await overview(client)).toEqual([
      'example.g[0] v0 stop/failed',
      'example.g[0] v0 run/failed',
    ])
    expect(old).toMatchObject({
      NextAllocation: next?.ID,
      DesiredDescription: 'alloc was rescheduled because it failed',
    })
    expect(next).toMatchObject({
      PreviousAllocation: old?.ID,
      RescheduleTracker: {
        Events: [
          {
            PrevAllocID: old?.ID,
            PrevNodeID: old?.NodeID,
            RescheduleTime: start + 19.35 * second,
            Delay: 10 * second,
          },
        ],
      },
    })
    expect(next?.NodeID).not.toBe(old?.NodeID)
    expect([await statusOf(client), await counters(client, 'g')]).toEqual(['dead', { Failed: 2 }])
  })

  test.each([
    [{ exit_code: 137, exit_signal: 9 }, 'Exit Code: 137, Signal: 9', 'false'],
    [{ exit_code: 2, exit_err_msg: 'boom' }, 'Exit Code: 2, Exit Message: "boom"', 'false'],
    [{ oom: true }, 'Exit Code: 137, Signal: 9, Exit Message: "OOM Killed"', 'true'],
  ])('%o reports %s', async (config, text, oom) => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, batch(config))
    clock.advance(2250)
    const found = stateOf(await allocationOf(client), 't').Events?.at(-2)
    expect([found?.DisplayMessage, found?.Details?.['oom_killed']]).toEqual([text, oom])
  })

  test.each([
    [{ start_error: 'no luck' }, 'Not Restarting: Error was unrecoverable'],
    [
      { start_error: 'no luck', start_error_recoverable: true },
      'Restarting: Task restarting in 5s',
    ],
  ])('a task that cannot start: %o', async (config, last) => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, batch(config))
    clock.advance(250)
    expect(events(await allocationOf(client), 't').slice(-2)).toEqual([
      'Driver Failure: no luck',
      last,
    ])
  })

  test('without restarts the event names the policy', async () => {
    const { scheduler: client, clock } = await scheduler()
    const RestartPolicy = { ...restart, Attempts: 0, Delay: 0 }
    await register(client, batch({ exit_code: 1 }, { RestartPolicy }))
    clock.advance(2250)
    expect(events(await allocationOf(client), 't').at(-1)).toBe(
      'Not Restarting: Policy allows no restarts',
    )
  })

  test('at most the last ten events are kept', async () => {
    const { scheduler: client, clock } = await scheduler()
    const RestartPolicy = { Attempts: 5, Delay: second, Interval: 3600 * second, Mode: 'fail' }
    await register(client, batch({ exit_code: 1 }, { RestartPolicy }))
    clock.advance(12_000)
    const found = events(await allocationOf(client), 't')
    expect([found.length, found.includes(received)]).toEqual([10, false])
  })

  test('the failure of one task ends its siblings', async () => {
    const { scheduler: client, clock } = await scheduler()
    const group = { RestartPolicy: { ...restart, Attempts: 0, Delay: 0 } }
    const job = mockJob({ a: { Config: { run_for: '1s', exit_code: 1 } }, b: {} }, group)
    await register(client, job)
    clock.advance(1400)
    const allocation = await allocationOf(client)
    expect(events(allocation, 'b').slice(3)).toEqual([
      `Sibling Task Failed: Task's sibling "a" failed`,
      'Killing: Sent interrupt. Waiting 5s before force killing',
      'Terminated: Exit Code: 0',
      'Killed: Task successfully killed',
    ])
    expect(stateOf(allocation, 'b').Events?.[3]?.FailedSibling).toBe('a')
  })

  test('the end of the leader ends the other tasks', async () => {
    const { scheduler: client, clock } = await scheduler()
    const tasks = {
      a: { Config: { run_for: '1s' }, Leader: true },
      b: { Config: { run_for: '1h' } },
    }
    await register(client, mockJob(tasks, {}, { Type: 'batch' }))
    clock.advance(1400)
    const allocation = await allocationOf(client)
    expect(events(allocation, 'b')[3]).toBe('Leader Task Dead: Leader Task in Group dead')
    expect(await overview(client)).toEqual(['example.g[0] v0 run/complete'])
  })
})

describe('number and names of allocations (behaviour/scheduler#nodes)', () => {
  test('are numbered from 0; a lower count stops the highest, free numbers are reused', async () => {
    const { scheduler: client, clock } = await scheduler()
    const sized = (Count: number) => mockJob({ t: {} }, { Count })
    const names = async () =>
      (await allocationsOf(client))
        .filter(({ DesiredStatus }) => DesiredStatus === 'run')
        .map(({ Name }) => Name)
    await register(client, sized(3))
    clock.advance(60_000)
    expect(await names()).toEqual(['example.g[0]', 'example.g[1]', 'example.g[2]'])
    await register(client, sized(1))
    clock.advance(60_000)
    expect(await names()).toEqual(['example.g[0]'])
    await register(client, sized(2))
    clock.advance(60_000)
    expect(await names()).toEqual(['example.g[0]', 'example.g[1]'])
  })

  test.each(['system', 'sysbatch'])('a %s job has one allocation on each node', async (Type) => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, mockJob({ t: {} }, {}, { Type }))
    clock.advance(250)
    const found = await allocationsOf(client)
    expect(found.map(({ Name }) => Name)).toEqual(Array(3).fill('example.g[0]'))
    expect(found.map(({ NodeName }) => NodeName).sort()).toEqual([
      'sched-client-1',
      'sched-client-2',
      'sched-client-3',
    ])
  })
})
