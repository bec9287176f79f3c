import { describe, expect, test } from 'vitest'
import { type MeshClient, mesh } from '../../../support/mesh/mesh.ts'
import { meshWithAcls } from '../../../support/mesh/mesh-acl.ts'

const outcome = ({ status, text }: { status: number; text: string }) => [status, text]

async function register(client: MeshClient, body: object): Promise<void> {
  expect(outcome(await client.put('catalog/register', body))).toEqual([200, 'true'])
}

const n1 = { Node: 'n1', Address: '10.0.0.1' }

describe('behaviour/mesh#catalog-writes', () => {
  test('an external node has only the members that were sent', async () => {
    const { mesh: client } = await mesh()
    await register(client, {
      ...n1,
      NodeMeta: { a: 'b' },
      Service: { ID: 'w1', Service: 'web', Tags: ['x'], Port: 80 },
      Checks: [
        { Name: 'up', ServiceID: 'w1', Definition: { HTTP: 'http://x', Interval: '10s' } },
        { Name: 'disk', Status: 'passing' },
      ],
    })
    const [own, external] = (await client.get('catalog/nodes')).body
    expect(own.Node).toBe('mesh-1')
    expect(external).toEqual({
      ID: '',
      Node: 'n1',
      Address: '10.0.0.1',
      Datacenter: 'dc1',
      TaggedAddresses: null,
      Meta: { a: 'b' },
      CreateIndex: 7,
      ModifyIndex: 7,
    })
    const [entry] = (await client.get('catalog/service/web')).body
    expect(entry).toMatchObject({ Node: 'n1', ServiceID: 'w1', ServiceMeta: {}, ServicePort: 80 })
    const checks = (await client.get('health/node/N1')).body
    expect(checks).toMatchObject([
      { CheckID: 'disk', Status: 'passing', ServiceID: '', Type: '', Definition: {} },
      {
        CheckID: 'up',
        Status: 'critical',
        ServiceName: 'web',
        ServiceTags: ['x'],
        Type: 'http',
        Definition: { HTTP: 'http://x', Interval: '10s' },
      },
    ])
  })

  test.for([
    [{}, 'Must provide node'],
    [{ Node: 'n1' }, 'Must provide address if SkipNodeUpdate is not set'],
    [{ ...n1, ID: 'x' }, 'Bad node ID: uuid string is wrong length'],
    [{ ...n1, Datacenter: 'dc2' }, 'No path to datacenter'],
    [
      { ...n1, Service: { ID: 'x' } },
      'Must provide service name (Service.Service) when service ID is provided',
    ],
    [{ ...n1, Service: { Service: 'a', Address: '::' } }, 'Invalid service address'],
    [
      { ...n1, Check: { Name: 'c', Node: 'b' } },
      "Node 'b' for check 'c' doesn't match register request node 'n1'",
    ],
    [{ ...n1, Check: { Name: 'c', ServiceID: 'x' } }, "Unknown service ID 'x' for check ID 'c'"],
    [
      { ...n1, Check: {} },
      'failed inserting check on node "n1": failed health check lookup: index error: object is missing a value for this index',
    ],
  ] as const)('the registration %j is 500: %s', async ([body, text]) => {
    const { mesh: client } = await mesh()
    expect(outcome(await client.put('catalog/register', body))).toEqual([500, text])
    expect((await client.get('catalog/nodes')).body).toHaveLength(1)
  })

  test('a node shows its locality; invalid weights of a service count as 1', async () => {
    const { mesh: client } = await mesh()
    const Locality = { Region: 'r', Zone: 'z' }
    const named = (Service: string, Weights: object) => ({ Service, Weights })
    const node = { Node: 'n1', Address: '10.0.0.1', Locality, Token: 't', CreateIndex: 1 }
    await register(client, { ...node, Service: named('some', { Passing: 2 }) })
    await register(client, { ...node, Service: named('bad', { Passing: 0, Warning: 5 }) })
    const { body } = await client.get('catalog/node-services/n1')
    expect(body.Node.Locality).toEqual(Locality)
    expect(body.Services.map(({ Weights }: { Weights: object }) => Weights)).toEqual([
      { Passing: 1, Warning: 1 },
      { Passing: 2, Warning: 0 },
    ])
    const [entry] = (await client.get('catalog/service/some')).body
    expect([entry.Locality, entry.ServiceLocality]).toEqual([undefined, null])
  })

  test('unknown members at any depth and bodies that are not objects are 400', async () => {
    const { mesh: client } = await mesh()
    const put = async (body: object | string) => outcome(await client.put('catalog/register', body))
    expect(await put({ ...n1, Service: { Bogus: 1 } })).toEqual([
      400,
      'Request decode failed: json: unknown field "Bogus"',
    ])
    expect(await put('[]')).toEqual([
      400,
      'Request decode failed: json: cannot unmarshal array into Go value of type structs.RegisterRequest',
    ])
  })

  test('an ID with another name renames the node; SkipNodeUpdate leaves the node unchanged', async () => {
    const { mesh: client } = await mesh()
    const ID = '00000000-0000-4000-8000-000000000009'
    await register(client, { ...n1, ID })
    await register(client, { Node: 'n2', Address: 'b', ID })
    await register(client, { Node: 'N2', SkipNodeUpdate: true, NodeMeta: { a: 'b' } })
    await register(client, { Node: 'n3', SkipNodeUpdate: true })
    const nodes = (await client.get('catalog/nodes')).body
    expect(nodes.slice(1)).toMatchObject([
      { Node: 'n2', Address: 'b', Meta: null },
      { Node: 'n3', Address: '' },
    ])
    expect((await client.get(`catalog/node/${ID}`)).body.Node.Node).toBe('n2')
  })

  test('deregistering an absent object is true; a service wins over a check', async () => {
    const { mesh: client } = await mesh()
    const remove = async (body: object) => outcome(await client.put('catalog/deregister', body))
    await register(client, { ...n1, Service: { Service: 'a' }, Check: { Name: 'c' } })
    await remove({ Node: 'n1', ServiceID: 'a', CheckID: 'c' })
    expect((await client.get('catalog/services')).body).toEqual({ mesh: [] })
    expect((await client.get('health/node/n1')).body).toHaveLength(1)
    expect(await remove({ Node: 'n1', CheckID: 'c' })).toEqual([200, 'true'])
    expect((await client.get('health/node/n1')).text).toBe('[]')
    expect(await remove({ Node: 'n1' })).toEqual([200, 'true'])
    expect(await remove({ Node: 'n1' })).toEqual([200, 'true'])
    expect((await client.get('catalog/node/n1')).text).toBe('null')
    expect((await client.get('catalog/node-services/n1')).text).toBe(
      '{"Node":null,"Services":null}',
    )
    expect(await remove({})).toEqual([500, 'Must provide node'])
  })

  test('tags, metadata, near and passing select instances', async () => {
    const { mesh: client } = await mesh()
    await register(client, {
      ...n1,
      NodeMeta: { z: 'a' },
      Service: { Service: 'w', Tags: ['A', 'b'] },
    })
    await client.put('agent/service/register', { Name: 'w', Tags: ['b'], Check: { TTL: '1m' } })
    const nodes = async (query: string) => {
      const { body } = await client.get(`health/service/w?${query}`)
      return body.map(({ Node }: { Node: { Node: string } }) => Node.Node)
    }
    expect(await nodes('')).toEqual(['mesh-1', 'n1'])
    expect(await nodes('tag=a&tag=B')).toEqual(['n1'])
    expect(await nodes('tag=')).toEqual([])
    expect(await nodes('node-meta=z:x&node-meta=z:a')).toEqual(['n1'])
    expect(await nodes('node-meta=z')).toEqual([])
    expect(await nodes('passing')).toEqual(['n1'])
    expect(await nodes('passing=0')).toEqual(['mesh-1', 'n1'])
    expect(await nodes('filter=Checks.Status == critical')).toEqual(['mesh-1'])
    await register(client, { Node: 'a', Address: 'a', Service: { Service: 'w' } })
    expect(await nodes('near=_agent')).toEqual(['mesh-1', 'a', 'n1'])
    expect(await nodes('near=n1')).toEqual(['a', 'mesh-1', 'n1'])
  })

  test('reads of instances with an index are answered from a stream', async () => {
    const { mesh: client } = await mesh()
    const headers = async (path: string) => {
      const reply = await client.get(path)
      return [reply.headers['x-mesh-query-backend'], reply.headers['x-mesh-knownleader']]
    }
    expect(await headers('health/service/mesh')).toEqual(['blocking-query', 'true'])
    expect(await headers('health/service/mesh?index=1')).toEqual(['streaming', 'false'])
    expect(await headers('health/service/mesh?cached&near=_agent')).toEqual([
      'blocking-query',
      'true',
    ])
    expect(await headers('catalog/service/mesh?index=1')).toEqual(['blocking-query', 'true'])
  })

  test('a minute later at most, the agent restores its own entries', async () => {
    const { mesh: client, clock } = await mesh()
    await client.put('agent/service/register', { Name: 'a', Tags: ['x'], Port: 1 })
    await client.put('agent/service/register', { Name: 'b', Tags: ['x'], EnableTagOverride: true })
    const own = { Node: 'mesh-1', Address: 'changed' }
    await register(client, { ...own, Service: { Service: 'a', Tags: ['y'], Port: 2 } })
    await register(client, {
      ...own,
      Service: { Service: 'b', Tags: ['y'], Port: 2, EnableTagOverride: true },
    })
    await register(client, { ...own, Service: { Service: 'c' }, Check: { Name: 'k' } })
    await register(client, { ...n1, Service: { Service: 'd' } })
    clock.advance(59_999)
    expect((await client.get('catalog/services')).body).toMatchObject({ a: ['y'], c: [] })
    clock.advance(1)
    expect((await client.get('catalog/services')).body).toEqual({
      mesh: [],
      a: ['x'],
      b: ['y'],
      d: [],
    })
    const { Node, Services } = (await client.get('catalog/node/mesh-1')).body
    expect(Node).toMatchObject({ Address: '127.0.0.1', Meta: { 'mesh-network-segment': '' } })
    expect(Services.a.Port).toBe(1)
    expect(Services.b).not.toHaveProperty('Port')
    expect((await client.get('health/node/mesh-1')).body).toHaveLength(1)
  })

  test('rights: node:write for the node, service:write for services and their checks', async () => {
    const { manager, clientWithRules } = await meshWithAcls()
    const service = { ...n1, Service: { Service: 'a' } }
    const onNode = await clientWithRules('node "n1" { policy = "write" }')
    const onService = await clientWithRules('service "a" { policy = "write" }')
    const both = await clientWithRules(
      'node "n1" { policy = "write" } service "a" { policy = "write" }',
    )
    const put = async (client: MeshClient, path: string, body: object) =>
      (await client.put(`catalog/${path}`, body)).status
    expect(await put(onNode, 'register', service)).toBe(403)
    expect(await put(onService, 'register', service)).toBe(403)
    expect(await put(both, 'register', service)).toBe(200)
    expect((await manager.get('catalog/services')).body).toEqual({ mesh: [], a: [] })
    const other = await clientWithRules('service "b" { policy = "write" }')
    const removed = { Node: 'n1', ServiceID: 'a' }
    expect(await put(other, 'deregister', removed)).toBe(403)
    expect(await put(onService, 'deregister', { Node: 'n1' })).toBe(403)
    expect(await put(onService, 'deregister', removed)).toBe(200)
    expect(await put(onNode, 'deregister', { Node: 'n1' })).toBe(200)
  })
})

test.each([
  ['neutral', 'mesh'],
  ['vendor', 'consul'],
] as const)(
  'behaviour/mesh#catalog: virtual addresses count up by destination (%s)',
  async (dialect, product) => {
    const { mesh: client } = await mesh({ dialect })
    const proxy = (ID: string, DestinationServiceName: string) =>
      client.put('agent/service/register', {
        ...{ ID, Name: 'p', Kind: 'connect-proxy', Port: 5, Proxy: { DestinationServiceName } },
      })
    await proxy('p1', 'web')
    await proxy('p2', 'web')
    await proxy('p3', 'db')
    const native = { Name: 'api', Port: 7, Connect: { Native: true }, Address: '10.0.0.1' }
    await client.put('agent/service/register', native)
    const virtualOf = async (path: string) => {
      const { body } = await client.get(path)
      return body.map(
        (each: Readonly<Record<string, object>>) =>
          Object(each['ServiceTaggedAddresses'])[`${product}-virtual`],
      )
    }
    const web = { Address: '240.0.0.1', Port: 5 }
    expect(await virtualOf('catalog/connect/web')).toEqual([web, web])
    expect(await virtualOf('catalog/connect/db')).toEqual([{ Address: '240.0.0.2', Port: 5 }])
    expect(await virtualOf('catalog/service/api')).toEqual([{ Address: '240.0.0.3', Port: 7 }])
    const [{ Service }] = (await client.get('health/connect/api')).body
    expect(Object.keys(Service.TaggedAddresses)).toEqual([
      ...['lan_ipv4', 'wan_ipv4', `${product}-virtual`],
    ])
    expect((await client.get('agent/service/p1')).body.TaggedAddresses).toBeUndefined()
  },
)
