import { describe, expect, test } from 'vitest'
import {
  aclScheduler,
  apiHeaders,
  exampleJob,
  failureOf,
  frozenScheduler,
  type Members,
  readHeaders,
  register,
  requireSuccess,
  uuid,
} from '../support.ts'

const denied = [403, 'Permission denied'] as const
const hash = /^[A-Za-z0-9+/]{43}=$/

/** Starts a server with the policies `read` and `write` at index 11 and 12. */
async function withPolicies() {
  const served = await aclScheduler()
  const { manager } = served
  for (const name of ['read', 'write']) {
    const Rules = `namespace "default" { policy = "${name}" }`
    await requireSuccess(manager.post(`acl/policy/${name}`, { Name: name, Rules }))
  }
  const role = async (Name: string, change: Members = {}) =>
    (
      await requireSuccess(
        manager.post('acl/role', { Name, Policies: [{ Name: 'read' }], ...change }),
      )
    ).body
  const token = async (Roles: readonly Members[], change: Members = {}) =>
    (await requireSuccess(manager.post('acl/token', { Type: 'client', Roles, ...change }))).body
  return { ...served, role, token }
}

describe('roles (behaviour/scheduler#acl-roles)', () => {
  // choice/scheduler#job-acl-hashes
  test('are created with an ID and a hash, without duplicate policies', async () => {
    const { manager } = await withPolicies()
    const Policies = ['read', 'write', 'read'].map((Name) => ({ Name }))
    const reply = await manager.put('acl/role', { Name: 'r1', Description: 'all', Policies })
    expect([reply.status, reply.body, apiHeaders(reply)]).toEqual([
      200,
      {
        ID: expect.stringMatching(uuid),
        Name: 'r1',
        Description: 'all',
        Policies: [{ Name: 'read' }, { Name: 'write' }],
        Hash: expect.stringMatching(hash),
        CreateIndex: 13,
        ModifyIndex: 13,
      },
      { 'x-sched-index': '13' },
    ])
  })

  // choice/scheduler#job-acl-hashes
  test('are replaced by their ID; an unchanged role is not written', async () => {
    const { manager, role } = await withPolicies()
    const before = await role('r1')
    const change = { ID: before.ID, Name: 'new', Policies: [{ Name: 'write' }] }
    const { body } = await requireSuccess(manager.post(`acl/role/${before.ID}`, change))
    expect(body).toMatchObject({ ...change, Description: '', CreateIndex: 13, ModifyIndex: 14 })
    expect(body.Hash).not.toBe(before.Hash)
    expect((await requireSuccess(manager.post('acl/role', change))).body).toEqual(body)
  })

  test.each([
    [{ Name: 'r1', Policies: [{ Name: 'read' }] }, 400, 'role with name r1 already exists'],
    [{ Name: 'r2', Policies: [{ Name: 'nope' }] }, 400, 'cannot find policy nope'],
    [{ ID: 'x', Name: 'r2', Policies: [{ Name: 'read' }] }, 400, 'cannot find role x'],
    [
      {},
      400,
      "role 0 invalid: 2 errors occurred:\n\t* invalid name ''\n\t* at least one policy should be specified\n\n",
    ],
    [undefined, 400, 'Request body is empty'],
  ])('%j is refused', async (body, status, text) => {
    const { manager, role } = await withPolicies()
    await role('r1')
    expect(await failureOf(manager.post('acl/role', body))).toEqual([status, text])
  })

  test('refuse an ID that differs from the path, the name of another role, and missing path parts', async () => {
    const { manager, role } = await withPolicies()
    const { ID } = await role('r1')
    await role('r2')
    const Policies = [{ Name: 'read' }]
    expect(await failureOf(manager.post(`acl/role/${ID}`, { ID: 'x' }))).toEqual([
      400,
      'ACL role ID does not match request path',
    ])
    expect(await failureOf(manager.post(`acl/role/${ID}`, { ID, Name: 'r2', Policies }))).toEqual([
      500,
      'ACL role with name r2 already exists',
    ])
    expect(await failureOf(manager.get('acl/role/'))).toEqual([400, 'missing ACL role ID'])
    expect(await failureOf(manager.get('acl/role/name/'))).toEqual([400, 'missing ACL role name'])
    expect(await failureOf(manager.get('acl/role/a/b'))).toEqual([400, 'invalid URI'])
    expect(await failureOf(manager.delete('acl/roles'))).toEqual([405, 'Invalid method'])
    expect(await failureOf(manager.get('acl/role'))).toEqual([405, 'Invalid method'])
  })

  test('are read by ID and by name, and listed by ID', async () => {
    const { manager, role } = await withPolicies()
    const empty = await manager.get('acl/roles')
    expect([empty.body, apiHeaders(empty)]).toEqual([[], readHeaders(1)])
    const roles = [await role('r1'), await role('r2')]
    const [one] = roles
    const byId = await requireSuccess(manager.get(`acl/role/${one.ID}`))
    expect([byId.body, apiHeaders(byId)]).toEqual([one, readHeaders(13)])
    expect((await manager.get('acl/role/name/r1')).body).toEqual(one)
    roles.sort((a, b) => (a.ID < b.ID ? -1 : 1))
    const list = await requireSuccess(manager.get('acl/roles'))
    expect([list.body, apiHeaders(list)]).toEqual([roles, readHeaders(14)])
    expect((await manager.get(`acl/roles?prefix=${one.ID.slice(0, 8)}`)).body).toEqual([one])
    for (const path of ['acl/role/x', 'acl/role/name/x']) {
      const missing = await manager.get(path)
      expect([missing.status, missing.text, apiHeaders(missing)]).toEqual([
        404,
        'ACL role not found',
        readHeaders(14),
      ])
    }
  })

  test('are deleted once', async () => {
    const { manager, role } = await withPolicies()
    const { ID } = await role('r1')
    const { text } = await requireSuccess(manager.delete(`acl/role/${ID}`))
    expect(text).toBe('')
    expect(await failureOf(manager.delete(`acl/role/${ID}`))).toEqual([500, 'ACL role not found'])
  })

  test('are visible to their holders; the list is filtered by that', async () => {
    const { as, role, token, scheduler: anonymous } = await withPolicies()
    const one = await role('r1')
    const two = await role('r2')
    const client = as((await token([{ Name: 'r1' }])).SecretID)
    expect((await requireSuccess(client.get('acl/roles'))).body).toEqual([one])
    expect((await requireSuccess(client.get(`acl/role/${one.ID}`))).body).toEqual(one)
    expect((await requireSuccess(client.get('acl/role/name/r1'))).body).toEqual(one)
    for (const path of [`acl/role/${two.ID}`, 'acl/role/name/r2', 'acl/role/name/x']) {
      expect(await failureOf(client.get(path))).toEqual(denied)
    }
    expect((await requireSuccess(anonymous.get('acl/roles'))).body).toEqual([])
    expect(await failureOf(anonymous.get(`acl/role/${one.ID}`))).toEqual(denied)
  })

  test('block until another role is created', async () => {
    const { manager, role } = await withPolicies()
    await role('r1')
    const waiting = manager.get('acl/roles?index=13')
    await role('r2')
    expect((await waiting).body).toHaveLength(2)
  })

  test('are not available with ACLs off', async () => {
    const { scheduler: client } = await frozenScheduler()
    const off = [400, 'ACL support disabled']
    for (const path of ['acl/roles', 'acl/role/x', 'acl/auth-methods', 'acl/binding-rules']) {
      expect(await failureOf(client.get(path))).toEqual(off)
    }
    expect(await failureOf(client.post('acl/role', {}))).toEqual(off)
    expect(await failureOf(client.delete('acl/role/x'))).toEqual(off)
  })

  // choice/scheduler#job-acl-logins
  // choice/scheduler#job-acl-roles
  test('auth methods and binding rules are empty lists', async () => {
    const { manager } = await withPolicies()
    expect((await requireSuccess(manager.get('acl/auth-methods'))).body).toEqual([])
    expect((await requireSuccess(manager.get('acl/binding-rules'))).body).toEqual([])
  })
})

describe('tokens with roles (behaviour/scheduler#acl-roles)', () => {
  test('refer to roles by ID or name, return both, and have an empty list of policies', async () => {
    const { manager, role, token } = await withPolicies()
    const one = await role('r1')
    const two = await role('r2')
    const body = await token([{ ID: one.ID }, { Name: 'r2' }, { Name: 'r1' }])
    const Roles = [
      { ID: one.ID, Name: 'r1' },
      { ID: two.ID, Name: 'r2' },
    ]
    expect(body).toMatchObject({
      Roles,
      Policies: [],
      ExpirationTTL: '',
      ExpirationTime: null,
      Hash: expect.stringMatching(hash),
    })
    expect((await manager.get(`acl/token/${body.AccessorID}`)).body).toEqual(body)
    const { SecretID: _, ExpirationTTL: __, ...stub } = body
    const listed = (await manager.get('acl/tokens')).body
    expect(listed).toContainEqual(stub)
    expect(listed[0]).toMatchObject({ Roles: null, Policies: null, ExpirationTime: null })
  })

  test('have the rights of their roles while the roles exist', async () => {
    const { manager, as, role, token } = await withPolicies()
    await register(manager, exampleJob())
    const { ID } = await role('r1')
    const { SecretID, AccessorID } = await token([{ ID }])
    const client = as(SecretID)
    await requireSuccess(client.get('job/example'))
    expect(await failureOf(client.delete('job/example'))).toEqual(denied)
    const names = async () =>
      (await requireSuccess(client.get('acl/policies'))).body.map(({ Name }: Members) => Name)
    expect(await names()).toEqual(['read'])
    await requireSuccess(
      manager.post(`acl/role/${ID}`, { ID, Name: 'renamed', Policies: [{ Name: 'write' }] }),
    )
    expect((await client.get('acl/token/self')).body.Roles).toEqual([{ ID, Name: 'renamed' }])
    await requireSuccess(client.delete('job/example'))
    await requireSuccess(manager.delete(`acl/role/${ID}`))
    expect(await failureOf(client.get('job/example'))).toEqual(denied)
    const listed = (await manager.get(`acl/tokens?prefix=${AccessorID}`)).body
    expect(listed).toMatchObject([{ Roles: [{ ID, Name: '' }] }])
    expect((await client.get('acl/token/self')).body.Roles).toBeNull()
  })

  test.each([
    [[{ Name: 'zz' }], 'cannot find role zz'],
    [[{ ID: 'zz' }], 'cannot find role zz'],
    [[], 'token 0 invalid: 1 error occurred:\n\t* client token missing policies or roles\n\n'],
  ])('with %j are refused', async (Roles, text) => {
    const { manager } = await withPolicies()
    const sent = { Type: 'client', Roles }
    expect(await failureOf(manager.post('acl/token', sent))).toEqual([400, text])
  })

  test('survive export and import', async () => {
    const { world, manager, role, token } = await withPolicies()
    await role('r1')
    const body = await token([{ Name: 'r1' }])
    world.restore(world.snapshot())
    expect((await manager.get(`acl/token/${body.AccessorID}`)).body).toEqual(body)
  })
})
