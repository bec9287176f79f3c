import { describe, expect, test } from 'vitest'
import { problem } from '../../../support/control.ts'
import {
  allocationOf,
  allocationsOf,
  counters,
  deployments,
  evaluationsOf,
  events,
  mockJob,
  overview,
  reasons,
  statusOf,
  unknownId,
} from '../cluster/support.ts'
import { register } from '../support.ts'
import { scheduledPlane } from './scheduler-plane.ts'

describe('behaviour/program#control-plane: transitions of the scheduler', () => {
  test('are listed with the forced ones that are possible', async () => {
    const { client, advance, transition } = await scheduledPlane()
    const { EvalID } = await register(client, mockJob({ t: {} }))
    expect(await transition('evaluation')).toEqual({
      kind: 'scheduler.evaluation',
      summary: expect.any(String),
      targets: ['pending', 'complete', 'failed', 'canceled'],
      takes: { failed: expect.any(Object), canceled: expect.any(Object) },
      pace: { after: '50ms' },
      items: [{ id: EvalID, state: 'pending', to: ['complete', 'failed', 'canceled'] }],
    })
    advance(400)
    const { ID } = await allocationOf(client)
    expect((await transition('evaluation')).items).toEqual([])
    expect(await transition('allocation')).toMatchObject({
      targets: ['running', 'complete', 'failed', 'lost', 'unknown', 'stop', 'healthy', 'unhealthy'],
      items: [
        {
          id: ID,
          state: 'running',
          to: ['complete', 'failed', 'lost', 'unknown', 'stop', 'healthy', 'unhealthy'],
        },
      ],
    })
    expect(await transition('task')).toMatchObject({
      pace: { after: '50ms' },
      items: [{ id: `${ID}:t`, state: 'running', to: ['exited', 'dead', 'failed', 'restarting'] }],
    })
    const nodes = await transition('node')
    expect(nodes).toMatchObject({ pace: 'manual' })
    expect(nodes.items).toHaveLength(3)
    expect(nodes.items[0]).toMatchObject({
      state: 'ready',
      to: ['down', 'disconnected', 'ineligible', 'drained'],
    })
  })

  // choice/scheduler#cluster-pushes
  test('fail this task with exit code 137', async () => {
    const { client, advance, push } = await scheduledPlane()
    await register(client, mockJob({ t: {} }))
    advance(400)
    const { ID } = await allocationOf(client)
    const reply = await push('task', `${ID}:t`, 'failed', { exitCode: 137, signal: 9 })
    expect(reply.status).toBe(200)
    const failed = await allocationOf(client)
    expect(events(failed, 't').slice(-2)).toEqual([
      'Terminated: Exit Code: 137, Signal: 9',
      'Not Restarting: Policy allows no restarts',
    ])
    expect(failed.ClientStatus).toBe('failed')
    advance(31_000)
    expect(await overview(client)).toEqual([
      'example.g[0] v0 stop/failed',
      'example.g[0] v0 run/running',
    ])
  })

  // choice/scheduler#cluster-pushes
  test('exited follows the restart policy', async () => {
    const { client, advance, push } = await scheduledPlane()
    await register(client, mockJob({ t: {} }))
    advance(400)
    const { ID } = await allocationOf(client)
    const extras = { exitCode: 2, message: 'boom', oomKilled: true }
    const reply = await push('task', `${ID}:t`, 'exited', extras)
    expect(reply.body).toEqual({
      kind: 'scheduler.task',
      id: `${ID}:t`,
      item: { id: `${ID}:t`, state: 'restarting', to: expect.any(Array) },
    })
    expect(events(await allocationOf(client), 't').slice(-2)).toEqual([
      'Terminated: Exit Code: 2, Exit Message: "boom"',
      'Restarting: Task restarting in 15s',
    ])
  })

  test('start-failed and restarting', async () => {
    const { client, advance, push } = await scheduledPlane()
    await register(client, mockJob({ t: {} }, { Count: 2 }))
    advance(60)
    const [a, b] = await allocationsOf(client)
    await push('task', `${a?.ID}:t`, 'start-failed', { error: 'no luck', recoverable: true })
    expect(events(await allocationOf(client), 't').slice(-2)).toEqual([
      'Driver Failure: no luck',
      'Restarting: Task restarting in 15s',
    ])
    await push('task', `${b?.ID}:t`, 'running')
    expect((await overview(client))[1]).toBe('example.g[1] v0 run/running')
    await push('task', `${b?.ID}:t`, 'restarting')
    expect(events(await allocationOf(client, 1), 't').slice(-3)).toEqual([
      'Restart Signaled: User requested restart',
      'Terminated: Exit Code: 0',
      'Restarting: Task restarting in 0s',
    ])
  })

  test('complete an allocation', async () => {
    const { client, advance, push } = await scheduledPlane()
    await register(client, mockJob({ a: {}, b: {} }, {}, { Type: 'batch' }))
    advance(400)
    const { ID } = await allocationOf(client)
    const reply = await push('allocation', ID, 'complete')
    expect([reply.status, reply.body.item]).toEqual([200, null])
    expect([await overview(client), await statusOf(client)]).toEqual([
      ['example.g[0] v0 run/complete'],
      'dead',
    ])
    expect(await counters(client, 'g')).toEqual({ Complete: 1 })
  })

  test.each([
    ['running', 'run/running'],
    ['failed', 'run/failed'],
    ['lost', 'stop/lost'],
    ['unknown', 'run/unknown'],
  ])('a pending allocation can be forced to %s', async (to, after) => {
    const { client, advance, push } = await scheduledPlane()
    await register(client, mockJob({ t: {} }))
    advance(60)
    const { ID } = await allocationOf(client)
    expect((await push('allocation', ID, to)).status).toBe(200)
    expect((await overview(client))[0]).toBe(`example.g[0] v0 ${after}`)
  })

  test('stop and lost lead to a new allocation', async () => {
    for (const to of ['stop', 'lost']) {
      const { client, advance, push } = await scheduledPlane()
      await register(client, mockJob({ t: {} }))
      advance(11_000)
      const { ID } = await allocationOf(client)
      await push('allocation', ID, to)
      advance(1000)
      const all = await overview(client)
      expect(all[1]).toBe('example.g[0] v0 run/running')
    }
  })

  test('healthy and unhealthy decide a deployment', async () => {
    for (const [to, status] of [
      ['healthy', 'successful'],
      ['unhealthy', 'failed'],
    ] as const) {
      const { client, advance, push } = await scheduledPlane()
      await register(client, mockJob({ t: {} }, { Update: { ProgressDeadline: 0 } }))
      advance(400)
      await push('allocation', (await allocationOf(client)).ID, to)
      advance(50)
      expect((await deployments(client))[0]?.[1]).toBe(status)
    }
  })

  // choice/scheduler#cluster-pushes
  test('lose a node by its name, and recover it', async () => {
    const { client, advance, push, transition } = await scheduledPlane()
    await register(client, mockJob({ t: {} }))
    advance(500)
    const { NodeName, NodeID } = await allocationOf(client)
    const reply = await push('node', NodeName, 'down')
    expect(reply.status).toBe(200)
    expect((await client.get(`node/${NodeID}`)).body.Status).toBe('down')
    advance(500)
    expect(await overview(client)).toEqual([
      'example.g[0] v0 stop/lost',
      'example.g[0] v0 run/running',
    ])
    const [lost, next] = await allocationsOf(client)
    expect(lost?.DesiredDescription).toBe('alloc is lost since its node is down')
    expect(next?.NodeID).not.toBe(NodeID)
    expect(await reasons(client)).toEqual(['job-register complete', 'node-update complete'])
    expect(await counters(client, 'g')).toEqual({ Running: 1, Lost: 1 })
    const down = (await transition('node')).items.find(({ id }) => id === NodeID)
    expect(down).toEqual({ id: NodeID, state: 'down', to: ['ready'] })
    await push('node', NodeID, 'ready')
    expect((await client.get(`node/${NodeID}`)).body.Status).toBe('ready')
  })

  test('drain a node: its allocations move', async () => {
    const { client, advance, push } = await scheduledPlane()
    await register(client, mockJob({ t: {} }))
    advance(11_000)
    const { NodeID } = await allocationOf(client)
    await push('node', NodeID, 'drained')
    expect((await client.get(`node/${NodeID}`)).body).toMatchObject({
      Drain: true,
      SchedulingEligibility: 'ineligible',
      LastDrain: { Status: 'draining' },
    })
    advance(2000)
    const [old, next] = await allocationsOf(client)
    expect([old?.DesiredDescription, old?.ClientStatus, next?.ClientStatus]).toEqual([
      'alloc is being migrated',
      'complete',
      'running',
    ])
    expect((await client.get(`node/${NodeID}`)).body).toMatchObject({
      Drain: false,
      SchedulingEligibility: 'ineligible',
      LastDrain: { Status: 'complete' },
    })
    await push('node', NodeID, 'eligible')
    expect((await client.get(`node/${NodeID}`)).body.SchedulingEligibility).toBe('eligible')
  })

  test('a disconnected node returns with its running allocations', async () => {
    const { client, advance, push } = await scheduledPlane()
    const group = { MaxClientDisconnect: 3600e9 }
    await register(client, mockJob({ t: {} }, group))
    advance(11_000)
    const { NodeID, ID } = await allocationOf(client)
    await push('node', NodeID, 'disconnected')
    advance(100)
    expect((await client.get(`allocation/${ID}`)).body.ClientStatus).toBe('unknown')
    await push('node', NodeID, 'ready')
    advance(100)
    expect((await client.get(`allocation/${ID}`)).body.ClientStatus).toBe('running')
  })

  test('evaluations: complete, fail and cancel', async () => {
    const { client, push, transition } = await scheduledPlane({ schedulerMode: 'frozen' })
    const ids: string[] = []
    for (const ID of ['a', 'b', 'c']) {
      ids.push((await register(client, mockJob({ t: {} }, {}, { ID }))).EvalID)
    }
    const [a = '', b = '', c = ''] = ids
    await push('evaluation', a, 'complete')
    await push('evaluation', b, 'failed')
    await push('evaluation', c, 'canceled', { description: 'by hand' })
    const said = async (id: string) => {
      const [found] = await evaluationsOf(client, id)
      return [found?.Status, found?.StatusDescription]
    }
    expect([await said('a'), await said('b'), await said('c')]).toEqual([
      ['complete', ''],
      ['failed', 'maximum attempts reached (5)'],
      ['canceled', 'by hand'],
    ])
    expect(await overview(client, 'a')).toEqual(
      ['example.g[0] v0 run/pending'].map((each) => each.replace('example', 'a')),
    )
    expect((await transition('evaluation')).items).toEqual([])
  })

  test.each([
    ['task', `${unknownId}:t`, 'failed', `there is no task "${unknownId}:t" to push`],
    ['allocation', unknownId, 'complete', `there is no allocation "${unknownId}"`],
    ['evaluation', 'x', 'complete', 'there is no evaluation "x"'],
    ['node', 'x', 'down', 'there is no node "x"'],
  ])('an unknown %s is refused', async (kind, id, to, detail) => {
    const { push } = await scheduledPlane()
    expect((await push(kind, id, to)).body).toEqual(problem(404, 'Not Found', detail))
  })

  test('an impossible transition is refused', async () => {
    const { client, advance, push, ask } = await scheduledPlane()
    const { EvalID } = await register(client, mockJob({ t: {} }, {}, { Type: 'batch' }))
    advance(60_000)
    const { ID, NodeID } = await allocationOf(client)
    const conflicts = [
      ['evaluation', EvalID, 'canceled', 'an evaluation that is complete cannot become canceled'],
      ['allocation', ID, 'running', 'an allocation that is complete cannot become running'],
      ['node', NodeID, 'ready', 'a node that is ready cannot become ready'],
    ] as const
    for (const [kind, id, to, detail] of conflicts) {
      expect((await push(kind, id, to)).body).toEqual(problem(409, 'Conflict', detail))
    }
    expect((await push('task', `${ID}:t`, 'dead')).status).toBe(404)
    expect((await push('node', NodeID, 'gone')).body.problems).toEqual([
      '/to must be one of ready, down, disconnected, ineligible, eligible, drained for a scheduler.node',
    ])
    const nothing = await ask('POST', '/transitions/scheduler.moon/x', { to: 'full' })
    expect(nothing.body).toEqual(
      problem(404, 'Not Found', 'there is no kind of transition "scheduler.moon"'),
    )
  })

  test.each([{ exitCode: 'x' }, { exitCode: 1.5 }, { signal: true }, { oomKilled: 1 }])(
    'a forced transition with %o is refused and changes nothing',
    async (extras) => {
      const { client, advance, push, ask } = await scheduledPlane()
      await register(client, mockJob({ t: {} }))
      advance(400)
      const before = (await ask('GET', '/state')).text
      const { ID } = await allocationOf(client)
      expect((await push('task', `${ID}:t`, 'failed', extras)).status).toBe(400)
      expect((await ask('GET', '/state')).text).toBe(before)
    },
  )
})
