import { describe, expect, test } from 'vitest'
import { meshCaller } from '../../../../state/mesh/acl/callers.ts'
import { mesh } from '../../../support/mesh/mesh.ts'
import { meshWithAcls } from '../../../support/mesh/mesh-acl.ts'

/**
 * Returns the namespaces that a token with these rules sees in the list, and whether the reply
 * reports filtered results.
 */
async function visible(rules: string, options: { ns?: string; defaultPolicy?: 'allow' } = {}) {
  const { ns = 'default', defaultPolicy } = options
  const { namespace, clientWithRules } = await meshWithAcls(
    defaultPolicy === undefined ? {} : { options: { defaultPolicy } },
  )
  for (const name of ['team-1', 'team-2', 'Web']) await namespace(name)
  const client = await clientWithRules(rules, ns)
  const list = await client.get('namespaces')
  expect(list.status).toBe(200)
  const names = list.body.map(({ Name }: { Name: string }) => Name)
  // The list shows exactly the namespaces that can be read one by one.
  for (const name of ['Web', 'default', 'team-1', 'team-2']) {
    const { status } = await client.get(`namespace/${name}`)
    expect([name, status]).toEqual([name, names.includes(name) ? 200 : 403])
  }
  const header = list.headers['x-mesh-results-filtered-by-acls']
  expect(header).toBe(names.length < 4 ? 'true' : undefined)
  return names
}

const allNamespaceNames = ['Web', 'default', 'team-1', 'team-2']

describe('behaviour/mesh#checks: operator:read / write', () => {
  test.each([
    ['operator = "write"', 200],
    ['operator = "read"', 403],
    ['operator = "deny"', 403],
    ['namespace_prefix "" { policy = "write" }', 403],
    ['namespace "team" { policy = "write" acl = "write" }', 403],
    ['acl = "write"', 403],
    ['', 403],
  ])(
    '%s: a namespace is created with %i, and updated and deleted with the same status',
    async (rules, status) => {
      const { namespace, clientWithRules } = await meshWithAcls()
      await namespace('team')
      const client = await clientWithRules(rules)
      expect((await client.put('namespace', { Name: 'new' })).status).toBe(status)
      expect((await client.put('namespace/team', { Description: 'd' })).status).toBe(status)
      expect((await client.delete('namespace/team')).status).toBe(status)
    },
  )

  test('policies of other namespaces cannot contain operator rules', async () => {
    const { namespace, manager } = await meshWithAcls()
    await namespace('team')
    const input = { Name: 'p', Rules: 'operator = "write"', Namespace: 'team' }
    const { status, text } = await manager.put('acl/policy', input)
    expect([status, text]).toEqual([
      500,
      'Invalid operator policy: not allowed in namespace "team"',
    ])
  })
})

describe('behaviour/mesh#checks: read one / list entry', () => {
  test.each([
    ['operator = "read"', allNamespaceNames],
    ['operator = "write"', allNamespaceNames],
    ['namespace "team-1" { policy = "read" }', ['default', 'team-1']],
    ['namespace "team-1" { policy = "write" }', ['default', 'team-1']],
    ['namespace "TEAM-1" { policy = "write" }', ['default', 'team-1']],
    ['namespace_prefix "team-" { policy = "read" }', ['default', 'team-1', 'team-2']],
    ['namespace_prefix "we" { policy = "read" }', ['Web', 'default']],
    ['namespace_prefix "" { policy = "read" }', allNamespaceNames],
    // Any rule in a block for the namespace.
    ['namespace "team-1" { key "a" { policy = "read" } }', ['default', 'team-1']],
    ['namespace "team-1" { key_prefix "" { policy = "list" } }', ['default', 'team-1']],
    ['namespace_prefix "team-" { acl = "read" }', ['default', 'team-1', 'team-2']],
    ['namespace "team-2" { service "x" { policy = "write" } }', ['default', 'team-2']],
    ['namespace_prefix "" { session_prefix "" { policy = "read" } }', allNamespaceNames],
    // Any granting rule, for the token's own namespace.
    ['key "a" { policy = "read" }', ['default']],
    ['acl = "read"', ['default']],
    // No grant.
    ['namespace "team-1" { policy = "deny" key "a" { policy = "deny" } }', []],
    ['key "a" { policy = "deny" }', []],
    ['', []],
    // The exact rule beats the prefix; the longest prefix wins.
    [
      'namespace "team-1" { policy = "deny" } namespace_prefix "team-" { policy = "read" }',
      ['default', 'team-2'],
    ],
    [
      'namespace_prefix "t" { policy = "deny" } namespace_prefix "team-2" { policy = "read" }',
      ['default', 'team-2'],
    ],
  ])('%s sees %j', async (rules, names) => {
    expect(await visible(rules)).toEqual(names)
  })

  test('a token sees its own namespace by any rule', async () => {
    expect(await visible('key "a" { policy = "read" }', { ns: 'team-2' })).toEqual(['team-2'])
    expect(await visible('acl = "deny"', { ns: 'team-2' })).toEqual([])
  })

  // choice/mesh#mesh-acl-explicit-deny-of-namespace
  test('if the default policy allows, only denied namespaces are filtered out', async () => {
    const allow = { defaultPolicy: 'allow' } as const
    expect(await visible('', allow)).toEqual(allNamespaceNames)
    expect(await visible('namespace "team-1" { policy = "deny" }', allow)).toEqual([
      'Web',
      'default',
      'team-2',
    ])
    expect(await visible('namespace_prefix "" { policy = "deny" }', allow)).toEqual([])
    // A granting rule of another kind takes precedence over the denial.
    for (const more of [
      'operator = "read"',
      'namespace "team-1" { key "a" { policy = "read" } }',
    ]) {
      expect(await visible(`namespace "team-1" { policy = "deny" } ${more}`, allow)).toEqual(
        allNamespaceNames,
      )
    }
    // Denied operator rights do not hide namespaces.
    expect(await visible('operator = "deny"', allow)).toEqual(allNamespaceNames)
  })

  test('the empty list is [] with the header, never null', async () => {
    const { mesh } = await meshWithAcls()
    const { status, text, headers } = await mesh.get('namespaces')
    expect([status, text, headers['x-mesh-results-filtered-by-acls']]).toEqual([200, '[]', 'true'])
  })
})

describe('behaviour/mesh#checks: acl:write in a namespace', () => {
  test.each([
    // A token of the default namespace: top-level rules apply there, blocks elsewhere.
    ['default', 'acl = "write"', { default: 200, 'team-1': 403, 'team-2': 403 }],
    [
      'default',
      'namespace "team-1" { acl = "write" }',
      { default: 403, 'team-1': 200, 'team-2': 403 },
    ],
    [
      'default',
      'namespace_prefix "team-" { acl = "write" }',
      { default: 403, 'team-1': 200, 'team-2': 200 },
    ],
    [
      'default',
      'namespace "team-1" { acl = "read" }',
      { default: 403, 'team-1': 403, 'team-2': 403 },
    ],
    [
      'default',
      'namespace "team-1" { policy = "write" }',
      { default: 403, 'team-1': 403, 'team-2': 403 },
    ],
    ['default', 'operator = "write"', { default: 403, 'team-1': 403, 'team-2': 403 }],
    // A token of another namespace: rules apply only there.
    ['team-1', 'acl = "write"', { default: 403, 'team-1': 200, 'team-2': 403 }],
    ['team-1', 'acl = "read"', { default: 403, 'team-1': 403, 'team-2': 403 }],
  ])('a token of %s with %s', async (ns, rules, expected) => {
    const { namespace, clientWithRules } = await meshWithAcls()
    await namespace('team-1')
    await namespace('team-2')
    const client = await clientWithRules(rules, ns)
    const statuses: Record<string, number> = {}
    for (const name of Object.keys(expected)) {
      const reply = await client.put('acl/policy', { Name: 'made' }, { query: { ns: name } })
      statuses[name] = reply.status
    }
    expect(statuses).toEqual(expected)
  })

  // choice/mesh#mesh-acl-order-of-checks
  test('order of checks: method, ACLs enabled, body, namespace, right, object', async () => {
    const { clientWithRules, manager, namespace, mesh: anonymous } = await meshWithAcls()
    await namespace('x')
    const reader = await clientWithRules('acl = "read"')
    const textOf = async (client: typeof manager, method: string, query: string, body?: string) =>
      (await client.request(method, `acl/policy/none${query}`, body)).text
    expect(await textOf(reader, 'POST', '?ns=none', '{')).toBe('method POST not allowed')
    expect(await textOf(reader, 'PUT', '?ns=none', '{')).toContain('decoding failed')
    expect(await textOf(reader, 'PUT', '?ns=none', '{}')).toBe('Namespace "none" does not exist')
    expect(await textOf(reader, 'PUT', '?ns=x', '{}')).toContain("lacks permission 'acl:write'")
    expect(await textOf(anonymous, 'GET', '')).toContain("lacks permission 'acl:read'")
    expect(await textOf(manager, 'GET', '')).toContain('UUID')
    const { mesh: off } = await mesh()
    expect(await textOf(off, 'POST', '')).toBe('method POST not allowed')
    expect(await textOf(off, 'PUT', '?ns=none', '{')).toBe('ACL support disabled')
  })

  test('each kind of request requires acl:read or acl:write', async () => {
    const { clientWithRules, token, policy, role } = await meshWithAcls()
    const { AccessorID } = await token()
    const [p, r] = [await policy('p', ''), await role('r', [])]
    const reader = await clientWithRules('acl = "read"')
    const nobody = await clientWithRules('')
    for (const path of [
      'acl/policies',
      `acl/policy/${p}`,
      'acl/policy/name/p',
      'acl/roles',
      `acl/role/${r}`,
      'acl/role/name/r',
      'acl/tokens',
      `acl/token/${AccessorID}`,
    ]) {
      expect([path, (await reader.get(path)).status]).toEqual([path, 200])
      const denied = await nobody.get(path)
      expect([denied.status, denied.text]).toEqual([
        403,
        expect.stringMatching(/ lacks permission 'acl:read'$/),
      ])
    }
    for (const [method, path, body] of [
      ['PUT', 'acl/policy', { Name: 'a' }],
      ['PUT', `acl/policy/${p}`, { Name: 'a' }],
      ['DELETE', `acl/policy/${p}`, undefined],
      ['PUT', 'acl/role', { Name: 'a' }],
      ['PUT', `acl/role/${r}`, { Name: 'a' }],
      ['DELETE', `acl/role/${r}`, undefined],
      ['PUT', 'acl/token', {}],
      ['PUT', `acl/token/${AccessorID}`, {}],
      ['DELETE', `acl/token/${AccessorID}`, undefined],
    ] as const) {
      const denied = await reader.request(method, path, body)
      expect([denied.status, denied.text]).toEqual([
        403,
        expect.stringMatching(/ lacks permission 'acl:write'$/),
      ])
    }
    expect((await nobody.get('acl/token/self')).status).toBe(200)
  })

  test('links of a namespace require acl:write in default', async () => {
    const { clientWithRules, policy } = await meshWithAcls()
    await policy('p', '')
    const ACLs = { PolicyDefaults: [{ Name: 'p' }] }
    const fullAdmin = await clientWithRules('operator = "write" acl = "write"')
    expect((await fullAdmin.put('namespace', { Name: 'a', ACLs })).status).toBe(200)
    const one = await clientWithRules('operator = "write" acl = "read"')
    const denied = await one.put('namespace', { Name: 'b', ACLs })
    expect([denied.status, denied.text]).toEqual([
      403,
      expect.stringMatching(/ lacks permission 'acl:write'$/),
    ])
    // Without links no right is required.
    const none = { PolicyDefaults: [], RoleDefaults: [] }
    expect((await one.put('namespace', { Name: 'b', ACLs: none })).status).toBe(200)
  })
})

describe('behaviour/mesh#builtin-policies', () => {
  // choice/mesh#mesh-acl-global-management
  test('global-management grants everything despite other links', async () => {
    const { policy, token, as, namespace } = await meshWithAcls()
    await namespace('team')
    const ID = await policy(
      'no',
      'operator = "deny" acl = "deny" namespace_prefix "" { policy = "deny" }',
    )
    const builtin = { Name: 'global-management' }
    const client = as((await token({ Policies: [{ ID }, builtin] })).SecretID)
    expect((await client.put('namespace', { Name: 'a' })).status).toBe(200)
    expect((await client.put('acl/policy?ns=team', { Name: 'a' })).status).toBe(200)
    const list = await client.get('namespaces')
    expect([list.body.length, list.headers['x-mesh-results-filtered-by-acls']]).toEqual([
      3,
      undefined,
    ])
  })
})

describe('behaviour/mesh#acl-decision: identities', () => {
  const service = (Datacenters: readonly string[]) => ({
    ServiceIdentities: [{ ServiceName: 'web', Datacenters }],
  })
  const node = (NodeName: string, Datacenter: string) => ({
    NodeIdentities: [{ NodeName, Datacenter }],
  })

  test.for([
    ['of a service', service([]), [1, 1]],
    ['of a service here', service(['dc2', 'dc1']), [1, 1]],
    ['of a service elsewhere', service(['dc2']), [0, 0]],
    ['of the node', node('mesh-1', 'dc1'), [1, 1]],
    ['of another node', node('other', 'dc1'), [0, 1]],
    ['of the node elsewhere', node('mesh-1', 'dc2'), [0, 0]],
  ] as const)('an identity %s grants reading nodes and services: %o', async ([_, input, seen]) => {
    const { manager, token, as } = await meshWithAcls()
    const role = await manager.put('acl/role', { Name: 'r', ...input })
    for (const body of [input, { Roles: [{ ID: role.body.ID }] }]) {
      const client = as((await token(body)).SecretID)
      const nodes = (await client.get('catalog/nodes')).body
      const services = Object.keys((await client.get('catalog/services')).body)
      expect([nodes.length, services.length]).toEqual(seen)
    }
  })

  test('a service may write itself and its proxy, a node itself', async () => {
    const { token, world } = await meshWithAcls()
    const made = await token({ ...service([]), ...node('n', 'dc1') })
    const caller = meshCaller(world, made.SecretID)
    const may = (resource: 'service' | 'node', name: string) =>
      caller.may({ resource, access: 'write', name })
    expect([may('service', 'web'), may('service', 'web-sidecar-proxy')]).toEqual([true, true])
    expect([may('service', 'web2'), may('node', 'n'), may('node', 'n2')]).toEqual([
      false,
      true,
      false,
    ])
  })
})
