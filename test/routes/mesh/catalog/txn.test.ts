import { describe, expect, test } from 'vitest'
import { type MeshClient, mesh } from '../../../support/mesh/mesh.ts'
import { meshWithAcls } from '../../../support/mesh/mesh-acl.ts'

type Operation = Readonly<Record<string, unknown>>

const node = (Verb: string, Node: object) => ({ Node: { Verb, Node } })
const service = (Verb: string, Node: string, Service: object) => ({
  Service: { Verb, Node, Service },
})
const check = (Verb: string, Check: object) => ({ Check: { Verb, Check } })

const failuresOf = ({ body }: Awaited<ReturnType<MeshClient['put']>>) =>
  body.Errors.map(({ OpIndex, What }: Operation) => [OpIndex, What])

const web = { ID: 'w1', Service: 'web', Port: 80 }

describe('behaviour/mesh#transactions: nodes, services and checks', () => {
  test('a transaction writes nodes, services, checks and keys with one index', async () => {
    const { mesh: client } = await mesh({ dialect: 'vendor' })
    const { status, text, headers } = await client.put('txn', [
      node('set', { Node: 'n1', Address: '10.0.0.1', Meta: { a: 'b' } }),
      service('cas', 'n1', web),
      check('set', {
        ...{ Node: 'n1', Name: 'alive', ServiceID: 'w1', ServiceName: 'other' },
        Definition: { HTTP: 'http://x', IntervalDuration: '5s', UDP: 'left out' },
      }),
      { KV: { Verb: 'set', Key: 'a', Value: 'dg==' } },
    ])
    const ent = '"Namespace":"default","Partition":"default"'
    const indexes = '"CreateIndex":7,"ModifyIndex":7'
    expect([status, headers['x-consul-knownleader'], text]).toEqual([
      200,
      undefined,
      `{"Results":[{"Node":{"ID":"","Node":"n1","Address":"10.0.0.1","Datacenter":"dc1","TaggedAddresses":null,"Meta":{"a":"b"},${indexes}}},` +
        `{"Service":{"ID":"w1","Service":"web","Tags":null,"Address":"","Meta":null,"Port":80,"Weights":{"Passing":1,"Warning":1},"EnableTagOverride":false,"Proxy":{"Mode":"","MeshGateway":{},"Expose":{}},"Connect":{},"PeerName":"",${ent},${indexes}}},` +
        `{"Check":{"Node":"n1","CheckID":"alive","Name":"alive","Status":"critical","Notes":"","Output":"","ServiceID":"w1","ServiceName":"web","ServiceTags":null,"Type":"","Interval":"","Timeout":"","ExposedPort":0,"Definition":{"HTTP":"http://x","Interval":"5s"},${ent},${indexes}}},` +
        `{"KV":{"LockIndex":0,"Key":"a","Flags":0,"Value":null,${indexes}}}],"Errors":null}`,
    ])
    const again = await client.put('txn', [
      check('cas', { Node: 'n1', CheckID: 'alive', Status: 'passing', ModifyIndex: 7 }),
      check('delete-cas', { Node: 'n1', CheckID: 'alive', ModifyIndex: 8 }),
      service('delete-cas', 'n1', { ...web, ModifyIndex: 7 }),
      node('delete-cas', { Node: 'N1', ModifyIndex: 7 }),
      node('delete', { Node: 'absent' }),
      service('delete', 'n1', web),
      check('delete', { Node: 'n1', CheckID: 'absent' }),
    ])
    expect([again.status, again.body.Results.length]).toEqual([200, 1])
    expect((await client.get('catalog/node/n1')).text).toBe('null')
  })

  test('reads reply like a read, also with a failure; a node is found by its ID', async () => {
    const { mesh: client } = await mesh()
    const ID = '11111111-0000-4000-8000-000000000000'
    const address = { Address: '10.0.0.1' }
    await client.put('catalog/register', { ID, Node: 'n1', ...address, Service: web })
    const reads = [
      node('get', { ID }),
      service('get', 'n1', { ID: 'w1' }),
      check('get', { Node: 'mesh-1', CheckID: 'serfHealth' }),
    ]
    const read = await client.put('txn', reads)
    expect([read.status, read.headers['x-mesh-knownleader']]).toEqual([200, 'true'])
    expect(read.body).toMatchObject({
      Results: [
        { Node: { Node: 'n1', ID } },
        { Service: { ID: 'w1', Tags: null } },
        { Check: { Name: 'Serf Health Status', ServiceTags: null } },
      ],
      ...{ Errors: null, Index: 1, KnownLeader: true, ResultsFilteredByACLs: false },
    })
    const failed = await client.put('txn', [
      ...reads,
      node('get', { Node: 'a' }),
      service('get', 'n1', { ID: 'b', Service: 'web' }),
      check('get', { Node: 'n1', CheckID: 'c' }),
      check('get', { Node: 'n1', Name: 'c' }),
    ])
    expect([failed.status, failed.body.KnownLeader, failuresOf(failed)]).toEqual([
      409,
      true,
      [
        [3, 'node "a" doesn\'t exist'],
        [4, 'service "b" on node "n1" doesn\'t exist'],
        [5, 'check "c" on node "n1" doesn\'t exist'],
        [6, 'failed check lookup: index error: object is missing a value for this index'],
      ],
    ])
  })

  test('every failure is reported, and nothing is written', async () => {
    const { mesh: client, world } = await mesh()
    const address = { Node: 'n1', Address: '10.0.0.1' }
    await client.put('catalog/register', { ...address, Service: web, Check: { Name: 'c' } })
    const index = world.store.index('mesh')
    const failed = await client.put('txn', [
      node('set', { Node: 'new' }),
      node('cas', { Node: 'n1' }),
      node('delete-cas', { Node: 'n1', ModifyIndex: 1 }),
      service('cas', 'n1', { ...web, ModifyIndex: 1 }),
      service('delete-cas', 'n1', { ...web, ModifyIndex: 1 }),
      check('cas', { Node: 'n1', CheckID: 'c', ModifyIndex: 1 }),
      check('delete-cas', { Node: 'n1', CheckID: 'x', ModifyIndex: 1 }),
      service('set', 'none', web),
      check('set', { Node: 'none', CheckID: 'c' }),
      check('set', { Node: 'n1', CheckID: 'c', ServiceID: 'none' }),
      check('set', { Node: 'n1' }),
      node('get', { Node: 'none' }),
    ])
    const texts = failuresOf(failed)
    expect([failed.status, texts]).toEqual([
      409,
      [
        [1, 'failed to set node "n1", index is stale'],
        [2, 'failed to delete node "n1", index is stale'],
        [3, 'failed to set service "w1" on node "n1", index is stale'],
        [4, 'failed to delete service "w1" on node "n1", index is stale'],
        [5, 'failed to set check "c" on node "n1", index is stale'],
        [6, 'failed to delete check "x" on node "n1", index is stale'],
        [7, 'Missing node registration'],
        [8, 'Missing node registration'],
        [9, 'Missing service registration'],
        [10, 'failed health check lookup: index error: object is missing a value for this index'],
        [11, 'node "none" doesn\'t exist'],
      ],
    ])
    const refused = await client.put('txn', [
      node('bad', { Node: 'n1' }),
      service('bad', 'n1', web),
      check('bad', { Node: 'n1' }),
      node('delete', {}),
      node('set', { Node: 'n1', ID: 'short' }),
      service('delete', 'n1', { ID: 'w1' }),
      service('set', 'n1', { ...web, Address: '0.0.0.0' }),
    ])
    expect([refused.status, refused.body.Index, failuresOf(refused)]).toEqual([
      409,
      undefined,
      [
        [0, 'unknown node operation: bad'],
        [1, 'unknown service operation: bad'],
        [2, 'unknown check operation: bad'],
        [3, 'Must provide node'],
        [4, 'Bad node ID: uuid string is wrong length'],
        [5, 'Must provide service name (Service.Service) when service ID is provided'],
        [6, 'Invalid service address'],
      ],
    ])
    expect(world.store.index('mesh')).toBe(index)
    const malformed = [
      [{ Node: { Verb: 'get', Bogus: 1 } }, 'json: unknown field "Bogus"'],
      [
        node('set', { Node: 1 }),
        'json: cannot unmarshal number into Go struct field Node.Node.Node.Node of type string',
      ],
    ] as const
    for (const [operation, problem] of malformed) {
      const reply = await client.put('txn', [operation])
      expect([reply.status, reply.text]).toEqual([400, `Failed to parse body: ${problem}`])
    }
  })

  test('services and checks are in the namespace that the operation or the request names', async () => {
    const { mesh: client } = await mesh({ options: { namespaceRemovalDelay: 'manual' } })
    await client.put('namespace', { Name: 'Team' })
    await client.put('txn?ns=team', [
      node('set', { Node: 'n1' }),
      service('set', 'n1', web),
      check('set', { Node: 'n1', CheckID: 'ofService', ServiceID: 'w1', Status: 'passing' }),
      check('set', { Node: 'n1', CheckID: 'ofNode', Status: 'passing' }),
    ])
    const { body } = await client.get('health/service/web?ns=team')
    expect(body[0].Service.Namespace).toBe('Team')
    expect(body[0].Checks.map(({ CheckID, Namespace }: Operation) => [CheckID, Namespace])).toEqual(
      [
        ['ofNode', 'default'],
        ['ofService', 'Team'],
      ],
    )
    const read = [check('get', { Node: 'n1', CheckID: 'ofNode' })]
    expect((await client.put('txn?ns=team', read)).status).toBe(200)
    expect((await client.put('txn?ns=none', read)).status).toBe(500)
    await client.delete('namespace/team')
    const marked = await client.put('txn', [service('set', 'n1', { ...web, Namespace: 'team' })])
    expect([marked.status, marked.text]).toEqual([
      500,
      'Namespace "Team" is marked for deletion and cannot be modified',
    ])
  })

  test('rights: nodes, services by the name that is sent, checks by the name that is sent', async () => {
    const { manager, clientWithRules, as } = await meshWithAcls()
    const address = { Node: 'n1', Address: '10.0.0.1' }
    const Check = { Name: 'c', ServiceID: 'w1' }
    await manager.put('catalog/register', { ...address, Service: web, Check })
    const reads = [
      node('get', { Node: 'n1' }),
      service('get', 'n1', { ID: 'w1' }),
      check('get', { Node: 'n1', CheckID: 'c' }),
    ]
    const readers = await clientWithRules('service "web" { policy = "write" }')
    const read = await readers.put('txn', reads)
    expect(read.body.Results.map(Object.keys)).toEqual([['Service'], ['Check']])
    expect([read.status, read.body.ResultsFilteredByACLs]).toEqual([200, true])
    const allowed = await readers.put('txn', [
      service('set', 'n1', { ...web, Port: 81 }),
      check('set', { Node: 'n1', CheckID: 'c', ServiceID: 'w1', ServiceName: 'web' }),
      service('set', 'n1', { ID: 'mesh', Service: 'mesh' }),
    ])
    expect(allowed.status).toBe(200)
    const denied = await readers.put('txn', [
      node('set', { Node: 'n1' }),
      service('set', 'n1', { Service: 'db' }),
      check('set', { Node: 'n1', CheckID: 'c', ServiceID: 'w1' }),
      check('delete', { Node: 'n1', CheckID: 'c' }),
      service('set', 'n1', {
        ...{ ...web, Kind: 'connect-proxy', Port: 1 },
        Proxy: { DestinationServiceName: 'db' },
      }),
    ])
    expect([denied.status, denied.body.Results]).toEqual([409, null])
    const lacks = (rest: string) => expect.stringMatching(new RegExp(`lacks permission '${rest}$`))
    expect(failuresOf(denied)).toEqual([
      [0, lacks(`node:write' on "n1"`)],
      [1, lacks(`service:write' on "db"`)],
      [2, lacks(`service:write'`)],
      [3, lacks(`node:write' on "n1"`)],
      [4, lacks(`service:write' on "db"`)],
    ])
    expect((await as('nobody').put('txn', reads)).status).toBe(403)
  })
})
