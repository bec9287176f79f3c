import { describe, expect, test } from 'vitest'
import {
  aclScheduler,
  exampleJob,
  failureOf,
  frozenScheduler,
  readExample,
  register,
  requireSuccess,
} from './support.ts'

const section = 'behaviour/scheduler#conventions'

const asBool = (name: string) =>
  `Failed to parse value of "${name}" (x) as a bool: strconv.ParseBool: parsing "x": invalid syntax`
const asUint = (name: string, sent: string, problem: string) =>
  `Failed to parse value of "${name}" (${sent}) as a uint64: strconv.ParseUint: parsing "${sent}": ${problem}`
const asInt = (sent: string, problem: string) =>
  `Failed to parse value of "eval_priority" (${sent}) as a int: strconv.Atoi: parsing "${sent}": ${problem}`
const stale = 'Expect `true` or `false` for `stale` query string parameter'
const perPage = 'Expect a number for `per_page` query string parameter'
const large = '18446744073709551616'

describe(`query values (${section})`, () => {
  // choice/scheduler#scheduler-order-of-parameters choice/scheduler#scheduler-large-numbers
  // choice/scheduler#scheduler-eval-priority
  test.for([
    ['GET', 'jobs?meta=x', 500, asBool('meta')],
    [
      'GET',
      'jobs?meta=TrUe',
      500,
      asBool('meta').replaceAll('(x)', '(TrUe)').replace('"x"', '"TrUe"'),
    ],
    ['GET', 'job/example/versions?diffs=x', 500, asBool('diffs')],
    ['DELETE', 'job/example?purge=x', 500, asBool('purge')],
    ['DELETE', 'job/example?global=x', 500, asBool('global')],
    [
      'GET',
      'job/example/versions?diff_version=x',
      500,
      asUint('diff_version', 'x', 'invalid syntax'),
    ],
    [
      'GET',
      'job/example/versions?diff_version=-1',
      500,
      asUint('diff_version', '-1', 'invalid syntax'),
    ],
    [
      'GET',
      `job/example/versions?diff_version=${large}`,
      500,
      asUint('diff_version', large, 'value out of range'),
    ],
    ['DELETE', 'job/example?eval_priority=x', 500, asInt('x', 'invalid syntax')],
    ['DELETE', `job/example?eval_priority=${large}`, 500, asInt(large, 'value out of range')],
    ['GET', 'jobs?per_page=x', 400, perPage],
    ['GET', 'jobs?per_page=1.5', 400, perPage],
    ['GET', 'jobs?per_page=2147483648', 400, perPage],
    ['GET', 'job/example?per_page=x', 400, perPage],
    ['GET', 'jobs?stale=x', 400, stale],
    ['GET', 'job/example?stale=yes', 400, stale],
    ['GET', 'jobs?index=x', 400, 'Invalid index'],
    ['GET', 'jobs?index=-1', 400, 'Invalid index'],
    ['GET', `jobs?index=${large}`, 400, 'Invalid index'],
    ['GET', 'jobs?wait=x', 400, 'Invalid wait time'],
    ['GET', 'jobs?wait=5', 400, 'Invalid wait time'],
    ['GET', 'jobs?stale=x&per_page=x&wait=x&index=x', 400, stale],
    ['GET', 'jobs?per_page=x&wait=x&index=x', 400, perPage],
    ['GET', 'jobs?wait=x&index=x', 400, 'Invalid wait time'],
    ['GET', 'jobs?meta=x&index=x', 400, 'Invalid index'],
    ['GET', 'job/example/versions?diffs=x&index=x', 500, asBool('diffs')],
  ] as const)('%s %s is %i: %s', async ([method, path, status, text]) => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, exampleJob())
    expect(await failureOf(client.request(method, path))).toEqual([status, text])
    expect((await client.get('job/example')).body).toEqual(readExample())
  })

  test.for(['1', 't', 'T', 'true', 'True', 'TRUE'])('%s is true', async (value) => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, exampleJob())
    expect((await client.get(`jobs?meta=${value}&stale=${value}`)).body[0].Meta).toBeNull()
  })

  test.for(['0', 'f', 'F', 'false', 'False', 'FALSE', ''])('%j is false', async (value) => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, exampleJob())
    const { body } = await client.get(`jobs?meta=${value}&stale=${value}`)
    expect(Object.hasOwn(body[0], 'Meta')).toBe(false)
  })

  test('a bad all counts as false without an error', async () => {
    const { scheduler: client } = await frozenScheduler()
    expect((await client.get('job/example/allocations?all=x')).body).toEqual([])
  })

  // choice/scheduler#scheduler-repeated-parameters
  test('the first of repeated parameters counts', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, exampleJob())
    expect((await client.get('jobs?prefix=ex&prefix=no')).body).toHaveLength(1)
    // An empty parameter is ignored.
    expect((await client.get('jobs?region=&index=')).status).toBe(200)
  })
})

describe(`regions (${section})`, () => {
  test.for([
    ['GET', 'jobs'],
    ['GET', 'job/example'],
    ['GET', 'job/example/submission?version=0'],
    ['POST', 'jobs'],
    ['POST', 'job/example/plan'],
    ['DELETE', 'job/example'],
  ] as const)('%s %s serves only its own region', async ([method, path]) => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, exampleJob(), { Submission: { Source: 'job' } })
    const joint = path.includes('?') ? '&' : '?'
    const request = (region: string) =>
      client.request(method, `${path}${joint}region=${region}`, { Job: exampleJob() })
    expect(await failureOf(request('east'))).toEqual([500, 'No path to region'])
    expect((await request('global')).status).toBe(200)
    expect((await request('')).status).toBe(200)
  })

  // choice/scheduler#scheduler-order-of-region
  test('are checked after the parameters of reads, after the body of writes, before the token', async () => {
    const { scheduler: client, as } = await aclScheduler()
    const elsewhere = [500, 'No path to region']
    expect(await failureOf(client.get('jobs?region=east&index=x'))).toEqual([400, 'Invalid index'])
    const path = 'jobs?region=east'
    expect(await failureOf(client.get(path))).toEqual(elsewhere)
    expect(await failureOf(client.post(path, '{}'))).toEqual([400, 'Job must be specified'])
    expect(await failureOf(as('x').post(path, { Job: exampleJob() }))).toEqual(elsewhere)
  })

  // choice/scheduler#scheduler-order-of-region
  test.for([
    ['index=x&wait=y', 400, 'Invalid wait time'],
    ['index=x&region=east', 400, 'Invalid index'],
    ['wait=y&region=east', 400, 'Invalid wait time'],
    ['index=x&namespace=none', 400, 'Invalid index'],
    [
      'stale=z&per_page=z&index=x',
      400,
      'Expect `true` or `false` for `stale` query string parameter',
    ],
    ['per_page=z&index=x', 400, 'Expect a number for `per_page` query string parameter'],
    ['meta=z&index=x', 400, 'Invalid index'],
    [
      'meta=z&region=east',
      500,
      'Failed to parse value of "meta" (z) as a bool: strconv.ParseBool: parsing "z": invalid syntax',
    ],
    ['region=east', 500, 'No path to region'],
    ['namespace=none', 403, 'Permission denied'],
  ] as const)('?%s of an unknown caller: %i %s', async ([query, status, text]) => {
    const { as } = await aclScheduler()
    expect(await failureOf(as('x').get(`jobs?${query}`))).toEqual([status, text])
  })

  test('a bad index is ignored by writes, and refused by reads that never wait', async () => {
    const { scheduler: client } = await aclScheduler()
    const asked = [
      client.post('jobs?index=x&wait=y', { Job: exampleJob() }),
      client.get('operator/scheduler/configuration?index=x'),
    ]
    expect(await Promise.all(asked.map(failureOf))).toEqual([
      [403, 'Permission denied'],
      [400, 'Invalid index'],
    ])
  })

  test('the region may have another name', async () => {
    const { scheduler: client } = await frozenScheduler({ options: { region: 'east' } })
    await requireSuccess(client.get('jobs?region=east'))
    expect(await failureOf(client.get('jobs?region=global'))).toEqual([500, 'No path to region'])
  })
})

describe(`namespaces (${section})`, () => {
  async function withNamespaces() {
    const served = await frozenScheduler()
    for (const Name of ['a', 'b', 'c'])
      await requireSuccess(served.scheduler.post('namespace', { Name }))
    return served
  }

  test.for([
    ['query first', '?namespace=a', { Namespace: 'b' }, 'c', 'a'],
    ["then the body's", '', { Namespace: 'b' }, 'c', 'b'],
    ["then the job's", '', {}, 'c', 'c'],
    ['then default', '', {}, undefined, 'default'],
    ['empty ones do not count', '?namespace=', { Namespace: '' }, '', 'default'],
  ] as const)('register and plan: %s', async ([, query, more, Namespace, expected]) => {
    const { scheduler: client } = await withNamespaces()
    const Job = exampleJob(Namespace === undefined ? {} : { Namespace })
    const plan = await requireSuccess(
      client.post(`job/example/plan${query}`, { Job, Diff: true, ...more }),
    )
    const fields: { Name: string; New: string }[] = plan.body.Diff.Fields
    expect(fields.find(({ Name }) => Name === 'Namespace')?.New).toBe(expected)
    await requireSuccess(client.post(`jobs${query}`, { Job, ...more }))
    const stored = await client.get(`job/example?namespace=${expected}`)
    expect(stored.body.Namespace).toBe(expected)
    expect((await client.get('jobs?namespace=*')).body).toHaveLength(1)
  })

  test('an unknown namespace has an empty list and no jobs', async () => {
    const { scheduler: client } = await withNamespaces()
    await register(client, exampleJob())
    expect((await client.get('jobs?namespace=none')).body).toEqual([])
    expect((await client.get('job/example/allocations?namespace=none')).body).toEqual([])
    expect(await failureOf(client.get('job/example?namespace=none'))).toEqual([
      404,
      'job not found',
    ])
    expect(await failureOf(client.get('job/example?namespace=*'))).toEqual([404, 'job not found'])
    expect(await failureOf(client.get('job/example/versions?namespace=none'))).toEqual([
      404,
      'job versions not found',
    ])
  })

  test('jobs of one ID in two namespaces are independent', async () => {
    const { scheduler: client } = await withNamespaces()
    await register(client, exampleJob({ Namespace: 'a', Priority: 1 }))
    await register(client, exampleJob({ Namespace: 'b', Priority: 2 }))
    expect((await client.get('job/example?namespace=a')).body.Priority).toBe(1)
    expect((await client.get('job/example?namespace=b')).body.Priority).toBe(2)
    await requireSuccess(client.delete('job/example?namespace=a&purge=true'))
    expect((await client.get('job/example?namespace=b')).status).toBe(200)
  })
})
