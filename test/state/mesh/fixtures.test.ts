import { describe, expect, test } from 'vitest'
import { exportWorld } from '../../../state/kernel/worlds/document.ts'
import { dataIndexes } from '../../../state/mesh/indexes.ts'
import { namespaces } from '../../../state/mesh/namespaces/namespaces.ts'
import { mesh } from '../../support/mesh/mesh.ts'

describe('fixtures (behaviour/program#fresh-world)', () => {
  test('namespaces are loaded with description, Meta and keys, all at the start index', async () => {
    const { mesh: client } = await mesh({
      document: {
        mesh: {
          namespaces: [
            { name: 'Team-1', description: 'd', meta: { a: 'b' }, keys: { 'app/db': 'value' } },
            { name: 'default', keys: { a: '1' } },
            { name: 'bare' },
          ],
        },
      },
    })
    const builtin = {
      Name: 'default',
      Description: 'Builtin Default Namespace',
      CreateIndex: 6,
      ModifyIndex: 6,
    }
    const team = { Name: 'Team-1', Description: 'd', Meta: { a: 'b' } }
    expect((await client.get('namespaces')).body).toEqual([
      { ...team, CreateIndex: 6, ModifyIndex: 6 },
      { Name: 'bare', CreateIndex: 6, ModifyIndex: 6 },
      builtin,
    ])
    expect((await client.get('kv/app/db?raw&ns=team-1')).text).toBe('value')
    expect((await client.get('kv/a')).body[0]).toMatchObject({ CreateIndex: 6 })
    expect((await client.put('namespace/x', {})).body.CreateIndex).toBe(7)
  })

  test('settings of the builtin namespace replace the defaults', async () => {
    const { mesh: client } = await mesh({
      document: { mesh: { namespaces: [{ name: 'Default', description: '', meta: { a: 'b' } }] } },
    })
    expect((await client.get('namespaces')).body).toEqual([
      { Name: 'default', Meta: { a: 'b' }, CreateIndex: 6, ModifyIndex: 6 },
    ])
  })

  test('kv holds the keys of the namespace default', async () => {
    const { mesh: client } = await mesh({
      document: { mesh: { kv: { 'app/db': 'value', color: 'blue' } } },
    })
    expect((await client.get('kv/app/db?raw')).text).toBe('value')
    expect((await client.get('kv/color?raw')).text).toBe('blue')
  })

  test('services, checks and catalog are loaded as the API registers them', async () => {
    const { mesh: client, clock } = await mesh({
      document: {
        mesh: {
          namespaces: [{ name: 'team' }],
          services: [
            { Name: 'web', Port: 80, Check: { TTL: '30s', Status: 'passing' } },
            { name: 'db', namespace: 'Team', connect: { SidecarService: {} } },
          ],
          checks: [{ Name: 'disk', TTL: '1h', Status: 'passing' }],
          catalog: [
            { Node: 'n1', Address: '10.0.0.1', Service: { Service: 'web' }, Check: { Name: 'c' } },
          ],
        },
      },
    })
    const passing = async () => (await client.get('health/service/web?passing')).body.length
    expect((await client.get('health/service/web')).body).toHaveLength(2)
    expect(await passing()).toBe(1)
    expect(Object.keys((await client.get('agent/services?ns=team')).body)).toEqual([
      ...['db', 'db-sidecar-proxy'],
    ])
    expect((await client.get('agent/checks')).body.disk.Status).toBe('passing')
    clock.advance(30_000)
    expect(await passing()).toBe(0)
  })

  test.for([
    ['services', { Port: 1 }, '/mesh/services/0: Missing service name'],
    ['services', { Name: 'a', Bogus: 1 }, '/mesh/services/0: json: unknown field "Bogus"'],
    ['checks', { Name: 'a' }, '/mesh/checks/0: Invalid check: TTL must be > 0 for TTL checks'],
    ['checks', { Name: 'a', TTL: '1s', ServiceID: 'x' }, 'ServiceID "default/default/x" does not'],
    ['catalog', { Address: 'a' }, '/mesh/catalog/0: Must provide node'],
    [
      'catalog',
      { Node: 'a', Address: 'a', Service: { Namespace: 'x', Service: 'a' } },
      'not exist',
    ],
  ] as const)('%s %o is refused: %s', async ([kind, registration, message]) => {
    const document = { mesh: { [kind]: [registration] } }
    await expect(mesh({ document })).rejects.toThrow(message)
  })

  const management = { headers: { 'x-mesh-token': 'mesh-management-token' } }
  const callerOf = (token: string) => ({ headers: { 'x-mesh-token': token } })

  test('configuration, intentions, queries and ACL objects are loaded as the API writes them', async () => {
    const document = {
      mesh: {
        namespaces: [{ name: 'team', policyDefaults: ['reader'] }],
        services: [{ Name: 'web', Port: 80 }],
        config: [
          { Kind: 'service-defaults', Name: 'web', Protocol: 'http' },
          { kind: 'service-splitter', name: 'web', splits: [{ weight: 100 }] },
        ],
        intentions: [
          { SourceName: 'web', DestinationName: 'db', Action: 'allow' },
          { SourceName: '*', DestinationName: 'db', DestinationNS: 'team', Action: 'deny' },
        ],
        queries: [{ Name: 'q', Service: { Service: 'web' } }],
        authMethods: [
          { Name: 'jwt', Type: 'jwt', Config: { JWKSURL: 'https://a.test', ClaimMappings: {} } },
        ],
        bindingRules: [{ AuthMethod: 'jwt', BindType: 'role', BindName: 'r' }],
        policies: [{ Name: 'reader', Rules: 'key_prefix "" { policy = "read" }' }],
        roles: [{ Name: 'r', Policies: [{ Name: 'reader' }] }],
        tokens: [
          { SecretID: '5a3e5a8c-0000-4000-8000-000000000001', Roles: [{ Name: 'r' }] },
          { SecretID: '5a3e5a8c-0000-4000-8000-000000000002', Namespace: 'team' },
        ],
        kv: { a: '1' },
      },
    }
    const options = { aclEnabled: true, defaultPolicy: 'deny' } as const
    const { mesh: client, world } = await mesh({ options, document })
    const read = async (path: string) => (await client.get(path, management)).body
    expect(await read('config/service-splitter/web')).toMatchObject({ Splits: [{ Weight: 100 }] })
    expect(await read('connect/intentions?ns=*')).toMatchObject([
      { SourceName: 'web', DestinationName: 'db', DestinationNS: 'default', Precedence: 9 },
      { SourceName: '*', DestinationName: 'db', DestinationNS: 'team', Precedence: 8 },
    ])
    expect((await read('query/q/execute')).Nodes).toHaveLength(1)
    expect(await read('acl/binding-rules')).toMatchObject([{ AuthMethod: 'jwt', BindName: 'r' }])
    const holder = callerOf('5a3e5a8c-0000-4000-8000-000000000001')
    expect((await client.get('kv/a?raw', holder)).text).toBe('1')
    expect((await client.get('kv/a?raw')).status).toBe(403)
    const ofTeam = callerOf('5a3e5a8c-0000-4000-8000-000000000002')
    expect((await client.get('kv/a?ns=team', ofTeam)).status).toBe(404)
    const exported = exportWorld(world)
    const { world: copy } = await mesh({ document: exported })
    expect(exportWorld(copy)).toEqual(exported)
  })

  test.for([
    ['config', { Kind: 'x' }, '/mesh/config/0: Request decoding failed: invalid config entry kind'],
    ['config', { Kind: 'service-defaults', Name: 'a', Protocol: 'x' }, 'value for protocol: x'],
    ['config', { Kind: 'service-router', Name: 'a' }, 'does not permit advanced routing'],
    ['intentions', { SourceName: 'a', Action: 'allow' }, '0: .*DestinationName is missing'],
    ['queries', { Name: 'q' }, '/mesh/queries/0: .*Must provide a Service name to query'],
    ['authMethods', { Name: 'a', Type: 'x' }, '/mesh/authMethods/0: .*Type should be one of'],
    ['bindingRules', { AuthMethod: 'a' }, 'cannot find auth method with name "a"'],
    ['policies', { Name: 'a b' }, '/mesh/policies/0: .*invalid Name'],
    ['roles', { Name: 'a', Policies: [{ Name: 'x' }] }, '/mesh/roles/0: .*policy with name "x"'],
    ['tokens', { SecretID: 'x' }, '/mesh/tokens/0: .*SecretID'],
  ] as const)('an entry of %s, %o, is refused: %s', async ([kind, entry, message]) => {
    const document = { mesh: { [kind]: [entry] } }
    await expect(mesh({ document })).rejects.toThrow(new RegExp(message, 's'))
  })

  // choice/mesh#mesh-acl-fixtures-while-off
  test('ACL objects are stored while ACLs are off, and count once ACLs are on', async () => {
    const secret = '5a3e5a8c-0000-4000-8000-000000000001'
    const rules = 'key_prefix "" { policy = "read" }'
    const { mesh: client, world } = await mesh({
      document: {
        mesh: {
          policies: [{ Name: 'reader', Rules: rules }],
          tokens: [{ SecretID: secret, Policies: [{ Name: 'reader' }] }],
        },
      },
    })
    const holder = callerOf(secret)
    expect((await client.put('kv/a', '1', holder)).status).toBe(200)
    expect((await client.get('acl/policies', holder)).status).toBe(401)
    world.changeOptions({ mesh: { aclEnabled: true, defaultPolicy: 'deny' } })
    expect((await client.get('kv/a?raw', holder)).text).toBe('1')
    expect((await client.put('kv/a', '2', holder)).status).toBe(403)
    const tokens = [{ Policies: [{ Name: 'global-management' }] }]
    await expect(mesh({ document: { mesh: { tokens } } })).rejects.toThrow('No such ACL policy')
  })

  test('a link by name finds the policy', async () => {
    const { mesh: client } = await mesh({
      options: { aclEnabled: true },
      document: {
        mesh: { namespaces: [{ name: 'x', policyDefaults: ['global-management'] }] },
      },
    })
    const headers = { 'x-mesh-token': 'mesh-management-token' }
    expect((await client.get('namespace/x', { headers })).body.ACLs).toEqual({
      PolicyDefaults: [{ ID: '00000000-0000-0000-0000-000000000001', Name: 'global-management' }],
      RoleDefaults: null,
    })
  })

  test.for([
    [{ name: 'a_b' }, 'Namespace name "a_b" is not a valid DNS hostname label'],
    [{ name: 'mesh' }, 'Namespace "mesh" is reserved for future internal use'],
    [{ name: 'x', roleDefaults: ['none'] }, 'No such ACL role with name "none"'],
  ] as const)('%o is refused: %s', async ([namespace, message]) => {
    const document = { mesh: { namespaces: [namespace] } }
    await expect(mesh({ options: { aclEnabled: true }, document })).rejects.toThrow(message)
  })
})

describe('imported rows (behaviour/program#control-plane, state)', () => {
  test('the index continues from the rows', async () => {
    const { mesh: client, world } = await mesh()
    for (let at = 0; at < 5; at++) await client.put('namespace/x', {})
    const tables = {
      namespaces: Object.fromEntries(world.table(namespaces).entries()),
      indexes: Object.fromEntries(world.table(dataIndexes).entries()),
    }
    const { mesh: other } = await mesh({ document: { mesh: { tables } } })
    const reply = await other.get('namespace/x')
    expect([reply.body.ModifyIndex, reply.headers['x-mesh-index']]).toEqual([11, '11'])
    expect((await other.put('namespace/x', {})).body.ModifyIndex).toBe(13)
  })

  test('export and import preserve the mesh, including its pending removal', async () => {
    const { mesh: client, world } = await mesh()
    await client.put('namespace/x', { Meta: { a: 'b' } })
    await client.put('kv/a?ns=x', 'value')
    await client.delete('namespace/x')
    const document = exportWorld(world)
    const { mesh: other, world: copy, clock } = await mesh({ document })
    expect(exportWorld(copy)).toEqual(document)
    expect((await other.get('kv/a?raw&ns=x')).text).toBe('value')
    clock.advance(500)
    expect((await other.get('namespace/x')).status).toBe(404)
  })
})
