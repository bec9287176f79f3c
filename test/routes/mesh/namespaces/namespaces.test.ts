import { describe, expect, test } from 'vitest'
import { type MeshClient, mesh } from '../../../support/mesh/mesh.ts'
import { testTime } from '../../../support/secrets/secrets.ts'

const label = (name: string) =>
  `Namespace name ${JSON.stringify(name)} is not a valid DNS hostname label`
const longest = 'a'.repeat(63)

/** Creates a policy and a role in the namespace `default` and returns their IDs. */
async function aclObjects(manager: MeshClient): Promise<{ policy: string; role: string }> {
  const policy = await manager.put('acl/policy', { Name: 'readers', Rules: '' })
  const role = await manager.put('acl/role', { Name: 'auditors' })
  expect([policy.status, role.status]).toEqual([200, 200])
  return { policy: policy.body.ID, role: role.body.ID }
}

const withAcl = { aclEnabled: true, defaultPolicy: 'deny' } as const

describe('the namespace object (behaviour/mesh#namespace)', () => {
  test('a fresh world has the builtin namespace', async () => {
    const { mesh: client } = await mesh()
    expect((await client.get('namespaces')).text).toBe(
      '[{"Name":"default","Description":"Builtin Default Namespace","CreateIndex":6,"ModifyIndex":6}]',
    )
  })

  test('the members of a namespace are in the reference order, without empty ones', async () => {
    const { mesh: client, clock } = await mesh()
    const body = { Meta: { b: '2', a: '1' }, ACLs: {}, Description: 'd', Name: 'full' }
    await client.put('namespace', body)
    await client.put('namespace', { Name: 'bare', Description: '', Meta: {} })
    clock.advance(1500)
    await client.delete('namespace/full')
    expect((await client.get('namespace/full')).text).toBe(
      '{"Name":"full","Description":"d","ACLs":{"PolicyDefaults":null,"RoleDefaults":null},"Meta":{"a":"1","b":"2"},"DeletedAt":"2026-01-01T00:00:01.5Z","CreateIndex":7,"ModifyIndex":9}',
    )
    expect((await client.get('namespace/bare')).text).toBe(
      '{"Name":"bare","CreateIndex":8,"ModifyIndex":8}',
    )
  })

  test.for([
    [undefined, undefined],
    [null, undefined],
    [{}, { PolicyDefaults: null, RoleDefaults: null }],
    [{ PolicyDefaults: [] }, { PolicyDefaults: [], RoleDefaults: null }],
    [
      { PolicyDefaults: null, RoleDefaults: [] },
      { PolicyDefaults: null, RoleDefaults: [] },
    ],
  ] as const)('ACLs sent as %o are read as %o', async ([input, read]) => {
    const { mesh: client } = await mesh()
    await client.put('namespace', { Name: 'x', ...(input === undefined ? {} : { ACLs: input }) })
    expect((await client.get('namespace/x')).body.ACLs).toEqual(read)
  })

  test.for(['a', 'Z', '9', 'a-b', 'a--b', 'Team-1', '0x', longest])(
    'the label %s is a valid name',
    async (name) => {
      const { mesh: client } = await mesh()
      const expected = { Name: name, CreateIndex: 7, ModifyIndex: 7 }
      const created = await client.put('namespace', { Name: name })
      expect([created.status, created.body]).toEqual([200, expected])
      expect((await client.get(`namespace/${name}`)).body).toEqual(expected)
    },
  )

  test.for(['a_b', 'a.b', '-a', 'a-', '-', 'a b', 'é', '名', `${longest}a`, 'a/b', '*', 'a%b'])(
    '%s is not a valid name, in a body or a path',
    async (name) => {
      const { mesh: client } = await mesh()
      const path = `namespace/${encodeURIComponent(name)}`
      for (const reply of [
        await client.put('namespace', { Name: name }),
        await client.put(path, {}),
        await client.put(path, { Name: name }),
        await client.get(path),
        await client.delete(path),
      ]) {
        expect([reply.status, reply.text]).toEqual([400, label(name)])
      }
    },
  )

  test('percent-encoding in a path is decoded before the name is validated', async () => {
    const { mesh: client } = await mesh()
    await client.put('namespace', { Name: 'team-1' })
    expect((await client.get('namespace/%74eam%2D1')).body.Name).toBe('team-1')
    const slash = await client.get('namespace/team%2F1')
    expect([slash.status, slash.text]).toEqual([400, label('team/1')])
    const below = await client.get('namespace/team-1/more')
    expect([below.status, below.text]).toEqual([400, label('team-1/more')])
  })

  test('names are case-insensitive; the first spelling is kept', async () => {
    const { mesh: client } = await mesh()
    await client.put('namespace', { Name: 'Team-1' })
    const repeated = await client.put('namespace', { Name: 'tEAM-1', Description: 'd' })
    const expected = { Name: 'Team-1', Description: 'd', CreateIndex: 7, ModifyIndex: 8 }
    expect(repeated.body).toEqual(expected)
    expect((await client.get('namespace/TEAM-1')).body).toEqual(expected)
    expect((await client.put('namespace/DEFAULT', {})).body).toEqual({
      Name: 'default',
      CreateIndex: 6,
      ModifyIndex: 9,
    })
  })

  test.for(['mesh', 'system', 'universal', 'operator', 'root', 'MESH', 'Root'])(
    'the name %s is reserved',
    async (name) => {
      const { mesh: client } = await mesh()
      for (const reply of [
        await client.put('namespace', { Name: name }),
        await client.put(`namespace/${name}`, {}),
      ]) {
        expect([reply.status, reply.text]).toEqual([
          500,
          `Namespace "${name}" is reserved for future internal use`,
        ])
      }
      expect((await client.get(`namespace/${name}`)).status).toBe(404)
    },
  )

  test('Meta has no limits and accepts any key', async () => {
    const { mesh: client } = await mesh()
    const keys = ['', '__proto__', 'constructor', 'ключ', 'x'.repeat(2000)]
    const many = Array.from({ length: 200 }, (_, at) => `key-${at}`)
    const pairs = [...keys, ...many].map((key) => `${JSON.stringify(key)}:"v"`)
    const reply = await client.put('namespace', `{"Name":"x","Meta":{${pairs.join(',')}}}`)
    expect(reply.status).toBe(200)
    expect(Object.keys(reply.body.Meta)).toHaveLength(205)
    expect(reply.text).toContain('"__proto__":"v"')
  })

  test.for(['default', 'DEFAULT', ''])('the partition "%s" is accepted', async (partition) => {
    const { mesh: client } = await mesh()
    const reply = await client.put(`namespace?partition=${partition}`, {
      Name: 'x',
      Partition: partition,
    })
    expect([reply.status, reply.body]).toEqual([200, { Name: 'x', CreateIndex: 7, ModifyIndex: 7 }])
  })

  test('another partition is refused, in a body or the query', async () => {
    const { mesh: client } = await mesh()
    for (const reply of [
      await client.put('namespace', { Name: 'x', Partition: 'other' }),
      await client.put('namespace/x', { Partition: 'other' }),
      await client.put('namespace?partition=other', { Name: 'x' }),
      await client.get('namespaces?partition=other'),
      await client.get('namespace/default?partition=other'),
      await client.delete('namespace/x?partition=other'),
    ]) {
      expect([reply.status, reply.text]).toEqual([
        400,
        'Invalid query parameter: "partition" - Partitions are not enabled',
      ])
    }
  })
})

describe('PUT /v1/namespace (behaviour/mesh#namespace-writes)', () => {
  test('creates a namespace: 200 without index headers', async () => {
    const { mesh: client } = await mesh()
    const reply = await client.put('namespace', { Name: 'team-1', Description: 'd' })
    expect([reply.status, reply.body]).toEqual([
      200,
      { Name: 'team-1', Description: 'd', CreateIndex: 7, ModifyIndex: 7 },
    ])
    expect(Object.keys(reply.headers).filter((name) => name.startsWith('x-mesh-'))).toEqual([
      'x-mesh-default-acl-policy',
    ])
  })

  test('an existing namespace is replaced as a whole and keeps its CreateIndex', async () => {
    const { mesh: client } = await mesh()
    const full = { Name: 'team-1', Description: 'd', ACLs: {}, Meta: { a: 'b' } }
    await client.put('namespace', full)
    const minimal = { Name: 'team-1', CreateIndex: 7, ModifyIndex: 8 }
    const reply = await client.put('namespace', { Name: 'team-1' })
    expect([reply.status, reply.body]).toEqual([200, minimal])
    expect((await client.get('namespace/team-1')).body).toEqual(minimal)
  })

  test.for(['{}', '{"Name":""}', '{"Name":null}', '{"Description":"d"}', 'null'])(
    'the body %s has no name',
    async (body) => {
      const { mesh: client } = await mesh()
      const reply = await client.put('namespace', body)
      expect([reply.status, reply.text]).toEqual([
        400,
        'Must specify a Name for Namespace creation',
      ])
    },
  )

  test('order of checks: ACLs, body, name, links', async () => {
    const { manager, mesh: client } = await mesh({ options: withAcl })
    expect((await client.put('namespace', '{')).status).toBe(403)
    const links = { PolicyDefaults: [{ Name: 'none' }] }
    const badName = await manager.put('namespace', { Name: 'a_b', ACLs: links })
    expect([badName.status, badName.text]).toEqual([400, label('a_b')])
    const badLink = await manager.put('namespace', { Name: 'a', ACLs: links })
    expect([badLink.status, badLink.text]).toEqual([500, 'No such ACL policy with name "none"'])
  })
})

describe('PUT /v1/namespace/:name (behaviour/mesh#namespace-writes)', () => {
  test('creates a missing namespace', async () => {
    const { mesh: client } = await mesh()
    const reply = await client.put('namespace/team-1', { Description: 'd' })
    expect([reply.status, reply.body]).toEqual([
      200,
      { Name: 'team-1', Description: 'd', CreateIndex: 7, ModifyIndex: 7 },
    ])
  })

  test('raises the index even if nothing changes', async () => {
    const { mesh: client } = await mesh()
    for (const ModifyIndex of [7, 8, 9]) {
      const reply = await client.put('namespace/team-1', { Name: 'team-1', Description: 'd' })
      expect(reply.body).toEqual({ Name: 'team-1', Description: 'd', CreateIndex: 7, ModifyIndex })
    }
    expect((await client.get('namespaces')).headers['x-mesh-index']).toBe('9')
  })

  test('replaces the whole definition', async () => {
    const { mesh: client } = await mesh()
    await client.put('namespace/team-1', { Description: 'd', ACLs: {}, Meta: { a: 'b' } })
    const reply = await client.put('namespace/team-1', { Meta: { c: 'd' } })
    expect(reply.body).toEqual({
      Name: 'team-1',
      Meta: { c: 'd' },
      CreateIndex: 7,
      ModifyIndex: 8,
    })
  })

  // choice/mesh#name-mismatch-case
  test('a name in the body must match the path unless it is empty', async () => {
    const { mesh: client } = await mesh()
    const other = await client.put('namespace/team-1', { Name: 'team-2' })
    expect([other.status, other.text]).toEqual([
      400,
      'Namespace name in URL and payload do not match',
    ])
    expect((await client.put('namespace/team-1', { Name: '' })).body.Name).toBe('team-1')
    expect((await client.put('namespace/team-1', { Name: 'TEAM-1' })).body.Name).toBe('team-1')
    expect((await client.put('namespace/New', { Name: 'nEW' })).body.Name).toBe('New')
  })

  test('default can be updated by both operations', async () => {
    const { mesh: client } = await mesh()
    const first = await client.put('namespace', { Name: 'default', Description: 'ours' })
    expect(first.body).toEqual({
      Name: 'default',
      Description: 'ours',
      CreateIndex: 6,
      ModifyIndex: 7,
    })
    const second = await client.put('namespace/default', { Meta: { a: 'b' } })
    expect(second.body).toEqual({
      Name: 'default',
      Meta: { a: 'b' },
      CreateIndex: 6,
      ModifyIndex: 8,
    })
  })

  // choice/mesh#empty-name-of-put
  test('an empty name is missing, for every method', async () => {
    const { mesh: client } = await mesh()
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const reply = await client.request(method, 'namespace/', method === 'PUT' ? {} : undefined)
      expect([reply.status, reply.text]).toEqual([400, 'Missing namespace name'])
    }
  })

  test('a namespace marked for deletion cannot be changed by either operation', async () => {
    const { mesh: client } = await mesh({ options: { namespaceRemovalDelay: 'manual' } })
    await client.put('namespace', { Name: 'Team-1' })
    await client.delete('namespace/team-1')
    for (const reply of [
      await client.put('namespace', { Name: 'team-1' }),
      await client.put('namespace/team-1', {}),
    ]) {
      expect([reply.status, reply.text]).toEqual([
        500,
        'Namespace "Team-1" is marked for deletion and cannot be modified',
      ])
    }
    expect((await client.get('namespace/team-1')).body).toEqual({
      Name: 'Team-1',
      DeletedAt: '2026-01-01T00:00:00Z',
      CreateIndex: 7,
      ModifyIndex: 8,
    })
  })
})

describe('ACL links (behaviour/mesh#namespace-writes)', () => {
  test('names are resolved to IDs of the default namespace; reads show both with the current names', async () => {
    const { manager } = await mesh({ options: withAcl })
    const { policy, role } = await aclObjects(manager)
    const created = await manager.put('namespace', {
      Name: 'team-1',
      ACLs: { PolicyDefaults: [{ Name: 'readers' }], RoleDefaults: [{ ID: role, Name: 'wrong' }] },
    })
    expect(created.body.ACLs).toEqual({
      PolicyDefaults: [{ ID: policy, Name: 'readers' }],
      RoleDefaults: [{ ID: role, Name: 'auditors' }],
    })
    await manager.put(`acl/policy/${policy}`, { Name: 'renamed', Rules: '' })
    expect((await manager.get('namespace/team-1')).body.ACLs.PolicyDefaults).toEqual([
      { ID: policy, Name: 'renamed' },
    ])
    await manager.delete(`acl/role/${role}`)
    expect((await manager.get('namespaces')).body[1].ACLs).toEqual({
      PolicyDefaults: [{ ID: policy, Name: 'renamed' }],
      RoleDefaults: [],
    })
  })

  test('duplicate links are dropped and the order is kept', async () => {
    const { manager } = await mesh({ options: withAcl })
    const { policy } = await aclObjects(manager)
    const other = '00000000-0000-0000-0000-000000000001'
    const reply = await manager.put('namespace', {
      Name: 'team-1',
      ACLs: { PolicyDefaults: [{ Name: 'readers' }, { ID: other }, { ID: policy }] },
    })
    expect(reply.body.ACLs.PolicyDefaults).toEqual([
      { ID: policy, Name: 'readers' },
      { ID: other, Name: 'global-management' },
    ])
  })

  const nobody = '11111111-2222-3333-4444-555555555555'

  test.for([
    ['PolicyDefaults', { Name: 'none' }, 'No such ACL policy with name "none"'],
    ['RoleDefaults', { Name: 'none' }, 'No such ACL role with name "none"'],
    ['PolicyDefaults', { ID: nobody }, `No such ACL policy with ID "${nobody}"`],
    ['RoleDefaults', { ID: nobody, Name: 'auditors' }, `No such ACL role with ID "${nobody}"`],
    [
      'PolicyDefaults',
      { ID: 'none' },
      'Error looking up policy for ID: "none": failed acl policy lookup: index error: UUID must be 36 characters',
    ],
    [
      'RoleDefaults',
      { ID: 'none', Name: 'auditors' },
      'Error looking up role for ID: "none": failed acl role lookup: index error: UUID must be 36 characters',
    ],
    ['PolicyDefaults', {}, 'No such ACL policy with name ""'],
    ['RoleDefaults', { ID: '', Name: '' }, 'No such ACL role with name ""'],
  ] as const)('%s with %o is refused: %s', async ([field, link, text]) => {
    const { manager } = await mesh({ options: withAcl })
    await aclObjects(manager)
    const reply = await manager.put('namespace', { Name: 'team-1', ACLs: { [field]: [link] } })
    expect([reply.status, reply.text]).toEqual([500, text])
    expect((await manager.get('namespace/team-1')).status).toBe(404)
  })

  test('a link whose name contains a denial makes the error a 403 (behaviour/mesh#conventions)', async () => {
    const { manager } = await mesh({ options: withAcl })
    await aclObjects(manager)
    const ACLs = { PolicyDefaults: [{ Name: 'ACL not found' }] }
    const reply = await manager.put('namespace', { Name: 'team-1', ACLs })
    expect([reply.status, reply.text]).toEqual([
      403,
      'No such ACL policy with name "ACL not found"',
    ])
  })

  test('links additionally require acl:write in default, but only if there are any', async () => {
    const { manager, as } = await mesh({ options: withAcl })
    await aclObjects(manager)
    await manager.put('acl/policy', { Name: 'operators', Rules: 'operator = "write"' })
    const token = await manager.put('acl/token', { Policies: [{ Name: 'operators' }] })
    const operator = as(token.body.SecretID)
    for (const ACLs of [{ PolicyDefaults: [{ Name: 'readers' }] }, { RoleDefaults: [{}] }]) {
      const reply = await operator.put('namespace', { Name: 'team-1', ACLs })
      expect([reply.status, reply.text]).toEqual([
        403,
        `Permission denied: token with AccessorID '${token.body.AccessorID}' lacks permission 'acl:write'`,
      ])
    }
    const empty = { PolicyDefaults: [], RoleDefaults: null }
    expect((await operator.put('namespace', { Name: 'team-1', ACLs: empty })).status).toBe(200)
  })

  test('with ACLs off and nothing stored, an ID is stored as sent, without a name', async () => {
    const { mesh: client } = await mesh()
    const ACLs = { PolicyDefaults: [{ ID: 'x', Name: 'n' }, { ID: 'x' }], RoleDefaults: [] }
    const reply = await client.put('namespace', { Name: 'team-1', ACLs })
    expect(reply.body.ACLs).toEqual({ PolicyDefaults: [{ ID: 'x' }], RoleDefaults: [] })
    const named = await client.put('namespace', {
      Name: 'team-1',
      ACLs: { PolicyDefaults: [{ Name: 'n' }] },
    })
    expect([named.status, named.text]).toEqual([500, 'No such ACL policy with name "n"'])
  })
})

describe('DELETE /v1/namespace/:name (behaviour/mesh#namespace-writes)', () => {
  test('marks the namespace: 200 without a body, and the index rises', async () => {
    const { mesh: client, clock } = await mesh()
    await client.put('namespace', { Name: 'team-1' })
    expect(clock.now()).toBe(testTime)
    const reply = await client.delete('namespace/TEAM-1')
    expect([reply.status, reply.text]).toEqual([200, ''])
    expect(Object.keys(reply.headers).filter((name) => name.startsWith('x-mesh-'))).toEqual([
      'x-mesh-default-acl-policy',
    ])
    const read = await client.get('namespace/team-1')
    expect([read.status, read.body, read.headers['x-mesh-index']]).toEqual([
      200,
      { Name: 'team-1', DeletedAt: '2026-01-01T00:00:00Z', CreateIndex: 7, ModifyIndex: 8 },
      '8',
    ])
  })

  test('a marked namespace stays as it is', async () => {
    const { mesh: client, clock } = await mesh()
    await client.put('namespace', { Name: 'team-1' })
    await client.delete('namespace/team-1')
    clock.advance(300)
    const repeated = await client.delete('namespace/team-1')
    expect([repeated.status, repeated.text]).toEqual([200, ''])
    const read = await client.get('namespace/team-1')
    expect([read.body.DeletedAt, read.body.ModifyIndex]).toEqual(['2026-01-01T00:00:00Z', 8])
    clock.advance(200)
    expect((await client.get('namespace/team-1')).status).toBe(404)
  })

  test('an unknown namespace is 404', async () => {
    const { mesh: client } = await mesh()
    for (const name of ['none', 'system']) {
      const reply = await client.delete(`namespace/${name}`)
      expect([reply.status, reply.text]).toEqual([404, `Namespace "${name}" does not exist`])
    }
  })

  test('the builtin namespace cannot be deleted', async () => {
    const { mesh: client } = await mesh()
    for (const name of ['default', 'Default']) {
      const reply = await client.delete(`namespace/${name}`)
      expect([reply.status, reply.text]).toEqual([
        500,
        'Delete operation not permitted on the builtin "default" namespace',
      ])
    }
    expect((await client.get('namespaces')).headers['x-mesh-index']).toBe('6')
  })
})
