import { describe, expect, test } from 'vitest'
import { schedulerOperations } from '../../../../routes/scheduler/operations.ts'
import { scheduler } from '../../../support/scheduler/scheduler.ts'
import { unknownId } from '../cluster/support.ts'
import { apiHeaders, failureOf, readHeaders, requireSuccess, uuid } from '../support.ts'

const section = 'behaviour/scheduler#acl'
const rules = 'namespace "default" { policy = "read" }'
const on = { aclEnabled: true, waitJitter: false }

/** 32 bytes in base64. */
const hash = /^[A-Za-z0-9+/]{43}=$/

const aclPaths = schedulerOperations.flatMap(({ id, method, path }) =>
  path.startsWith('/acl/') ? [[id, method, path.slice(1).replace(/:\w+/, unknownId)]] : [],
)

describe(`with ACLs off (${section})`, () => {
  test.each(aclPaths)('%s: 400', async (_id, method = '', path = '') => {
    const { scheduler: client } = await scheduler()
    const body = path.includes('policy')
      ? { Name: unknownId, Rules: rules }
      : {
          ID: path.endsWith(unknownId) ? unknownId : '',
          AccessorID: path.endsWith(unknownId) ? unknownId : '',
          Type: 'management',
        }
    const payload = method === 'POST' && !path.endsWith('bootstrap') ? body : undefined
    expect(await failureOf(client.request(method, path, payload))).toEqual([
      400,
      'ACL support disabled',
    ])
  })
})

describe(`bootstrap (${section})`, () => {
  test.each(['POST', 'PUT'])('%s makes a management token, once', async (method) => {
    const { scheduler: client, as } = await scheduler({ options: { ...on, bootstrap: 'open' } })
    const first = await client.request(method, 'acl/bootstrap')
    expect([first.status, first.body, apiHeaders(first)]).toEqual([
      200,
      {
        AccessorID: expect.stringMatching(uuid),
        SecretID: expect.stringMatching(uuid),
        Name: 'Bootstrap Token',
        Type: 'management',
        Policies: null,
        Roles: null,
        Hash: expect.stringMatching(hash),
        ExpirationTime: null,
        ExpirationTTL: '',
        Global: true,
        CreateTime: '2026-01-01T00:00:00Z',
        CreateIndex: 11,
        ModifyIndex: 11,
      },
      { 'x-sched-index': '11' },
    ])
    expect((await as(first.body.SecretID).get('acl/tokens')).status).toBe(200)
    expect(await failureOf(client.request(method, 'acl/bootstrap'))).toEqual([
      400,
      'ACL bootstrap already done (reset index: 11)',
    ])
  })

  test('counts as done in a fresh world', async () => {
    const { scheduler: client } = await scheduler({ options: on })
    expect(await failureOf(client.post('acl/bootstrap'))).toEqual([
      400,
      'ACL bootstrap already done (reset index: 10)',
    ])
  })

  test('accepts a secret from the caller', async () => {
    const { scheduler: client, as } = await scheduler({ options: { ...on, bootstrap: 'open' } })
    expect(await failureOf(client.post('acl/bootstrap', { BootstrapSecret: 'x' }))).toEqual([
      400,
      'invalid acl token',
    ])
    const BootstrapSecret = '2b778dd9-f5f1-6f29-b4b4-9a5fa948757a'
    await requireSuccess(client.post('acl/bootstrap', { BootstrapSecret }))
    expect((await as(BootstrapSecret).get('acl/token/self')).body.SecretID).toBe(BootstrapSecret)
  })
})

describe(`policies (${section})`, () => {
  // choice/scheduler#job-acl-extras choice/scheduler#cluster-empty-writes
  test('are written, read, listed without rules, and deleted', async () => {
    const { manager } = await scheduler({ options: on })
    const sent = { Name: 'reader', Description: 'd', Rules: rules }
    const put = await manager.put('acl/policy/reader', sent)
    expect([put.status, put.text, apiHeaders(put)]).toEqual([200, '', { 'x-sched-index': '11' }])
    const indexes = { CreateIndex: 11, ModifyIndex: 11 }
    const one = await manager.get('acl/policy/reader')
    expect([one.body, apiHeaders(one)]).toEqual([{ ...sent, ...indexes }, readHeaders(11)])
    const list = await manager.get('acl/policies')
    expect([list.body, apiHeaders(list)]).toEqual([
      [{ Name: 'reader', Description: 'd', ...indexes }],
      readHeaders(11),
    ])
    await requireSuccess(manager.post('acl/policy/reader', { Name: 'reader', Rules: rules }))
    expect((await manager.get('acl/policy/reader')).body).toEqual({
      Name: 'reader',
      Description: '',
      Rules: rules,
      CreateIndex: 11,
      ModifyIndex: 12,
    })
    const gone = await manager.delete('acl/policy/reader')
    expect([gone.status, gone.text, apiHeaders(gone)]).toEqual([200, '', { 'x-sched-index': '13' }])
    const absent = await manager.get('acl/policy/reader')
    expect([absent.status, absent.text, apiHeaders(absent)]).toEqual([
      404,
      'ACL policy not found',
      readHeaders(13),
    ])
  })

  test.each([
    [{ Name: 'other', Rules: rules }, 'ACL policy name does not match request path'],
    [
      { Name: 'p', Rules: 'namespace "x" { policy = "owner" }' },
      'policy 0 invalid: 1 error occurred:\n\t* failed to parse rules: Invalid namespace policy: &acl.NamespacePolicy{Name:"x", Policy:"owner", Capabilities:[]string(nil), Variables:(*acl.VariablesPolicy)(nil)}\n\n',
    ],
    ['', 'Request body is empty'],
    ['{', 'unexpected EOF'],
  ])('%o is refused', async (body, text) => {
    const { manager } = await scheduler({ options: on })
    expect(await failureOf(manager.post('acl/policy/p', body))).toEqual([400, text])
    expect((await manager.get('acl/policies')).body).toEqual([])
  })

  test('the list and a single policy support blocking reads', async () => {
    const { manager } = await scheduler({ options: on })
    await requireSuccess(manager.post('acl/policy/p', { Name: 'p', Rules: rules }))
    const list = manager.get('acl/policies?index=11')
    const one = manager.get('acl/policy/p?index=11')
    await new Promise((resolve) => setImmediate(resolve))
    await requireSuccess(manager.post('acl/policy/q', { Name: 'q', Rules: rules }))
    expect((await list).body).toHaveLength(2)
    await requireSuccess(manager.post('acl/policy/p', { Name: 'p', Rules: '' }))
    expect((await one).body).toMatchObject({ Rules: '', ModifyIndex: 13 })
  })
})

describe(`tokens (${section})`, () => {
  test('are created, read by accessor and by themselves, listed without secrets, changed, deleted', async () => {
    const { manager, as } = await scheduler({ options: on })
    const made = await manager.post('acl/token', { Name: 'n', Type: 'client', Policies: ['p'] })
    const token = {
      AccessorID: expect.stringMatching(uuid),
      SecretID: expect.stringMatching(uuid),
      Name: 'n',
      Type: 'client',
      Policies: ['p'],
      Roles: null,
      Hash: expect.stringMatching(hash),
      ExpirationTime: null,
      ExpirationTTL: '',
      Global: false,
      CreateTime: '2026-01-01T00:00:00Z',
      CreateIndex: 11,
      ModifyIndex: 11,
    }
    expect([made.status, made.body, apiHeaders(made)]).toEqual([
      200,
      token,
      { 'x-sched-index': '11' },
    ])
    const { AccessorID, SecretID } = made.body
    const path = `acl/token/${AccessorID}`
    const self = await as(SecretID).get('acl/token/self')
    expect([self.body, apiHeaders(self)]).toEqual([made.body, readHeaders(11)])
    expect((await as(SecretID).get(path)).body).toEqual(made.body)
    expect((await manager.get(path)).body).toEqual(made.body)
    const { SecretID: _, ExpirationTTL: __, ...stub } = made.body
    const list = await manager.get(`acl/tokens?prefix=${AccessorID.slice(0, 8)}`)
    expect([list.body, apiHeaders(list)]).toEqual([[stub], readHeaders(11)])
    const globals = await manager.get('acl/tokens?global=true')
    expect(globals.body.map(({ Name }: { Name: string }) => Name)).toEqual(['Bootstrap Token'])
    const change = { AccessorID, Name: 'm', Type: 'client', Policies: ['q'] }
    expect((await manager.put(path, change)).body).toEqual({
      ...made.body,
      Name: 'm',
      Policies: ['q'],
      Hash: expect.not.stringMatching(made.body.Hash),
      ModifyIndex: 12,
    })
    const gone = await manager.delete(path)
    expect([gone.status, gone.text]).toEqual([200, ''])
    expect(await failureOf(manager.get(path))).toEqual([404, 'ACL token not found'])
    expect(await failureOf(as(SecretID).get('acl/token/self'))).toEqual([
      404,
      'ACL token not found',
    ])
  })

  const invalid = (...faults: readonly string[]) =>
    `token 0 invalid: ${faults.length} error${faults.length > 1 ? 's' : ''} occurred:\n${faults
      .map((fault) => `\t* ${fault}\n`)
      .join('')}\n`
  test.each([
    ['acl/token', { Type: 'client' }, invalid('client token missing policies or roles')],
    [
      'acl/token',
      { Type: 'management', Policies: ['p'] },
      invalid('management token cannot be associated with policies or roles'),
    ],
    ['acl/token', {}, invalid('token type must be client or management')],
    [
      'acl/token',
      { Name: 'n'.repeat(257), Type: 'x' },
      invalid('token name too long', 'token type must be client or management'),
    ],
    [
      'acl/token',
      { Type: 'management', ExpirationTTL: '10s' },
      invalid('expiration time cannot be less than 1m0s in the future (was 10s)'),
    ],
    [
      'acl/token',
      { Type: 'management', ExpirationTTL: '25h' },
      invalid('expiration time cannot be more than 24h0m0s in the future (was 25h0m0s)'),
    ],
    [
      `acl/token/${unknownId}`,
      { Type: 'management' },
      'ACL token accessor does not match request path',
    ],
    [
      `acl/token/${unknownId}`,
      { AccessorID: unknownId, Type: 'management' },
      `cannot find token ${unknownId}`,
    ],
    ['acl/token', '', 'Request body is empty'],
  ])('%s %o is refused', async (path, body, text) => {
    const { manager } = await scheduler({ options: on })
    expect(await failureOf(manager.post(path, body))).toEqual([400, text])
  })

  test.each([
    ['GET', 'acl/token/x', 500, 'acl token lookup failed: index error: UUID must be 36 characters'],
    [
      'DELETE',
      'acl/token/x',
      400,
      'token lookup failed: acl token lookup failed: index error: UUID must be 36 characters',
    ],
    ['GET', `acl/token/${unknownId}`, 404, 'ACL token not found'],
    ['DELETE', `acl/token/${unknownId}`, 400, `Cannot delete nonexistent tokens: ${unknownId}`],
    [
      'GET',
      'acl/tokens?global=x',
      500,
      'Failed to parse value of "global" (x) as a bool: strconv.ParseBool: parsing "x": invalid syntax',
    ],
  ])('%s %s', async (method, path, status, text) => {
    const { manager } = await scheduler({ options: on })
    expect(await failureOf(manager.request(method, path))).toEqual([status, text])
  })

  test('self without a token', async () => {
    const { scheduler: client } = await scheduler({ options: on })
    expect(await failureOf(client.get('acl/token/self'))).toEqual([
      500,
      'acl token lookup failed: missing secret id',
    ])
  })

  test('expire', async () => {
    const { manager, as, clock } = await scheduler({ options: on })
    const sent = { Type: 'management', ExpirationTTL: '2m' }
    const { body } = await requireSuccess(manager.post('acl/token', sent))
    expect([body.ExpirationTTL, body.ExpirationTime]).toEqual(['2m0s', '2026-01-01T00:02:00Z'])
    clock.advance(119_999)
    expect((await as(body.SecretID).get('nodes')).status).toBe(200)
    clock.advance(1)
    expect(await failureOf(as(body.SecretID).get('nodes'))).toEqual([403, 'Permission denied'])
    // An expired token can be read until it is collected, even by itself.
    const { AccessorID } = body
    expect((await manager.get(`acl/token/${AccessorID}`)).body).toMatchObject({ AccessorID })
    expect((await as(body.SecretID).get('acl/token/self')).body).toMatchObject({ AccessorID })
    expect(await failureOf(as(body.SecretID).get(`acl/token/${AccessorID}`))).toEqual([
      500,
      'ACL token expired',
    ])
    const listed = async () =>
      (await manager.get('acl/tokens')).body.map((each: { AccessorID: string }) => each.AccessorID)
    expect(await listed()).toContain(AccessorID)
    clock.advance(3_599_999)
    expect(await listed()).toContain(AccessorID)
    clock.advance(1)
    expect(await listed()).not.toContain(AccessorID)
    expect(await failureOf(manager.get(`acl/token/${AccessorID}`))).toEqual([
      404,
      'ACL token not found',
    ])
  })

  // choice/scheduler#job-token-life
  test('a collection of garbage deletes expired tokens at once', async () => {
    const { manager, clock } = await scheduler({ options: on })
    const sent = { Type: 'management', ExpirationTTL: '2m' }
    const [short, long] = [
      await requireSuccess(manager.post('acl/token', sent)),
      await requireSuccess(manager.post('acl/token', { ...sent, ExpirationTTL: '4m' })),
    ]
    clock.advance(120_000)
    await requireSuccess(manager.put('system/gc'))
    const statusOf = async ({ body }: typeof short) =>
      (await manager.get(`acl/token/${body.AccessorID}`)).status
    expect([await statusOf(short), await statusOf(long)]).toEqual([404, 200])
  })

  test('are listed by pages in order of creation', async () => {
    const { manager } = await scheduler({ options: on })
    for (const Name of ['a', 'b', 'c']) {
      await requireSuccess(manager.post('acl/token', { Name, Type: 'management' }))
    }
    const names: string[] = []
    let next: unknown = ''
    for (let pages = 0; next !== undefined && pages < 9; pages++) {
      const page = await manager.get(`acl/tokens?per_page=1&next_token=${next}`)
      names.push(...page.body.map(({ Name }: { Name: string }) => Name))
      next = page.headers['x-sched-nexttoken']
    }
    expect(names).toEqual(['Bootstrap Token', 'a', 'b', 'c'])
  })
})

describe(`a change of rights (${section})`, () => {
  test('applies from the next request on and ends waits of callers who lost access', async () => {
    const { manager, as } = await scheduler({ options: on })
    await requireSuccess(manager.post('acl/policy/p', { Name: 'p', Rules: rules }))
    const sent = { Type: 'client', Policies: ['p'] }
    const client = as((await requireSuccess(manager.post('acl/token', sent))).body.SecretID)
    expect((await client.get('jobs')).status).toBe(200)
    await requireSuccess(manager.post('acl/policy/p', { Name: 'p', Rules: '' }))
    expect(await failureOf(client.get('jobs'))).toEqual([403, 'Permission denied'])
    await requireSuccess(manager.delete('acl/policy/p'))
    expect(await failureOf(client.get('jobs'))).toEqual([403, 'Permission denied'])
  })
})
