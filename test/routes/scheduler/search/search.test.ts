import { describe, expect, test } from 'vitest'
import { scheduler } from '../../../support/scheduler/scheduler.ts'
import { aclScheduler, failureOf, type Members, register, requireSuccess } from '../support.ts'

const contexts =
  'allocs jobs nodes node_pools evals deployment plugins volumes scaling_policy vars namespaces'

const jobOf = (ID: string, change: Members = {}) => ({
  ID,
  TaskGroups: [{ Name: 'g', Tasks: [{ Name: 't', Driver: 'mock' }] }],
  ...change,
})

async function withJobs(names: readonly string[], dialect: 'neutral' | 'vendor' = 'neutral') {
  const served = await scheduler({ dialect })
  for (const ID of names) await register(served.scheduler, jobOf(ID))
  served.clock.advance(1000)
  return served.scheduler
}

// behaviour/scheduler#conventions: the parameters of every read.
test.each(['search', 'search/fuzzy'])('%s validates the parameters of reads', async (path) => {
  const client = await withJobs([])
  expect(await failureOf(client.post(`${path}?per_page=x`, {}))).toEqual([
    400,
    'Expect a number for `per_page` query string parameter',
  ])
})

describe('search by prefix (behaviour/scheduler#search)', () => {
  test('over all kinds: only those whose IDs may have the prefix', async () => {
    const client = await withJobs(['web', 'worker', 'db'])
    const { body, headers } = await requireSuccess(
      client.post('search', { Prefix: 'wo', Context: 'all' }),
    )
    expect(body).toEqual({
      Matches: {
        jobs: ['worker'],
        node_pools: null,
        plugins: null,
        volumes: null,
        scaling_policy: null,
        vars: null,
        namespaces: null,
      },
      Truncations: expect.objectContaining({ jobs: false, namespaces: false }),
      Index: body.Index,
      LastContact: 0,
      KnownLeader: true,
      NextToken: '',
    })
    expect(headers).toMatchObject({
      'x-sched-index': String(body.Index),
      'x-sched-knownleader': 'true',
      'x-sched-lastcontact': '0',
    })
    const all = await requireSuccess(client.put('search', { Prefix: '', Context: 'all' }))
    expect(Object.keys(all.body.Matches).sort()).toEqual(contexts.split(' ').sort())
  })

  test('over one kind, with its index', async () => {
    const client = await withJobs(['web'])
    const { body } = await requireSuccess(
      client.post('search', { Prefix: 'de', Context: 'node_pools' }),
    )
    const pools = await client.get('node/pools')
    expect(body).toMatchObject({
      Matches: { node_pools: ['default'] },
      Truncations: { node_pools: false },
      Index: Number(pools.headers['x-sched-index']),
    })
    const none = await requireSuccess(client.post('search', { Prefix: 'zz', Context: 'jobs' }))
    expect(none.body.Matches).toEqual({ jobs: null })
  })

  test('prefixes of UUIDs may have odd length; a prefix that is not hexadecimal matches no UUID', async () => {
    const client = await withJobs(['web'], 'vendor')
    const [{ ID }] = (await client.get('job/web/allocations')).body
    for (const length of [1, 2, 7, 8, 9, 12, 36]) {
      const sent = { Prefix: ID.slice(0, length), Context: 'allocs' }
      const { body, headers } = await requireSuccess(client.put('search', sent))
      expect([length, body.Matches]).toEqual([length, { allocs: [ID] }])
      expect(headers).toHaveProperty('x-nomad-index', String(body.Index))
    }
    for (const Context of ['allocs', 'nodes', 'evals', 'deployment']) {
      const { body } = await requireSuccess(client.post('search', { Prefix: 'zz', Context }))
      expect([body.Matches, body.Truncations]).toEqual([{}, {}])
    }
  })

  test('scaling policies and namespaces', async () => {
    const { scheduler: client } = await scheduler()
    const [group] = jobOf('x').TaskGroups
    await register(client, jobOf('x', { TaskGroups: [{ ...group, Scaling: { Max: 3 } }] }))
    const [{ ID }] = (await client.get('scaling/policies')).body
    const search = async (sent: Members) =>
      (await requireSuccess(client.post('search', sent))).body.Matches
    expect(await search({ Prefix: ID.slice(0, 8), Context: 'scaling_policy' })).toEqual({
      scaling_policy: [ID],
    })
    expect(await search({ Prefix: 'def', Context: 'namespaces' })).toEqual({
      namespaces: ['default'],
    })
  })

  test('variables by path, by prefix and fuzzily', async () => {
    const { scheduler: client } = await scheduler()
    for (const path of ['app/config', 'app/other', 'x']) {
      await requireSuccess(client.put(`var/${path}`, { Items: { a: 'b' } }))
    }
    const found = await requireSuccess(client.post('search', { Prefix: 'app/', Context: 'vars' }))
    expect(found.body).toMatchObject({
      Matches: { vars: ['app/config', 'app/other'] },
      Index: Number((await client.get('vars')).headers['x-sched-index']),
    })
    const sent = { Text: 'CONF', Context: 'vars' }
    expect((await requireSuccess(client.post('search/fuzzy', sent))).body.Matches).toEqual({
      vars: [{ ID: 'app/config', Scope: ['default', 'app/config'] }],
    })
  })

  test('at most twenty results of a kind are returned, with a truncation flag', async () => {
    const names = Array.from({ length: 21 }, (_, n) => `job-${String(n).padStart(2, '0')}`)
    const client = await withJobs(names)
    const { body } = await client.post('search', { Prefix: 'job', Context: 'jobs' })
    expect(body.Matches.jobs).toEqual(names.slice(0, 20))
    expect(body.Truncations).toEqual({ jobs: true })
  })

  test.each([
    ['cats', `context must be one of [${contexts}] or 'all' for all contexts; got "cats"`],
    ['', `context must be one of [${contexts}] or 'all' for all contexts; got ""`],
  ])('context %j is refused', async (Context, text) => {
    const { scheduler: client } = await scheduler()
    expect(await failureOf(client.post('search', { Prefix: 'x', Context }))).toEqual([500, text])
    expect(await failureOf(client.post('search'))).toEqual([400, 'Request body is empty'])
    expect(await failureOf(client.post('search', { Context: 1 }))).toEqual([
      400,
      'json: cannot unmarshal number into Go struct field SearchRequest.Context of type structs.Context',
    ])
    expect(await failureOf(client.get('search'))).toEqual([405, 'Invalid method'])
  })

  test('is filtered by access; a single kind without access is refused', async () => {
    const { manager, holder } = await aclScheduler()
    await register(manager, jobOf('web'))
    const { client } = await holder('namespace "default" { capabilities = ["read-job"] }')
    const all = await requireSuccess(client.post('search', { Prefix: '', Context: 'all' }))
    expect(Object.keys(all.body.Matches).sort()).toEqual(
      ['allocs', 'deployment', 'evals', 'jobs', 'namespaces', 'scaling_policy', 'volumes'].sort(),
    )
    const denied = [403, 'Permission denied']
    for (const Context of ['nodes', 'node_pools', 'plugins', 'vars']) {
      expect(await failureOf(client.post('search', { Prefix: '', Context }))).toEqual(denied)
    }
    // A kind of the product's other edition counts as unknown only if the caller could search it.
    expect(await failureOf(client.post('search', { Prefix: '', Context: 'quotas' }))).toEqual(
      denied,
    )
    const unknown = await client.post('search', { Prefix: '', Context: 'recommendations' })
    expect([unknown.status, unknown.text.slice(0, 20)]).toEqual([500, 'context must be one '])
    const elsewhere = client.post('search?namespace=other', { Prefix: '', Context: 'jobs' })
    expect(await failureOf(elsewhere)).toEqual(denied)
  })
})

describe('searches with few rights (behaviour/scheduler#search)', () => {
  const path = (namespace: string, ...capabilities: string[]) =>
    `namespace "${namespace}" { variables { path "a/*" { capabilities = ${JSON.stringify(capabilities)} } } }`

  async function withVariables() {
    const served = await aclScheduler()
    for (const name of ['other', 'default-2']) {
      await requireSuccess(served.manager.post('namespace', { Name: name }))
    }
    for (const namespace of ['other', 'default-2', 'default']) {
      for (const at of ['b/x', 'a/x']) {
        await requireSuccess(
          served.manager.put(`var/${at}?namespace=${namespace}`, { Items: { a: 'b' } }),
        )
      }
    }
    return served
  }

  test.each([
    ['namespace "default" { capabilities = ["csi-list-volume"] }', ['namespaces', 'volumes']],
    ['namespace "default" { capabilities = ["csi-read-volume"] }', ['namespaces', 'volumes']],
    ['namespace "default" { capabilities = ["csi-mount-volume"] }', ['namespaces']],
    [
      'namespace "default" { capabilities = ["list-scaling-policies"] }',
      ['namespaces', 'scaling_policy'],
    ],
    ['node_pool "default" { capabilities = ["delete"] }', ['node_pools']],
    ['node_pool "gpu" { policy = "scale" }', ['node_pools']],
    ['node_pool "default" { policy = "deny" }', []],
    ['plugin { policy = "list" }', ['plugins']],
    ['plugin { policy = "write" }', []],
    [path('default', 'write'), ['vars']],
    [path('default-2', 'deny'), ['vars']],
    [path('other', 'read'), []],
    [path('*', 'read'), []],
  ])('%s: %j', async (rules, expected) => {
    const { client } = await (await aclScheduler()).holder(rules)
    const all = await requireSuccess(client.post('search', { Prefix: '', Context: 'all' }))
    expect(Object.keys(all.body.Matches).sort()).toEqual(expected)
    const fuzzy = await requireSuccess(client.post('search/fuzzy', { Text: 'xx', Context: 'all' }))
    expect(Object.keys(fuzzy.body.Truncations).sort()).toEqual(expected)
  })

  test('the right to list scaling policies does not permit a search for only them', async () => {
    const { holder } = await aclScheduler()
    const { client } = await holder('namespace "*" { capabilities = ["list-scaling-policies"] }')
    const sent = { Prefix: '', Context: 'scaling_policy' }
    expect(await failureOf(client.post('search', sent))).toEqual([403, 'Permission denied'])
  })

  test('variables are found in every namespace with a rule about variables, whatever the path', async () => {
    const { holder } = await withVariables()
    const { client } = await holder(`${path('default', 'write')} ${path('other', 'deny')}`)
    const byPrefix = async (Prefix: string) =>
      (await requireSuccess(client.post('search', { Prefix, Context: 'vars' }))).body.Matches.vars
    expect(await byPrefix('')).toEqual(['a/x', 'a/x', 'b/x', 'b/x'])
    expect(await byPrefix('b/')).toEqual(['b/x', 'b/x'])
    const fuzzily = async (query: string) =>
      (await requireSuccess(client.post(`search/fuzzy${query}`, { Text: '/x', Context: 'vars' })))
        .body.Matches.vars
    expect(await fuzzily('')).toEqual([
      { ID: 'a/x', Scope: ['default', 'a/x'] },
      { ID: 'b/x', Scope: ['default', 'b/x'] },
    ])
    expect(await fuzzily('?namespace=*')).toHaveLength(4)
  })

  test('a fuzzy search of all namespaces is never refused, and shows what the caller may see', async () => {
    const { holder, manager } = await withVariables()
    const { client } = await holder('')
    for (const Context of ['jobs', 'nodes', 'vars', 'namespaces', 'node_pools', 'plugins']) {
      const sent = { Text: 'de', Context }
      const { body } = await requireSuccess(client.post('search/fuzzy?namespace=*', sent))
      expect([body.Matches, body.Truncations]).toEqual([{}, { [Context]: false }])
    }
    const nodes = await manager.get('nodes')
    expect(
      (await client.post('search/fuzzy?namespace=*', { Text: 'xx', Context: 'nodes' })).body.Index,
    ).toBe(Number(nodes.headers['x-sched-index']))
    const hidden = { Text: 'xx', Context: 'evals' }
    expect((await client.post('search/fuzzy?namespace=*', hidden)).body.Truncations).toEqual({})
  })
})

describe('fuzzy search (behaviour/scheduler#search)', () => {
  const parts = jobOf('alpha', {
    Name: 'Big-Alpha',
    TaskGroups: [
      {
        Name: 'web-group',
        Services: [{ Name: 'web-service', Provider: 'sched' }],
        Tasks: [
          {
            Name: 'web-task',
            Driver: 'docker',
            Config: { image: 'registry/web:1' },
            Services: [{ Name: 'inner-web', Provider: 'sched' }],
          },
          { Name: 'run', Driver: 'raw_exec', Config: { command: '/bin/web' } },
          { Name: 'old', Driver: 'java', Config: { class: 'org.Web' } },
        ],
      },
    ],
  })

  async function withParts() {
    const served = await scheduler()
    await register(served.scheduler, parts)
    served.clock.advance(1000)
    const search = async (Text: string, Context: string, query = '') =>
      (await requireSuccess(served.scheduler.post(`search/fuzzy${query}`, { Text, Context }))).body
    return { ...served, search }
  }

  test('finds a job and its parts, each with its scope', async () => {
    const { search } = await withParts()
    const group = ['default', 'alpha', 'web-group']
    expect(await search('WEB', 'jobs')).toEqual({
      Matches: {
        groups: [{ ID: 'web-group', Scope: ['default', 'alpha'] }],
        services: [
          { ID: 'web-service', Scope: group },
          { ID: 'inner-web', Scope: [...group, 'web-task'] },
        ],
        tasks: [{ ID: 'web-task', Scope: group }],
        images: [{ ID: 'registry/web:1', Scope: [...group, 'web-task'] }],
        commands: [{ ID: '/bin/web', Scope: [...group, 'run'] }],
        classes: [{ ID: 'org.Web', Scope: [...group, 'old'] }],
      },
      Truncations: { jobs: false },
      Index: expect.any(Number),
      LastContact: 0,
      KnownLeader: true,
      NextToken: '',
    })
    expect((await search('alpha', 'jobs')).Matches).toEqual({
      jobs: [{ ID: 'Big-Alpha', Scope: ['default', 'alpha'] }],
    })
    expect((await search('zzz', 'jobs')).Matches).toEqual({})
  })

  test('over all kinds, by prefix for UUIDs', async () => {
    const { scheduler: client, search } = await withParts()
    const [allocation] = (await client.get('job/alpha/allocations')).body
    const { Matches } = await search('web-group', 'all')
    expect(Matches).toMatchObject({
      allocs: [{ ID: 'alpha.web-group[0]', Scope: ['default', allocation.ID] }],
      evals: [],
      deployment: [],
      scaling_policy: [],
      volumes: [],
    })
    const [node] = (await client.get('nodes')).body
    expect((await search(node.Name, 'nodes')).Matches).toEqual({
      nodes: [{ ID: node.Name, Scope: [node.ID] }],
    })
    expect((await search('def', 'namespaces')).Matches).toEqual({ namespaces: [{ ID: 'default' }] })
    expect((await search('def', 'node_pools')).Matches).toEqual({
      node_pools: [{ ID: 'default', Scope: ['default'] }],
    })
    const [evaluation] = (await client.get('job/alpha/evaluations')).body
    expect((await search(evaluation.ID.slice(0, 8), 'evals')).Matches).toEqual({
      evals: [{ ID: evaluation.ID }],
    })
  })

  test('sorts the first twenty by the position of the match, then by the length of the name', async () => {
    const { scheduler: client } = await scheduler()
    for (const ID of ['a-xy', 'b-xyz', 'xy-long', 'xy']) await register(client, jobOf(ID))
    const ids = async () => {
      const { body } = await client.post('search/fuzzy', { Text: 'xy', Context: 'jobs' })
      return [body.Matches.jobs.map(({ ID }: Members) => ID), body.Truncations]
    }
    expect(await ids()).toEqual([['xy', 'xy-long', 'a-xy', 'b-xyz'], { jobs: false }])
    for (let n = 0; n < 18; n++) {
      await register(client, jobOf(`c-${String(n).padStart(2, '0')}`, { Name: `xy${n}` }))
    }
    const [found, truncated] = await ids()
    expect(found).toHaveLength(20)
    expect(found).not.toContain('xy')
    expect(truncated).toEqual({ jobs: true })
  })

  test.each([
    [{ Text: 'a', Context: 'all' }, 500, 'fuzzy search query must be at least 2 characters, got 1'],
    [
      { Text: 'a', Context: 'cats' },
      500,
      'fuzzy search query must be at least 2 characters, got 1',
    ],
    [
      { Text: 'ab', Context: 'cats' },
      500,
      `context must be one of [${contexts}] or 'all' for all contexts; got "cats"`,
    ],
    [undefined, 400, 'Request body is empty'],
  ])('%j is refused', async (body, status, text) => {
    const { scheduler: client } = await scheduler()
    expect(await failureOf(client.post('search/fuzzy', body))).toEqual([status, text])
  })

  test('access is checked before the text, but after the kind', async () => {
    const { scheduler: nobody, holder } = await aclScheduler()
    const { client: reader } = await holder('namespace "default" { policy = "read" }')
    const failures = [reader, nobody].flatMap((client) => [
      failureOf(client.post('search', { Prefix: 'x', Context: 'cats' })),
      failureOf(client.post('search/fuzzy', { Text: 'a', Context: 'nodes' })),
      failureOf(client.post('search/fuzzy', { Text: 'a', Context: 'cats' })),
    ])
    const [unknown, denied, short] = [
      [500, expect.stringContaining('context must be one of')],
      [403, 'Permission denied'],
      [500, 'fuzzy search query must be at least 2 characters, got 1'],
    ]
    expect(await Promise.all(failures)).toEqual([unknown, denied, short, unknown, denied, short])
  })

  test('of all namespaces is filtered by access', async () => {
    const { manager, holder } = await aclScheduler()
    await requireSuccess(manager.post('namespace', { Name: 'a' }))
    await register(manager, jobOf('web', { Namespace: 'a' }))
    await register(manager, jobOf('web'))
    const { client } = await holder('namespace "a" { policy = "read" }')
    const { body } = await requireSuccess(
      client.post('search/fuzzy?namespace=*', { Text: 'web', Context: 'jobs' }),
    )
    expect(body.Matches).toEqual({ jobs: [{ ID: 'web', Scope: ['a', 'web'] }] })
    const nodes = { Text: 'sched', Context: 'nodes' }
    expect(
      (await requireSuccess(client.post('search/fuzzy?namespace=*', nodes))).body.Matches,
    ).toEqual({})
    expect(await failureOf(client.post('search/fuzzy?namespace=a', nodes))).toEqual([
      403,
      'Permission denied',
    ])
  })
})
