import { describe, expect, test } from 'vitest'
import { scheduler } from '../../../support/scheduler/scheduler.ts'
import { allocationOf, mockJob, unknownId } from '../cluster/support.ts'
import {
  aclScheduler,
  apiHeaders,
  failureOf,
  frozenScheduler,
  type Members,
  readHeaders,
  register,
  requireSuccess,
} from '../support.ts'

const web = { Name: 'web', PortLabel: 'http', Provider: 'sched', Tags: ['b', 'a'] }
const Networks = [{ DynamicPorts: [{ Label: 'http' }, { Label: 'db' }] }]

/** Registers a running job whose group and task have services. */
async function offering(
  change: { dialect?: 'neutral' | 'vendor'; group?: Members; task?: Members } = {},
) {
  const served = await scheduler(change.dialect === undefined ? {} : { dialect: change.dialect })
  const { scheduler: api, clock } = served
  const Provider = change.dialect === 'vendor' ? 'nomad' : 'sched'
  const Services = [{ Name: 'db', PortLabel: 'db', Provider }]
  await register(
    api,
    mockJob(
      { t: { Services, ...change.task } },
      { Networks, Services: [{ ...web, Provider }], ...change.group },
    ),
  )
  clock.advance(5000)
  const allocation = await allocationOf(api)
  const names = async () =>
    (await requireSuccess(api.get('services'))).body.flatMap(({ Services: each }: Members) =>
      (each as Members[]).map(({ ServiceName }) => ServiceName),
    )
  return { ...served, api, allocation, names }
}

describe('services of the builtin provider (behaviour/scheduler#services)', () => {
  // choice/scheduler#cluster-service-addresses
  test('are registered while their tasks run, with the address of their port', async () => {
    const { api, allocation } = await offering()
    const reply = await requireSuccess(api.get('service/web'))
    const [http, db] = (await api.get(`allocation/${allocation.ID}`)).body.AllocatedResources.Shared
      .Ports
    const { CreateIndex } = reply.body[0]
    expect([reply.body, apiHeaders(reply)]).toEqual([
      [
        {
          ID: `_sched-task-${allocation.ID}-group-g-web-http`,
          ServiceName: 'web',
          Namespace: 'default',
          NodeID: allocation.NodeID,
          Datacenter: 'dc1',
          JobID: 'example',
          AllocID: allocation.ID,
          Tags: ['b', 'a'],
          Address: http.HostIP,
          Port: http.Value,
          CreateIndex,
          ModifyIndex: CreateIndex,
        },
      ],
      readHeaders(CreateIndex),
    ])
    expect((await api.get('service/db')).body).toMatchObject([
      { ID: `_sched-task-${allocation.ID}-t-db-db`, Tags: [], Port: db.Value },
    ])
  })

  test('have the vendor’s IDs in its dialect, and are found by either ID', async () => {
    const { api, allocation } = await offering({ dialect: 'vendor' })
    const [{ ID }] = (await api.get('service/web')).body
    expect(ID).toBe(`_nomad-task-${allocation.ID}-group-g-web-http`)
    await requireSuccess(api.delete(`service/web/${ID}`))
    expect((await api.get('service/web')).body).toEqual([])
    await requireSuccess(api.delete(`service/db/_sched-task-${allocation.ID}-t-db-db`))
  })

  test('are listed by name with all of their tags', async () => {
    const { scheduler: still } = await frozenScheduler()
    const none = await requireSuccess(still.get('services'))
    expect([none.body, apiHeaders(none)]).toEqual([[], readHeaders(1)])
    const { api } = await offering()
    const Services = [
      { ServiceName: 'db', Tags: [] },
      { ServiceName: 'web', Tags: ['a', 'b'] },
    ]
    const expected = [{ Namespace: 'default', Services }]
    expect((await requireSuccess(api.get('services'))).body).toEqual(expected)
    expect((await requireSuccess(api.get('services?namespace=*'))).body).toEqual(expected)
    expect((await requireSuccess(api.get('services?namespace=other'))).body).toEqual([])
    expect((await requireSuccess(api.get('service/none'))).body).toEqual([])
    const meshed = await offering({
      group: { Services: null },
      task: { Services: [{ Name: 'm' }] },
    })
    expect(await meshed.names()).toEqual([])
  })

  test('of a job and of an allocation', async () => {
    const { api, allocation } = await offering()
    const names = async (path: string) =>
      (await requireSuccess(api.get(path))).body.map((each: Members) => each.ServiceName)
    expect(await names('job/example/services')).toEqual(['web', 'db'])
    expect(await names(`allocation/${allocation.ID}/services`)).toEqual(['web', 'db'])
    expect(await failureOf(api.get('job/none/services'))).toEqual([404, 'job not found'])
    expect(await failureOf(api.get(`allocation/${unknownId}/services`))).toEqual([
      404,
      'allocation not found',
    ])
    expect(await failureOf(api.get('allocation/x/services'))).toEqual([
      500,
      'alloc lookup failed: index error: UUID must be 36 characters',
    ])
  })

  test('are removed when their tasks end, and return when they start again', async () => {
    const { api, clock, names } = await offering()
    expect(await names()).toEqual(['db', 'web'])
    await requireSuccess(api.delete('job/example'))
    clock.advance(10_000)
    expect(await names()).toEqual([])
    const tasks = await offering({
      task: { Config: { run_for: '30s', exit_code: 1 } },
      group: { RestartPolicy: { Attempts: 1, Delay: 15e9, Interval: 60e9, Mode: 'fail' } },
    })
    tasks.clock.advance(30_000)
    expect(await tasks.names()).toEqual([])
    tasks.clock.advance(16_000)
    expect(await tasks.names()).toEqual(['db', 'web'])
  })

  test('are updated in place with the job', async () => {
    const { api, clock } = await offering()
    const [before] = (await api.get('service/web')).body
    const Services = [{ ...web, Tags: ['new'] }]
    await register(api, mockJob({ t: {} }, { Networks, Services }))
    clock.advance(5000)
    const [after] = (await api.get('service/web')).body
    expect(after).toMatchObject({ ID: before.ID, Tags: ['new'], CreateIndex: before.CreateIndex })
    expect(after.ModifyIndex).toBeGreaterThan(before.ModifyIndex)
    expect((await api.get('service/db')).body).toEqual([])
  })

  // choice/scheduler#cluster-service-addresses
  test('can be deleted once, and stay deleted while nothing changes', async () => {
    const { api, clock, names, allocation } = await offering()
    const [{ ID }] = (await api.get('service/web')).body
    const { text } = await requireSuccess(api.delete(`service/web/${ID}`))
    expect(text).toBe('')
    expect(await failureOf(api.delete(`service/web/${ID}`))).toEqual([
      500,
      'service registration not found',
    ])
    clock.advance(60_000)
    expect(await names()).toEqual(['db'])
    await requireSuccess(api.post(`client/allocation/${allocation.ID}/restart`))
    clock.advance(1000)
    expect(await names()).toEqual(['db', 'web'])
  })

  // choice/scheduler#cluster-service-addresses
  test('have the address of the first network without a port, and none with a number', async () => {
    const Services = [
      { Name: 'bare', Provider: 'sched' },
      { Name: 'number', Provider: 'sched', PortLabel: '8080' },
    ]
    const { api, allocation } = await offering({ group: { Services } })
    const [network] = (await api.get(`allocation/${allocation.ID}`)).body.AllocatedResources.Shared
      .Networks
    expect((await api.get('service/bare')).body).toMatchObject([{ Address: network.IP, Port: 0 }])
    expect((await api.get('service/number')).body).toMatchObject([{ Address: '', Port: 8080 }])
  })

  test.each([
    ['GET', 'service/', 400, 'missing service name'],
    ['DELETE', 'service/web/', 400, 'missing service id'],
    ['DELETE', 'service/web/a/b', 400, 'invalid URI'],
    ['DELETE', 'service/web', 405, 'Invalid method'],
    ['GET', 'service/web/x', 405, 'Invalid method'],
    ['POST', 'services', 405, 'Invalid method'],
    ...['x', '2', '2|', '|key', 'x|key'].map(
      (choose) =>
        [
          'GET',
          `service/web?choose=${encodeURIComponent(choose)}`,
          400,
          "failed to choose services: Parameter for choose must be in form '<number>|<key>'",
        ] as const,
    ),
  ] as const)('%s %s is refused', async (method, path, status, text) => {
    const { api } = await offering()
    expect(await failureOf(api.request(method, path))).toEqual([status, text])
  })

  test('are chosen by a key, always the same ones, and can be filtered and paged', async () => {
    const { api } = await offering({ group: { Count: 4 } })
    const ids = async (query: string) =>
      (await requireSuccess(api.get(`service/web?${query}`))).body.map(({ ID }: Members) => ID)
    const all = await ids('')
    expect(all).toHaveLength(4)
    const two = await ids(`choose=${encodeURIComponent('2|one')}`)
    expect(two).toHaveLength(2)
    expect(await ids(`choose=${encodeURIComponent('2|one')}`)).toEqual(two)
    expect((await ids(`choose=${encodeURIComponent('9|one')}`)).slice(0, 2)).toEqual(two)
    expect(await ids(`filter=${encodeURIComponent(`ID == "${all[1]}"`)}`)).toEqual([all[1]])
    const page = await api.get('service/web?per_page=3')
    expect(page.headers['x-sched-nexttoken']).toBe(`default.${all[3]}`)
    expect(await ids(`next_token=default.${all[3]}`)).toEqual([all[3]])
  })

  test('block until a service is added or removed', async () => {
    const { api, clock } = await offering()
    const { headers } = await api.get('services')
    const waiting = api.get(`service/web?index=${headers['x-sched-index']}`)
    await requireSuccess(api.delete('job/example'))
    clock.advance(5000)
    expect((await waiting).body).toEqual([])
  })

  test('of all namespaces are never refused', async () => {
    const { scheduler: anonymous } = await aclScheduler()
    expect((await requireSuccess(anonymous.get('services?namespace=*'))).body).toEqual([])
    expect(await failureOf(anonymous.get('services'))).toEqual([403, 'Permission denied'])
  })
})
