import { describe, expect, test } from 'vitest'
import { createUnderstudy } from '../../../../src/embedding/index.ts'
import { blockingReader, drainEventLoop } from '../../../support/blocked-reads.ts'
import { meshWithAcls } from '../../../support/mesh/mesh-acl.ts'

const waiting = blockingReader('x-mesh-index')

const builtin = { ID: '00000000-0000-0000-0000-000000000001', Name: 'global-management' }
const anonymousId = '00000000-0000-0000-0000-000000000002'
const unknownId = 'ffffffff-0000-4000-8000-000000000000'
const uuid = expect.stringMatching(
  /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/,
)
const hash = expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/)

describe('behaviour/mesh#acl-endpoints: tokens', () => {
  test('create, read, read with the token itself, replace, delete', async () => {
    const { manager, as, policy, role } = await meshWithAcls()
    const ID = await policy('p', '')
    const roleId = await role('r', [])
    const created = await manager.put('acl/token', {
      Description: 'd',
      Policies: [{ Name: 'p' }, { ID }],
      Roles: [{ Name: 'r' }],
    })
    const token = {
      AccessorID: uuid,
      SecretID: uuid,
      Description: 'd',
      Policies: [{ ID, Name: 'p' }],
      Roles: [{ ID: roleId, Name: 'r' }],
      Local: false,
      CreateTime: '2026-01-01T00:00:00Z',
      Hash: hash,
      CreateIndex: 9,
      ModifyIndex: 9,
      Namespace: 'default',
    }
    expect([created.status, created.body]).toEqual([200, token])
    expect(Object.keys(created.body)).toEqual(Object.keys(token))
    const { AccessorID, SecretID } = created.body
    expect(AccessorID).not.toBe(SecretID)
    const path = `acl/token/${AccessorID}`
    const read = await manager.get(path)
    expect([read.body, read.headers['x-mesh-index']]).toEqual([created.body, '9'])
    expect((await as(SecretID).get('acl/token/self')).body).toEqual(created.body)
    const { Policies: _policies, Roles: _roles, ...withoutLinks } = created.body
    const replaced = await manager.put(path, { AccessorID, SecretID })
    expect([replaced.status, replaced.body]).toEqual([
      200,
      { ...withoutLinks, Description: '', Hash: hash, ModifyIndex: 10 },
    ])
    expect(replaced.body.Hash).not.toBe(created.body.Hash)
    const deleted = await manager.delete(path)
    expect([deleted.status, deleted.body]).toEqual([200, true])
    expect((await manager.get(path)).status).toBe(403)
    expect((await as(SecretID).get('acl/token/self')).status).toBe(403)
  })

  test('the list has all tokens of the namespace by AccessorID', async () => {
    const { manager, token } = await meshWithAcls()
    const { AccessorID } = await token()
    const { status, body } = await manager.get('acl/tokens')
    const ids = body.map((one: { AccessorID: string }) => one.AccessorID)
    expect([status, ids.length]).toEqual([200, 3])
    expect(ids).toEqual([...ids].sort())
    expect(ids).toEqual(expect.arrayContaining([AccessorID, anonymousId]))
  })

  test('the list can be filtered by policy or role', async () => {
    const { manager, policy, role, token } = await meshWithAcls()
    const [p, r] = [await policy('p', ''), await role('r', [])]
    const withPolicy = await token({ Policies: [{ ID: p }] })
    const withRole = await token({ Roles: [{ ID: r }] })
    const ids = async (query: Record<string, string>) =>
      (await manager.get('acl/tokens', { query })).body.map(
        (one: { AccessorID: string }) => one.AccessorID,
      )
    expect(await ids({ policy: p })).toEqual([withPolicy.AccessorID])
    expect(await ids({ role: r })).toEqual([withRole.AccessorID])
  })

  test.each([
    { role: unknownId, policy: unknownId },
    { role: 'abc', policy: 'abc' },
    { policy: unknownId, servicename: 'x' },
    { authmethod: 'x', role: unknownId },
  ])('the filters %j together are 500', async (query) => {
    const { manager } = await meshWithAcls()
    const { status, text } = await manager.get('acl/tokens', { query: { ...query } })
    expect([status, text]).toEqual([
      500,
      'can only filter by one of policy, role, serviceName, or methodName at a time',
    ])
  })

  test('callers with only read access do not see secrets', async () => {
    const { clientWithRules, token } = await meshWithAcls()
    const { AccessorID } = await token()
    const [reader, writer] = [
      await clientWithRules('acl = "read"'),
      await clientWithRules('acl = "write"'),
    ]
    const secretFor = async (client: typeof reader) =>
      (await client.get(`acl/token/${AccessorID}`)).body.SecretID
    expect(await secretFor(reader)).toBe('<hidden>')
    expect(await secretFor(writer)).toEqual(uuid)
    const secrets = (await reader.get('acl/tokens')).body.map(
      (one: { SecretID: string }) => one.SecretID,
    )
    expect(new Set(secrets)).toEqual(new Set(['<hidden>']))
    expect((await writer.get('acl/tokens')).text).not.toContain('<hidden>')
    // A token may always see its own secret.
    expect((await reader.get('acl/token/self')).body.SecretID).toEqual(uuid)
    for (const path of ['acl/token/x', 'acl/token', 'acl/policy', 'acl/role'] as const) {
      const reply = await reader.put(path, { Name: 'a' })
      expect([path, reply.status]).toEqual([path, reply.text.includes('decoding') ? 400 : 403])
    }
    expect((await reader.delete('acl/token/x')).status).toBe(403)
  })

  test('a caller can choose the IDs of a token', async () => {
    const { token, as } = await meshWithAcls()
    const AccessorID = 'aaaaaaaa-0000-4000-8000-000000000000'
    const SecretID = 'bbbbbbbb-0000-4000-8000-000000000000'
    expect(await token({ AccessorID, SecretID, Local: true })).toMatchObject({
      AccessorID,
      SecretID,
      Local: true,
    })
    expect((await as(SecretID).get('acl/token/self')).body.AccessorID).toBe(AccessorID)
  })

  test('a TTL or an expiry can be set, but not changed', async () => {
    const { manager, token } = await meshWithAcls()
    const byTtl = await token({ ExpirationTTL: '1h30m' })
    expect(byTtl).toMatchObject({ ExpirationTime: '2026-01-01T01:30:00Z' })
    expect(await token({ ExpirationTTL: 60_000_000_000 })).toMatchObject({
      ExpirationTime: '2026-01-01T00:01:00Z',
    })
    const ExpirationTime = '2026-01-01T02:00:00.5Z'
    expect(await token({ ExpirationTime })).toMatchObject({ ExpirationTime })
    const path = `acl/token/${byTtl.AccessorID}`
    const kept = await manager.put(path, { ...byTtl, Description: 'x' })
    expect([kept.status, kept.body.ExpirationTime]).toEqual([200, '2026-01-01T01:30:00Z'])
    for (const change of [{ ExpirationTime }, { ExpirationTTL: '2h' }]) {
      const { status, text } = await manager.put(path, change)
      expect([status, text]).toEqual([500, `Cannot change expiration time of ${byTtl.AccessorID}`])
    }
  })

  test('a deleted token leaves no job behind', async () => {
    const { manager, token, world } = await meshWithAcls()
    const { AccessorID } = await token({ ExpirationTTL: '1m' })
    await manager.delete(`acl/token/${AccessorID}`)
    expect(world.advance(60_000)).toEqual([])
  })

  test('an expired token is removed with its job, and the index rises', async () => {
    const { token, world } = await meshWithAcls()
    const { AccessorID } = await token({ ExpirationTTL: '1m' })
    const index = world.store.index('mesh')
    expect(world.advance(60_000)).toEqual([
      { at: world.clock.now(), kind: 'mesh.acl-token-expiry', id: AccessorID },
    ])
    expect(world.store.index('mesh')).toBe(index + 1)
  })

  test.each([
    ['PUT', 'acl/token', '', 400, 'Token decoding failed: EOF'],
    ['PUT', 'acl/token', { Foo: 1 }, 400, 'Token decoding failed: json: unknown field "Foo"'],
    [
      'PUT',
      'acl/token',
      { ExpirationTTL: 'soon' },
      400,
      'Token decoding failed: time: invalid duration "soon"',
    ],
    [
      'PUT',
      'acl/token',
      { ExpirationTime: 'soon' },
      400,
      'Token decoding failed: parsing time "soon" as "2006-01-02T15:04:05Z07:00": cannot parse "soon" as "2006"',
    ],
    [
      'PUT',
      'acl/token/a',
      { AccessorID: 'b' },
      400,
      'Token Accessor ID in URL and payload do not match',
    ],
    ['GET', 'acl/token/', undefined, 400, 'Missing token AccessorID'],
    ['DELETE', 'acl/token/', undefined, 400, 'Missing token AccessorID'],
    ['PUT', `acl/token/${unknownId}`, {}, 500, `Cannot find token "${unknownId}"`],
    [
      'PUT',
      `acl/token/${anonymousId}`,
      { SecretID: unknownId },
      500,
      "Changing a token's SecretID is not permitted",
    ],
    [
      'PUT',
      `acl/token/${anonymousId}`,
      { Local: true },
      500,
      `Cannot toggle local mode of ${anonymousId}`,
    ],
    ['PUT', 'acl/token', { Policies: [{ Name: 'x' }] }, 500, 'No such ACL policy with name "x"'],
    [
      'PUT',
      'acl/token',
      { Policies: [{ ID: unknownId }] },
      500,
      `No such ACL policy with ID "${unknownId}"`,
    ],
    ['PUT', 'acl/token', { Roles: [{ Name: 'x' }] }, 500, 'No such ACL role with name "x"'],
    [
      'PUT',
      'acl/token',
      { Roles: [{ ID: unknownId }] },
      500,
      `No such ACL role with ID "${unknownId}"`,
    ],
    [
      'PUT',
      'acl/token',
      { AccessorID: 'mine' },
      500,
      'Invalid Token: AccessorID is not a valid UUID',
    ],
    ['PUT', 'acl/token', { SecretID: 'mine' }, 500, 'Invalid Token: SecretID is not a valid UUID'],
    [
      'PUT',
      'acl/token',
      { AccessorID: anonymousId },
      500,
      'Invalid Token: AccessorID is already in use',
    ],
    [
      'PUT',
      'acl/token',
      { SecretID: anonymousId },
      500,
      'Invalid Token: SecretID is already in use',
    ],
    [
      'PUT',
      'acl/token',
      { SecretID: '00000000-0000-0000-0000-000000000009' },
      500,
      'Invalid Token: UUIDs with the prefix "00000000-0000-0000-0000-0000000000" are reserved',
    ],
    ['PUT', 'acl/token', { ExpirationTTL: '-1s' }, 500, "Token Expiration TTL '-1s' should be > 0"],
    [
      'PUT',
      'acl/token',
      { ExpirationTTL: '1h', ExpirationTime: '2026-01-01T01:00:00Z' },
      500,
      'Token Expiration TTL and Expiration Time cannot both be set',
    ],
    [
      'PUT',
      'acl/token',
      { ExpirationTime: '2025-12-31T23:59:59Z' },
      500,
      'ExpirationTime cannot be before CreateTime',
    ],
    [
      'GET',
      `acl/token/${unknownId}`,
      undefined,
      403,
      'token not found in namespace default: ACL not found',
    ],
    ['DELETE', `acl/token/${unknownId}`, undefined, 404, 'Cannot find token to delete'],
    [
      'DELETE',
      `acl/token/${anonymousId}`,
      undefined,
      500,
      'Delete operation not permitted on the anonymous token',
    ],
  ] as const)('%s %s with %o: %i %s', async (method, path, payload, status, text) => {
    const { manager, world } = await meshWithAcls()
    const index = world.store.index('mesh')
    const reply = await manager.request(method, path, payload)
    expect([reply.status, reply.text]).toEqual([status, text])
    expect(world.store.index('mesh')).toBe(index)
  })

  test.for([
    [{ ExpirationTTL: '1s' }, '1s'],
    [{ ExpirationTTL: '59.5s' }, '59.5s'],
    [{ ExpirationTime: '2026-01-01T00:00:30Z' }, '30s'],
  ] as const)('the minimum life of a token is one minute: %o', async ([input, was]) => {
    const { manager } = await meshWithAcls()
    const { status, text } = await manager.put('acl/token', input)
    expect([status, text]).toEqual([
      500,
      `ExpirationTime cannot be less than 1m0s in the future (was ${was})`,
    ])
    const { manager: shorter } = await meshWithAcls({ options: { tokenMinExpirationTTL: '500ms' } })
    expect((await shorter.put('acl/token', input)).status).toBe(200)
    expect((await shorter.put('acl/token', { ExpirationTTL: '100ms' })).text).toBe(
      'ExpirationTime cannot be less than 500ms in the future (was 100ms)',
    )
    expect((await manager.put('acl/token', { ExpirationTTL: '100000h' })).status).toBe(200)
  })

  // choice/mesh#mesh-acl-identity-twice
  test('identities are stored and returned without duplicates, between roles and mode', async () => {
    const { token } = await meshWithAcls()
    const made = await token({
      ServiceIdentities: [
        { ServiceName: 'web', Datacenters: ['dc2'] },
        { ServiceName: 'db' },
        { ServiceName: 'web', Datacenters: ['dc1'] },
      ],
      NodeIdentities: [
        { NodeName: 'n', Datacenter: 'dc1' },
        { NodeName: 'n', Datacenter: 'dc1' },
      ],
    })
    expect(made).toMatchObject({
      ServiceIdentities: [
        { ServiceName: 'web', Datacenters: ['dc1', 'dc2'] },
        { ServiceName: 'db' },
      ],
      NodeIdentities: [{ NodeName: 'n', Datacenter: 'dc1' }],
    })
    expect(Object.keys(made).slice(2, 6)).toEqual([
      'Description',
      'ServiceIdentities',
      'NodeIdentities',
      'Local',
    ])
  })

  // choice/mesh#mesh-acl-identity-twice
  test.each([
    [[{}, { Datacenters: ['dc2'] }]],
    [[{ Datacenters: ['dc2'] }, {}]],
    [[{ Datacenters: ['dc2'] }, { Datacenters: [] }, { Datacenters: ['dc2'] }]],
  ])('an identity without datacenters takes those of its duplicate: %j', async (input) => {
    const { token, manager } = await meshWithAcls()
    const ServiceIdentities = input.map((each) => ({ ServiceName: 'web', ...each }))
    const kept = { ServiceIdentities: [{ ServiceName: 'web', Datacenters: ['dc2'] }] }
    expect(await token({ ServiceIdentities })).toMatchObject(kept)
    const role = await manager.put('acl/role', { Name: 'a', ServiceIdentities })
    expect(role.body).toMatchObject(kept)
  })

  const odd = "has an invalid name. Only lowercase alphanumeric characters, '-' and '_' are allowed"
  test.for([
    [
      { ServiceIdentities: [{}] },
      'Service identity is missing the service name field on this token',
    ],
    [{ ServiceIdentities: [{ ServiceName: 'A b' }] }, `Service identity "A b" ${odd}`],
    [
      { Local: true, ServiceIdentities: [{ ServiceName: 'web', Datacenters: ['dc1'] }] },
      'Service identity "web" cannot specify a list of datacenters on a local token',
    ],
    [
      { NodeIdentities: [{ Datacenter: 'dc1' }] },
      'Node identity is missing the node name field on this token',
    ],
    [
      { NodeIdentities: [{ NodeName: 'n' }] },
      'Node identity is missing the datacenter field on this token',
    ],
    [{ NodeIdentities: [{ NodeName: 'N', Datacenter: 'dc1' }] }, `Node identity ${odd}`],
  ] as const)('identities %o: 500 %s', async ([input, text]) => {
    const { manager } = await meshWithAcls()
    const reply = await manager.put('acl/token', input)
    expect([reply.status, reply.text]).toEqual([500, text])
  })

  test('?servicename= filters the list; a filtered list waits only for its own tokens', async () => {
    const { manager, token, policy } = await meshWithAcls({ options: { waitJitter: false } })
    const web = await token({ ServiceIdentities: [{ ServiceName: 'web' }] })
    await token({ ServiceIdentities: [{ ServiceName: 'db' }] })
    const { body } = await manager.get('acl/tokens?servicename=web')
    expect(body.map((one: { AccessorID: string }) => one.AccessorID)).toEqual([web.AccessorID])
    const ID = await policy('p', '')
    await token({ Policies: [{ ID }] })
    const index = (await manager.get('acl/tokens')).headers['x-mesh-index']
    const list = await waiting(manager, `acl/tokens?policy=${ID}&index=${index}`)
    await token({ Description: 'other' })
    await drainEventLoop()
    expect(list.state).toBe('waits')
    await token({ Policies: [{ ID }] })
    await drainEventLoop()
    expect(list.state).toMatchObject([200, expect.anything(), [{}, {}]])
  })

  test('?expanded adds the policies and roles themselves', async () => {
    const { manager, token, policy, role, namespace } = await meshWithAcls()
    const [p, r] = [await policy('p', 'acl = "read"'), await policy('r', '')]
    const roleId = await role('role', [r])
    const made = await token({
      Policies: [{ ID: p }],
      Roles: [{ ID: roleId }],
      ServiceIdentities: [{ ServiceName: 'web' }],
    })
    const path = `acl/token/${made.AccessorID}`
    const { body } = await manager.get(`${path}?expanded=false`)
    const synthetic = {
      ID: expect.stringMatching(/^[0-9a-f]{64,}$/),
      Name: expect.stringMatching(/^synthetic-policy-[0-9a-f]{64,}$/),
      Description: 'synthetic policy generated from templated policy: builtin/service',
      Rules: expect.stringContaining('service "web-sidecar-proxy" {\n\tpolicy = "write"\n}'),
    }
    expect(body).toMatchObject({
      ...made,
      ExpandedPolicies: [{ ID: p, Rules: 'acl = "read"' }, { ID: r, Rules: '' }, synthetic],
      ExpandedRoles: [{ ID: roleId, Name: 'role', Policies: [{ ID: r, Name: 'r' }] }],
      NamespaceDefaultPolicyIDs: null,
      NamespaceDefaultRoleIDs: null,
      AgentACLDefaultPolicy: 'deny',
      AgentACLDownPolicy: 'extend-cache',
      ResolvedByAgent: 'mesh-1',
    })
    expect((await manager.get(path)).body).toEqual(made)
    await namespace('x', { PolicyDefaults: [{ ID: p }], RoleDefaults: [{ ID: roleId }] })
    const other = await token({}, { query: { ns: 'x' } })
    const expanded = await manager.get(`acl/token/${other.AccessorID}?ns=x&expanded`)
    expect(expanded.body).toMatchObject({
      ExpandedPolicies: [{ ID: p }, { ID: r }],
      NamespaceDefaultPolicyIDs: [p],
      NamespaceDefaultRoleIDs: [roleId],
    })
    const minimal = (await manager.get(`acl/token/${(await token()).AccessorID}?expanded`)).body
    expect([minimal.ExpandedPolicies, minimal.ExpandedRoles]).toEqual([null, null])
  })

  test('a clone has new IDs and may have another description (beyond)', async () => {
    const { manager, token, policy, clock } = await meshWithAcls()
    const ID = await policy('p', '')
    const made = await token({ Description: 'd', Policies: [{ ID }], ExpirationTTL: '1h' })
    const path = `acl/token/${made.AccessorID}/clone`
    clock.advance(1000)
    const { status, body } = await manager.put(path, {})
    expect([status, body]).toEqual([
      200,
      {
        ...made,
        AccessorID: uuid,
        SecretID: uuid,
        Hash: hash,
        CreateTime: '2026-01-01T00:00:01Z',
        CreateIndex: 9,
        ModifyIndex: 9,
      },
    ])
    expect(body.AccessorID).not.toBe(made.AccessorID)
    expect((await manager.put(path, { Description: 'own' })).body.Description).toBe('own')
    for (const [target, input, code, text] of [
      [path, '', 400, 'Token decoding failed: EOF'],
      [
        `acl/token/${unknownId}/clone`,
        {},
        403,
        'token not found in namespace default: ACL not found',
      ],
    ] as const) {
      const reply = await manager.put(target, input)
      expect([reply.status, reply.text]).toEqual([code, text])
    }
  })

  test.for([
    ['GET', 'failed acl token lookup: index error: UUID must be 36 characters'],
    ['DELETE', 'Accessor ID is missing or an invalid UUID'],
  ] as const)(
    '%s of a clone takes it for an accessor (behaviour/mesh#acl)',
    async ([method, text]) => {
      const { manager, token } = await meshWithAcls()
      const { AccessorID } = await token({})
      const reply = await manager.request(method, `acl/token/${AccessorID}/clone`)
      expect([reply.status, reply.text]).toEqual([500, text])
    },
  )

  test('a token cannot delete itself', async () => {
    const { manager } = await meshWithAcls()
    const { body } = await manager.get('acl/token/self')
    const { status, text } = await manager.delete(`acl/token/${body.AccessorID}`)
    expect([status, text]).toEqual([
      500,
      "Deletion of the request's authorization token is not permitted",
    ])
  })
})

describe('behaviour/mesh#acl-endpoints: bootstrap', () => {
  const open = { options: { bootstrap: 'open' } } as const

  test('makes a management token, once', async () => {
    const { mesh, as } = await meshWithAcls(open)
    const { status, body } = await mesh.put('acl/bootstrap')
    const made = {
      ID: uuid,
      AccessorID: uuid,
      SecretID: uuid,
      Description: 'Bootstrap Token (Global Management)',
      Policies: [builtin],
      Local: false,
      CreateTime: '2026-01-01T00:00:00Z',
      Hash: hash,
      CreateIndex: 7,
      ModifyIndex: 7,
      Namespace: 'default',
    }
    expect([status, body]).toEqual([200, made])
    expect(Object.keys(body)).toEqual(Object.keys(made))
    expect(body.ID).toBe(body.SecretID)
    expect((await as(body.SecretID).put('namespace', { Name: 'a' })).status).toBe(200)
    const repeated = await mesh.put('acl/bootstrap')
    expect([repeated.status, repeated.text]).toEqual([
      403,
      'Permission denied: ACL bootstrap no longer allowed (reset index: 7)',
    ])
  })

  test('accepts a chosen secret, whatever token the request has', async () => {
    const { as } = await meshWithAcls(open)
    const BootstrapSecret = 'cccccccc-0000-4000-8000-000000000000'
    const { status, body } = await as('unknown').put('acl/bootstrap', { BootstrapSecret })
    expect([status, body.ID, body.SecretID]).toEqual([200, BootstrapSecret, BootstrapSecret])
  })

  test.each([
    [{ BootstrapSecret: 'mine' }, 500, 'uuid string is wrong length'],
    [{ BootstrapSecret: anonymousId }, 500, 'Invalid Token: SecretID is already in use'],
    [{ Secret: 'x' }, 400, 'Request decoding failed: json: unknown field "Secret"'],
    ['{', 400, 'Request decoding failed: unexpected EOF'],
  ])('bad body %o: %i %s, and the bootstrap stays open', async (payload, status, text) => {
    const { mesh } = await meshWithAcls(open)
    const reply = await mesh.put('acl/bootstrap', payload)
    expect([reply.status, reply.text]).toEqual([status, text])
    expect((await mesh.put('acl/bootstrap')).status).toBe(200)
  })

  test('the token of the options does not exist; an unknown token gets a hint', async () => {
    const { mesh, manager, as, world } = await meshWithAcls(open)
    const expected = [
      403,
      'ACL system must be bootstrapped before making any requests that require authorization: ACL not found',
    ]
    const denied = await manager.put('namespace', { Name: 'a' })
    expect([denied.status, denied.text]).toEqual(expected)
    expect((await manager.get('acl/token/self')).text).toBe('token does not exist: ACL not found')
    expect((await mesh.get('namespace/default')).text).toContain('anonymous token lacks permission')
    const { body } = await mesh.put('acl/bootstrap')
    const boss = as(body.SecretID)
    expect((await boss.get('acl/tokens')).body).toHaveLength(2)
    expect((await boss.get('acl/policies')).body).toHaveLength(2)
    expect((await manager.get('namespaces')).text).toBe('ACL not found')
    expect(world.services.map((service) => service.info(world))).toEqual([{ token: '' }])
  })

  test('an open bootstrap and an initial management token exclude each other, unless the token is empty', async () => {
    const both = { bootstrap: 'open', initialManagementToken: 'boss' } as const
    await expect(createUnderstudy({ options: { mesh: both } })).rejects.toThrow('/mesh')
    for (const initialManagementToken of ['', null]) {
      const { manager } = await meshWithAcls({ options: { initialManagementToken } })
      expect((await manager.get('namespaces')).text).toBe('ACL not found')
    }
  })

  test('counts as done in a fresh world unless the option leaves it open', async () => {
    const { mesh } = await meshWithAcls()
    const { status, text } = await mesh.put('acl/bootstrap')
    expect([status, text]).toEqual([
      403,
      'Permission denied: ACL bootstrap no longer allowed (reset index: 6)',
    ])
  })
})

describe('behaviour/mesh#acl-endpoints: tokens of an auth method', () => {
  test('authmethod lists only tokens that a login created; none exists here', async () => {
    const { manager } = await meshWithAcls()
    expect((await manager.get('acl/tokens?authmethod=')).body.length).toBeGreaterThan(0)
    expect((await manager.get('acl/tokens?authmethod=x')).body).toEqual([])
  })
})
