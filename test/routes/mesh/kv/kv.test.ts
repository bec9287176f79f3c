import { describe, expect, test } from 'vitest'
import { blockingReader, drainEventLoop } from '../../../support/blocked-reads.ts'
import { type MeshClient, mesh } from '../../../support/mesh/mesh.ts'
import { meshWithAcls } from '../../../support/mesh/mesh-acl.ts'
import type { Reply } from '../../../support/secrets/secrets.ts'

const waiting = blockingReader('x-mesh-index')

const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64')

/** Creates a namespace `x` besides `default`. */
async function withNamespace(): Promise<{ client: MeshClient }> {
  const { mesh: client } = await mesh({ options: { waitJitter: false } })
  await client.put('namespace', { Name: 'x' })
  return { client }
}

const textOf = ({ status, text }: Reply) => [status, text]

describe('KV, minimal (behaviour/mesh#removal)', () => {
  test('a value is stored as sent and read in base64, with read headers', async () => {
    const { client } = await withNamespace()
    const value = Buffer.from([0, 255, 10, 13, 200])
    const stored = await client.put('kv/app/db', value)
    expect([stored.status, stored.text, stored.headers['content-type']]).toEqual([
      200,
      'true',
      'application/json',
    ])
    expect(stored.headers['x-mesh-index']).toBeUndefined()
    const read = await client.get('kv/app/db')
    expect([read.status, read.text]).toEqual([
      200,
      `[{"LockIndex":0,"Key":"app/db","Flags":0,"Value":"${base64(value)}","CreateIndex":8,"ModifyIndex":8}]`,
    ])
    expect(read.headers['x-mesh-index']).toBe('8')
    expect(read.headers['x-mesh-knownleader']).toBe('true')
    expect(read.headers['x-mesh-effective-consistency']).toBeUndefined()
    const json = await client.put('kv/json', '{"a": 1}', {
      headers: { 'content-type': 'application/json' },
    })
    expect(json.body).toBe(true)
    expect((await client.get('kv/json?raw')).text).toBe('{"a": 1}')
  })

  test('entries name their namespace outside default; header and query select it', async () => {
    const { client } = await withNamespace()
    await client.put('kv/a?ns=X', 'one')
    await client.put('kv/b', 'two', { headers: { 'x-mesh-namespace': 'x' } })
    await client.put('kv/b?ns=default', 'three', { headers: { 'x-mesh-namespace': 'x' } })
    expect((await client.get('kv/a?ns=x')).body).toEqual([
      {
        LockIndex: 0,
        Key: 'a',
        Flags: 0,
        Value: base64('one'),
        CreateIndex: 8,
        ModifyIndex: 8,
        Namespace: 'x',
      },
    ])
    expect((await client.get('kv/b?raw&ns=x')).text).toBe('two')
    expect((await client.get('kv/b?raw')).text).toBe('three')
    expect((await client.get('kv/a')).status).toBe(404)
  })

  test('an empty value is null', async () => {
    const { client } = await withNamespace()
    await client.put('kv/a')
    expect((await client.get('kv/a')).body[0].Value).toBeNull()
    const raw = await client.get('kv/a?raw')
    expect([raw.status, raw.text]).toEqual([200, ''])
  })

  test('?raw answers the bytes as plain text', async () => {
    const { client } = await withNamespace()
    await client.put('kv/a', 'välue')
    const raw = await client.get('kv/a?raw')
    expect([raw.status, raw.text, raw.headers['content-type']]).toEqual([
      200,
      'välue',
      'text/plain',
    ])
    expect(raw.headers['x-mesh-index']).toBe('8')
    expect(raw.headers['x-content-type-options']).toBe('nosniff')
    expect(raw.headers['content-security-policy']).toBe('sandbox')
  })

  test('?recurse returns everything below a prefix, ?keys its names', async () => {
    const { client } = await withNamespace()
    for (const key of ['app/b', 'app/a/1', 'app/a/2', 'apple', 'z']) {
      await client.put(`kv/${key}`, key)
    }
    const keys = async (path: string) => (await client.get(path)).body
    const recursed = await keys('kv/app/?recurse')
    expect(recursed.map(({ Key }: { Key: string }) => Key)).toEqual(['app/a/1', 'app/a/2', 'app/b'])
    expect(await keys('kv/app?keys')).toEqual(['app/a/1', 'app/a/2', 'app/b', 'apple'])
    expect(await keys('kv/?keys&separator=/')).toEqual(['app/', 'apple', 'z'])
    expect(await keys('kv/app/?keys&separator=/')).toEqual(['app/a/', 'app/b'])
    expect(await keys('kv/?keys&seperator=/')).toEqual(['app/', 'apple', 'z'])
    expect(await keys('kv/?keys&seperator=/&separator=l')).toEqual([
      'app/a/1',
      'app/a/2',
      'app/b',
      'appl',
      'z',
    ])
    expect((await client.get('kv/app?recurse')).headers['x-mesh-index']).toBe('11')
  })

  test('a missing key is 404 with an empty body and index headers', async () => {
    const { client } = await withNamespace()
    for (const path of ['kv/a', 'kv/a?raw', 'kv/a?recurse', 'kv/a?keys', 'kv/?recurse']) {
      const reply = await client.get(path)
      expect([...textOf(reply), reply.headers['x-mesh-index']]).toEqual([404, '', '1'])
    }
    const root = await client.get('kv/?keys')
    expect([root.status, root.text, root.headers['x-mesh-index']]).toEqual([200, '[]', '1'])
  })

  test('?flags= is stored; a malformed number is 500', async () => {
    const { client } = await withNamespace()
    await client.put('kv/a?flags=42', 'v')
    expect((await client.get('kv/a')).body[0].Flags).toBe(42)
    await client.put('kv/large?flags=18446744073709551615', 'v')
    for (const query of ['', '?pretty']) {
      expect((await client.get(`kv/large${query}`)).text).toMatch(/"Flags": ?18446744073709551615,/)
    }
    for (const [input, fault] of [
      ['x', 'strconv.ParseUint: parsing "x": invalid syntax'],
      ['-1', 'strconv.ParseUint: parsing "-1": invalid syntax'],
      ['', 'strconv.ParseUint: parsing "": invalid syntax'],
      [
        '18446744073709551616',
        'strconv.ParseUint: parsing "18446744073709551616": value out of range',
      ],
    ]) {
      expect(textOf(await client.put(`kv/b?flags=${input}`, 'v'))).toEqual([500, fault])
      expect(textOf(await client.put(`kv/b?cas=${input}`, 'v'))).toEqual([500, fault])
    }
    expect((await client.get('kv/b')).status).toBe(404)
  })

  test('an unchanged value is not written again', async () => {
    const { client } = await withNamespace()
    await client.put('kv/a', 'v')
    expect((await client.put('kv/a', 'v')).body).toBe(true)
    expect((await client.get('kv/a')).body[0]).toMatchObject({ CreateIndex: 8, ModifyIndex: 8 })
    await client.put('kv/a', 'w')
    expect((await client.get('kv/a')).body[0]).toMatchObject({ CreateIndex: 8, ModifyIndex: 9 })
  })

  test('?cas= writes only if the index matches, 0 only if the key is missing', async () => {
    const { client } = await withNamespace()
    const put = async (query: string) => (await client.put(`kv/a?${query}`, query)).body
    expect(await put('cas=5')).toBe(false)
    expect(await put('cas=0')).toBe(true)
    expect(await put('cas=0')).toBe(false)
    expect(await put('cas=7')).toBe(false)
    expect(await put('cas=8')).toBe(true)
    expect((await client.get('kv/a?raw')).text).toBe('cas=8')
    expect((await client.get('kv/a')).body[0].ModifyIndex).toBe(9)
  })

  test('DELETE returns true for a missing key as well; ?cas= deletes only if the index matches', async () => {
    const { client } = await withNamespace()
    await client.put('kv/a', 'v')
    const remove = async (path: string) => (await client.delete(path)).body
    expect(await remove('kv/none')).toBe(true)
    expect(await remove('kv/none?cas=5')).toBe(true)
    expect(await remove('kv/a?cas=5')).toBe(false)
    expect(await remove('kv/a?cas=0')).toBe(false)
    expect(await remove('kv/a?cas=8')).toBe(true)
    const reply = await client.get('kv/a')
    expect([reply.status, reply.headers['x-mesh-index']]).toEqual([404, '9'])
  })

  test('DELETE ?recurse deletes everything below a prefix', async () => {
    const { client } = await withNamespace()
    for (const key of ['a/1', 'a/2', 'ab', 'b']) await client.put(`kv/${key}`, 'v')
    expect((await client.delete('kv/a/?recurse')).body).toBe(true)
    expect((await client.get('kv/?keys')).body).toEqual(['ab', 'b'])
    expect((await client.delete('kv/?recurse')).body).toBe(true)
    expect((await client.get('kv/?keys')).body).toEqual([])
    expect((await client.delete('kv/?recurse')).body).toBe(true)
  })

  test.for([
    ['DELETE', 'kv/a?recurse&cas=5', 'cas=5&recurse='],
    ['PUT', 'kv/a?cas=5&acquire=s%201', 'acquire=s+1&cas=5'],
    ['PUT', 'kv/a?release=s&acquire=s', 'acquire=s&release=s'],
  ] as const)('%s %s is refused: Conflicting flags', async ([method, path, flags]) => {
    const { client } = await withNamespace()
    expect(textOf(await client.request(method, path))).toEqual([
      400,
      `Conflicting flags: ${flags}\n`,
    ])
  })

  test.for([
    ['GET', 'kv/'],
    ['PUT', 'kv/'],
    ['DELETE', 'kv/'],
    ['GET', 'kv/?raw'],
  ] as const)('%s %s misses a key name', async ([method, path]) => {
    const { client } = await withNamespace()
    expect(textOf(await client.request(method, path))).toEqual([400, 'Missing key name'])
  })

  test('a value may have up to 524288 bytes', async () => {
    const { client } = await withNamespace()
    expect((await client.put('kv/a', Buffer.alloc(524_288))).body).toBe(true)
    expect(textOf(await client.put('kv/b', Buffer.alloc(524_289)))).toEqual([
      413,
      'Request body(524289 bytes) too large, max size: 524288 bytes. See https://mesh.example/docs/agent/config/config-files#kv_max_value_size.',
    ])
    expect((await client.get('kv/b')).status).toBe(404)
  })

  test('keys may contain any characters', async () => {
    const { client } = await withNamespace()
    for (const key of ['a b', 'ключ', 'a?b', 'a//b/', '%', 'x=1&y', '__proto__']) {
      expect((await client.put(`kv/${encodeURIComponent(key)}`, key)).body).toBe(true)
      const read = await client.get(`kv/${encodeURIComponent(key)}`)
      expect([read.body[0].Key, read.body[0].Value]).toEqual([key, base64(key)])
    }
    await client.put('kv/a%2Fb', 'slash')
    expect((await client.get('kv/a/b?raw')).text).toBe('slash')
  })

  // choice/mesh#kv-unknown-namespace
  test('a missing namespace is 500', async () => {
    const { client } = await withNamespace()
    for (const reply of [
      await client.get('kv/a?ns=none'),
      await client.get('kv/?keys&ns=none'),
      await client.put('kv/a?ns=none', 'v'),
      await client.delete('kv/a?ns=none'),
    ]) {
      expect(textOf(reply)).toEqual([500, 'Namespace "none" does not exist'])
    }
  })

  // choice/mesh#kv-wildcard-namespace
  test('ns=* reads every namespace, with recurse or keys only', async () => {
    const { client } = await withNamespace()
    await client.put('kv/b', 'default')
    await client.put('kv/a?ns=x', 'x')
    const all = await client.get('kv/?recurse&ns=*')
    expect(
      all.body.map(({ Key, Namespace }: { Key: string; Namespace?: string }) => [Key, Namespace]),
    ).toEqual([
      ['b', undefined],
      ['a', 'x'],
    ])
    expect(all.headers['x-mesh-index']).toBe('9')
    expect((await client.get('kv/a?keys&ns=*')).body).toEqual(['a'])
    for (const [method, path] of [
      ['GET', 'kv/a?ns=*'],
      ['PUT', 'kv/a?ns=*'],
      ['DELETE', 'kv/a?ns=*'],
      ['DELETE', 'kv/a?ns=*&recurse'],
    ] as const) {
      expect(textOf(await client.request(method, path))).toEqual([
        400,
        'Invalid query parameter: "ns" - a wildcard needs recurse or keys',
      ])
    }
  })

  test('requires key:read or key:write; lists are filtered and report it', async () => {
    const {
      manager,
      as,
      mesh: anonymous,
    } = await mesh({
      options: { aclEnabled: true, defaultPolicy: 'deny' },
    })
    for (const key of ['open/a', 'shut/a']) await manager.put(`kv/${key}`, 'v')
    const Rules = 'key_prefix "open/" { policy = "write" }'
    await manager.put('acl/policy', { Name: 'keys', Rules })
    const { body } = await manager.put('acl/token', { Policies: [{ Name: 'keys' }] })
    const client = as(body.SecretID)
    const lacks = (access: string, key: string) => [
      403,
      `Permission denied: token with AccessorID '${body.AccessorID}' lacks permission 'key:${access}' on "${key}"`,
    ]
    expect((await client.get('kv/open/a')).status).toBe(200)
    expect((await client.put('kv/open/b', 'v')).body).toBe(true)
    expect(textOf(await client.get('kv/shut/a'))).toEqual(lacks('read', 'shut/a'))
    expect(textOf(await client.get('kv/none'))).toEqual(lacks('read', 'none'))
    expect(textOf(await client.put('kv/shut/a', 'w'))).toEqual(lacks('write', 'shut/a'))
    expect(textOf(await client.delete('kv/shut/a'))).toEqual(lacks('write', 'shut/a'))
    expect(textOf(await client.delete('kv/?recurse'))).toEqual([
      403,
      `Permission denied: token with AccessorID '${body.AccessorID}' lacks permission 'key:write'`,
    ])

    const filtered = 'x-mesh-results-filtered-by-acls'
    const some = await client.get('kv/?keys')
    expect([some.body, some.headers[filtered]]).toEqual([['open/a', 'open/b'], 'true'])
    const all = await client.get('kv/open/?recurse')
    expect([all.body.length, all.headers[filtered]]).toEqual([2, undefined])
    const none = await anonymous.get('kv/?recurse')
    expect([...textOf(none), none.headers[filtered]]).toEqual([404, '', undefined])
    const hidden = await client.get('kv/shut/?recurse')
    expect([...textOf(hidden), hidden.headers[filtered]]).toEqual([404, '', 'true'])
    const denied = await client.get('kv/shut/a')
    for (const header of ['index', 'knownleader', 'lastcontact', 'query-backend']) {
      expect(denied.headers[`x-mesh-${header}`]).toBeUndefined()
    }
  })

  test.for([
    ['1.18.0+ent', 'www.consul.io'],
    ['1.20.6', 'www.consul.io'],
    ['1.21.0', 'developer.hashicorp.com'],
    ['2.0.0', 'developer.hashicorp.com'],
  ] as const)(
    'the 413 of version %s names the documentation at %s (behaviour/mesh#vendor-names)',
    async ([version, site]) => {
      const { mesh: client } = await mesh({ dialect: 'vendor', options: { version } })
      const text = (anchor: string) =>
        `Request body(524289 bytes) too large, max size: 524288 bytes. See https://${site}/docs/agent/config/config-files#${anchor}.`
      expect(textOf(await client.put('kv/b', Buffer.alloc(524_289)))).toEqual([
        413,
        text('kv_max_value_size'),
      ])
      expect(textOf(await client.put('txn', ' '.repeat(524_289)))).toEqual([
        413,
        text('txn_max_req_len'),
      ])
    },
  )
})

describe('index of lists (behaviour/mesh#kv-index)', () => {
  const indexOf = async (client: MeshClient, path: string) =>
    Number((await client.get(path)).headers['x-mesh-index'])

  test('a list shows the last write below its prefix, or else the last of the namespace', async () => {
    const { client } = await withNamespace()
    await client.put('kv/app/a', 'v')
    await client.put('kv/other/a', 'v')
    await client.put('kv/app/b', 'v')
    await client.put('kv/z?ns=x', 'v')
    await client.put('kv/other/b', 'v')
    for (const path of ['kv/app/?recurse', 'kv/app/?keys', 'kv/ap?keys&separator=/']) {
      expect(await indexOf(client, path)).toBe(10)
    }
    expect(await indexOf(client, 'kv/app/a?keys')).toBe(8)
    expect(await indexOf(client, 'kv/?keys')).toBe(12)
    expect(await indexOf(client, 'kv/none/?recurse')).toBe(12)
    expect(await indexOf(client, 'kv/none')).toBe(12)
    expect(await indexOf(client, 'kv/?recurse&ns=x')).toBe(11)
    expect(await indexOf(client, 'kv/app/?recurse&ns=*')).toBe(10)
    expect(await indexOf(client, 'kv/none/?recurse&ns=*')).toBe(12)
  })

  test('deletions are recorded, including recursive ones', async () => {
    const { client } = await withNamespace()
    for (const key of ['a/1', 'a/2', 'b/x/1', 'b/y']) await client.put(`kv/${key}`, 'v')
    await client.delete('kv/a/1')
    await client.put('kv/z', 'v')
    expect(await indexOf(client, 'kv/a/?recurse')).toBe(12)
    await client.delete('kv/a/2')
    expect(await indexOf(client, 'kv/a/?recurse')).toBe(14)
    await client.delete('kv/b/?recurse')
    await client.put('kv/z', 'w')
    expect(await indexOf(client, 'kv/b/?recurse')).toBe(15)
    expect(await indexOf(client, 'kv/b/x/?keys')).toBe(15)
    expect(await indexOf(client, 'kv/b/y')).toBe(16)
    await client.put('kv/a/1', 'again')
    expect(await indexOf(client, 'kv/a/?recurse')).toBe(17)
  })

  test('ACLs do not affect the index', async () => {
    const { manager, as } = await mesh({ options: { aclEnabled: true, defaultPolicy: 'deny' } })
    await manager.put('acl/policy', { Name: 'p', Rules: 'key_prefix "a/open" { policy = "read" }' })
    const { body } = await manager.put('acl/token', { Policies: [{ Name: 'p' }] })
    await manager.put('kv/a/open', 'v')
    await manager.put('kv/a/shut', 'v')
    const unfiltered = await indexOf(manager, 'kv/a/?recurse')
    expect(await indexOf(as(body.SecretID), 'kv/a/?recurse')).toBe(unfiltered)
  })
})

describe('recursive deletion (behaviour/mesh#recursive-delete)', () => {
  const rules = `key_prefix "" { policy = "write" }
    key "app/secret" { policy = "read" }
    key_prefix "w/secret" { policy = "deny" }`

  test.for([
    ['app/', false],
    ['app', false],
    ['app/s', false],
    ['app/secret', false],
    ['app/secret/', true],
    ['app/t', true],
    ['w/b', true],
    ['w/se', false],
    ['w/secret/deep', false],
    ['z', true],
  ] as const)('of %s with rules that deny a part of it: %s', async ([prefix, allowed]) => {
    const { clientWithRules, manager } = await meshWithAcls()
    const client = await clientWithRules(rules)
    for (const key of ['app/a', 'app/secret', 'app/secret/x', 'w/b', 'w/secret', 'z']) {
      await manager.put(`kv/${key}`, 'v')
    }
    const before = (await manager.get('kv/?keys')).body
    const reply = await client.delete(`kv/${prefix}?recurse`)
    const after = (await manager.get('kv/?keys')).body
    if (allowed) {
      expect([reply.status, reply.body]).toEqual([200, true])
      expect(after).toEqual(before.filter((key: string) => !key.startsWith(prefix)))
    } else {
      expect([reply.status, reply.text]).toEqual([
        403,
        expect.stringContaining(`lacks permission 'key:write' on "${prefix}"`),
      ])
      expect(after).toEqual(before)
    }
  })

  test('without a rule for the prefix the default policy decides', async () => {
    const { clientWithRules } = await meshWithAcls({ options: { defaultPolicy: 'allow' } })
    const client = await clientWithRules('key "a/x" { policy = "read" }')
    expect((await client.delete('kv/b/?recurse')).status).toBe(200)
    expect((await client.delete('kv/a/?recurse')).status).toBe(403)
    const all = await client.delete('kv/?recurse')
    expect([all.status, all.text]).toEqual([403, expect.stringMatching(/'key:write'$/)])
    const { clientWithRules: denied } = await meshWithAcls()
    expect(
      (await (await denied('key "a/x" { policy = "write" }')).delete('kv/a/?recurse')).status,
    ).toBe(403)
  })
})

describe('blocking reads of keys (behaviour/mesh#reads and behaviour/mesh#removal)', () => {
  /** Returns whether an action wakes a blocked read. */
  async function isWokenBy(client: MeshClient, path: string, act: () => Promise<unknown>) {
    let reply: Reply | undefined
    void client.get(path).then((answered) => {
      reply = answered
    })
    const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
    for (let at = 0; at < 3; at++) await nextTurn()
    expect(reply).toBeUndefined()
    await act()
    for (let at = 0; at < 3; at++) await nextTurn()
    return reply?.status
  }

  test('wake for their key, their prefix and the end of their namespace', async () => {
    const { mesh: client, clock } = await mesh()
    await client.put('namespace', { Name: 'x' })
    const put = (path: string) => () => client.put(path, String(Math.random()))
    expect(await isWokenBy(client, 'kv/a?ns=x&index=7', put('kv/a?ns=x'))).toBe(200)
    expect(await isWokenBy(client, 'kv/a?ns=x&index=8', put('kv/b?ns=x'))).toBeUndefined()
    expect(await isWokenBy(client, 'kv/p/?recurse&ns=x&index=9', put('kv/p/1?ns=x'))).toBe(200)
    expect(await isWokenBy(client, 'kv/p/?keys&ns=x&index=10', put('kv/q?ns=x'))).toBeUndefined()
    expect(await isWokenBy(client, 'kv/?keys&ns=*&index=11', put('kv/d'))).toBe(200)
    expect(await isWokenBy(client, 'kv/none?ns=x&index=12', put('kv/none'))).toBeUndefined()
    expect(await isWokenBy(client, 'kv/b?ns=x&index=13', () => client.delete('kv/b?ns=x'))).toBe(
      404,
    )
    await client.delete('namespace/x')
    const end = async () => clock.advance(500)
    expect(await isWokenBy(client, 'kv/absent?ns=x&index=20', end)).toBe(500)
  })

  test('a list does not wake for other prefixes, nor for changes of its namespace', async () => {
    const { mesh: client } = await mesh({ options: { waitJitter: false } })
    await client.put('kv/p/1', 'v')
    const put = (path: string) => () => client.put(path, String(Math.random()))
    const update = () => client.put('namespace/default', { Description: 'changed' })
    for (const path of ['kv/p/?recurse&index=7', 'kv/p/?keys&index=7']) {
      expect(await isWokenBy(client, path, put('kv/q/1'))).toBeUndefined()
      expect(await isWokenBy(client, path, update)).toBeUndefined()
    }
    await client.put('kv/none-other', 'v')
    for (const read of ['kv/none?', 'kv/none/?recurse&']) {
      const path = `${read}index=${(await client.get('kv/none')).headers['x-mesh-index']}`
      const change = async () => {
        await client.put('kv/q/2', String(Math.random()))
        await update()
      }
      expect(await isWokenBy(client, path, change)).toBeUndefined()
    }
  })

  test.for([
    [[], 'none/', 'q', true],
    [['p/1'], 'none/', 'q', true],
    [['p/1', 'q/1'], 'none/', 'q/2', true],
    [['n1', 'q/1'], 'none/', 'q/2', false],
    [['n1', 'q/1'], 'none/', 'n2', true],
    [['app/a', 'app/b', 'q'], 'app/c', 'q', false],
    [['app/a', 'app/b', 'q'], 'app/c', 'app/a', true],
    [['app', 'app/b', 'q'], 'app/c', 'app', false],
    [['app', 'app/b', 'q'], 'app/c', 'app/b', true],
    [['app', 'app/b', 'q'], 'appx', 'app/b', true],
    [['app', 'app/b', 'q'], 'appx', 'q', false],
  ] as const)(
    'with %j, a wait for %s notices a write of %s: %s (behaviour/mesh#blocking)',
    async ([present, wanted, changedKey, isNoticed]) => {
      const { mesh: client, clock } = await mesh({ options: { waitJitter: false } })
      for (const key of present) await client.put(`kv/${key}`, 'v')
      const begun = (await client.get(`kv/${wanted}`)).headers['x-mesh-index']
      const wait = `index=${begun}&wait=10s`
      const reads = [
        await waiting(client, `kv/${wanted}?recurse&${wait}`),
        await waiting(client, `kv/${wanted}?keys&${wait}`),
        await waiting(client, `kv/${wanted}?${wait}`),
      ]
      await client.put(`kv/${changedKey}`, 'changed')
      await drainEventLoop()
      const after = (await client.get('kv/?keys')).headers['x-mesh-index']
      const woken = isNoticed ? [404, after, ''] : 'waits'
      expect(reads.map(({ state }) => state)).toEqual([woken, woken, 'waits'])
      clock.advance(10_000)
      await drainEventLoop()
      const ended = [404, isNoticed ? after : begun, '']
      expect(reads.map(({ state }) => state)).toEqual([ended, ended, ended])
    },
  )

  test('a wait for an absent key ends with its creation, after other writes (behaviour/mesh#blocking)', async () => {
    const { mesh: client } = await mesh({ options: { waitJitter: false } })
    const read = await waiting(client, 'kv/a?index=1')
    await client.put('kv/b', 'v')
    await client.put('kv/c', 'v')
    await drainEventLoop()
    expect(read.state).toBe('waits')
    await client.put('kv/a', 'v')
    await drainEventLoop()
    expect(read.state).toMatchObject([200, '9', [{ Key: 'a' }]])
  })

  test('a wait that times out returns the content of its start', async () => {
    const { mesh: client, clock } = await mesh({ options: { waitJitter: false } })
    await client.put('kv/a', 'v')
    const absent = await waiting(client, 'kv/none?index=7&wait=10s')
    const list = await waiting(client, 'kv/none/?recurse&index=7&wait=10s')
    const ahead = await waiting(client, 'kv/a?index=100&wait=10s')
    await client.put('kv/b', 'v')
    clock.advance(10_000)
    await drainEventLoop()
    expect(absent.state).toEqual([404, '8', ''])
    expect(list.state).toEqual([404, '8', ''])
    expect(ahead.state).toMatchObject([200, '7', [{ Key: 'a' }]])
    expect((await client.get('kv/none?index=7')).headers['x-mesh-index']).toBe('8')
  })
})
