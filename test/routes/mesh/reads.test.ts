import { describe, expect, test } from 'vitest'
import { mesh } from '../../support/mesh/mesh.ts'

const defaults = {
  'x-mesh-knownleader': 'true',
  'x-mesh-lastcontact': '0',
  'x-mesh-effective-consistency': 'leader',
  'x-mesh-query-backend': 'blocking-query',
  'x-mesh-default-acl-policy': 'allow',
}

function meshHeaders(headers: object): object {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('x-mesh-')))
}

describe('reads (behaviour/mesh#reads)', () => {
  test('GET /v1/namespace/:name returns the object with read headers', async () => {
    const { mesh: client } = await mesh()
    await client.put('namespace', { Name: 'team-1' })
    const reply = await client.get('namespace/team-1')
    expect([reply.status, reply.body]).toEqual([
      200,
      { Name: 'team-1', CreateIndex: 7, ModifyIndex: 7 },
    ])
    expect(meshHeaders(reply.headers)).toEqual({ ...defaults, 'x-mesh-index': '7' })
  })

  test('an unknown name is 404 with all headers', async () => {
    const { mesh: client } = await mesh()
    const reply = await client.get('namespace/Absent')
    expect([reply.status, reply.text]).toEqual([404, 'Namespace "Absent" does not exist'])
    expect(meshHeaders(reply.headers)).toEqual({ ...defaults, 'x-mesh-index': '6' })
  })

  test('GET /v1/namespaces sorts by bytes and includes namespaces marked for deletion', async () => {
    const { mesh: client } = await mesh()
    for (const Name of ['b', 'Zeta', 'a', 'B2', '1']) await client.put('namespace', { Name })
    await client.delete('namespace/a')
    const reply = await client.get('namespaces')
    expect(reply.body.map(({ Name }: { Name: string }) => Name)).toEqual([
      '1',
      'B2',
      'Zeta',
      'a',
      'b',
      'default',
    ])
    expect(reply.body[3].DeletedAt).toBe('2026-01-01T00:00:00Z')
    expect(meshHeaders(reply.headers)).toEqual({ ...defaults, 'x-mesh-index': '12' })
  })

  test('?filter= is ignored', async () => {
    const { mesh: client } = await mesh()
    expect((await client.get('namespaces?filter=Name+%3D%3D')).body).toHaveLength(1)
  })

  test('a filtered list reports it, a complete list does not', async () => {
    const {
      manager,
      mesh: anonymous,
      as,
    } = await mesh({
      options: { aclEnabled: true, defaultPolicy: 'deny' },
    })
    await manager.put('namespace', { Name: 'team-1' })
    const Rules = 'namespace "team-1" { policy = "read" }'
    await manager.put('acl/policy', { Name: 'one', Rules })
    const token = await manager.put('acl/token', { Policies: [{ Name: 'one' }] })
    const header = 'x-mesh-results-filtered-by-acls'

    const none = await anonymous.get('namespaces')
    expect([none.status, none.text, none.headers[header]]).toEqual([200, '[]', 'true'])
    const some = await as(token.body.SecretID).get('namespaces')
    const names = some.body.map(({ Name }: { Name: string }) => Name)
    expect([names, some.headers[header]]).toEqual([['default', 'team-1'], undefined])
    const all = await manager.get('namespaces')
    expect([all.body.length, all.headers[header]]).toEqual([2, undefined])
    const single = await manager.get('namespace/team-1')
    expect([single.status, single.headers[header]]).toEqual([200, undefined])
  })

  test('a denied single read is 403 whether the name exists or not', async () => {
    const { mesh: client } = await mesh({ options: { aclEnabled: true, defaultPolicy: 'deny' } })
    for (const name of ['default', 'absent']) {
      const reply = await client.get(`namespace/${name}`)
      expect([reply.status, reply.text]).toEqual([
        403,
        `Permission denied: anonymous token lacks permission 'namespace:read' on "${name}". The anonymous token is used implicitly when a request does not specify a token.`,
      ])
    }
  })
})

describe('the index (behaviour/mesh#index)', () => {
  test('is that of the last write to namespaces, including removals; other writes only count', async () => {
    const { mesh: client, clock } = await mesh()
    const index = async () => (await client.get('namespaces')).headers['x-mesh-index']
    expect(await index()).toBe('6')
    await client.put('kv/a', '1')
    expect(await index()).toBe('6')
    expect((await client.put('namespace', { Name: 'x' })).body.CreateIndex).toBe(8)
    expect(await index()).toBe('8')
    await client.put('kv/a', '2', { query: { ns: 'x' } })
    await client.delete('namespace/x')
    expect(await index()).toBe('10')
    clock.advance(500)
    // The removal of its key got index 11.
    expect(await index()).toBe('12')
    expect((await client.get('namespace/default')).headers['x-mesh-index']).toBe('12')
  })

  test('refused requests do not raise the index', async () => {
    const { mesh: client } = await mesh()
    await client.put('namespace', { Name: 'a_b' })
    await client.put('namespace', { Name: 'root' })
    await client.delete('namespace/default')
    await client.delete('namespace/none')
    expect((await client.put('namespace', { Name: 'x' })).body.CreateIndex).toBe(7)
  })

  test('restoring a world restores its index', async () => {
    const { mesh: client, world } = await mesh()
    await client.put('namespace', { Name: 'x' })
    world.reset()
    expect((await client.get('namespaces')).headers['x-mesh-index']).toBe('6')
    expect((await client.put('namespace', { Name: 'y' })).body.CreateIndex).toBe(7)
  })
})

describe('the cached list', () => {
  test('follows writes, refused writes, restores and the names of linked objects', async () => {
    const { manager: client, world } = await mesh({ options: { aclEnabled: true } })
    const listed = async () => (await client.get('namespaces')).text
    const before = await listed()
    const snapshot = world.snapshot()
    await client.put('namespace', { Name: 'x' })
    const after = await listed()
    expect([JSON.parse(after).length, await listed()]).toEqual([2, after])
    expect((await client.put('namespace', { Name: 'root' })).status).toBe(500)
    expect(await listed()).toBe(after)
    world.restore(snapshot)
    expect(await listed()).toBe(before)

    const { ID } = (await client.put('acl/policy', { Name: 'old' })).body
    await client.put('namespace', { Name: 'y', ACLs: { PolicyDefaults: [{ ID }] } })
    expect(await listed()).toContain('"Name":"old"')
    await client.put(`acl/policy/${ID}`, { Name: 'new' })
    expect(await listed()).toContain('"Name":"new"')
  })

  test('wakes blocked readers', async () => {
    const { mesh: client } = await mesh()
    await client.get('namespaces')
    const waiting = client.get('namespaces?index=6')
    await client.put('namespace', { Name: 'x' })
    expect((await waiting).body).toHaveLength(2)
  })
})

describe('consistency (behaviour/mesh#consistency)', () => {
  // choice/mesh#stale-last-contact
  test.for([
    ['', 'leader', '0'],
    ['leader', 'leader', '0'],
    ['stale', 'stale', '3'],
    ['stale=false', 'stale', '3'],
    ['consistent', 'consistent', '0'],
    ['consistent=0', 'consistent', '0'],
    ['cached', 'leader', '0'],
    ['cached&stale', 'stale', '3'],
    ['max_stale=10s', 'stale', '3'],
    ['max_stale=0', 'leader', '0'],
    ['max_stale=-1s', 'leader', '0'],
    ['max_stale=', 'leader', '0'],
    ['leader&consistent', 'consistent', '0'],
  ] as const)('?%s is %s', async ([query, mode, contact]) => {
    const { mesh: client } = await mesh()
    for (const path of ['namespaces', 'namespace/default']) {
      const { status, headers } = await client.get(`${path}?${query}`)
      expect(status).toBe(200)
      expect(headers['x-mesh-effective-consistency']).toBe(mode)
      expect(headers['x-mesh-lastcontact']).toBe(contact)
    }
  })

  test.for([
    ['stale&consistent', 'Cannot specify ?stale with ?consistent, conflicting semantics.'],
    ['max_stale=1s&consistent', 'Cannot specify ?stale with ?consistent, conflicting semantics.'],
    ['cached&consistent', 'Cannot specify ?cached with ?consistent, conflicting semantics.'],
    ['max_stale=soon', 'Invalid max_stale value "soon"'],
    ['max_stale=5', 'Invalid max_stale value "5"'],
    ['index=x', 'Invalid index'],
    ['index=-1', 'Invalid index'],
    ['index=1.5', 'Invalid index'],
    ['index=18446744073709551616', 'Invalid index'],
    ['wait=x', 'Invalid wait time'],
    ['wait=10', 'Invalid wait time'],
  ] as const)('?%s is refused: %s', async ([query, text]) => {
    const { mesh: client } = await mesh()
    for (const path of ['namespaces', 'namespace/default', 'namespace/absent']) {
      const reply = await client.get(`${path}?${query}`)
      expect([reply.status, reply.text]).toEqual([400, text])
    }
    // Writes ignore all of these parameters.
    expect((await client.put(`namespace?${query}`, { Name: 'x' })).status).toBe(200)
    expect((await client.delete(`namespace/x?${query}`)).status).toBe(200)
  })

  test.for([
    ['max-age=60', 200],
    ['max-age=60, stale-if-error=30', 200],
    ['no-cache', 200],
    ['max-age=x', 400],
    ['stale-if-error=', 400],
    ['max-age', 400],
    ['no-cache, max-age=1.5', 400],
  ] as const)('Cache-Control: %s is %i', async ([header, status]) => {
    const { mesh: client } = await mesh()
    const reply = await client.get('namespaces', { headers: { 'cache-control': header } })
    expect(reply.status).toBe(status)
    if (status === 400) expect(reply.text).toBe('Invalid Cache-Control header.')
    const headers = { 'cache-control': header }
    expect((await client.put('namespace', { Name: 'x' }, { headers })).status).toBe(200)
  })
})
