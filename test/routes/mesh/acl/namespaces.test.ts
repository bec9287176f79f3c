import { describe, expect, test } from 'vitest'
import { mesh as started } from '../../../support/mesh/mesh.ts'
import { meshWithAcls } from '../../../support/mesh/mesh-acl.ts'

const unknownId = 'ffffffff-0000-4000-8000-000000000000'
const builtinId = '00000000-0000-0000-0000-000000000001'

describe('behaviour/mesh#acl-endpoints: the namespace of a request', () => {
  // choice/mesh#mesh-acl-order-of-checks
  test('?ns= precedes the header, which precedes the body and the namespace of the token', async () => {
    const { manager, namespace, token, as } = await meshWithAcls()
    for (const name of ['a', 'b', 'c', 'Own']) await namespace(name)
    const made = async (client: typeof manager, ns: string, header: string, body: string) => {
      const reply = await client.put(
        'acl/token',
        { Namespace: body },
        {
          query: ns === '' ? {} : { ns },
          headers: header === '' ? {} : { 'x-mesh-namespace': header },
        },
      )
      return reply.body.Namespace
    }
    expect(await made(manager, 'a', 'b', 'c')).toBe('a')
    expect(await made(manager, '', 'b', 'c')).toBe('b')
    expect(await made(manager, '', '', 'c')).toBe('c')
    expect(await made(manager, '', '', '')).toBe('default')
    // The name matches in any letter case and is stored in the namespace's spelling.
    expect(await made(manager, 'oWN', '', '')).toBe('Own')
    const policy = await manager.put('acl/policy?ns=own', { Name: 'p', Rules: 'acl = "write"' })
    const Policies = [{ ID: policy.body.ID }]
    const { SecretID } = await token({ Policies }, { query: { ns: 'own' } })
    expect(await made(as(SecretID), '', '', '')).toBe('Own')
    const list = await as(SecretID).get('acl/policies')
    expect(list.body.map(({ Name }: { Name: string }) => Name)).toEqual(['p'])
  })

  test('each namespace has its own names; IDs are found only in their namespace', async () => {
    const { manager, namespace, policy, role, token } = await meshWithAcls()
    await namespace('team')
    const ns = { query: { ns: 'team' } }
    const [inDefault, inNamespace] = [await policy('p', ''), await policy('p', '', ns)]
    expect(inDefault).not.toBe(inNamespace)
    expect((await manager.get('acl/policy/name/p', ns)).body).toMatchObject({
      ID: inNamespace,
      Namespace: 'team',
    })
    const notFound = await manager.get(`acl/policy/${inDefault}`, ns)
    expect([notFound.status, notFound.text]).toEqual([
      404,
      'Requested policy not found in namespace team: ACL not found',
    ])
    const update = await manager.put(`acl/policy/${inDefault}`, { Name: 'q' }, ns)
    expect([update.status, update.text]).toEqual([500, `cannot find policy ${inDefault}`])
    const roleId = await role('r', [inDefault])
    expect((await manager.get(`acl/role/${roleId}`, ns)).text).toBe(
      'Requested role not found in namespace team: ACL not found',
    )
    expect((await manager.delete(`acl/role/${roleId}`, ns)).text).toBe('Cannot find role to delete')
    const { AccessorID } = await token()
    expect((await manager.get(`acl/token/${AccessorID}`, ns)).text).toBe(
      'token not found in namespace team: ACL not found',
    )
    expect((await manager.put(`acl/token/${AccessorID}`, {}, ns)).text).toBe(
      `Cannot find token "${AccessorID}"`,
    )
  })

  test('tokens and roles are linked to policies and roles of their own namespace', async () => {
    const { manager, namespace, policy, role } = await meshWithAcls()
    await namespace('team')
    const ns = { query: { ns: 'team' } }
    const own = await policy('own', '')
    const refused = async (path: string, body: object) => {
      const { status, text } = await manager.put(path, body, ns)
      return [status, text]
    }
    expect(await refused('acl/token', { Policies: [{ ID: own }] })).toEqual([
      500,
      `No such ACL policy with ID "${own}"`,
    ])
    expect(await refused('acl/token', { Policies: [{ Name: 'global-management' }] })).toEqual([
      500,
      'No such ACL policy with name "global-management"',
    ])
    expect(await refused('acl/role', { Name: 'r', Policies: [{ Name: 'own' }] })).toEqual([
      500,
      'No such ACL policy with name "own"',
    ])
    const roleId = await role('r', [own])
    expect(await refused('acl/token', { Roles: [{ ID: roleId }] })).toEqual([
      500,
      `No such ACL role with ID "${roleId}"`,
    ])
  })

  test('a missing namespace is 500 for every kind of request', async () => {
    const { manager } = await meshWithAcls()
    const ns = { query: { ns: 'x' } }
    for (const [method, path, body] of [
      ['GET', 'acl/policies', undefined],
      ['GET', 'acl/role/y', undefined],
      ['GET', 'acl/token/y', undefined],
      ['PUT', 'acl/policy', { Name: 'a' }],
      ['PUT', 'acl/role/y', { Name: 'a' }],
      ['PUT', 'acl/token', {}],
      ['DELETE', 'acl/token/y', undefined],
    ] as const) {
      const { status, text } = await manager.request(method, path, body, ns)
      expect([path, status, text]).toEqual([path, 500, 'Namespace "x" does not exist'])
    }
  })

  test('a namespace that is marked for deletion is read-only', async () => {
    const { manager, namespace, policy, token } = await meshWithAcls({
      options: { namespaceRemovalDelay: 'manual' },
    })
    await namespace('x')
    const ns = { query: { ns: 'x' } }
    const ID = await policy('p', '', ns)
    await token({}, ns)
    await manager.delete('namespace/x')
    expect((await manager.get(`acl/policy/${ID}`, ns)).status).toBe(200)
    expect((await manager.get('acl/tokens', ns)).body).toHaveLength(1)
    for (const [method, path, body] of [
      ['PUT', 'acl/policy', { Name: 'a' }],
      ['DELETE', `acl/policy/${ID}`, undefined],
      ['PUT', 'acl/role', { Name: 'a' }],
      ['PUT', 'acl/token', {}],
    ] as const) {
      const { status, text } = await manager.request(method, path, body, ns)
      expect([status, text]).toEqual([
        500,
        'Namespace "x" is marked for deletion and cannot be modified',
      ])
    }
  })

  // choice/mesh#mesh-acl-wildcard-lists
  test('ns=* lists readable objects and reports that others were filtered', async () => {
    const { manager, namespace, policy, clientWithRules } = await meshWithAcls()
    for (const name of ['a', 'b']) {
      await namespace(name)
      await policy(`p-${name}`, '', { query: { ns: name } })
    }
    const names = async (client: typeof manager) => {
      const { body, headers } = await client.get('acl/policies', { query: { ns: '*' } })
      return [
        body.map(({ Name }: { Name: string }) => Name),
        headers['x-mesh-results-filtered-by-acls'],
      ]
    }
    expect(await names(manager)).toEqual([
      ['p-a', 'p-b', 'builtin/global-read-only', 'global-management'],
      undefined,
    ])
    const client = await clientWithRules('namespace "b" { acl = "read" }')
    expect(await names(client)).toEqual([['p-b'], 'true'])
    expect(await names(await clientWithRules(''))).toEqual([[], 'true'])
    expect((await client.get('acl/policy/x', { query: { ns: '*' } })).text).toBe(
      'Namespace "*" does not exist',
    )
  })

  test('another partition is refused', async () => {
    const { manager } = await meshWithAcls()
    const { status, text } = await manager.put('acl/policy', { Name: 'a', Partition: 'x' })
    expect([status, text]).toEqual([
      400,
      'Invalid query parameter: "partition" - Partitions are not enabled',
    ])
  })
})

describe('behaviour/mesh#acl-links of a namespace', () => {
  test('links by name or ID are stored as IDs: renames show, duplicates are dropped, the order is kept', async () => {
    const { manager, namespace, policy, role } = await meshWithAcls()
    const [a, b] = [await policy('a', ''), await policy('b', '')]
    const r = await role('r', [])
    await namespace('team', {
      PolicyDefaults: [{ Name: 'b' }, { ID: a, Name: 'ignored' }, { ID: b }, { Name: 'A' }],
      RoleDefaults: [{ Name: 'r' }],
    })
    const links = async () => (await manager.get('namespace/team')).body.ACLs
    expect(await links()).toEqual({
      PolicyDefaults: [
        { ID: b, Name: 'b' },
        { ID: a, Name: 'a' },
      ],
      RoleDefaults: [{ ID: r, Name: 'r' }],
    })
    await manager.put(`acl/policy/${a}`, { Name: 'renamed' })
    await manager.delete(`acl/policy/${b}`)
    await manager.delete(`acl/role/${r}`)
    expect(await links()).toEqual({
      PolicyDefaults: [{ ID: a, Name: 'renamed' }],
      RoleDefaults: [],
    })
  })

  test.each([
    [{ PolicyDefaults: [{ Name: 'x' }] }, 'No such ACL policy with name "x"'],
    [{ PolicyDefaults: [{ ID: unknownId }] }, `No such ACL policy with ID "${unknownId}"`],
    [{ PolicyDefaults: [{}] }, 'No such ACL policy with name ""'],
    [{ RoleDefaults: [{ Name: 'x' }] }, 'No such ACL role with name "x"'],
    [{ RoleDefaults: [{ ID: unknownId }] }, `No such ACL role with ID "${unknownId}"`],
    [{ RoleDefaults: [{}] }, 'No such ACL role with name ""'],
  ])('%j is refused: %s', async (ACLs, message) => {
    const { manager } = await meshWithAcls()
    const { status, text } = await manager.put('namespace', { Name: 'team', ACLs })
    expect([status, text]).toEqual([500, message])
    expect((await manager.get('namespace/team')).status).toBe(404)
  })

  test('links refer to objects of default only', async () => {
    const { manager, namespace, policy } = await meshWithAcls()
    await namespace('team')
    const ID = await policy('p', '', { query: { ns: 'team' } })
    const put = async (link: object) =>
      (await manager.put('namespace/team', { ACLs: { PolicyDefaults: [link] } })).text
    expect(await put({ ID })).toBe(`No such ACL policy with ID "${ID}"`)
    expect(await put({ Name: 'p' })).toBe('No such ACL policy with name "p"')
  })

  // choice/mesh#mesh-acl-builtin-while-off
  test('with ACLs off and nothing ever stored, any ID is accepted and has no name', async () => {
    const { mesh } = await started()
    const PolicyDefaults = [{ ID: unknownId }, { ID: builtinId, Name: 'x' }, { ID: unknownId }]
    const RoleDefaults = [{ ID: 'any' }]
    const reply = await mesh.put('namespace', { Name: 'a', ACLs: { PolicyDefaults, RoleDefaults } })
    const ACLs = {
      PolicyDefaults: [{ ID: unknownId }, { ID: builtinId }],
      RoleDefaults: [{ ID: 'any' }],
    }
    expect([reply.status, reply.body.ACLs]).toEqual([200, ACLs])
    expect((await mesh.get('namespace/a')).body.ACLs).toEqual(ACLs)
    for (const Name of ['x', 'global-management']) {
      const named = await mesh.put('namespace/a', { ACLs: { PolicyDefaults: [{ Name }] } })
      expect([named.status, named.text]).toEqual([500, `No such ACL policy with name "${Name}"`])
    }
  })

  test('with ACLs off but something stored, links are resolved as usual', async () => {
    const { mesh, world, policy } = await meshWithAcls()
    const ID = await policy('p', '')
    world.changeOptions({ mesh: { aclEnabled: false } })
    const put = (link: object) =>
      mesh.put('namespace/a', { ACLs: { PolicyDefaults: [link], RoleDefaults: [] } })
    expect((await put({ Name: 'p' })).body.ACLs.PolicyDefaults).toEqual([{ ID, Name: 'p' }])
    expect((await put({ ID: unknownId })).text).toBe(`No such ACL policy with ID "${unknownId}"`)
  })
})

describe('behaviour/mesh#api-namespaces and behaviour/mesh#acl: defaults of the token’s namespace', () => {
  async function team(defaultPolicy: 'allow' | 'deny') {
    const acls = await meshWithAcls({ options: { defaultPolicy } })
    const write = await acls.policy('write', 'acl = "write"')
    await acls.role('reading', [await acls.policy('read', 'acl = "read"')])
    return { ...acls, write }
  }

  test('own read beats default write; defaults apply if no own rule matches', async () => {
    const { namespace, clientWithRules } = await team('deny')
    await namespace('team', { PolicyDefaults: [{ Name: 'write' }] })
    const put = async (rules: string) => {
      const client = await clientWithRules(rules, 'team')
      return (await client.put('acl/policy', { Name: `made-${rules.length}` })).status
    }
    expect(await put('acl = "read"')).toBe(403)
    expect(await put('acl = "deny"')).toBe(403)
    expect(await put('key "a" { policy = "deny" }')).toBe(200)
    expect(await put('')).toBe(200)
  })

  test('default roles count like default policies', async () => {
    const { namespace, clientWithRules } = await team('deny')
    await namespace('team', { RoleDefaults: [{ Name: 'reading' }] })
    const client = await clientWithRules('', 'team')
    expect((await client.get('acl/policies')).status).toBe(200)
    expect((await client.put('acl/policy', { Name: 'a' })).status).toBe(403)
  })

  test('defaults apply at once, to existing tokens as well, and only in that namespace', async () => {
    const { namespace, clientWithRules, manager } = await team('deny')
    await namespace('team')
    await namespace('other')
    const client = await clientWithRules('', 'team')
    expect((await client.get('acl/policies')).status).toBe(403)
    await manager.put('namespace/team', { ACLs: { PolicyDefaults: [{ Name: 'write' }] } })
    expect((await client.get('acl/policies')).status).toBe(200)
    expect((await client.get('acl/policies?ns=other')).status).toBe(403)
    expect((await client.get('acl/policies?ns=default')).status).toBe(403)
    const otherTenant = await clientWithRules('', 'other')
    expect((await otherTenant.get('acl/policies?ns=team')).status).toBe(403)
  })

  test('a deleted default policy grants nothing any more', async () => {
    const { namespace, clientWithRules, manager, write } = await team('deny')
    await namespace('team', { PolicyDefaults: [{ ID: write }] })
    const client = await clientWithRules('', 'team')
    expect((await client.get('acl/policies')).status).toBe(200)
    await manager.delete(`acl/policy/${write}`)
    expect((await client.get('acl/policies')).status).toBe(403)
  })

  test('defaults of the default namespace apply to the anonymous token', async () => {
    const { manager, mesh } = await team('deny')
    await manager.put('namespace/default', { ACLs: { RoleDefaults: [{ Name: 'reading' }] } })
    expect((await mesh.get('acl/roles')).status).toBe(200)
  })

  test('the default policy decides if no rule matches', async () => {
    const { namespace, clientWithRules } = await team('allow')
    await namespace('team', { PolicyDefaults: [{ Name: 'write' }] })
    const client = await clientWithRules('', 'team')
    expect((await client.get('namespace/default')).status).toBe(200)
    expect((await client.put('namespace', { Name: 'new' })).status).toBe(200)
  })
})

describe('behaviour/mesh#removal: ACL data of a removed namespace', () => {
  test('tokens work until their removal and are unknown afterwards; roles and policies are removed as well', async () => {
    const { manager, namespace, policy, role, clientWithRules, clock, world } = await meshWithAcls()
    await namespace('Team')
    const ns = { query: { ns: 'team' } }
    const ID = await policy('p', '', ns)
    const roleId = await role('r', [ID], ns)
    const client = await clientWithRules('acl = "read"', 'Team')
    await manager.delete('namespace/Team')
    expect((await client.get('acl/policies')).status).toBe(200)
    const index = world.store.index('mesh')
    clock.advance(500)
    const denied = await client.get('acl/policies')
    expect([denied.status, denied.text]).toEqual([403, 'ACL not found'])
    expect((await manager.get('namespace/Team')).status).toBe(404)
    // Tokens, roles, policies and the namespace are removed in one step each.
    expect(world.store.index('mesh')).toBe(index + 4)
    await namespace('team')
    for (const path of ['acl/policies', 'acl/roles', 'acl/tokens']) {
      expect((await manager.get(path, ns)).body).toEqual([])
    }
    expect((await manager.get(`acl/policy/${ID}`, ns)).status).toBe(404)
    expect((await manager.get(`acl/role/${roleId}`, ns)).status).toBe(404)
    expect((await manager.get('acl/policies')).body).toHaveLength(2)
  })
})
