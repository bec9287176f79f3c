import { describe, expect, test } from 'vitest'
import type { SchedulerClient } from '../../../support/scheduler/scheduler.ts'
import { testTime } from '../../../support/secrets/secrets.ts'
import {
  aclScheduler,
  exampleJob,
  failureOf,
  frozenScheduler,
  type Members,
  parameterizedJob,
  periodicJob,
  register,
  requireSuccess,
} from '../support.ts'

const section = 'behaviour/scheduler#list-jobs'

/** Returns the IDs of a list with their namespaces, and the token of the next page. */
async function listed(client: SchedulerClient, query: Readonly<Record<string, string>> = {}) {
  const { body, headers } = await requireSuccess(client.get('jobs', { query }))
  const names = body.map(({ Namespace, ID }: Members) => `${Namespace}.${ID}`)
  return { names, next: headers['x-sched-nexttoken'] }
}

async function withJobs(ids: readonly string[], namespaces: readonly string[] = ['default']) {
  const served = await frozenScheduler()
  const { scheduler: client } = served
  for (const Namespace of namespaces) {
    if (Namespace !== 'default') await requireSuccess(client.post('namespace', { Name: Namespace }))
    for (const ID of ids) await register(client, exampleJob({ ID, Namespace }))
  }
  return served
}

const counters = {
  Queued: 0,
  Complete: 0,
  Failed: 0,
  Running: 0,
  Starting: 0,
  Lost: 0,
  Unknown: 0,
}

describe(`stubs (behaviour/scheduler#api-job; ${section})`, () => {
  const stub = {
    ID: 'example',
    ParentID: '',
    Name: 'example',
    Namespace: 'default',
    Datacenters: ['*'],
    NodePool: 'default',
    Multiregion: null,
    Type: 'service',
    Priority: 50,
    Periodic: false,
    ParameterizedJob: false,
    Stop: false,
    Status: 'pending',
    StatusDescription: '',
    JobSummary: {
      JobID: 'example',
      Namespace: 'default',
      Summary: { cache: counters },
      Children: { Pending: 0, Running: 0, Dead: 0 },
      CreateIndex: 11,
      ModifyIndex: 11,
    },
    CreateIndex: 11,
    ModifyIndex: 11,
    JobModifyIndex: 11,
    SubmitTime: testTime * 1e6,
  }

  test('a job', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, exampleJob({ Meta: { a: 'b' } }))
    expect((await client.get('jobs')).body).toEqual([stub])
    expect((await client.get('jobs?meta=false')).body).toEqual([stub])
  })

  test('?meta=true adds Meta, null when it is empty', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, exampleJob({ Meta: { a: 'b' } }))
    expect((await client.get('jobs?meta=true')).body).toEqual([{ ...stub, Meta: { a: 'b' } }])
    await requireSuccess(client.delete('job/example?purge=true'))
    await register(client, exampleJob())
    const { body } = await client.get('jobs?meta=true')
    expect([body.length, body[0].Meta]).toEqual([1, null])
  })

  test('launchers are marked, and their children are listed as well', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, periodicJob({ ID: 'a' }))
    await register(client, parameterizedJob({}, { ID: 'b' }))
    const { body } = await requireSuccess(client.post('job/b/dispatch', {}))
    const child = `b/dispatch-${testTime / 1000}-`
    expect(body.DispatchedJobID.startsWith(child)).toBe(true)
    await requireSuccess(client.post('job/a/periodic/force'))
    const summaries = (await client.get('jobs')).body.map((each: Members) => [
      each['ID'],
      each['ParentID'],
      each['Periodic'],
      each['ParameterizedJob'],
      each['Status'],
    ])
    expect(summaries).toEqual([
      ['a', '', true, false, 'running'],
      [`a/periodic-${testTime / 1000}`, 'a', false, false, 'pending'],
      ['b', '', false, true, 'running'],
      [body.DispatchedJobID, 'b', false, false, 'pending'],
    ])
  })

  test('a stopped job stays in the list', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, exampleJob())
    await requireSuccess(client.delete('job/example'))
    const { body } = await client.get('jobs')
    expect([body[0].Stop, body[0].JobModifyIndex]).toEqual([true, 12])
  })
})

describe(`order, prefix and pages (${section})`, () => {
  test('jobs are sorted by namespace, then by ID, byte by byte', async () => {
    const ids = ['b', 'a/b', 'a', 'B', 'ä', 'a-b', '\uffe0', '10', '9']
    const { scheduler: client } = await withJobs(ids, ['default', 'z', 'Z', 'a'])
    const inBytes = ['10', '9', 'B', 'a', 'a-b', 'a/b', 'b', 'ä', '\uffe0']
    const all = ['Z', 'a', 'default', 'z'].flatMap((namespace) =>
      inBytes.map((id) => `${namespace}.${id}`),
    )
    expect(await listed(client, { namespace: '*' })).toEqual({ names: all, next: undefined })
    const back = await listed(client, { namespace: '*', reverse: 'true' })
    expect(back.names).toEqual(all.toReversed())
    expect((await listed(client)).names).toEqual(inBytes.map((id) => `default.${id}`))
  })

  // choice/scheduler#scheduler-order-of-unusual-ids
  test('characters beyond the basic plane sort by their code units', async () => {
    const { scheduler: client } = await withJobs(['\uffe0', '\u{1f600}', 'z'])
    expect((await listed(client)).names).toEqual([
      'default.z',
      'default.\u{1f600}',
      'default.\uffe0',
    ])
  })

  test('the prefix is case-sensitive on the ID', async () => {
    const { scheduler: client } = await withJobs(['abc', 'abd', 'ABC', 'b'], ['default', 'ab'])
    expect((await listed(client, { prefix: 'ab' })).names).toEqual(['default.abc', 'default.abd'])
    expect((await listed(client, { prefix: 'AB', namespace: '*' })).names).toEqual([
      'ab.ABC',
      'default.ABC',
    ])
    expect((await listed(client, { prefix: 'x' })).names).toEqual([])
    expect((await listed(client, { prefix: '' })).names).toHaveLength(4)
  })

  test.for([0, 1, 2, 3, 7, 100])('pages of %i add up to the list, both ways', async (perPage) => {
    const { scheduler: client } = await withJobs(['a', 'b', 'c'], ['default', 'x'])
    const all = await listed(client, { namespace: '*' })
    for (const reverse of ['false', 'true']) {
      const names: string[] = []
      let token = ''
      for (let page = 0; page < 10; page++) {
        const part = await listed(client, {
          namespace: '*',
          per_page: String(perPage),
          next_token: token,
          reverse,
        })
        names.push(...part.names)
        if (part.next === undefined) break
        expect(part.names).toHaveLength(perPage)
        token = String(part.next)
      }
      expect(names).toEqual(reverse === 'true' ? all.names.toReversed() : all.names)
    }
  })

  test('the token is the first entry of the next page; the last page has none', async () => {
    const { scheduler: client } = await withJobs(['a', 'b', 'c', 'd'])
    expect(await listed(client, { per_page: '2' })).toEqual({
      names: ['default.a', 'default.b'],
      next: 'default.c',
    })
    expect(await listed(client, { per_page: '2', next_token: 'default.c' })).toEqual({
      names: ['default.c', 'default.d'],
      next: undefined,
    })
    expect((await listed(client, { per_page: '2', reverse: 'true' })).next).toBe('default.b')
  })

  test('a token is sent as UTF-8 bytes; line breaks become spaces', async () => {
    const ids = ['a', 'a\nb', 'b\u0001', 'ä', '日本', '\u{1f600}']
    const { scheduler: client } = await withJobs(ids)
    const tokens: string[] = []
    for (let at = 0; at < ids.length - 1; at++) {
      const query = { per_page: '1', next_token: `default.${ids[at]}` }
      const { names, next } = await listed(client, query)
      expect(names).toEqual([`default.${ids[at]}`])
      tokens.push(Buffer.from(String(next), 'latin1').toString('utf8'))
    }
    expect(tokens).toEqual([
      'default.a b',
      'default.b ',
      'default.ä',
      'default.日本',
      'default.\u{1f600}',
    ])
  })

  test('the token of a deleted job continues with the next one', async () => {
    const { scheduler: client } = await withJobs(['a', 'b', 'c', 'd'])
    await requireSuccess(client.delete('job/b?purge=true'))
    const token = { next_token: 'default.b' }
    expect((await listed(client, token)).names).toEqual(['default.c', 'default.d'])
    expect((await listed(client, { ...token, reverse: 'true' })).names).toEqual(['default.a'])
    expect((await listed(client, { next_token: 'default.z' })).names).toEqual([])
    expect((await listed(client, { next_token: 'zz' })).names).toEqual([])
    expect((await listed(client, { next_token: 'a' })).names).toHaveLength(3)
  })

  test('prefix and filter apply before counting', async () => {
    const { scheduler: client } = await withJobs(['a1', 'a2', 'b1', 'b2', 'b3'])
    expect(await listed(client, { per_page: '2', prefix: 'b' })).toEqual({
      names: ['default.b1', 'default.b2'],
      next: 'default.b3',
    })
    expect(await listed(client, { per_page: '1', filter: 'ID matches "1$"' })).toEqual({
      names: ['default.a1'],
      next: 'default.b1',
    })
    expect(await listed(client, { per_page: '2', filter: 'ID matches "1$"' })).toEqual({
      names: ['default.a1', 'default.b1'],
      next: undefined,
    })
  })

  // choice/scheduler#scheduler-negative-page
  test('a negative per_page is ignored', async () => {
    const { scheduler: client } = await withJobs(['a', 'b'])
    expect((await listed(client, { per_page: '-1' })).names).toHaveLength(2)
  })
})

describe('filters (behaviour/scheduler#filters)', () => {
  test.for([
    ['ID == "a"', ['a']],
    ['ID==a', ['a']],
    ['ID != "a"', ['b']],
    ['Priority == 70', ['b']],
    ['Priority == "0x46"', ['b']],
    ['Type == service and not ID == a', ['b']],
    ['ID == a or ID == b', ['a', 'b']],
    ['ID contains "a"', ['a']],
    ['"dc1" in Datacenters', ['a']],
    ['Datacenters contains "dc1"', ['a']],
    ['Meta.team == "x"', ['a']],
    ['Meta["team"] == "x"', ['a']],
    ['"/Meta/team" == "x"', ['a']],
    ['Meta.team != "x"', ['b']],
    ['Meta is empty', ['b']],
    ['Meta is not nil', ['a']],
    ['Stop == false', ['a', 'b']],
    ['Periodic is nil', ['a', 'b']],
    ['any TaskGroups as g { any g.Tasks as t { t.Driver == "exec" } }', ['b']],
    ['TaskGroups.0.Name == "cache"', ['a', 'b']],
    ['SecretsToken == ""', ['a', 'b']],
    ['ID matches `^[ab]$`', ['a', 'b']],
  ] as const)('%s is tested on the full job', async ([filter, ids]) => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, exampleJob({ ID: 'a', Datacenters: ['dc1'], Meta: { team: 'x' } }))
    const Tasks = [{ Name: 'redis', Driver: 'exec', Config: { command: '/bin/true' } }]
    await register(
      client,
      exampleJob({ ID: 'b', Priority: 70, TaskGroups: [{ Name: 'cache', Tasks }] }),
    )
    const { body } = await requireSuccess(client.get('jobs', { query: { filter } }))
    expect(body.map(({ ID }: Members) => ID)).toEqual(ids)
  })

  const read = 'failed to read result page: '
  test.for([
    [
      'Priority',
      'failed to create result paginator: failed to read filter expression: 1:9 (8): no match found, expected: ',
    ],
    [
      'ID = "a"',
      'failed to create result paginator: failed to read filter expression: 1:4 (3): no match found, expected: ',
    ],
    [
      'Foo == 1',
      `${read}error finding value in datum: /Foo at part 0: couldn't find key: struct field with name "Foo"`,
    ],
    [
      'id == 1',
      `${read}error finding value in datum: /id at part 0: couldn't find key: struct field with name "id"`,
    ],
    [
      'Update.Foo == 1',
      `${read}error finding value in datum: /Update/Foo at part 1: couldn't find key: struct field with name "Foo"`,
    ],
    [
      'Priority == x',
      `${read}error getting match value in expression: strconv.ParseInt: parsing "x": invalid syntax`,
    ],
    [
      'Stop == maybe',
      `${read}error getting match value in expression: strconv.ParseBool: parsing "maybe": invalid syntax`,
    ],
    [
      '1 in Priority',
      `${read}cannot perform in/contains operations on type int for selector: "Priority"`,
    ],
    [
      'Priority contains 1',
      `${read}cannot perform in/contains operations on type int for selector: "Priority"`,
    ],
  ] as const)('%s is 400', async ([filter, text]) => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, exampleJob())
    const reply = await client.get('jobs', { query: { filter } })
    const isWhole = !text.endsWith('expected: ')
    expect([reply.status, isWhole ? reply.text : reply.text.slice(0, text.length)]).toEqual([
      400,
      text,
    ])
  })

  test('an unknown field is an error only when a job is tested', async () => {
    const { scheduler: client } = await frozenScheduler()
    expect((await client.get('jobs', { query: { filter: 'Foo == 1' } })).body).toEqual([])
    const query = { filter: 'Priority' }
    expect((await client.get('jobs', { query })).status).toBe(400)
    await register(client, exampleJob())
    const other = { filter: 'Foo == 1', prefix: 'x' }
    expect((await client.get('jobs', { query: other })).body).toEqual([])
    expect((await client.get('jobs', { query: { filter: 'Periodic.Spec == ""' } })).status).toBe(
      400,
    )
  })

  test('a bad filter does not hide a missing right', async () => {
    const { scheduler: client } = await frozenScheduler({ options: { aclEnabled: true } })
    const query = { filter: 'Priority' }
    expect(await failureOf(client.get('jobs', { query }))).toEqual([403, 'Permission denied'])
  })
})

describe('statuses of jobs (behaviour/scheduler#beyond)', () => {
  const status = {
    ID: 'example',
    Namespace: 'default',
    Name: 'example',
    Type: 'service',
    NodePool: 'default',
    Datacenters: ['*'],
    Priority: 50,
    Version: 0,
    SubmitTime: testTime * 1e6,
    ModifyIndex: 11,
    Allocs: null,
    GroupCountSum: 1,
    ChildStatuses: null,
    ParentID: '',
    LatestDeployment: null,
    Stop: false,
    IsPack: false,
    Status: 'pending',
  }

  test('a job', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, exampleJob())
    expect((await client.get('jobs/statuses')).body).toEqual([status])
    expect((await client.post('jobs/statuses')).body).toEqual([status])
    expect(await failureOf(client.put('jobs/statuses'))).toEqual([405, 'Invalid method'])
    // As in the reference, a body selects jobs for any method.
    for (const sent of [{}, { Jobs: [] }, { IncludeChildren: true }]) {
      expect(await failureOf(client.post('jobs/statuses', sent))).toEqual([
        400,
        'no jobs in request',
      ])
    }
  })

  test('the newest ModifyIndex comes first; children only on request', async () => {
    const { scheduler: client } = await frozenScheduler()
    for (const ID of ['a', 'b', 'c']) await register(client, exampleJob({ ID }))
    await register(client, exampleJob({ ID: 'b', Priority: 1 }))
    await register(client, parameterizedJob({}, { ID: 'p' }))
    const { body } = await requireSuccess(client.post('job/p/dispatch', {}))
    const ids = async (query: string) =>
      (await requireSuccess(client.get(`jobs/statuses?${query}`))).body.map(({ ID }: Members) => ID)
    expect(await ids('')).toEqual(['p', 'b', 'c', 'a'])
    expect(await ids('reverse=true')).toEqual(['a', 'c', 'b', 'p'])
    const child = body.DispatchedJobID
    expect(await ids('include_children=true')).toEqual([child, 'p', 'b', 'c', 'a'])
    const [parent] = (await client.get('jobs/statuses')).body
    expect([parent.ID, parent.ChildStatuses]).toEqual(['p', ['pending']])
  })

  test('the named jobs, from any namespace', async () => {
    const { scheduler: client } = await withJobs(['a', 'b'], ['default', 'x'])
    const Jobs = [
      { ID: 'b', Namespace: 'x' },
      { ID: 'a', Namespace: 'default' },
      { ID: 'none', Namespace: 'default' },
    ]
    const { body } = await requireSuccess(client.post('jobs/statuses', { Jobs }))
    expect(body.map(({ Namespace, ID }: Members) => `${Namespace}.${ID}`)).toEqual([
      'x.b',
      'default.a',
    ])
  })

  test('pages', async () => {
    const { scheduler: client } = await withJobs(['a', 'b', 'c'])
    const first = await client.get('jobs/statuses?per_page=2')
    expect([first.body.length, first.headers['x-sched-nexttoken']]).toEqual([2, '11'])
    const last = await client.get('jobs/statuses?per_page=2&next_token=11')
    expect(last.body.map(({ ID }: Members) => ID)).toEqual(['a'])
    expect(last.headers['x-sched-nexttoken']).toBeUndefined()
  })

  test('the list contains only jobs in readable namespaces', async () => {
    const { manager, holder, scheduler: anonymous } = await aclScheduler()
    await requireSuccess(manager.post('namespace', { Name: 'x' }))
    for (const Namespace of ['x', 'default']) await register(manager, exampleJob({ Namespace }))
    const { client } = await holder('namespace "x" { capabilities = ["read-job"] }')
    const inBoth = ['x', 'default'].map((Namespace) => ({ ID: 'example', Namespace }))
    const ofReply = (body: readonly Members[]) => body.map((each) => each['Namespace'])
    const named = await requireSuccess(client.post('jobs/statuses', { Jobs: inBoth }))
    expect(ofReply(named.body)).toEqual(['x'])
    const all = await requireSuccess(client.get('jobs/statuses?namespace=*'))
    expect(ofReply(all.body)).toEqual(['x'])
    const denied = [403, 'Permission denied']
    expect(await failureOf(client.get('jobs/statuses'))).toEqual(denied)
    expect(await failureOf(anonymous.post('jobs/statuses', { Jobs: inBoth }))).toEqual(denied)
  })

  test('jobs named without a namespace are in the default one', async () => {
    const { scheduler: client } = await withJobs(['a'], ['default', 'x'])
    const Jobs = [{ ID: 'a' }]
    const { body } = await requireSuccess(client.post('jobs/statuses?namespace=x', { Jobs }))
    expect(body.map(({ Namespace }: Members) => Namespace)).toEqual(['default'])
  })

  test('invalid filters are 500', async () => {
    const { scheduler: client } = await withJobs(['a'])
    const why = 'failed to create result paginator: failed to read filter expression: 1:2 (1)'
    expect(await failureOf(client.get('jobs/statuses?filter=x'))).toEqual([
      500,
      expect.stringContaining(why),
    ])
    expect(await failureOf(client.get('jobs/statuses?filter=Foo==1'))).toEqual([
      500,
      expect.stringContaining('failed to read result page: error finding value in datum'),
    ])
  })

  test('bad parameters are refused', async () => {
    const { scheduler: client } = await frozenScheduler()
    expect(await failureOf(client.get('jobs/statuses?include_children=x'))).toEqual([
      400,
      'Failed to parse value of "include_children" (x) as a bool: strconv.ParseBool: parsing "x": invalid syntax',
    ])
    expect(await failureOf(client.post('jobs/statuses', '{'))).toEqual([
      400,
      'error decoding request: unexpected EOF',
    ])
  })
})
