import { describe, expect, test } from 'vitest'
import { scheduler } from '../../support/scheduler/scheduler.ts'
import { mockJob } from './cluster/support.ts'
import {
  apiHeaders,
  exampleJob,
  failureOf,
  frozenScheduler,
  readHeaders,
  register,
  requireSuccess,
} from './support.ts'

const section = 'behaviour/scheduler#beyond'

const builtin = {
  Name: 'default',
  Description: 'Default shared namespace',
  Quota: '',
  Capabilities: null,
  NodePoolConfiguration: null,
  SecretsConfiguration: null,
  MeshConfiguration: null,
  Meta: null,
  Hash: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
  CreateIndex: 1,
  ModifyIndex: 1,
}

describe(`namespaces (${section})`, () => {
  // choice/scheduler#scheduler-seeded-index
  test('default exists from the start, at index 1 (behaviour/scheduler#blocking)', async () => {
    const { scheduler: client } = await frozenScheduler()
    const list = await client.get('namespaces')
    expect([list.body, apiHeaders(list)]).toEqual([[builtin], readHeaders(1)])
    const one = await client.get('namespace/default')
    expect([one.body, apiHeaders(one)]).toEqual([builtin, readHeaders(1)])
  })

  test.each([
    ['POST', 'namespace'],
    ['PUT', 'namespace'],
    ['POST', 'namespace/team'],
    ['PUT', 'namespace/team'],
  ])('%s %s creates a namespace and replaces it', async (method, path) => {
    const { scheduler: client } = await frozenScheduler()
    const sent = { Name: 'team', Description: 'd', Meta: { a: 'b' }, CreateIndex: 99 }
    const reply = await client.request(method, path, sent)
    expect([reply.status, reply.text, apiHeaders(reply)]).toEqual([
      200,
      '',
      { 'x-sched-index': '11' },
    ])
    const team = { ...builtin, ...sent, CreateIndex: 11, ModifyIndex: 11 }
    expect((await client.get('namespaces')).body).toEqual([builtin, team])
    const Capabilities = { DisabledTaskDrivers: ['raw_exec'] }
    await requireSuccess(client.request(method, path, { Name: 'team', Capabilities }))
    expect((await client.get('namespace/team')).body).toEqual({
      ...builtin,
      Name: 'team',
      Description: '',
      Capabilities: {
        EnabledTaskDrivers: null,
        DisabledTaskDrivers: ['raw_exec'],
        EnabledNetworkModes: null,
        DisabledNetworkModes: null,
      },
      CreateIndex: 11,
      ModifyIndex: 12,
    })
  })

  test('are listed by name and by prefix; other parameters are ignored', async () => {
    const { scheduler: client } = await frozenScheduler()
    for (const Name of ['b', 'Z', 'a-1', 'a'])
      await requireSuccess(client.post('namespace', { Name }))
    const names = async (query: string) =>
      (await client.get(`namespaces${query}`)).body.map(({ Name }: { Name: string }) => Name)
    expect(await names('')).toEqual(['Z', 'a', 'a-1', 'b', 'default'])
    expect(await names('?prefix=a')).toEqual(['a', 'a-1'])
    // Filters and pages of namespaces exist only in later releases.
    const page = await client.get('namespaces?per_page=2&next_token=a-1&reverse=true&filter=x')
    expect(page.headers).not.toHaveProperty('x-sched-nexttoken')
    expect(page.body).toEqual((await client.get('namespaces')).body)
  })

  test('an unknown namespace is 404 with the index of the table', async () => {
    const { scheduler: client } = await frozenScheduler()
    const reply = await client.get('namespace/absent')
    expect([reply.status, reply.text, apiHeaders(reply)]).toEqual([
      404,
      'Namespace not found',
      readHeaders(1),
    ])
  })

  const regex = 'Must match regex ^[a-zA-Z0-9-]{1,128}$'
  test.each([
    [{ Name: 'x' }, 400, 'Namespace name does not match request path'],
    [
      { Name: 'a b' },
      500,
      `Invalid namespace "a b": 1 error occurred:\n\t* invalid name "a b". ${regex}\n\n`,
    ],
    [{}, 500, `Invalid namespace "": 1 error occurred:\n\t* invalid name "". ${regex}\n\n`],
    [
      { Name: 'a_', Description: 'd'.repeat(257) },
      500,
      `Invalid namespace "a_": 2 errors occurred:\n\t* invalid name "a_". ${regex}\n\t* description longer than 256\n\n`,
    ],
    ['', 400, 'Request body is empty'],
    ['x', 400, "invalid character 'x' looking for beginning of value"],
  ])('%o is refused', async (body, status, text) => {
    const { scheduler: client } = await frozenScheduler()
    const path = status === 400 && typeof body === 'object' ? 'namespace/other' : 'namespace'
    expect(await failureOf(client.post(path, body))).toEqual([status, text])
    expect((await client.get('namespaces')).body).toEqual([builtin])
  })

  test('names may have up to 128 characters', async () => {
    const { scheduler: client } = await frozenScheduler()
    expect((await client.post('namespace', { Name: 'n'.repeat(128) })).status).toBe(200)
    expect((await client.post('namespace', { Name: 'n'.repeat(129) })).status).toBe(500)
    for (const Name of ['__proto__', 'constructor']) {
      const { status } = await client.get(`namespace/${Name}`)
      expect(status).toBe(404)
    }
    expect((await client.post('namespace', { Name: 'constructor' })).status).toBe(200)
    expect((await client.get('namespace/constructor')).body.Name).toBe('constructor')
  })
})

describe('limits of a namespace (behaviour/scheduler#namespaces)', () => {
  const jobWith = (drivers: readonly string[], modes: readonly string[] = []) =>
    exampleJob({
      Namespace: 'team',
      TaskGroups: [
        {
          Name: 'g',
          Networks: modes.map((Mode) => ({ Mode })),
          Tasks: drivers.map((Driver, at) => ({ Name: `t${at}`, Driver })),
        },
      ],
    })
  const driver = (names: string) => `used task driver ${names} is not allowed in namespace "team"`
  const mode = (names: string) =>
    `used group network mode ${names} is not allowed in namespace "team"`

  test.each([
    [{ EnabledTaskDrivers: ['docker'] }, jobWith(['raw_exec'], ['host']), driver('"raw_exec"')],
    [{ DisabledTaskDrivers: ['raw_exec'] }, jobWith(['docker', 'raw_exec']), driver('"raw_exec"')],
    [
      { EnabledTaskDrivers: ['a', 'b'], DisabledTaskDrivers: ['b'] },
      jobWith(['a', 'b', 'c']),
      'used task drivers ["b" "c"] are not allowed in namespace "team"',
    ],
    [{ DisabledNetworkModes: ['bridge'] }, jobWith(['a'], ['bridge']), mode('"bridge"')],
    [{ EnabledNetworkModes: ['bridge'] }, jobWith(['a'], ['']), mode('"host"')],
  ])('%j', async (Capabilities, job, why) => {
    const { scheduler: client } = await frozenScheduler()
    await requireSuccess(client.post('namespace', { Name: 'team', Capabilities }))
    const refused = [500, `1 error occurred:\n\t* ${why}\n\n`]
    expect(await failureOf(client.post('jobs', { Job: job }))).toEqual(refused)
    expect(await failureOf(client.post('job/example/plan', { Job: job }))).toEqual(refused)
    const { body } = await requireSuccess(client.post('validate/job', { Job: job }))
    expect(body.ValidationErrors).toEqual([why])
    expect((await client.get('jobs?namespace=*')).body).toEqual([])
    expect((await client.post('jobs', { Job: { ...job, Namespace: 'default' } })).status).toBe(200)
  })

  test('empty lists allow everything, and a group without a network has no mode', async () => {
    const { scheduler: client } = await frozenScheduler()
    const Capabilities = { EnabledTaskDrivers: [], EnabledNetworkModes: ['bridge'] }
    await requireSuccess(client.post('namespace', { Name: 'team', Capabilities }))
    expect((await client.post('jobs', { Job: jobWith(['anything']) })).status).toBe(200)
  })
})

describe(`deleting a namespace (${section})`, () => {
  const team = 'namespace "team"'

  test('deletes it with a new index', async () => {
    const { scheduler: client } = await frozenScheduler()
    await requireSuccess(client.post('namespace', { Name: 'team' }))
    const reply = await client.delete('namespace/team')
    expect([reply.status, reply.text, apiHeaders(reply)]).toEqual([
      200,
      '',
      { 'x-sched-index': '12' },
    ])
    const list = await client.get('namespaces')
    expect([list.body, apiHeaders(list)]).toEqual([[builtin], readHeaders(12)])
  })

  test.each([
    ['default', 'can not delete default namespace'],
    ['absent', 'namespace not found'],
  ])('%s is refused', async (name, text) => {
    const { scheduler: client } = await frozenScheduler()
    expect(await failureOf(client.delete(`namespace/${name}`))).toEqual([500, text])
  })

  test('is refused while jobs, allocations or variables are in it', async () => {
    const { scheduler: client, clock } = await scheduler()
    await requireSuccess(client.post('namespace', { Name: 'team' }))
    await register(client, exampleJob({ Namespace: 'team' }))
    clock.advance(500)
    expect(await failureOf(client.delete('namespace/team'))).toEqual([
      500,
      `2 errors occurred:\n\t* ${team} has non-terminal jobs in regions: [global]\n\t* ${team} has non-terminal allocations in regions: [global]\n\n`,
    ])
    await requireSuccess(client.delete('job/example?namespace=team'))
    await requireSuccess(client.put('var/a?namespace=team', { Items: { a: 'b' } }))
    expect((await failureOf(client.delete('namespace/team')))[1]).toContain(
      `\n\t* ${team} has non-terminal allocations in regions: [global]\n\t* ${team} has variables`,
    )
    clock.advance(60_000)
    expect(await failureOf(client.delete('namespace/team'))).toEqual([
      500,
      `1 error occurred:\n\t* ${team} has variables associated with it in regions: [global]\n\n`,
    ])
    await client.delete('var/a?namespace=team')
    expect((await client.delete('namespace/team')).status).toBe(200)
    expect(
      await failureOf(client.post('jobs', { Job: exampleJob({ Namespace: 'team' }) })),
    ).toEqual([500, '1 error occurred:\n\t* job "example" is in nonexistent namespace "team"\n\n'])
  })
})

describe('jobs of different namespaces (behaviour/scheduler#namespace)', () => {
  test('are independent', async () => {
    const { scheduler: client, clock } = await scheduler()
    await requireSuccess(client.post('namespace', { Name: 'team' }))
    await register(client, mockJob({ t: {} }))
    await register(client, mockJob({ t: {} }, { Count: 2 }, { Namespace: 'team' }))
    clock.advance(500)
    for (const path of ['allocations', 'job/example/allocations']) {
      expect((await client.get(path)).body).toHaveLength(1)
      expect((await client.get(`${path}?namespace=team`)).body).toHaveLength(2)
    }
    expect((await client.get('allocations?namespace=*')).body).toHaveLength(3)
    expect((await client.get('deployments?namespace=absent')).body).toEqual([])
    await requireSuccess(client.delete('job/example?namespace=team&purge=true'))
    expect((await client.get('job/example')).status).toBe(200)
  })
})
