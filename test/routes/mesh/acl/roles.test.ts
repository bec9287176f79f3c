import { describe, expect, test } from 'vitest'
import { meshWithAcls } from '../../../support/mesh/mesh-acl.ts'

const unknownId = 'ffffffff-0000-4000-8000-000000000000'
const hash = expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/)

describe('behaviour/mesh#acl-endpoints: roles', () => {
  test('create, read by ID and name, list, replace, delete', async () => {
    const { manager, policy } = await meshWithAcls()
    const ID = await policy('readers', 'operator = "read"')
    const input = { Name: 'team', Description: 'd', Policies: [{ Name: 'readers' }, { ID }] }
    const created = await manager.put('acl/role', input)
    const role = {
      ID: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4/),
      Name: 'team',
      Description: 'd',
      Policies: [{ ID, Name: 'readers' }],
      Hash: hash,
      CreateIndex: 8,
      ModifyIndex: 8,
      Namespace: 'default',
    }
    expect([created.status, created.body]).toEqual([200, role])
    expect(Object.keys(created.body)).toEqual(Object.keys(role))
    const path = `acl/role/${created.body.ID}`
    expect((await manager.get(path)).body).toEqual(role)
    expect((await manager.get('acl/role/name/TEAM')).body).toEqual(role)
    const list = await manager.get('acl/roles')
    expect([list.status, list.body, list.headers['x-mesh-index']]).toEqual([200, [role], '8'])
    const { Policies: _links, ...withoutLinks } = role
    const replaced = await manager.put(path, { Name: 'team-2' })
    expect([replaced.status, replaced.body]).toEqual([
      200,
      { ...withoutLinks, Name: 'team-2', Description: '', ModifyIndex: 9 },
    ])
    expect(replaced.body.Hash).not.toBe(created.body.Hash)
    expect((await manager.get('acl/role/name/team')).status).toBe(404)
    const deleted = await manager.delete(path)
    expect([deleted.status, deleted.body]).toEqual([200, true])
    expect((await manager.get('acl/roles')).body).toEqual([])
  })

  test('links follow renames of policies and vanish with deleted ones', async () => {
    const { manager, policy, role } = await meshWithAcls()
    const [a, b] = [await policy('a', ''), await policy('b', '')]
    const id = await role('r', [a, b])
    await manager.put(`acl/policy/${a}`, { Name: 'a2' })
    const links = async () => (await manager.get(`acl/role/${id}`)).body.Policies
    expect(await links()).toEqual([
      { ID: a, Name: 'a2' },
      { ID: b, Name: 'b' },
    ])
    await manager.delete(`acl/policy/${a}`)
    expect(await links()).toEqual([{ ID: b, Name: 'b' }])
  })

  test('the list can be filtered by policy', async () => {
    const { manager, policy, role } = await meshWithAcls()
    const ID = await policy('a', '')
    await role('with', [ID])
    await role('without', [])
    const { body } = await manager.get('acl/roles', { query: { policy: ID } })
    expect(body.map(({ Name }: { Name: string }) => Name)).toEqual(['with'])
  })

  test('identities are stored and returned, and omitted if there are none', async () => {
    const { manager } = await meshWithAcls()
    const ServiceIdentities = [{ ServiceName: 'web' }, { ServiceName: 'db', Datacenters: ['dc1'] }]
    const NodeIdentities = [{ NodeName: 'n', Datacenter: 'dc1' }]
    const reply = await manager.put('acl/role', { Name: 'a', ServiceIdentities, NodeIdentities })
    expect([reply.status, Object.keys(reply.body).slice(2, 5)]).toEqual([
      200,
      ['Description', 'ServiceIdentities', 'NodeIdentities'],
    ])
    expect(reply.body).toMatchObject({ ServiceIdentities, NodeIdentities })
    const without = await manager.put(`acl/role/${reply.body.ID}`, { Name: 'a' })
    expect(Object.keys(without.body)).not.toContain('ServiceIdentities')
  })

  test.each([
    ['PUT', 'acl/role', { ID: 'x', Name: 'a' }, 400, 'Role ID in URL and payload do not match'],
    ['PUT', 'acl/role/a', { ID: 'b', Name: 'a' }, 400, 'Role ID in URL and payload do not match'],
    ['GET', 'acl/role/', undefined, 400, 'Missing role ID'],
    ['GET', 'acl/role/name/', undefined, 400, 'Missing role Name'],
    [
      'PUT',
      'acl/role',
      '[]',
      400,
      'Role decoding failed: json: cannot unmarshal array into Go value of type struct { Hash string; *structs.Alias }',
    ],
    ['PUT', 'acl/role', '', 400, 'Role decoding failed: EOF'],
    ['PUT', 'acl/role', {}, 500, 'Invalid Role: no Name is set'],
    [
      'PUT',
      'acl/role',
      { Name: 'a.b' },
      500,
      "Invalid Role: invalid Name. Only alphanumeric characters, '-' and '_' are allowed",
    ],
    [
      'PUT',
      'acl/role',
      { Name: 'ROLE' },
      500,
      'Invalid Role: A Role with Name "ROLE" already exists',
    ],
    ['PUT', `acl/role/${unknownId}`, { Name: 'a' }, 500, `cannot find role ${unknownId}`],
    [
      'PUT',
      'acl/role',
      { Name: 'a', Policies: [{ Name: 'x' }] },
      500,
      'No such ACL policy with name "x"',
    ],
    [
      'PUT',
      'acl/role',
      { Name: 'a', Policies: [{ ID: unknownId, Name: 'global-management' }] },
      500,
      `Failed to apply role upsert request: No such policy with ID: ${unknownId}`,
    ],
    ['PUT', 'acl/role', { Name: 'a', Policies: [{}] }, 500, 'No such ACL policy with name ""'],
    [
      'GET',
      `acl/role/${unknownId}`,
      undefined,
      404,
      'Requested role not found in namespace default: ACL not found',
    ],
    [
      'GET',
      'acl/role/name/nobody',
      undefined,
      404,
      'Requested role not found in namespace default: ACL not found',
    ],
    ['DELETE', `acl/role/${unknownId}`, undefined, 404, 'Cannot find role to delete'],
  ] as const)('%s %s with %o: %i %s', async (method, path, payload, status, text) => {
    const { manager, world, role } = await meshWithAcls()
    await role('role', [])
    const index = world.store.index('mesh')
    const reply = await manager.request(method, path, payload)
    expect([reply.status, reply.text]).toEqual([status, text])
    expect(world.store.index('mesh')).toBe(index)
  })

  test('a rename to the name of another role is refused', async () => {
    const { manager, role } = await meshWithAcls()
    await role('a', [])
    const id = await role('b', [])
    const { status, text } = await manager.put(`acl/role/${id}`, { Name: 'A' })
    expect([status, text]).toEqual([500, 'Invalid Role: A role with name "A" already exists'])
  })
})
