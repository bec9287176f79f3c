import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scheduler } from '../../../support/scheduler/scheduler.ts'
import { testTime } from '../../../support/secrets/secrets.ts'
import { aclScheduler, apiHeaders, failureOf, frozenScheduler, requireSuccess } from '../support.ts'

const now = testTime * 1e6
const items = { user: 'ada', password: 'x' }

/** Returns a variable that was written at an index. */
const stored = (Path: string, index: number, Items: object = items, CreateIndex = index) => ({
  Namespace: 'default',
  Path,
  CreateIndex,
  ModifyIndex: index,
  CreateTime: now,
  ModifyTime: now,
  Items,
})

const metadata = (Path: string, index: number, CreateIndex = index) => {
  const { Items: _, ...rest } = stored(Path, index, items, CreateIndex)
  return rest
}

describe('variables (behaviour/scheduler#variables)', () => {
  test('are written and read in full, and listed without their content', async () => {
    const { scheduler: plain } = await frozenScheduler()
    const written = await plain.put('var/app/db', { Items: items, Path: 'other' })
    expect([written.status, written.body, apiHeaders(written)]).toEqual([
      200,
      stored('app/db', 11),
      { 'x-sched-index': '11' },
    ])
    const again = await plain.post('var/app/db', { Items: { a: 'b' } })
    expect(again.body).toEqual(stored('app/db', 12, { a: 'b' }, 11))
    const read = await plain.get('var/app/db')
    expect([read.status, read.body, Number(read.headers['x-sched-index'])]).toEqual([
      200,
      stored('app/db', 12, { a: 'b' }, 11),
      12,
    ])
    const list = await plain.get('vars')
    expect([list.status, list.body, Number(list.headers['x-sched-index'])]).toEqual([
      200,
      [metadata('app/db', 12, 11)],
      12,
    ])
  })

  test('missing variables: 404 with the index of variables; an empty list', async () => {
    const { scheduler: plain } = await frozenScheduler()
    const read = await plain.get('var/none')
    expect([read.status, read.text, Number(read.headers['x-sched-index'])]).toEqual([
      404,
      'variable not found',
      1,
    ])
    expect((await plain.get('vars')).body).toEqual([])
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const reply = await plain.request(
        method,
        'var/',
        method === 'PUT' ? { Items: items } : undefined,
      )
      expect([reply.status, reply.text]).toEqual([400, 'missing variable path'])
    }
    const wrong = await plain.request('PATCH', 'var/a')
    expect([wrong.status, wrong.text]).toEqual([400, 'Invalid method'])
  })

  test('the namespace of the body takes precedence over that of the query, and need not exist', async () => {
    const { scheduler: plain } = await frozenScheduler()
    await requireSuccess(plain.put('var/a?namespace=q', { Items: items, Namespace: 'b' }))
    await requireSuccess(plain.put('var/a?namespace=q', { Items: items }))
    const all = (await plain.get('vars?namespace=*')).body as { Namespace: string }[]
    expect(all.map(({ Namespace }) => Namespace)).toEqual(['b', 'q'])
    expect((await plain.get('vars')).body).toEqual([])
    expect((await plain.get('var/a?namespace=b')).status).toBe(200)
  })

  test('lists are by path, by prefix, in pages and filtered', async () => {
    const { scheduler: plain } = await frozenScheduler()
    for (const path of ['b', 'a/c', 'a/b'])
      await requireSuccess(plain.put(`var/${path}`, { Items: items }))
    const paths = async (query: string) =>
      ((await plain.get(`vars?${query}`)).body as { Path: string }[]).map(({ Path }) => Path)
    expect(await paths('')).toEqual(['a/b', 'a/c', 'b'])
    expect(await paths('prefix=a/')).toEqual(['a/b', 'a/c'])
    const page = await plain.get('vars?per_page=2')
    const token = page.headers['x-sched-nexttoken']
    expect([(page.body as object[]).length, await paths(`next_token=${token}`)]).toEqual([2, ['b']])
    expect(await paths(`filter=${encodeURIComponent('Path == "b"')}`)).toEqual(['b'])
    expect((await plain.get('vars?filter=x%20y')).status).toBe(400)
    const search = await plain.post('search', { Prefix: 'a/', Context: 'vars' })
    expect((search.body as { Matches: object }).Matches).toEqual({ vars: ['a/b', 'a/c'] })
  })

  test.each([
    [undefined, 'Request body is empty'],
    [{}, 'variable missing required Items object'],
    [{ Items: {} }, 'variable missing required Items object'],
    [
      { Items: 1 },
      'json: cannot unmarshal number into Go struct field VariableDecrypted.Items of type structs.VariableItems',
    ],
    [
      { Items: { a: 1 } },
      'json: cannot unmarshal number into Go struct field VariableDecrypted.Items of type string',
    ],
  ])('a body %j is refused', async (body, text) => {
    const { scheduler: plain } = await frozenScheduler()
    expect(await failureOf(plain.put('var/a', body))).toEqual([400, text])
  })

  test.each([
    ['a%20b', 'invalid path "a b"'],
    ['a.b', 'invalid path "a.b"'],
    ['x'.repeat(129), `invalid path "${'x'.repeat(129)}"`],
    [
      'sched',
      '"sched" is a reserved top-level directory path, but you may write variables to "sched/jobs", "sched/job-templates", or below',
    ],
    [
      'sched/job-templates',
      '"sched/job-templates" is a reserved directory path, but you may write variables at the level below it, for example, "sched/job-templates/template-name"',
    ],
    [
      'sched/other',
      'only paths at "sched/jobs" or "sched/job-templates" and below are valid paths under the top-level "sched" directory',
    ],
  ])('a path %s is refused, with index 0', async (path, text) => {
    const { scheduler: plain } = await frozenScheduler()
    const reply = await plain.put(`var/${path}`, { Items: items })
    expect([reply.status, reply.text, apiHeaders(reply)]).toEqual([
      400,
      `RPC Error:: 400,${text}`,
      { 'x-sched-index': '0' },
    ])
  })

  test.each(['sched/jobs', 'sched/jobs/a/b', 'sched/job-templates/t', 'nomad', '~a-_/B'])(
    'a path %s is accepted',
    async (path) => {
      const { scheduler: plain } = await frozenScheduler()
      await requireSuccess(plain.put(`var/${path}`, { Items: items }))
    },
  )

  test('with the vendor the reserved directory has its name', async () => {
    const { scheduler: plain } = await scheduler({ dialect: 'vendor' })
    await requireSuccess(plain.put('var/sched/x', { Items: items }))
    await requireSuccess(plain.put('var/nomad/jobs', { Items: items }))
    expect((await failureOf(plain.put('var/nomad/x', { Items: items })))[1]).toContain(
      '"nomad/jobs"',
    )
  })

  test('names and values may have up to 64 KiB in total; the namespace may not be a wildcard', async () => {
    const { scheduler: plain } = await frozenScheduler()
    await requireSuccess(plain.put('var/a', { Items: { k: 'x'.repeat(65_535) } }))
    expect(await failureOf(plain.put('var/a', { Items: { k: 'x'.repeat(65_536) } }))).toEqual([
      400,
      'RPC Error:: 400,variables are limited to 64KiB in total size',
    ])
    expect(await failureOf(plain.put('var/a?namespace=*', { Items: items }))).toEqual([
      400,
      'RPC Error:: 400,can not target wildcard ("*")namespace',
    ])
  })

  test('deleting returns 204, even for a missing variable', async () => {
    const { scheduler: plain } = await frozenScheduler()
    await requireSuccess(plain.put('var/a', { Items: items }))
    for (const index of ['12', '12']) {
      const reply = await plain.request('DELETE', 'var/a')
      expect([reply.status, reply.text, apiHeaders(reply)]).toEqual([
        204,
        '',
        { 'x-sched-index': index },
      ])
    }
    expect((await plain.get('vars')).headers['x-sched-index']).toBe('12')
  })

  test('cas: another index than expected is 409 with the stored variable', async () => {
    const { scheduler: plain } = await frozenScheduler()
    await requireSuccess(plain.put('var/a?cas=0', { Items: items }))
    const conflict = await plain.put('var/a?cas=0', { Items: { x: 'y' } })
    expect([conflict.status, conflict.body, apiHeaders(conflict)]).toEqual([
      409,
      stored('a', 11),
      { 'x-sched-index': '11' },
    ])
    const nothing = {
      Namespace: 'default',
      Path: 'b',
      CreateIndex: 0,
      CreateTime: 0,
      ModifyIndex: 0,
      ModifyTime: 0,
    }
    const missing = await plain.put('var/b?cas=5', { Items: items })
    expect([missing.status, missing.body]).toEqual([409, nothing])
    expect((await plain.request('DELETE', 'var/a?cas=5')).status).toBe(409)
    await requireSuccess(plain.put('var/a?cas=11', { Items: items }))
    expect((await plain.request('DELETE', 'var/a?cas=12')).status).toBe(204)
    expect(await failureOf(plain.put('var/a?cas=z', { Items: items }))).toEqual([
      400,
      'can not parse cas: strconv.ParseUint: parsing "z": invalid syntax',
    ])
  })

  test('locks are not supported', async () => {
    const { scheduler: plain } = await frozenScheduler()
    expect(await failureOf(plain.put('var/a?lock-acquire', { Items: items }))).toEqual([
      501,
      'variable locks are not played',
    ])
    await requireSuccess(plain.put('var/a', { Items: items, Lock: { TTL: '15s' } }))
  })

  test('a read and a list wait for a write to variables', async () => {
    const { scheduler: plain } = await frozenScheduler()
    await requireSuccess(plain.put('var/a', { Items: items }))
    const waiting = [plain.get('var/a?index=11'), plain.get('vars?index=11')]
    await requireSuccess(plain.put('var/a', { Items: { x: 'y' } }))
    const indexes = (await Promise.all(waiting)).map((reply) =>
      Number(reply.headers['x-sched-index']),
    )
    expect(indexes).toEqual([12, 12])
  })
})

describe('rights on variables (behaviour/scheduler#variables)', () => {
  const granting = (path: string, capabilities: readonly string[]) =>
    `namespace "default" { policy = "write" variables { path "${path}" { capabilities = ${JSON.stringify(capabilities)} } } }`

  test.each([
    ['read', 'GET', 200],
    ['write', 'PUT', 200],
    ['destroy', 'DELETE', 204],
  ])(
    '%s allows %s on the paths of the rule, and on no others',
    async (capability, method, status) => {
      const { manager, scheduler: anonymous, holder } = await aclScheduler()
      for (const path of ['a/b', 'c'])
        await requireSuccess(manager.put(`var/${path}`, { Items: items }))
      const body = method === 'PUT' ? { Items: items } : undefined
      const ask = async (rules: string, path: string) =>
        (await (await holder(rules)).client.request(method, `var/${path}`, body)).status
      expect(await ask(granting('c', [capability]), 'a/b')).toBe(403)
      expect(await ask(granting('a/*', ['list']), 'a/b')).toBe(403)
      expect(await ask(granting('a/*', [capability, 'deny']), 'a/b')).toBe(403)
      expect(await ask('namespace "default" { policy = "write" }', 'a/b')).toBe(403)
      expect((await anonymous.request(method, 'var/a/b', body)).status).toBe(403)
      expect(await ask(granting('a/*', [capability]), 'a/b')).toBe(status)
    },
  )

  test('lists are filtered by the right to list; the right to read includes it', async () => {
    const { manager, scheduler: anonymous, holder } = await aclScheduler()
    for (const path of ['a', 'b', 'c'])
      await requireSuccess(manager.put(`var/${path}`, { Items: items }))
    const paths = async (client: { get: typeof manager.get }) =>
      ((await requireSuccess(client.get('vars'))).body as { Path: string }[]).map(
        ({ Path }) => Path,
      )
    expect(await paths(manager)).toEqual(['a', 'b', 'c'])
    expect(await paths(anonymous)).toEqual([])
    expect(await paths((await holder(granting('a', ['list']))).client)).toEqual(['a'])
    expect(await paths((await holder(granting('b', ['read']))).client)).toEqual(['b'])
  })

  test('a conflict shows the content only to callers who may read it', async () => {
    const { manager, holder } = await aclScheduler()
    await requireSuccess(manager.put('var/a', { Items: items }))
    const conflict = async (...capabilities: string[]) => {
      const { client } = await holder(granting('a', capabilities))
      return (await client.put('var/a?cas=1', { Items: items })).body as { Items?: object }
    }
    expect((await conflict('write', 'read')).Items).toEqual(items)
    expect(await conflict('write')).not.toHaveProperty('Items')
  })
})

/** One step: a path, and the variable expected there. */
type Step = {
  readonly path: string
  readonly cas: 'none' | 'absent' | 'current' | 'other'
  readonly kind: 'put' | 'delete'
}

const step: fc.Arbitrary<Step> = fc.record({
  path: fc.constantFrom('a', 'a/b', 'c'),
  cas: fc.constantFrom('none', 'absent', 'current', 'other'),
  kind: fc.constantFrom('put', 'delete'),
})

test('any conditional writes behave like a map (behaviour/scheduler#variables)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
      const { scheduler: plain } = await frozenScheduler()
      const held = new Map<string, { index: number; value: string }>()
      let index = 10
      for (const [at, { path, cas, kind }] of steps.entries()) {
        const before = held.get(path)?.index ?? 0
        const expected = { none: undefined, absent: 0, current: before, other: before + 7 }[cas]
        const query = expected === undefined ? '' : `?cas=${expected}`
        const body = kind === 'put' ? { Items: { at: String(at) } } : undefined
        const reply = await plain.request(
          kind === 'put' ? 'PUT' : 'DELETE',
          `var/${path}${query}`,
          body,
        )
        const fits = expected === undefined || expected === before
        expect(reply.status).toBe(fits ? (kind === 'put' ? 200 : 204) : 409)
        if (!fits) continue
        if (kind === 'put') held.set(path, { index: ++index, value: String(at) })
        else if (held.delete(path)) index += 1
      }
      for (const [path, { index: ModifyIndex, value }] of held) {
        expect((await plain.get(`var/${path}`)).body).toMatchObject({
          ModifyIndex,
          Items: { at: value },
        })
      }
      expect((await plain.get('vars')).body).toHaveLength(held.size)
    }),
    { seed: 6, numRuns: 25 },
  )
})
