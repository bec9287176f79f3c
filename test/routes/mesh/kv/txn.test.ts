import { describe, expect, test } from 'vitest'
import { type MeshClient, mesh } from '../../../support/mesh/mesh.ts'
import { meshWithAcls } from '../../../support/mesh/mesh-acl.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')
const unknownId = 'ffffffff-0000-4000-8000-000000000000'
type Operation = Readonly<Record<string, unknown>>

const txn = (client: MeshClient, operations: readonly Operation[], query = '') =>
  client.put(
    `txn${query}`,
    operations.map((KV) => ({ KV, Node: null, Service: null, Check: null })),
  )

describe('behaviour/mesh#transactions', () => {
  test('all operations commit with one index; written keys are returned without their value', async () => {
    const { mesh: client } = await mesh()
    await client.put('kv/old', 'v')
    const { status, text, headers } = await txn(client, [
      { Verb: 'set', Key: 'a', Value: base64('1'), Flags: 5 },
      { Verb: 'cas', Key: 'b', Value: base64('2'), Index: 0 },
      { Verb: 'get', Key: 'a' },
      { Verb: 'delete', Key: 'old' },
      { Verb: 'check-not-exists', Key: 'old' },
      { Verb: 'get-or-empty', Key: 'old' },
    ])
    expect([status, text]).toEqual([
      200,
      `{"Results":[{"KV":{"LockIndex":0,"Key":"a","Flags":5,"Value":null,"CreateIndex":8,"ModifyIndex":8}},{"KV":{"LockIndex":0,"Key":"b","Flags":0,"Value":null,"CreateIndex":8,"ModifyIndex":8}},{"KV":{"LockIndex":0,"Key":"a","Flags":5,"Value":"${base64('1')}","CreateIndex":8,"ModifyIndex":8}},{"KV":{"LockIndex":0,"Key":"old","Flags":0,"Value":null,"CreateIndex":0,"ModifyIndex":0}}],"Errors":null}`,
    ])
    expect(headers['x-mesh-knownleader']).toBeUndefined()
    expect((await client.get('kv/?keys')).body).toEqual(['a', 'b'])
  })

  test('if any operation fails, none commits, and every failure is reported', async () => {
    const { mesh: client, world } = await mesh()
    await client.put('kv/a', 'v')
    const s = (await client.put('session/create')).body.ID
    const index = world.store.index('mesh')
    const { status, body } = await txn(client, [
      { Verb: 'set', Key: 'new', Value: base64('x') },
      { Verb: 'cas', Key: 'a', Index: 99 },
      { Verb: 'delete-cas', Key: 'a', Index: 99 },
      { Verb: 'get', Key: 'none' },
      { Verb: 'lock', Key: 'a', Session: unknownId },
      { Verb: 'lock', Key: 'a' },
      { Verb: 'unlock', Key: 'a', Session: s },
      { Verb: 'check-session', Key: 'a', Session: s },
      { Verb: 'check-session', Key: 'none', Session: s },
      { Verb: 'check-index', Key: 'a', Index: 1 },
      { Verb: 'check-index', Key: 'none', Index: 1 },
      { Verb: 'check-not-exists', Key: 'a' },
    ])
    expect([status, body.Results]).toEqual([409, null])
    expect(body.Errors.map(({ OpIndex, What }: Operation) => [OpIndex, What])).toEqual([
      [1, 'failed to set key "a", index is stale'],
      [2, 'failed to delete key "a", index is stale'],
      [3, `key "none" doesn't exist`],
      [4, `invalid session "${unknownId}"`],
      [5, 'missing session'],
      [6, `failed to unlock key "a", lock isn't held, or is held by another session`],
      [7, `failed session check for key "a", current session "" != "${s}"`],
      [8, `failed to check session, key "none" doesn't exist`],
      [9, 'failed index check for key "a", current modify index 7 != 1'],
      [10, `failed to check index, key "none" doesn't exist`],
      [11, 'key "a" exists'],
    ])
    expect(world.store.index('mesh')).toBe(index)
    expect((await client.get('kv/new')).status).toBe(404)
  })

  test('an unknown verb is refused before any operation runs, and counts as a read', async () => {
    const { mesh: client } = await mesh()
    const alone = await txn(client, [
      { Verb: 'bad', Key: 'a' },
      { Verb: 'get', Key: 'none' },
    ])
    const errors = '[{"OpIndex":0,"What":"unknown KV operation: bad"}]'
    expect([alone.status, alone.text]).toEqual([
      409,
      `{"Results":null,"Errors":${errors},"Index":0,"LastContact":0,"KnownLeader":false,"ConsistencyLevel":"","NotModified":false,"Backend":0,"ResultsFilteredByACLs":false}`,
    ])
    const write = { Verb: 'set', Key: 'b' }
    const withWrite = await txn(client, [{ Verb: 'bad', Key: 'a' }, write])
    expect(withWrite.text).toBe(`{"Results":null,"Errors":${errors}}`)
    expect((await client.get('kv/b')).status).toBe(404)
  })

  test('get-or-empty returns the request for a missing key', async () => {
    const { mesh: client } = await mesh()
    const input = { Key: 'none', Session: 's', Flags: 7, Index: 3, Value: base64('v') }
    const { body } = await txn(client, [{ Verb: 'get-or-empty', ...input }])
    expect(body.Results).toEqual([
      {
        KV: {
          ...{ LockIndex: 0, Key: 'none', Flags: 7, Value: null, Session: 's' },
          ...{ CreateIndex: 0, ModifyIndex: 3 },
        },
      },
    ])
  })

  test('a malformed body is refused before an unknown token (behaviour/mesh#transactions)', async () => {
    const { as } = await meshWithAcls()
    const broken = await as('nobody').put('txn', '[')
    expect([broken.status, broken.text]).toEqual([400, 'Failed to parse body: unexpected EOF'])
    expect((await txn(as('nobody'), [])).status).toBe(403)
    const flags = await as('nobody').put('kv/a?flags=x', 'v')
    const cas = await as('nobody').delete('kv/a?cas=x')
    for (const reply of [flags, cas]) {
      expect([reply.status, reply.text]).toEqual([
        500,
        'strconv.ParseUint: parsing "x": invalid syntax',
      ])
    }
  })

  test('locks', async () => {
    const { mesh: client } = await mesh()
    const s = (await client.put('session/create')).body.ID
    const other = (await client.put('session/create')).body.ID
    const locked = await txn(client, [
      { Verb: 'lock', Key: 'a', Value: base64('v'), Session: s },
      { Verb: 'check-session', Key: 'a', Session: s },
    ])
    expect(locked.body.Results).toMatchObject([
      { KV: { LockIndex: 1, Session: s, Value: null } },
      { KV: { LockIndex: 1, Session: s, Value: null } },
    ])
    const failureText = async (operation: Operation) =>
      (await txn(client, [operation])).body.Errors?.[0]?.What
    expect(await failureText({ Verb: 'lock', Key: 'a', Session: other })).toBe(
      'failed to lock key "a", lock is already held',
    )
    expect(await failureText({ Verb: 'unlock', Key: 'a', Session: s })).toBeUndefined()
    await txn(client, [{ Verb: 'lock', Key: 'a', Session: s }])
    await client.put(`session/destroy/${s}`)
    expect(await failureText({ Verb: 'lock', Key: 'a', Session: other })).toBe(
      'failed to lock key "a" due to lock delay',
    )
  })

  test('a transaction of reads replies like a read', async () => {
    const { mesh: client } = await mesh()
    await client.put('kv/a/1', 'v')
    const rest =
      '"Index":1,"LastContact":0,"KnownLeader":true,"ConsistencyLevel":"","NotModified":false,"Backend":0,"ResultsFilteredByACLs":false}'
    const read = await txn(client, [
      { Verb: 'get-tree', Key: 'a/' },
      { Verb: 'check-index', Key: 'a/1', Index: 7 },
    ])
    const shown = (value: string | null) =>
      `{"KV":{"LockIndex":0,"Key":"a/1","Flags":0,"Value":${JSON.stringify(value)},"CreateIndex":7,"ModifyIndex":7}}`
    expect(read.text).toBe(
      `{"Results":[${shown(base64('v'))},${shown(null)}],"Errors":null,${rest}`,
    )
    expect([read.headers['x-mesh-knownleader'], read.headers['x-mesh-lastcontact']]).toEqual([
      'true',
      '0',
    ])
    expect(read.headers['x-mesh-index']).toBeUndefined()
    expect((await txn(client, [])).text).toBe(`{"Results":[],"Errors":null,${rest}`)
  })

  test('delete, delete-cas and delete-tree return no results', async () => {
    const { mesh: client } = await mesh()
    for (const key of ['a', 'b', 't/1', 't/2']) await client.put(`kv/${key}`, 'v')
    const { text } = await txn(client, [
      { Verb: 'delete', Key: 'a' },
      { Verb: 'delete-cas', Key: 'b', Index: 8 },
      { Verb: 'delete-tree', Key: 't/' },
      { Verb: 'delete-tree', Key: '' },
    ])
    expect(text).toBe('{"Results":[],"Errors":null}')
    expect((await client.get('kv/?keys')).body).toEqual([])
    const { body } = await txn(client, [{ Verb: 'get', Key: '' }])
    expect(body.Errors).toEqual([{ OpIndex: 0, What: 'Must provide key' }])
  })

  test('the namespace comes from the operation, the query or the token', async () => {
    const { mesh: client } = await mesh()
    await client.put('namespace', { Name: 'x' })
    const { body } = await txn(client, [{ Verb: 'set', Key: 'a', Namespace: 'x' }])
    expect(body.Results[0].KV.Namespace).toBe('x')
    await txn(client, [{ Verb: 'set', Key: 'b' }], '?ns=x')
    expect((await client.get('kv/?keys&ns=x')).body).toEqual(['a', 'b'])
  })

  // choice/mesh#txn-unknown-namespace
  test('a namespace that is missing or marked for deletion refuses the transaction', async () => {
    const { mesh: client } = await mesh({ options: { namespaceRemovalDelay: 'manual' } })
    await client.put('namespace', { Name: 'x' })
    await client.delete('namespace/x')
    for (const [Namespace, text] of [
      ['none', 'Namespace "none" does not exist'],
      ['x', 'Namespace "x" is marked for deletion and cannot be modified'],
    ]) {
      const reply = await txn(client, [
        { Verb: 'set', Key: 'a' },
        { Verb: 'set', Key: 'b', Namespace },
      ])
      expect([reply.status, reply.text]).toEqual([500, text])
    }
    expect((await client.get('kv/?keys')).body).toEqual([])
  })

  test('flags beyond the precision of numbers are returned unchanged', async () => {
    const { mesh: client } = await mesh()
    await client.put('txn', '[{"KV":{"Verb":"set","Key":"a","Flags":18446744073709551615}}]')
    expect((await client.get('kv/a')).text).toContain('"Flags":18446744073709551615,')
  })

  test.for([
    ['{', 'unexpected EOF'],
    ['', 'EOF'],
    [[{ Session: {} }], 'json: unknown field "Session"'],
    [[{ KV: { Verb: 'get', Key: 'a' }, Session: {} }], 'json: unknown field "Session"'],
    [[{ KV: { Foo: 1 } }], 'json: unknown field "Foo"'],
    [[{ KV: { Verb: 'set', Key: 'a', Value: 'YQ!=' } }], 'illegal base64 data at input byte 2'],
    [
      [{ KV: { Verb: 'set', Key: 'a', Value: 1 } }],
      'json: cannot unmarshal number into Go struct field KVTxnOp.KV.Value of type []uint8',
    ],
  ] as const)('body %o: 400 Failed to parse body: %s', async ([body, text]) => {
    const { mesh: client } = await mesh()
    const reply = await client.put('txn', typeof body === 'string' ? body : [...body])
    expect([reply.status, reply.text]).toEqual([400, `Failed to parse body: ${text}`])
  })

  test('too many operations and too many bytes are 413', async () => {
    const { mesh: client } = await mesh()
    const many = Array.from({ length: 129 }, (_, at) => ({ Verb: 'set', Key: `k${at}` }))
    const tooMany = await txn(client, many)
    expect([tooMany.status, tooMany.text]).toEqual([
      413,
      'Transaction contains too many operations (129 > 128)',
    ])
    expect((await txn(client, many.slice(1))).status).toBe(200)
    const large = await client.put('txn', ' '.repeat(524_289))
    expect([large.status, large.text]).toEqual([
      413,
      expect.stringMatching(
        /^Request body\(524289 bytes\) too large, max size: 524288 bytes\. See .*#txn_max_req_len\.$/,
      ),
    ])
  })

  test('rights: denied reads are filtered out, other denied operations refuse the transaction', async () => {
    const { manager, clientWithRules } = await meshWithAcls()
    for (const key of ['open/a', 'shut/a']) await manager.put(`kv/${key}`, 'v')
    const client = await clientWithRules('key_prefix "open/" { policy = "write" }')
    const read = await txn(client, [
      { Verb: 'get', Key: 'open/a' },
      { Verb: 'get', Key: 'shut/a' },
      { Verb: 'get-tree', Key: 'shut/' },
    ])
    expect(read.body).toMatchObject({
      Results: [{ KV: { Key: 'open/a' } }],
      ResultsFilteredByACLs: true,
    })
    const written = await txn(client, [
      { Verb: 'set', Key: 'open/b' },
      { Verb: 'set', Key: 'shut/b' },
      { Verb: 'check-not-exists', Key: 'shut/c' },
      { Verb: 'delete-tree', Key: '' },
    ])
    const lacks = (rest: string) => expect.stringContaining(`lacks permission 'key:write'${rest}`)
    expect([written.status, written.body]).toEqual([
      409,
      {
        Results: null,
        Errors: [
          { OpIndex: 1, What: lacks(' on "shut/b"') },
          { OpIndex: 2, What: lacks(' on "shut/c"') },
          { OpIndex: 3, What: lacks('') },
        ],
      },
    ])
    expect((await manager.get('kv/open/b')).status).toBe(404)
    const checked = await txn(client, [{ Verb: 'check-index', Key: 'shut/a', Index: 1 }])
    expect(checked.body).toMatchObject({
      Errors: [{ OpIndex: 0, What: expect.stringContaining(`'key:read' on "shut/a"`) }],
      Index: 0,
      KnownLeader: false,
    })
    expect(checked.headers['x-mesh-knownleader']).toBe('false')
  })
})

describe('operations of no kind (behaviour/mesh#transactions)', () => {
  test.each(['[]', 'null', '[{}]', '[null]', '[{"KV":null}]'])(
    '%s does nothing, as a read',
    async (body) => {
      const { mesh: client } = await mesh()
      const { status, text } = await client.put('txn', body)
      expect([status, text]).toEqual([
        200,
        '{"Results":[],"Errors":null,"Index":1,"LastContact":0,"KnownLeader":true,"ConsistencyLevel":"","NotModified":false,"Backend":0,"ResultsFilteredByACLs":false}',
      ])
    },
  )

  test('an operation on both a key and a node applies to the key', async () => {
    const { mesh: client } = await mesh()
    const both = [{ KV: { Verb: 'set', Key: 'a', Value: 'dg==' }, Node: { Verb: 'set' } }]
    expect((await client.put('txn', both)).status).toBe(200)
    expect((await client.get('kv/a?raw')).text).toBe('v')
  })

  test('contradictory parameters of a transaction that only reads are refused', async () => {
    const { mesh: client } = await mesh()
    const { status, text } = await client.put('txn?stale&consistent', [{}])
    expect([status, text]).toEqual([
      400,
      'Cannot specify ?stale with ?consistent, conflicting semantics.',
    ])
  })
})
