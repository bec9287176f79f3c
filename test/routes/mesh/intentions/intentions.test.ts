import { describe, expect, test } from 'vitest'
import { blockingReader, drainEventLoop } from '../../../support/blocked-reads.ts'
import { type MeshClient, mesh } from '../../../support/mesh/mesh.ts'
import { meshWithAcls } from '../../../support/mesh/mesh-acl.ts'

const waiting = blockingReader('x-mesh-index')
const path = 'connect/intentions'

function exact(source: string, destination: string): string {
  return `${path}/exact?source=${source}&destination=${destination}`
}

async function answer(client: MeshClient, method: string, url: string, body?: object) {
  const { status, text } = await client.request(method, url, body)
  return [status, text]
}

describe('behaviour/mesh#intentions', () => {
  test('an intention is stored in the entry of its destination, and listed by precedence', async () => {
    const { mesh: client } = await mesh({ dialect: 'vendor' })
    const put = (source: string, destination: string, body: object) =>
      answer(client, 'PUT', exact(source, destination), body)
    expect(await put('*', '*', { Action: 'deny' })).toEqual([200, 'true'])
    expect(await put('c', '*', { Action: 'allow' })).toEqual([200, 'true'])
    expect(await put('*', 'b', { Action: 'deny' })).toEqual([200, 'true'])
    const body = { Action: 'allow', Description: 'd', SourceName: 'ignored' }
    expect(await put('default/a', 'default/default/b', body)).toEqual([200, 'true'])
    const { body: list } = await client.get(path)
    expect(
      list.map((each: Record<string, unknown>) => [
        each['SourceName'],
        each['DestinationName'],
        each['Precedence'],
      ]),
    ).toEqual([
      ['a', 'b', 9],
      ['*', 'b', 8],
      ['c', '*', 6],
      ['*', '*', 5],
    ])
    expect((await client.get(exact('a', 'b'))).body).toEqual({
      Description: 'd',
      SourceNS: 'default',
      SourceName: 'a',
      DestinationNS: 'default',
      DestinationName: 'b',
      SourcePartition: 'default',
      DestinationPartition: 'default',
      SourceType: 'consul',
      Action: 'allow',
      Precedence: 9,
      CreateIndex: expect.any(Number),
      ModifyIndex: expect.any(Number),
    })
    const entry = await client.get('config/service-intentions/b')
    expect(entry.body.Sources.map(({ Name }: { Name: string }) => Name)).toEqual(['a', '*'])
    const checks = []
    for (const query of [
      'a&destination=b',
      'x&destination=b',
      'c&destination=q',
      'x&destination=q',
    ]) {
      checks.push((await client.get(`${path}/check?source=${query}`)).body.Allowed)
    }
    expect(checks).toEqual([true, false, true, false])
    const match = await client.get(`${path}/match?by=destination&name=b&name=q`)
    expect(Object.entries(match.body).map(([name, all]) => [name, Object(all).length])).toEqual([
      ['b', 4],
      ['q', 2],
    ])
    expect(await answer(client, 'DELETE', exact('a', 'b'))).toEqual([200, 'true'])
    expect(await answer(client, 'DELETE', exact('a', 'b'))).toEqual([200, 'true'])
    expect(await answer(client, 'GET', exact('a', 'b'))).toEqual([404, 'Intention not found'])
    await client.delete(exact('*', 'b'))
    expect((await client.get('config/service-intentions/b')).status).toBe(404)
  })

  test('refusals of bad requests name the error and change nothing', async () => {
    const { mesh: client } = await mesh({ options: { edition: 'community' } })
    const cases = [
      ['GET', `${path}/exact`, 500, "required query parameter 'source' not set"],
      [
        'GET',
        exact('a/b/c/d', 'b'),
        500,
        'source "a/b/c/d" is invalid: input can contain at most two \'/\'',
      ],
      ['GET', exact('', 'b'), 500, '1 error occurred:\n\t* SourceName is missing\n\n'],
      [
        'GET',
        exact('n/a', 'b'),
        500,
        'Invalid SourceNS "n": Namespaces is a Consul Enterprise feature',
      ],
      [
        'PUT',
        exact('peer:x/a', 'b'),
        500,
        'source "peer:x/a" is invalid: cannot specify a peer here',
      ],
      ['PUT', exact('a', 'b'), 500, "Sources[0].Action must be set to 'allow' or 'deny'"],
      ['PUT', exact('a', 'b'), 500, 'Meta must not be specified', { Meta: { a: 'b' } }],
      [
        'PUT',
        exact('a', 'b'),
        400,
        'Request decode failed: json: unknown field "Bogus"',
        { Bogus: 1 },
      ],
      [
        'PUT',
        exact('a', 'b'),
        400,
        'Request decode failed: json: cannot unmarshal number into Go struct field .Alias.Action of type structs.IntentionAction',
        { Action: 3 },
      ],
      ['GET', `${path}/match?by=x`, 500, "'by' parameter must be one of 'source' or 'destination'"],
      ['GET', `${path}/match?by=source`, 500, "required query parameter 'name' not set"],
      [
        'GET',
        `${path}/check?source=a&destination=b&source-type=x`,
        500,
        'unsupported SourceType: "x"',
      ],
      [
        'GET',
        `${path}/x`,
        400,
        'failed config entry lookup: index error: UUID must be 36 characters',
      ],
      [
        'DELETE',
        `${path}/11111111-2222-3333-4444-555555555555`,
        500,
        "Cannot delete non-existent intention: '11111111-2222-3333-4444-555555555555'",
      ],
      [
        'POST',
        path,
        500,
        '1 error occurred:\n\t* SourceName must be set\n\n',
        { DestinationName: 'l', Action: 'allow' },
      ],
      [
        'POST',
        path,
        500,
        'ID must be empty when creating a new intention',
        { ID: 'x', DestinationName: 'l' },
      ],
      ['POST', path, 403, 'Permission denied', {}],
    ] as const
    for (const [method, url, status, text, body] of cases) {
      const sent = body ?? (method === 'PUT' ? {} : undefined)
      expect([url, ...(await answer(client, method, url, sent))]).toEqual([url, status, text])
    }
    expect((await client.get(path)).body).toEqual([])
  })

  test('old clients write by IDs, unless the destination was written otherwise', async () => {
    const { mesh: client, clock } = await mesh({ options: { edition: 'community' } })
    const sent = { SourceName: 's', DestinationName: 'l', Action: 'allow', Meta: { k: 'v' } }
    const { ID } = (await client.post(path, sent)).body
    const created = (await client.get(`${path}/${ID}`)).body
    expect(created).toMatchObject({ ...sent, ID, CreatedAt: '2026-01-01T00:00:00Z' })
    clock.advance(1_000)
    const changed = await client.put(`${path}/${ID}`, { ...sent, Action: 'deny' })
    expect(changed.body).toEqual({ ID })
    expect((await client.get(`${path}/${ID}`)).body).toMatchObject({
      Action: 'deny',
      CreatedAt: '2026-01-01T00:00:00Z',
      UpdatedAt: '2026-01-01T00:00:01Z',
    })
    expect((await client.post(path, sent)).text).toBe('Sources[1] defines "s" more than once')
    const moved = await client.put(`${path}/${ID}`, { ...sent, DestinationName: 'm' })
    expect(moved.text).toBe(
      'Cannot modify Destination partition/namespace/name for an intention once it exists.',
    )
    await client.put(exact('a', 'b'), { Action: 'allow' })
    const refused = await client.post(path, { ...sent, DestinationName: 'b' })
    expect([refused.status, refused.text]).toEqual([
      500,
      'cannot use legacy intention API to edit intentions with a destination of "b" after editing them via a service-intentions config entry',
    ])
    expect((await client.delete(`${path}/${ID}`)).text).toBe('true')
    expect((await client.get(`${path}/${ID}`)).status).toBe(404)
  })

  test('intentions of namespaces rank by how exact they are, and match across namespaces', async () => {
    const { mesh: client } = await mesh()
    await client.put('namespace', { Name: 'team' })
    await client.put(exact('*/*', 'team/web'), { Action: 'deny' })
    await client.put(exact('default/*', 'team/web'), { Action: 'allow' })
    await client.put(exact('*/*', '*/*'), { Action: 'deny' })
    const { body } = await client.get(`${path}?ns=*`)
    expect(body.map(({ Precedence }: { Precedence: number }) => Precedence)).toEqual([8, 7, 1])
    expect((await client.get(path)).body).toEqual([])
    const check = (query: string) => client.get(`${path}/check?${query}`)
    expect((await check('source=a&destination=team/web')).body).toEqual({ Allowed: true })
    expect((await check('source=team/a&destination=team/web')).body).toEqual({ Allowed: false })
  })

  test('without an intention the default policy decides', async () => {
    const check = `${path}/check?source=a&destination=b`
    const { mesh: open } = await mesh()
    expect((await open.get(check)).body).toEqual({ Allowed: true })
    const { manager } = await meshWithAcls()
    expect((await manager.get(check)).body).toEqual({ Allowed: false })
  })

  test('an intention is visible to those who may read one of its ends', async () => {
    const { manager, clientWithRules } = await meshWithAcls()
    await manager.put(exact('a', 'b'), { Action: 'allow' })
    await manager.put(exact('*', '*'), { Action: 'deny' })
    const ofSource = await clientWithRules('service "a" { policy = "read" }')
    const other = await clientWithRules('key_prefix "" { policy = "read" }')
    expect((await ofSource.get(path)).body.length).toBe(2)
    const none = await other.get(path)
    expect([none.body, none.headers['x-mesh-results-filtered-by-acls']]).toEqual([[], 'true'])
    expect(await answer(ofSource, 'PUT', exact('a', 'b'), { Action: 'deny' })).toEqual([
      403,
      'Permission denied',
    ])
  })

  test('a match waits for intentions', async () => {
    const { mesh: client } = await mesh()
    const url = `${path}/match?by=source&name=a`
    const { headers } = await client.get(url)
    const read = await waiting(client, `${url}&index=${headers['x-mesh-index']}`)
    await client.put(exact('a', 'b'), { Action: 'allow' })
    await drainEventLoop()
    expect(read.reply?.body.a.length).toBe(1)
  })
})

describe('behaviour/mesh#discovery-chain', () => {
  test('a service without entries has one resolver', async () => {
    const { mesh: client } = await mesh()
    const id = 'web.default.default.dc1'
    const { body } = await client.get('discovery-chain/web')
    expect(body.Chain).toMatchObject({
      ServiceName: 'web',
      Default: true,
      Protocol: 'tcp',
      StartNode: `resolver:${id}`,
      Nodes: {
        [`resolver:${id}`]: { Resolver: { ConnectTimeout: '5s', Default: true, Target: id } },
      },
      Targets: { [id]: { ConnectTimeout: '5s', Service: 'web', Namespace: 'default' } },
    })
    const changed = await client.post('discovery-chain/web', {
      OverrideConnectTimeout: '7s',
      OverrideProtocol: 'http',
    })
    expect(changed.body.Chain).toMatchObject({
      CustomizationHash: expect.stringMatching(/^[0-9a-f]{8}$/),
      Protocol: 'http',
      Targets: { [id]: { ConnectTimeout: '7s' } },
    })
    expect(await answer(client, 'GET', 'discovery-chain/')).toEqual([400, 'Missing chain name'])
    const mode = { OverrideMeshGateway: { Mode: 'x' } }
    expect((await client.post('discovery-chain/web', mode)).text).toBe(
      'Invalid OverrideMeshGateway.Mode parameter',
    )
  })

  test('routers, splitters, subsets and failover become nodes and targets', async () => {
    const { mesh: client } = await mesh()
    for (const entry of [
      { Kind: 'proxy-defaults', Config: { protocol: 'http' } },
      {
        Kind: 'service-resolver',
        Name: 'web',
        DefaultSubset: 'v1',
        Subsets: { v1: { OnlyPassing: true } },
        Failover: { '*': { Service: 'web2' } },
      },
      {
        Kind: 'service-splitter',
        Name: 'web',
        Splits: [{ Weight: 90 }, { Weight: 10, Service: 'web2' }],
      },
      { Kind: 'service-router', Name: 'web', Routes: [{ Destination: { Service: 'web2' } }] },
    ]) {
      expect((await client.put('config', entry)).text).toBe('true')
    }
    const { Chain } = (await client.get('discovery-chain/web')).body
    expect(Chain.StartNode).toBe('router:web.default.default')
    const next = (list: readonly { NextNode: string }[]) => list.map(({ NextNode }) => NextNode)
    const web2 = 'resolver:web2.default.default.dc1'
    const v1 = 'v1.web.default.default.dc1'
    expect(next(Chain.Nodes['router:web.default.default'].Routes)).toEqual([
      web2,
      'splitter:web.default.default',
    ])
    expect(next(Chain.Nodes['splitter:web.default.default'].Splits)).toEqual([
      `resolver:${v1}`,
      web2,
    ])
    expect(Chain.Nodes[`resolver:${v1}`].Resolver.Failover.Targets).toEqual([
      'web2.default.default.dc1',
    ])
    expect(Chain.Targets[v1].Subset).toEqual({ OnlyPassing: true })
    const tcp = await client.post('discovery-chain/web', { OverrideProtocol: 'tcp' })
    expect(tcp.body.Chain.StartNode).toBe(`resolver:${v1}`)
  })
})
