import { describe, expect, test } from 'vitest'
import { meshWithAcls } from '../../support/mesh/mesh-acl.ts'

const section = 'behaviour/mesh#decoding'
const layout = '"2006-01-02T15:04:05Z07:00"'

/** Returns the message about a value of the wrong type. */
const wrong = (found: string, place: string, type: string) =>
  `json: cannot unmarshal ${found} into Go ${place} of type ${type}`

const links = (type: string, member: string) =>
  wrong('number', `struct field ${type}.Alias.${member}`, 'string')

/** Path, body and message of requests whose bodies are refused. */
const refused = [
  ['session/create', '{"TTL":5}', wrong('number', 'struct field .Alias.TTL', 'string')],
  [
    'session/create',
    '{"Behavior":5}',
    wrong('number', 'struct field .Alias.Behavior', 'structs.SessionBehavior'),
  ],
  [
    'session/create',
    '{"Checks":[5]}',
    wrong('number', 'struct field .Alias.Checks', 'types.CheckID'),
  ],
  [
    'session/create',
    '{"ServiceChecks":[{"ID":5}]}',
    wrong('number', 'struct field ServiceCheck.Alias.ServiceChecks.ID', 'string'),
  ],
  [
    'session/create',
    '[]',
    wrong('array', 'value', 'struct { LockDelay interface {}; *structs.Alias }'),
  ],
  ['session/create', '{"LockDelay":"x"}', 'time: invalid duration "x"'],
  ['session/create', '{"LockDelay":""}', 'time: invalid duration ""'],
  ['txn', '[{"KV":{"Flags":"x"}}]', wrong('string', 'struct field KVTxnOp.KV.Flags', 'uint64')],
  ['txn', '[{"KV":{"Index":"x"}}]', wrong('string', 'struct field KVTxnOp.KV.Index', 'uint64')],
  ['txn', '[{"KV":5}]', wrong('number', 'struct field TxnOp.KV', 'api.KVTxnOp')],
  ['txn', '[5]', wrong('number', 'value', 'api.TxnOp')],
  ['acl/policy', '{"Name":5}', wrong('number', 'struct field .Alias.Name', 'string')],
  ['acl/policy', '{"Hash":5}', wrong('number', 'struct field .Hash', 'string')],
  [
    'acl/policy',
    '{"CreateIndex":"x"}',
    wrong('string', 'struct field .Alias.RaftIndex.CreateIndex', 'uint64'),
  ],
  ['acl/policy', '[]', wrong('array', 'value', 'struct { Hash string; *structs.Alias }')],
  ['acl/role', '{"Policies":[{"ID":5}]}', links('ACLRolePolicyLink', 'Policies.ID')],
  [
    'acl/role',
    '{"Policies":["x"]}',
    wrong('string', 'struct field .Alias.Policies', 'structs.ACLRolePolicyLink'),
  ],
  [
    'acl/role',
    '{"Policies":5}',
    wrong('number', 'struct field .Alias.Policies', '[]structs.ACLRolePolicyLink'),
  ],
  [
    'acl/role',
    '{"ServiceIdentities":[{"ServiceName":5}]}',
    links('ACLServiceIdentity', 'ServiceIdentities.ServiceName'),
  ],
  [
    'acl/role',
    '{"TemplatedPolicies":[{"TemplateVariables":{"Name":5}}]}',
    links('ACLTemplatedPolicyVariables', 'TemplatedPolicies.TemplateVariables.name'),
  ],
  ['acl/token', '{"Policies":[{"ID":5}]}', links('ACLTokenPolicyLink', 'Policies.ID')],
  ['acl/token', '{"Roles":[{"ID":5}]}', links('ACLTokenRoleLink', 'Roles.ID')],
  [
    'acl/token',
    '[]',
    wrong('array', 'value', 'struct { ExpirationTTL interface {}; Hash string; *structs.Alias }'),
  ],
  ['acl/token', '{"ExpirationTTL":""}', 'time: invalid duration ""'],
] as const

/** Values of `ExpirationTime` that are not times, with the error of each. */
const times = [
  ['x', `"x" as ${layout}: cannot parse "x" as "2006"`],
  ['', `"" as ${layout}: cannot parse "" as "2006"`],
  ['2024', `"2024" as ${layout}: cannot parse "" as "-"`],
  ['2024-01-01 00:00:00Z', `"2024-01-01 00:00:00Z" as ${layout}: cannot parse " 00:00:00Z" as "T"`],
  ['2024-01-01T00:00:00', `"2024-01-01T00:00:00" as ${layout}: cannot parse "" as "Z07:00"`],
  ['2024-01-01T00:00:00Zx', '"2024-01-01T00:00:00Zx": extra text: "x"'],
  ['2024-13-01T00:00:00Z', '"2024-13-01T00:00:00Z": month out of range'],
  ['2024-02-31T00:00:00Z', '"2024-02-31T00:00:00Z": day out of range'],
  ['2024-01-01T25:00:00Z', '"2024-01-01T25:00:00Z": hour out of range'],
  ['2024-01-01T00:61:00Z', '"2024-01-01T00:61:00Z": minute out of range'],
  ['2024-01-01T00:00:61Z', '"2024-01-01T00:00:61Z": second out of range'],
  ['2024-01-01T00:00:00+99:00', '"2024-01-01T00:00:00+99:00": time zone offset hour out of range'],
] as const

describe(`${section}: places and types in messages`, () => {
  test.for(refused)('PUT %s %s: 400 %s', async ([path, body, problem]) => {
    const { manager } = await meshWithAcls()
    const { status, text } = await manager.put(path, body)
    expect([status, text.replace(/^.*?(?:decoding|decode|parse body)(?: failed)?: /, '')]).toEqual([
      400,
      problem,
    ])
  })

  test.for(times)('the time %j is refused: %s', async ([time, problem]) => {
    const { manager } = await meshWithAcls()
    const { status, text } = await manager.put('acl/token', { ExpirationTime: time })
    expect([status, text]).toEqual([400, `Token decoding failed: parsing time ${problem}`])
  })

  test('a time that is not a string is refused, one with a comma or a short hour is read', async () => {
    const { manager } = await meshWithAcls()
    const number = await manager.put('acl/token', { CreateTime: 5 })
    expect([number.status, number.text]).toEqual([
      400,
      'Token decoding failed: Time.UnmarshalJSON: input is not a JSON string',
    ])
    for (const ExpirationTime of ['2024-01-01T00:00:00,5Z', '2024-01-01T0:00:00Z']) {
      const { status, text } = await manager.put('acl/token', { ExpirationTime })
      expect([status, text]).toEqual([500, 'ExpirationTime cannot be before CreateTime'])
    }
  })

  test.for([[true], [{}], [[]]])('the lifetime %j counts as none', async ([ExpirationTTL]) => {
    const { manager } = await meshWithAcls()
    const { status, body } = await manager.put('acl/token', { ExpirationTTL })
    expect([status, body.ExpirationTime]).toEqual([200, undefined])
  })
})

describe('behaviour/mesh#conventions: headers of reads that fail', () => {
  const unknownToken = 'ffffffff-0000-4000-8000-000000000000'
  const readHeaders = { index: '1', knownleader: 'false', lastcontact: '0' }

  /** Paths of reads, with whether their failures have the headers of an empty read. */
  const reads = [
    ['catalog/nodes', true],
    ['catalog/services', true],
    ['catalog/service/mesh', true],
    ['catalog/node/mesh-1', true],
    ['health/node/mesh-1', true],
    ['health/state/any', true],
    ['health/service/mesh', false],
    ['session/list', true],
    ['session/info/x', true],
    ['session/node/mesh-1', true],
    ['acl/tokens', true],
    ['acl/policies', true],
    ['acl/roles', true],
    ['kv/a', false],
    ['kv/?keys', false],
    ['agent/self', false],
    ['agent/members', false],
  ] as const

  test.for(reads)('%s of an unknown token, and of another datacenter: %s', async ([path, has]) => {
    const { mesh: client, manager } = await meshWithAcls()
    const stranger = await client.get(path, { token: unknownToken })
    expect(stranger.status).toBe(403)
    const replies = [stranger]
    if (!path.startsWith('agent')) replies.push(await manager.get(path, { query: { dc: 'dc2' } }))
    for (const { headers } of replies) {
      for (const [name, value] of Object.entries(readHeaders)) {
        expect(headers[`x-mesh-${name}`]).toBe(has ? value : undefined)
      }
    }
  })

  test.for([
    ['acl/roles?policy=abc', 500, true],
    ['catalog/nodes?filter=x', 500, true],
    ['health/service/mesh?filter=x', 500, false],
    ['catalog/nodes?wait=x', 400, false],
    ['catalog/service/', 400, false],
    ['session/info/', 400, false],
  ] as const)('%s: %i, with the headers: %s', async ([path, expected, has]) => {
    const { manager } = await meshWithAcls()
    const { status, headers } = await manager.get(path)
    expect([status, headers['x-mesh-index']]).toEqual([expected, has ? '1' : undefined])
  })
})

describe('behaviour/mesh#conventions: other datacenters', () => {
  const noPath = [500, 'No path to datacenter'] as const

  test.for(['status/leader', 'status/peers', 'operator/raft/configuration', 'acl/policies'])(
    'GET %s refuses another datacenter',
    async (path) => {
      const { manager } = await meshWithAcls()
      const { status, text } = await manager.get(path, { query: { dc: 'dc2' } })
      expect([status, text]).toEqual(noPath)
    },
  )

  test('paths of the agent ignore the datacenter', async () => {
    const { manager } = await meshWithAcls()
    const query = { dc: 'dc2' }
    for (const path of ['self', 'members', 'services', 'checks']) {
      expect((await manager.get(`agent/${path}`, { query })).status).toBe(200)
    }
    const reply = await manager.put('agent/token/x', {}, { query })
    expect([reply.status, reply.text]).toEqual([404, 'Token "x" is unknown'])
  })
})

describe('behaviour/mesh#acl-endpoints: order of checks', () => {
  test.for([
    ['null', 500, 'Invalid Login request: Missing auth parameters'],
    ['{}', 403, 'ACL not found: auth method "" not found'],
  ] as const)('a login with %s: %i %s', async ([body, status, text]) => {
    const { mesh: client } = await meshWithAcls()
    const reply = await client.request('POST', 'acl/login', body)
    expect([reply.status, reply.text]).toEqual([status, text])
  })

  test('a preview looks for the template before it reads the body', async () => {
    const { manager } = await meshWithAcls()
    const reply = await manager.request('POST', 'acl/templated-policy/preview/a', '{"name":{}}')
    expect([reply.status, reply.text]).toEqual([400, 'templated policy "a" does not exist'])
  })

  test('the name of a node is checked before the token', async () => {
    const { mesh: client } = await meshWithAcls()
    const reply = await client.get('session/node/', { token: 'unknown' })
    expect([reply.status, reply.text]).toEqual([400, 'Missing node name'])
  })

  test.for([
    ['', 200],
    ['true', 200],
    ['0', 200],
    ['x', 400],
    ['yes', 400],
  ] as const)(
    'behaviour/mesh#catalog: ?passing=%s of the health: %i',
    async ([passing, status]) => {
      const { manager } = await meshWithAcls()
      const reply = await manager.get('health/service/mesh', { query: { passing } })
      expect(reply.status).toBe(status)
      if (status === 400) expect(reply.text).toBe('Invalid value for ?passing')
    },
  )
})
