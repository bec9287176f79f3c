import { describe, expect, test } from 'vitest'
import type { DialectName } from '../../../../routes/http/declare/dialect.ts'
import { scheduler } from '../../../support/scheduler/scheduler.ts'
import { allocationOf, events, mockJob, overview, stateOf, unknownId } from '../cluster/support.ts'
import { failureOf, type Members, requireSuccess } from '../support.ts'

const section = 'behaviour/scheduler#task-actions'

/** Starts a server with a job whose tasks run. */
async function running(
  tasks: Readonly<Record<string, Members>> = { t: {} },
  { dialect = 'neutral', job = {} }: { dialect?: DialectName; job?: Members } = {},
) {
  const served = await scheduler({ dialect })
  const { scheduler: client, clock } = served
  await requireSuccess(client.post('jobs', { Job: mockJob(tasks, {}, job) }))
  clock.advance(1000)
  const { ID: id } = await allocationOf(client)
  const ask = (what: string, body?: object, method = 'POST') =>
    client.request(method, `client/allocation/${id}/${what}`, body)
  return { ...served, client, id, ask }
}

describe.each<DialectName>(['neutral', 'vendor'])(
  `restarting tasks (${section}; %s)`,
  (dialect) => {
    test('an empty body restarts all running tasks; Restarts counts, the policy does not', async () => {
      const { client, clock, ask } = await running({ t: {} }, { dialect })
      const before = stateOf(await allocationOf(client), 't')
      clock.advance(10_000)
      for (let time = 1; time <= 5; time++) {
        const reply = await requireSuccess(ask('restart'))
        expect(reply.text).toBe('{"Index":0}')
        expect(Object.keys(reply.headers).filter((name) => /^x-(sched|nomad)/.test(name))).toEqual(
          [],
        )
        clock.advance(1000)
      }
      const allocation = await allocationOf(client)
      const after = stateOf(allocation, 't')
      expect([after.State, after.Restarts, allocation.ClientStatus]).toEqual([
        'running',
        5,
        'running',
      ])
      expect([before.LastRestart, after.LastRestart]).toEqual([
        null,
        expect.stringMatching(/^2026-/),
      ])
      expect(events(allocation, 't').slice(-4)).toEqual([
        'Restart Signaled: User requested running tasks to restart',
        'Terminated: Exit Code: 0',
        'Restarting: Task restarting in 0s',
        'Started: Task started by client',
      ])
      const signaled = after.Events?.find(({ Type }) => Type === 'Restart Signaled')
      expect(signaled?.RestartReason).toBe('User requested running tasks to restart')
    })
  },
)

describe(`restarting tasks (${section})`, () => {
  test('restarts a task by name while the other keeps running; GET and PUT both work', async () => {
    const { client, clock, ask } = await running({ a: {}, b: {} })
    for (const method of ['POST', 'PUT']) {
      await requireSuccess(ask('restart', { TaskName: 'a' }, method))
      clock.advance(1000)
    }
    const allocation = await allocationOf(client)
    expect([stateOf(allocation, 'a').Restarts, stateOf(allocation, 'b').Restarts]).toEqual([2, 0])
    await requireSuccess(ask('restart', undefined, 'GET'))
    clock.advance(1000)
    expect(stateOf(await allocationOf(client), 'b').Restarts).toBe(1)
    expect(events(allocation, 'a')).toContain('Restart Signaled: User requested task to restart')
  })

  // choice/scheduler#client-restart-order
  test('AllTasks also restarts ended tasks', async () => {
    const prepare = { Lifecycle: { Hook: 'prestart', Sidecar: false }, Config: { run_for: '1ms' } }
    const { client, clock, ask } = await running({ prepare, main: {} })
    expect(stateOf(await allocationOf(client), 'prepare').State).toBe('dead')
    await requireSuccess(ask('restart', {}))
    clock.advance(1000)
    expect(stateOf(await allocationOf(client), 'prepare').Restarts).toBe(0)
    await requireSuccess(ask('restart', { AllTasks: true }))
    clock.advance(1000)
    const allocation = await allocationOf(client)
    expect(events(allocation, 'prepare').slice(-4)).toEqual([
      'Restart Signaled: User requested all tasks to restart',
      'Restarting: Task restarting in 0s',
      'Started: Task started by client',
      'Terminated: Exit Code: 0',
    ])
    expect(stateOf(allocation, 'prepare')).toMatchObject({ State: 'dead', Restarts: 1 })
    expect(stateOf(allocation, 'main')).toMatchObject({ State: 'running', Restarts: 2 })
    expect(await overview(client)).toEqual(['example.g[0] v0 run/running'])
  })

  // choice/scheduler#client-requests-refused
  test('invalid restarts are refused', async () => {
    const { client, clock, ask, id } = await running({ a: {}, b: {} })
    const refused = (body: object) => failureOf(ask('restart', body))
    expect(await refused({ TaskName: 'x' })).toEqual([
      500,
      'Could not find task runner for task: x',
    ])
    expect(await refused({ TaskName: 'a', AllTasks: true })).toEqual([
      500,
      'task name cannot be set when restarting all tasks',
    ])
    const unknown = client.post(`client/allocation/${unknownId}/restart`)
    expect(await failureOf(unknown)).toEqual([404, `Unknown allocation "${unknownId}"`])
    expect(await failureOf(client.post('client/allocation/x/restart'))).toEqual([
      500,
      'alloc lookup failed: index error: UUID must be 36 characters',
    ])
    await requireSuccess(client.post(`allocation/${id}/stop`))
    clock.advance(1000)
    expect(await failureOf(ask('restart'))).toEqual([
      500,
      'restart of an alloc that should not run',
    ])
    const broken = client.post(`client/allocation/${id}/restart`, '{"TaskName":1}')
    expect((await broken).status).toBe(500)
  })

  // choice/scheduler#client-requests-refused
  test('a task that does not run cannot be restarted by name', async () => {
    const { ask } = await running({ a: { Config: { start_block_for: '1h' } }, b: {} })
    expect(await failureOf(ask('restart', { TaskName: 'a' }))).toEqual([500, 'Task not running'])
  })
})

describe(`signals to tasks (${section})`, () => {
  // choice/scheduler#client-signals
  test('any signal is delivered to the task, which keeps running', async () => {
    const { client, ask } = await running()
    for (const Signal of ['SIGHUP', '', 'nonsense']) {
      expect((await requireSuccess(ask('signal', { Task: 't', Signal }, 'PUT'))).text).toBe(
        '{"Index":0}',
      )
    }
    const said = stateOf(await allocationOf(client), 't').Events?.slice(-3) ?? []
    expect(
      said.map(({ Type, DisplayMessage, Details }) => [Type, DisplayMessage, Details]),
    ).toEqual(
      ['SIGHUP', '', 'nonsense'].map((signal) => [
        'Signaling',
        'Task being sent a signal',
        { signal },
      ]),
    )
    expect(stateOf(await allocationOf(client), 't')).toMatchObject({
      State: 'running',
      Restarts: 0,
    })
  })

  // choice/scheduler#client-signals
  test.each([
    ['SIGKILL', 'Exit Code: 137, Signal: 9'],
    ['SIGTERM', 'Exit Code: 0'],
    ['SIGINT', 'Exit Code: 0'],
  ])('%s ends the task, and the restart policy applies', async (Signal, message) => {
    const { client, clock, ask } = await running()
    await requireSuccess(ask('signal', { Task: 't', Signal }))
    clock.advance(60_000)
    const allocation = await allocationOf(client)
    expect(events(allocation, 't').slice(-4)).toEqual([
      'Signaling: Task being sent a signal',
      `Terminated: ${message}`,
      'Restarting: Task restarting in 15s',
      'Started: Task started by client',
    ])
  })

  // choice/scheduler#client-signals
  test('a task that ignores the interrupt is killed according to its rule', async () => {
    const { client, ask } = await running({ t: { Config: { kill_after: '1m' } } })
    await requireSuccess(ask('signal', { Task: '', Signal: 'SIGTERM' }))
    expect(events(await allocationOf(client), 't')).toContain(
      'Terminated: Exit Code: 137, Signal: 9',
    )
  })

  test('invalid signals are refused', async () => {
    const { client, ask } = await running({ a: {}, b: { Config: { start_block_for: '1h' } } })
    const signal = { Task: 'b', Signal: 'SIGHUP' }
    const failed = '1 error occurred:\n\t* Failed to signal task: b, err: Task not running\n\n'
    expect(await failureOf(ask('signal'))).toEqual([
      400,
      'Failed to decode body: Request body is empty',
    ])
    expect(await failureOf(ask('signal', { ...signal, Task: 'x' }))).toEqual([
      500,
      'Task not found',
    ])
    expect(await failureOf(ask('signal', signal))).toEqual([500, 'Task not running'])
    expect(await failureOf(ask('signal', signal, 'GET'))).toEqual([405, 'Invalid method'])
    expect(await failureOf(ask('signal', signal, 'DELETE'))).toEqual([405, 'Invalid method'])
    const unknown = client.post(`client/allocation/${unknownId}/signal`, signal)
    expect(await failureOf(unknown)).toEqual([404, `Unknown allocation "${unknownId}"`])
    // The running tasks received the signal.
    expect(await failureOf(ask('signal', { Task: '', Signal: 'SIGHUP' }))).toEqual([500, failed])
    expect(events(await allocationOf(client), 'a')).toContain('Signaling: Task being sent a signal')
  })
})

describe('requests to clients (behaviour/scheduler#statistics and behaviour/scheduler#task-actions)', () => {
  // choice/scheduler#client-exec
  test('exec and unknown last segments are not served', async () => {
    const { client, ask, id } = await running()
    for (const what of ['exec', 'nonsense', 'a/restart']) {
      expect(await failureOf(ask(what))).toEqual([404, 'resource not found'])
    }
    const bare = client.get(`client/allocation/${id}`)
    expect(await failureOf(bare)).toEqual([404, 'resource not found'])
    const { scheduler: shared } = await scheduler({ dedicated: false })
    expect((await shared.post(`client/allocation/${id}/restart`)).status).toBe(404)
  })

  // choice/scheduler#client-requests-refused
  test('a node that is down cannot be reached', async () => {
    const { world, client, ask } = await running()
    const { NodeID } = await allocationOf(client)
    world.transitions.get('scheduler.node')?.force(world, NodeID, 'down', {})
    expect(await failureOf(ask('restart'))).toEqual([404, 'No path to node'])
  })
})
