import { once } from 'node:events'
import { connect } from 'node:net'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { mockJob } from '../../routes/scheduler/cluster/support.ts'
import {
  aclScheduler,
  exampleJob,
  frozenScheduler,
  register,
  requireSuccess,
} from '../../routes/scheduler/support.ts'
import { scheduler } from '../../support/scheduler/scheduler.ts'
import { type StreamedLine, streaming } from '../../support/scheduler/scheduler-events.ts'

const section = 'behaviour/scheduler#event-stream'

describe(`the event stream on sockets (${section})`, () => {
  // choice/scheduler#cluster-event-types
  test('begins with a heartbeat, and reports a registration in two lines of one index', async () => {
    const { stream, scheduler: api } = await streaming(await frozenScheduler())
    const reader = await stream('?topic=Job&topic=Evaluation')
    expect([reader.status, reader.headers]).toMatchObject([
      200,
      {
        'content-type': 'application/json',
        'cache-control': 'no-cache',
        'transfer-encoding': 'chunked',
      },
    ])
    expect(await reader.text()).toBe('{}')
    const { EvalID } = await register(api, exampleJob())
    const job = (await api.get('job/example')).body
    const evaluation = (await api.get(`evaluation/${EvalID}`)).body
    const common = { Type: 'JobRegistered', Namespace: 'default', Index: 11 }
    expect([await reader.line(), await reader.line()]).toEqual([
      {
        Index: 11,
        Events: [
          { ...common, Topic: 'Job', Key: 'example', FilterKeys: null, Payload: { Job: job } },
        ],
      },
      {
        Index: 11,
        Events: [
          {
            ...common,
            Topic: 'Evaluation',
            Key: EvalID,
            FilterKeys: ['example', ''],
            Payload: { Evaluation: evaluation },
          },
        ],
      },
    ])
  })

  // choice/scheduler#cluster-event-heartbeats
  test('sends a heartbeat every 30 s of the world’s clock', async () => {
    const { stream, clock } = await streaming(await frozenScheduler())
    const reader = await stream('?topic=Job')
    expect(await reader.text()).toBe('{}')
    clock.advance(30_000)
    expect(await reader.text()).toBe('{}')
    clock.advance(90_000)
    for (let n = 0; n < 3; n++) expect(await reader.text()).toBe('{}')
  })

  test('sends earlier events: all retained ones, or those after an index', async () => {
    const { stream, scheduler: api } = await streaming(await frozenScheduler())
    for (const ID of ['a', 'b', 'c']) await register(api, exampleJob({ ID }))
    const first = await stream('?topic=Job')
    for (const [at, key] of ['a', 'b', 'c'].entries()) {
      expect(await first.line()).toMatchObject({
        Index: 11 + at,
        Events: [{ Key: key, Type: 'JobRegistered' }],
      })
    }
    await requireSuccess(api.delete('job/b'))
    expect(await first.line()).toMatchObject({
      Index: 14,
      Events: [{ Key: 'b', Type: 'JobDeregistered', Payload: { Job: { Stop: true } } }],
    })
    const later = await stream('?topic=Job&index=13')
    expect(await later.line()).toMatchObject({ Index: 13, Events: [{ Key: 'c' }] })
    // With an index above the last one, the stream has only the last line: the evaluation of the
    // stop.
    const futureStream = await stream('?topic=Job&topic=Evaluation&index=99')
    expect(await futureStream.line()).toMatchObject({
      Index: 14,
      Events: [{ Topic: 'Evaluation', Type: 'JobDeregistered' }],
    })
  })

  test('a stream that is opened later shows every event as it happened', async () => {
    const { stream, scheduler: api, clock } = await streaming(await scheduler())
    const early = await stream('?namespace=*')
    const { JobModifyIndex } = await register(api, mockJob({ t: {} }))
    clock.advance(60_000)
    const kinds = ({ Index, Events = [] }: StreamedLine) =>
      `${Index} ${Events.map(({ Topic, Type }) => `${Topic}/${Type}`).join(' ')}`
    const seen: string[] = []
    while (!seen.at(-2)?.includes('Deployment/PlanResult Job/PlanResult') || seen.length < 12) {
      const line = await early.line()
      if (line !== undefined) seen.push(kinds(line))
    }
    const late = await stream('?namespace=*')
    for (const line of seen) expect(kinds((await late.line()) ?? {})).toBe(line)
    const indexes = [...new Set(seen.map((line) => Number(line.split(' ')[0])))]
    expect(indexes).toEqual(Array.from(indexes, (_, at) => Number(JobModifyIndex) - 1 + at))
    const fromRegistration = await stream(`?namespace=*&index=${JobModifyIndex}`)
    expect(
      [await fromRegistration.line(), await fromRegistration.line()].map((line) =>
        kinds(line ?? {}),
      ),
    ).toEqual([`${JobModifyIndex} Job/JobRegistered`, `${JobModifyIndex} Evaluation/JobRegistered`])
    // The registered job is shown as it was at that time, not in its present state.
    expect((await (await stream('?topic=Job')).line())?.Events?.[0]?.Payload['Job']).toMatchObject({
      Status: 'pending',
      Stable: false,
    })
  })

  test.each([
    [undefined, 66],
    [0, 66],
    [30, 101],
    [1000, 11],
  ])('keeps a hundred lines, or `eventBufferSize` of them (%s)', async (eventBufferSize, first) => {
    const options = eventBufferSize === undefined ? {} : { eventBufferSize }
    const { stream, scheduler: api } = await streaming(await frozenScheduler({ options }))
    const early = await stream('?topic=Job')
    for (let n = 0; n < 105; n++) await register(api, exampleJob({ Priority: 50 - (n % 2) }))
    expect(await early.line()).toMatchObject({ Index: 11 })
    const late = await stream('?topic=Job')
    expect(await late.line()).toMatchObject({ Index: first })
  })

  test('is cut to topics, keys and namespaces', async () => {
    const { stream, scheduler: api } = await streaming(await frozenScheduler())
    await requireSuccess(api.post('namespace', { Name: 'other' }))
    const readers = {
      key: await stream('?topic=Job:b'),
      filterKey: await stream('?topic=Evaluation:b'),
      other: await stream('?topic=Job&namespace=other'),
      all: await stream('?topic=Job&namespace=*'),
      unknown: await stream('?topic=Nonsense&topic=Job:b'),
    }
    await register(api, exampleJob({ ID: 'a' }))
    await register(api, exampleJob({ ID: 'x', Namespace: 'other' }))
    await register(api, exampleJob({ ID: 'b' }))
    const keyOf = async (name: keyof typeof readers) =>
      (await readers[name].line())?.Events?.map(({ Topic, Namespace, Key }) => [
        Topic,
        Namespace,
        Key,
      ])
    expect(await keyOf('key')).toEqual([['Job', 'default', 'b']])
    expect((await readers.filterKey.line())?.Events).toMatchObject([{ FilterKeys: ['b', ''] }])
    expect(await keyOf('other')).toEqual([['Job', 'other', 'x']])
    expect(await keyOf('unknown')).toEqual([['Job', 'default', 'b']])
    expect([await keyOf('all'), await keyOf('all'), await keyOf('all')]).toEqual([
      [['Job', 'default', 'a']],
      [['Job', 'other', 'x']],
      [['Job', 'default', 'b']],
    ])
  })

  test('follows a job and its service through the cluster', async () => {
    const { stream, scheduler: api, clock } = await streaming(await scheduler())
    const reader = await stream('?namespace=*&index=11')
    const Services = [{ Name: 'web', Provider: 'sched' }]
    await register(api, mockJob({ t: {} }, { Services }))
    clock.advance(1000)
    const seen = await reader.until('Service', 'ServiceRegistration')
    expect(seen).toContain('Job JobRegistered')
    expect(seen).toContain('Evaluation JobRegistered')
    const placed = seen.find((each) => each.includes('Allocation PlanResult'))
    expect(placed?.split(' + ').map((each) => each.split(' ')[0])).toEqual(
      expect.arrayContaining(['Evaluation', 'Allocation']),
    )
    expect(seen.some((each) => each.includes('Allocation AllocationUpdated'))).toBe(true)
  })

  test('speaks the vendor’s names in its dialect', async () => {
    const served = await frozenScheduler({ dialect: 'vendor' })
    const { stream, scheduler: api } = await streaming(served)
    await register(api, exampleJob())
    const reader = await stream('?topic=Job')
    const line = await reader.line()
    expect(line?.Events?.[0]?.Payload.Job).toEqual((await api.get('job/example')).body)
  })

  test.each([
    ['?index=x', 400, 'Unable to parse index: strconv.Atoi: parsing "x": invalid syntax'],
    [
      '?topic=a:b:c',
      400,
      'Invalid topic query: error parsing topics: Invalid key value pair for topic, topic: a:b:c',
    ],
  ])('%s is refused', async (query, status, text) => {
    const { stream } = await streaming(await frozenScheduler())
    const reader = await stream(query)
    expect([reader.status, await reader.text()]).toEqual([status, text])
  })

  test('other methods are wrong', async () => {
    const { scheduler: api } = await frozenScheduler()
    const { status, text } = await api.post('event/stream')
    expect([status, text]).toEqual([405, 'Invalid method'])
  })

  // choice/scheduler#cluster-event-buffer choice/scheduler#cluster-event-heartbeats
  test('ends when its world goes to another state, which has the kept events of that state', async () => {
    const { stream, world, scheduler: api } = await streaming(await frozenScheduler())
    await register(api, exampleJob({ ID: 'kept' }))
    const snapshot = world.snapshot()
    await register(api, exampleJob({ ID: 'lost' }))
    const reader = await stream('?topic=Job&index=99')
    world.restore(snapshot)
    expect(await reader.rest()).toEqual(['{}'])
    const restored = await stream('?topic=Job')
    expect((await restored.line())?.Events?.map(({ Key }) => Key)).toEqual(['kept'])
    await register(api, exampleJob({ ID: 'next' }))
    expect((await restored.line())?.Events?.map(({ Key }) => Key)).toEqual(['next'])
    world.reset()
    const fresh = await stream('')
    expect((await fresh.line())?.Events?.map(({ Type }) => Type)).toContain('NodeRegistration')
  })
})

test(`${section}: a stream ends with its world, so that a server can stop`, async () => {
  const { stream, world } = await streaming(await frozenScheduler())
  const reader = await stream('?topic=Job')
  expect(await reader.text()).toBe('{}')
  world.close()
  expect(await reader.rest()).toEqual([])
})

describe(`rights of streams (${section})`, () => {
  const denied = [403, 'Permission denied']

  test.each([
    ['namespace "default" { capabilities = ["read-job"] }', 'topic=Job&topic=Service', 200],
    ['namespace "default" { capabilities = ["read-job"] }', 'topic=Job&namespace=*', 403],
    ['namespace "*" { capabilities = ["read-job"] }', 'topic=Allocation&namespace=*', 200],
    ['namespace "default" { policy = "write" }', 'topic=Node', 403],
    ['node { policy = "read" }', 'topic=Node', 200],
    ['node { policy = "read" }', 'topic=NodePool', 403],
    ['namespace "default" { policy = "write" } node { policy = "write" }', '', 403],
  ])('with the rules %s, the query %s returns %i', async (rules, query, status) => {
    const { manager, as, holder, stream } = await streaming(await aclScheduler())
    await requireSuccess(manager.post('namespace', { Name: 'other' }))
    const { accessor } = await holder(rules)
    const { SecretID } = (await manager.get(`acl/token/${accessor}`)).body
    expect(as(SecretID)).toBeDefined()
    const reader = await stream(`?${query}`, SecretID)
    expect(reader.status).toBe(status)
    if (status === 403) expect([reader.status, await reader.text()]).toEqual(denied)
    reader.close()
  })

  test('without a valid token, the stream is refused', async () => {
    const { stream } = await streaming(await aclScheduler())
    for (const token of [undefined, 'x']) {
      const reader = await stream('?topic=Job', token)
      expect([reader.status, await reader.text()]).toEqual(denied)
    }
    expect((await stream('', 'scheduler-management-token')).status).toBe(200)
  })

  /** Returns a stream of jobs with a token of its own, which expires after an hour. */
  async function listening() {
    const served = await streaming(await aclScheduler())
    const { manager, stream } = served
    const policy = (Rules: string) =>
      requireSuccess(manager.post('acl/policy/reads', { Name: 'reads', Rules }))
    await policy('namespace "default" { policy = "read" }')
    const sent = { Type: 'client', Policies: ['reads'], ExpirationTTL: '1h' }
    const { AccessorID, SecretID } = (await requireSuccess(manager.post('acl/token', sent))).body
    const reader = await stream('?topic=Job', SecretID)
    expect(await reader.text()).toBe('{}')
    return { ...served, policy, accessor: String(AccessorID), reader }
  }

  // choice/scheduler#cluster-event-heartbeats
  test('a stream ends with its token', async () => {
    const { manager, accessor, reader } = await listening()
    await requireSuccess(manager.post('acl/token', { Type: 'management' }))
    await register(manager, exampleJob())
    expect(await reader.line()).toMatchObject({ Events: [{ Key: 'example' }] })
    await requireSuccess(manager.delete(`acl/token/${accessor}`))
    expect(await reader.rest()).toEqual([])
  })

  test('ends when its token expires', async () => {
    const { clock, reader } = await listening()
    clock.advance(3_600_000)
    expect(new Set(await reader.rest())).toEqual(new Set(['{}']))
  })

  test('ends when its policies no longer allow it', async () => {
    const { policy, reader } = await listening()
    await policy('namespace "default" { policy = "deny" }')
    expect(await reader.rest()).toEqual([])
  })

  test('changes of tokens, policies and roles are events without secrets', async () => {
    const { manager, stream } = await streaming(await aclScheduler())
    const reader = await stream('?index=11', 'scheduler-management-token')
    await requireSuccess(manager.post('acl/policy/p', { Name: 'p', Rules: '' }))
    const role = (
      await requireSuccess(manager.post('acl/role', { Name: 'r', Policies: [{ Name: 'p' }] }))
    ).body
    const sent = { Type: 'client', Policies: ['p'] }
    const token = (await requireSuccess(manager.post('acl/token', sent))).body
    await requireSuccess(manager.delete(`acl/token/${token.AccessorID}`))
    await requireSuccess(manager.delete(`acl/role/${role.ID}`))
    await requireSuccess(manager.delete('acl/policy/p'))
    const seen = []
    while (seen.length < 6) {
      const line = await reader.line()
      if ((line?.Index ?? 0) > 10) seen.push(line?.Events?.[0])
    }
    const common = { Namespace: '' }
    expect(seen).toMatchObject([
      { ...common, Topic: 'ACLPolicy', Type: 'ACLPolicyUpserted', Key: 'p', FilterKeys: null },
      { Topic: 'ACLRole', Type: 'ACLRoleUpserted', Key: role.ID, FilterKeys: ['r'] },
      {
        Topic: 'ACLToken',
        Type: 'ACLTokenUpserted',
        Key: token.AccessorID,
        Payload: { ACLToken: { ...token, SecretID: '' } },
      },
      { Topic: 'ACLToken', Type: 'ACLTokenDeleted' },
      { Topic: 'ACLRole', Type: 'ACLRoleDeleted', Payload: { ACLRole: role } },
      { Topic: 'ACLPolicy', Type: 'ACLPolicyDeleted' },
    ])
  })

  test('draining and purging a node are events (behaviour/scheduler#node-endpoints)', async () => {
    const { stream, scheduler: api, clock } = await streaming(await scheduler())
    const ids = (await api.get('nodes')).body.map(({ ID }: { readonly ID: string }) => ID)
    const reader = await stream(`?topic=Node:${ids[0]}`)
    await reader.until('Node', 'NodeRegistration')
    await requireSuccess(api.post(`node/${ids[0]}/drain`, { DrainSpec: { Deadline: 60e9 } }))
    const set = await reader.line()
    expect(set?.Events?.map(({ Type, Payload }) => [Type, Payload['Node']?.['Drain']])).toEqual([
      ['NodeDrain', true],
    ])
    await requireSuccess(api.post(`node/${ids[0]}/drain`, { DrainSpec: { Deadline: 90e9 } }))
    expect((await reader.line())?.Events?.map(({ Type }) => Type)).toEqual(['NodeDrain'])
    clock.advance(1000)
    const done = await reader.line()
    expect(done?.Events?.[0]).toMatchObject({
      Type: 'NodeDrain',
      Payload: { Node: { Drain: false, LastDrain: { Status: 'complete' } } },
    })
    await requireSuccess(api.post(`node/${ids[0]}/eligibility`, { Eligibility: 'eligible' }))
    await requireSuccess(api.post(`node/${ids[0]}/purge`))
    expect(await reader.until('Node', 'NodeDeregistration')).toEqual([
      'Node NodeDrain',
      'Node NodeDeregistration',
    ])
  })

  // choice/process#event-slow-reader
  test('only a reader that stops reading is disconnected (behaviour/program#events)', async () => {
    const served = await streaming(await frozenScheduler())
    const reader = await served.stream('?topic=Job')
    await reader.text()
    const open = () => promisify(served.app.server.getConnections.bind(served.app.server))()
    const before = await open()
    const idle = connect({ port: served.port, host: '127.0.0.1' })
    onTestFinished(() => void idle.destroy())
    idle.on('error', () => {})
    await once(idle, 'connect')
    idle.pause()
    idle.write('GET /v1/event/stream?topic=Job HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await expect.poll(open).toBe(before + 1)
    const large = { ...exampleJob(), Meta: { text: 'x'.repeat(500_000) } }
    // The kernel buffers some megabytes for the reader; the amount differs.
    for (let count = 0; count < 100 && (await open()) > before; count += 1) {
      await register(served.scheduler, { ...large, Priority: 1 + (count % 100) })
      expect((await reader.line())?.Events?.[0]?.Type).toBe('JobRegistered')
    }
    expect(await open()).toBe(before)
  })
})
