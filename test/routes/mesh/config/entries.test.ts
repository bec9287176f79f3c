import { describe, expect, test } from 'vitest'
import { blockingReader, drainEventLoop } from '../../../support/blocked-reads.ts'
import { type MeshClient, mesh } from '../../../support/mesh/mesh.ts'

const waiting = blockingReader('x-mesh-index')
const community = { options: { edition: 'community' } } as const

async function put(client: MeshClient, body: unknown): Promise<readonly [number, string]> {
  const { status, text } = await client.put('config', body as object)
  return [status, text]
}

/** Returns an entry as it is read, without its hash and its indexes. */
async function shown(client: MeshClient, path: string): Promise<object> {
  const { CreateIndex, ModifyIndex, Hash, ...members } = (await client.get(`config/${path}`)).body
  expect([CreateIndex > 0, ModifyIndex >= CreateIndex, Hash > 0]).toEqual([true, true, true])
  return members
}

describe('behaviour/mesh#config', () => {
  test('an entry is shown with the members and defaults of its kind', async () => {
    const { mesh: client } = await mesh(community)
    const entries = [
      [
        { kind: 'service-defaults', name: 'web', protocol: 'HTTP', max_inbound_connections: '12' },
        'service-defaults/web',
        { Kind: 'service-defaults', Name: 'web', Protocol: 'http', MaxInboundConnections: 12 },
      ],
      [
        { Kind: 'proxy-defaults', Config: { a: 1.5 } },
        'proxy-defaults/global',
        { Kind: 'proxy-defaults', Name: 'global', Config: { a: 1.5 }, AccessLogs: {} },
      ],
      [
        { Kind: 'service-resolver', Name: 'r', connect_timeout: '15s' },
        'service-resolver/r',
        { ConnectTimeout: '15s', Kind: 'service-resolver', Name: 'r' },
      ],
      [
        {
          Kind: 'ingress-gateway',
          Name: 'in',
          Listeners: [{ Port: 8, Services: [{ Name: 'a' }] }],
        },
        'ingress-gateway/in',
        {
          Kind: 'ingress-gateway',
          Name: 'in',
          TLS: { Enabled: false },
          Listeners: [{ Port: 8, Protocol: 'tcp', Services: [{ Name: 'a', Hosts: null }] }],
        },
      ],
      [
        { Kind: 'mesh', Peering: {} },
        'mesh/mesh',
        {
          Kind: 'mesh',
          TransparentProxy: { MeshDestinationsOnly: false },
          Peering: { PeerThroughMeshGateways: false },
        },
      ],
      [
        {
          Kind: 'service-intentions',
          Name: 'b',
          Sources: [
            { Name: '*', Action: 'allow' },
            { Name: 'a', Action: 'deny' },
          ],
        },
        'service-intentions/b',
        {
          Kind: 'service-intentions',
          Name: 'b',
          Sources: [
            { Name: 'a', Action: 'deny', Precedence: 9, Type: 'consul' },
            { Name: '*', Action: 'allow', Precedence: 8, Type: 'consul' },
          ],
        },
      ],
      [
        { Kind: 'jwt-provider', Name: 'j', JSONWebKeySet: { Local: { JWKS: 'e30=' } } },
        'jwt-provider/j',
        {
          Kind: 'jwt-provider',
          Name: 'j',
          JSONWebKeySet: { Local: { JWKS: 'e30=' } },
          ClockSkewSeconds: 30,
        },
      ],
      [
        { Kind: 'tcp-route', Name: 't', Parents: [{ Name: 'g' }], Services: [{ Name: 'a' }] },
        'tcp-route/t',
        {
          Kind: 'tcp-route',
          Name: 't',
          Parents: [{ Kind: 'api-gateway', Name: 'g', SectionName: '' }],
          Services: [{ Name: 'a' }],
          Status: { Conditions: null },
        },
      ],
    ] as const
    for (const [body, path, members] of entries) {
      expect([path, ...(await put(client, body))]).toEqual([path, 200, 'true'])
      expect(await shown(client, path)).toMatchObject(members)
    }
    const defaults = { TransparentProxy: {}, MeshGateway: {}, Expose: {} }
    expect(await shown(client, 'service-defaults/web')).toEqual({ ...entries[0][2], ...defaults })
    const all = await client.get('config/')
    expect(all.body.map(({ Kind }: { Kind: string }) => Kind)).toEqual(
      entries.map(([, , { Kind }]) => Kind).toSorted(),
    )
  })

  test('a body that does not fit is 400 with the text of the weak decoder', async () => {
    const { mesh: client } = await mesh(community)
    const start = 'Request decoding failed: '
    const defaults = { kind: 'service-defaults', name: 'w' }
    const cases = [
      ['', 'EOF'],
      [{}, 'Payload does not contain a kind/Kind key at the top level'],
      [{ KIND: 'mesh' }, 'Payload does not contain a kind/Kind key at the top level'],
      [{ Kind: 3 }, 'Kind value in payload is not a string'],
      [{ Kind: 'x' }, 'invalid config entry kind: x'],
      ['[]', "'' expected a map, got 'slice'"],
      [
        { ...defaults, Bogus: 1, Expose: { zzz: 1 } },
        '2 errors occurred:\n\t* invalid config key "Expose.zzz"\n\t* invalid config key "Bogus"\n\n',
      ],
      [
        { ...defaults, Namespace: 'x' },
        '1 error occurred:\n\t* invalid config key "Namespace", namespaces are a consul enterprise feature\n\n',
      ],
      [
        { ...defaults, Protocol: {}, MaxInboundConnections: 'a' },
        "2 error(s) decoding:\n\n* 'Protocol' expected type 'string', got unconvertible type 'map[string]interface {}', value: 'map[]'\n* cannot parse 'MaxInboundConnections' as int: strconv.ParseInt: parsing \"a\": invalid syntax",
      ],
    ] as const
    for (const [body, text] of cases) expect(await put(client, body)).toEqual([400, start + text])
  })

  test('an entry with invalid members is 500 and is not stored', async () => {
    const { mesh: client } = await mesh(community)
    const source = (members: object) => ({
      Kind: 'service-intentions',
      Name: 'b',
      Sources: [{ Name: 'a', ...members }],
    })
    const cases = [
      [{ Kind: 'service-defaults' }, 'Name is required'],
      [
        { Kind: 'service-defaults', Name: 'w', Protocol: 'x', RateLimits: {} },
        '2 errors occurred:\n\t* invalid value for protocol: x\n\t* invalid rate_limits config. Rate limiting is a consul enterprise feature\n\n',
      ],
      [{ Kind: 'proxy-defaults', Name: 'x' }, 'invalid name ("x"), only "global" is supported'],
      [
        { Kind: 'service-router', Name: 'r', Routes: [{ Match: { HTTP: { PathPrefix: 'v1' } } }] },
        "Route[0] PathPrefix doesn't start with '/': \"v1\"",
      ],
      [{ Kind: 'service-splitter', Name: 's' }, 'no splits configured'],
      [
        { Kind: 'service-splitter', Name: 's', Splits: [{ Weight: 50 }] },
        'the sum of all split weights must be 100, not 50.000000',
      ],
      [
        { Kind: 'service-splitter', Name: 's', Splits: [{ Weight: 50 }, { Weight: 50 }] },
        'split destination occurs more than once: service="s", subset="", namespace="", partition=""',
      ],
      [
        { Kind: 'service-resolver', Name: 's', DefaultSubset: 'x' },
        'DefaultSubset "x" is not a valid subset',
      ],
      [
        { Kind: 'service-resolver', Name: 's', Redirect: { Namespace: 'x' } },
        'Redirect: Setting Namespace requires Consul Enterprise',
      ],
      [
        { Kind: 'service-resolver', Name: 's', Failover: { '*': {} } },
        'Bad Failover["*"]: one of Service, ServiceSubset, Namespace, Targets, SamenessGroup, or Datacenters is required',
      ],
      [
        { Kind: 'service-resolver', Name: 's', LoadBalancer: { Policy: 'x' } },
        'Bad LoadBalancer policy: "x" is not supported',
      ],
      [
        {
          Kind: 'ingress-gateway',
          Name: 'i',
          Listeners: [{ Port: 80, Services: [{ Name: 'a' }, { Name: 'b' }] }],
        },
        "Multiple services per listener are only supported for L7 protocols, 'http', 'grpc' and 'http2' (listener on port 80)",
      ],
      [
        { Kind: 'terminating-gateway', Name: 't', Services: [{ Name: 'a', CertFile: 'x' }] },
        'Service "a" must have a CertFile, CAFile, and KeyFile specified for TLS origination',
      ],
      [{ Kind: 'api-gateway', Name: 'g' }, 'api gateway must have at least one listener'],
      [
        { Kind: 'http-route', Name: 'h', Rules: [{ Matches: [{ Method: 'x' }] }] },
        'Rule[0], Match[0], Method contains an invalid method "X"',
      ],
      [{ Kind: 'inline-certificate', Name: 'c' }, 'failed to parse private key PEM'],
      [
        { Kind: 'mesh', TLS: { Incoming: { TLSMinVersion: 'x' } } },
        'error in incoming TLS configuration: no matching TLS version found for x, please specify one of [TLS_AUTO, TLSv1_0, TLSv1_1, TLSv1_2, TLSv1_3]',
      ],
      [
        { Kind: 'exported-services', Name: 'default', Services: [{ Name: 'a' }] },
        'Services[0]: must have at least one consumer',
      ],
      [{ Kind: 'jwt-provider', Name: 'j' }, 'JSONWebKeySet is required'],
      [{ Kind: 'sameness-group', Name: 's' }, 'sameness-groups are an enterprise-only feature'],
      [{ Kind: 'service-intentions', Name: 'b' }, 'At least one source is required'],
      [source({}), "Sources[0].Action must be set to 'allow' or 'deny'"],
      [
        source({ Action: 'allow', Permissions: [{ Action: 'allow' }] }),
        'Sources[0].Action must be omitted if Permissions are specified',
      ],
      [
        source({ Name: 'a*', Action: 'allow' }),
        "Sources[0].Name: wildcard character '*' cannot be used with partial values",
      ],
      [
        source({ Permissions: [{ Action: 'allow', HTTP: {} }] }),
        'Sources[0].Permissions[0].HTTP should not be empty',
      ],
    ] as const
    for (const [body, text] of cases) expect(await put(client, body)).toEqual([500, text])
    expect((await client.get('config/')).body).toEqual([])
    expect(await put(client, { Kind: 'bound-api-gateway', Name: 'b' })).toEqual([
      403,
      'Permission denied: only writeable by controller',
    ])
  })

  test('entries that contradict each other are 500, also by a deletion', async () => {
    const { mesh: client } = await mesh(community)
    const router = {
      Kind: 'service-router',
      Name: 'a',
      Routes: [{ Destination: { Service: 'b' } }],
    }
    const defaults = (Name: string, Protocol: string) => ({
      Kind: 'service-defaults',
      Name,
      Protocol,
    })
    const advanced = (service: string) =>
      `discovery chain "${service}" uses a protocol "tcp" that does not permit advanced routing or splitting behavior`
    expect(await put(client, router)).toEqual([500, advanced('a')])
    expect(await put(client, defaults('a', 'http'))).toEqual([200, 'true'])
    const inconsistent =
      'discovery chain "a" uses inconsistent protocols; service "b" has "tcp" which is not "http"'
    expect(await put(client, router)).toEqual([500, inconsistent])
    expect(await put(client, defaults('b', 'http'))).toEqual([200, 'true'])
    expect(await put(client, router)).toEqual([200, 'true'])
    const removed = await client.delete('config/service-defaults/b')
    expect([removed.status, removed.text]).toEqual([500, inconsistent])
    expect((await client.get('config/service-defaults/b')).status).toBe(200)
    const permission = { Action: 'allow', HTTP: { PathExact: '/' } }
    const Sources = [{ Name: 'x', Permissions: [permission] }]
    expect(await put(client, { Kind: 'service-intentions', Name: 'c', Sources })).toEqual([
      500,
      'service "c" has protocol "tcp", which is incompatible with L7 intentions permissions',
    ])
    const loop = (Name: string, Service: string) => ({
      Kind: 'service-resolver',
      Name,
      Redirect: { Service },
    })
    expect(await put(client, loop('x', 'y'))).toEqual([200, 'true'])
    expect(await put(client, loop('y', 'x'))).toEqual([
      500,
      'detected circular resolver redirect: [y.default.default.dc1 -> x.default.default.dc1 -> y.default.default.dc1]',
    ])
    const subset = {
      Kind: 'service-resolver',
      Name: 'z',
      Redirect: { Service: 'q', ServiceSubset: 'v' },
    }
    expect(await put(client, subset)).toEqual([500, 'service "q" does not have a subset named "v"'])
    // A default subset leads back from a peer to the own instances.
    const defaultSubset = { DefaultSubset: 'v', Subsets: { v: {} } }
    await put(client, { Kind: 'service-resolver', Name: 'q', ...defaultSubset })
    const Redirect = { Service: 'q', Peer: 'p' }
    await put(client, { Kind: 'service-resolver', Name: 'z', Redirect })
    const { StartNode } = (await client.get('discovery-chain/z')).body.Chain
    expect(StartNode).toBe('resolver:v.q.default.default.dc1')
  })

  test('cas stores and deletes an entry only at its index, and unchanged entries keep their index', async () => {
    const { mesh: client } = await mesh()
    const entry = { Kind: 'service-defaults', Name: 'w' }
    const cas = async (index: number | string, body: object) => {
      const { status, text } = await client.put(`config?cas=${index}`, body)
      return [status, text]
    }
    expect(await cas(1, entry)).toEqual([200, 'false'])
    expect(await cas(0, entry)).toEqual([200, 'true'])
    expect(await cas('x', entry)).toEqual([500, 'strconv.ParseUint: parsing "x": invalid syntax'])
    const { ModifyIndex } = (await client.get('config/service-defaults/w')).body
    await client.put('config', entry)
    expect((await client.get('config/service-defaults/w')).body.ModifyIndex).toBe(ModifyIndex)
    expect(await cas(0, { ...entry, Protocol: 'http' })).toEqual([200, 'false'])
    expect(await cas(ModifyIndex, { ...entry, Protocol: 'http' })).toEqual([200, 'true'])
    const path = 'config/service-defaults/w'
    expect((await client.delete(`${path}?cas=${ModifyIndex}`)).text).toBe('false')
    expect((await client.delete(`${path}?cas=${ModifyIndex + 1}`)).text).toBe('true')
    expect((await client.delete(`${path}?cas=1`)).text).toBe('true')
    expect((await client.delete(path)).text).toBe('{}')
  })

  test('an absent entry is 404 and an unknown kind 500, or 400 for a deletion', async () => {
    const { mesh: client } = await mesh()
    const answers = []
    for (const [method, path] of [
      ['GET', 'config/mesh/x/y'],
      ['GET', 'config/zz'],
      ['GET', 'config/zz/y'],
      ['DELETE', 'config/zz/y'],
      ['DELETE', 'config/mesh'],
      ['GET', 'config/mesh?filter=Name+==+w'],
      ['GET', 'config/service-defaults?filter=Zame+==+w'],
      ['GET', 'config'],
    ] as const) {
      const { status, text, headers } = await client.request(method, path)
      answers.push([status, text, headers['x-mesh-index']])
    }
    expect(answers).toEqual([
      [404, 'Config entry not found for "mesh" / "x/y"', '1'],
      [500, 'invalid config entry kind: zz', undefined],
      [500, 'invalid config entry kind: zz', undefined],
      [400, 'invalid config entry kind: zz', undefined],
      [404, 'Must provide both a kind and name to delete', undefined],
      [500, 'filtering not supported for config entry kind=mesh', undefined],
      [
        500,
        'Failed to create boolean expression evaluator: Selector "Zame" is not valid',
        undefined,
      ],
      [405, 'method GET not allowed', undefined],
    ])
  })

  test('a read wakes for its entry, a list for its kind', async () => {
    const { mesh: client } = await mesh()
    const defaults = (Name: string) => ({ Kind: 'service-defaults', Name })
    await client.put('config', defaults('a'))
    const { headers } = await client.get('config/service-defaults/b')
    const index = headers['x-mesh-index']
    const one = await waiting(client, `config/service-defaults/b?index=${index}`)
    const list = await waiting(client, `config/service-defaults?index=${index}`)
    await client.put('config', { Kind: 'mesh' })
    await drainEventLoop()
    expect([one.reply, list.reply]).toEqual([undefined, undefined])
    await client.put('config', defaults('c'))
    await drainEventLoop()
    expect([one.reply, list.reply?.body.length]).toEqual([undefined, 2])
    await client.put('config', defaults('b'))
    await drainEventLoop()
    expect(one.reply?.body.Name).toBe('b')
  })
})
