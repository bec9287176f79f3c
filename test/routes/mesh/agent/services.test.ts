import { describe, expect, test } from 'vitest'
import { blockingReader, drainEventLoop } from '../../../support/blocked-reads.ts'
import { type MeshClient, mesh } from '../../../support/mesh/mesh.ts'
import { meshWithAcls } from '../../../support/mesh/mesh-acl.ts'

const waiting = blockingReader('x-mesh-index')

/** Registers a service and expects success. */
async function register(client: MeshClient, body: object, query = ''): Promise<void> {
  const { status, text } = await client.put(`agent/service/register${query}`, body)
  expect([status, text]).toEqual([200, ''])
}

const outcome = ({ status, text }: { status: number; text: string }) => [status, text]

describe('behaviour/mesh#agent-services', () => {
  test('a registered service is in the lists of the agent, the catalog and health', async () => {
    const { mesh: client } = await mesh()
    const check = { TTL: '30s', Status: 'passing', Notes: 'n' }
    await register(client, { ID: 'web1', Name: 'web', Tags: ['a'], Port: 80, Check: check })
    expect((await client.get('agent/services')).body).toEqual({
      web1: {
        ID: 'web1',
        Service: 'web',
        Tags: ['a'],
        Meta: {},
        Port: 80,
        Address: '',
        Weights: { Passing: 1, Warning: 1 },
        EnableTagOverride: false,
        Datacenter: 'dc1',
        Namespace: 'default',
      },
    })
    expect((await client.get('catalog/services')).body).toEqual({ mesh: [], web: ['a'] })
    const [entry] = (await client.get('health/service/web')).body
    expect(entry.Node.Node).toBe('mesh-1')
    expect(entry.Service).toEqual({
      ID: 'web1',
      Service: 'web',
      Tags: ['a'],
      Address: '',
      Meta: null,
      Port: 80,
      Weights: { Passing: 1, Warning: 1 },
      EnableTagOverride: false,
      Proxy: { Mode: '', MeshGateway: {}, Expose: {} },
      Connect: {},
      PeerName: '',
      Namespace: 'default',
      CreateIndex: 7,
      ModifyIndex: 7,
    })
    expect(entry.Checks.map((each: { CheckID: string }) => each.CheckID)).toEqual([
      'serfHealth',
      'service:web1',
    ])
    expect(entry.Checks[1]).toMatchObject({
      Name: "Service 'web' check",
      Status: 'passing',
      Notes: 'n',
      ServiceTags: ['a'],
      Type: 'ttl',
      Interval: '',
      Definition: {},
    })
  })

  test('the vendor dialect shows the partition, the community edition neither', async () => {
    const { mesh: vendor } = await mesh({ dialect: 'vendor' })
    await register(vendor, { Name: 'web' })
    const [entry] = (await vendor.get('health/service/web')).body
    expect(entry.Service).toMatchObject({ Namespace: 'default', Partition: 'default' })
    const { mesh: community } = await mesh({ options: { edition: 'community' } })
    await register(community, { Name: 'web' })
    const [bare] = (await community.get('health/service/web')).body
    expect(bare.Service).not.toHaveProperty('Namespace')
    const { status, text } = await community.put('agent/service/register', {
      Name: 'a',
      Namespace: 'default',
    })
    expect([status, text]).toEqual([400, 'Request decode failed: json: unknown field "Namespace"'])
    expect(outcome(await community.put('agent/service/deregister/x'))).toEqual([
      404,
      'Unknown service ID "x". Ensure that the service ID is passed, not the service name.',
    ])
  })

  test('an IP adds its addresses, a host name adds none', async () => {
    const { mesh: client } = await mesh()
    await register(client, { Name: 'a', Address: '10.0.0.1', Port: 1 })
    await register(client, { Name: 'b', Address: 'host', Port: 1 })
    await register(client, { Name: 'c', Address: '::1' })
    const { a, b, c } = (await client.get('agent/services')).body
    const own = { Address: '10.0.0.1', Port: 1 }
    expect(a.TaggedAddresses).toEqual({ lan_ipv4: own, wan_ipv4: own })
    expect(b).not.toHaveProperty('TaggedAddresses')
    expect(Object.keys(c.TaggedAddresses)).toEqual(['lan_ipv6', 'wan_ipv6'])
  })

  const pair = (key: string, why: string) =>
    `Invalid Service Meta: Couldn't load metadata pair ('${key}', 'v'): ${why}`
  test.for([
    [{}, 'Missing service name'],
    ['null', 'Missing service name'],
    ['', 'Request decode failed: EOF'],
    [{ Bogus: 1 }, 'Request decode failed: json: unknown field "Bogus"'],
    [
      { Port: 'x' },
      'Request decode failed: json: cannot unmarshal string into Go struct field .Alias.Port of type int',
    ],
    [{ Name: 'a', Address: '0.0.0.0' }, 'Invalid service address'],
    [{ Name: 'a', Weights: { Passing: 0 } }, 'Invalid Weights: Passing must be greater than 0'],
    [
      { Name: 'a', Weights: { Passing: 1, Warning: 65_536 } },
      'Invalid Weights: DNS Weight must be between 0 and 65535',
    ],
    [{ Name: 'a', Meta: { '': 'v' } }, pair('', 'Key cannot be blank')],
    [{ Name: 'a', Meta: { 'a b': 'v' } }, pair('a b', 'Key contains invalid characters')],
    [
      { Name: 'a', Meta: { 'mesh-x': 'v' } },
      pair('mesh-x', "Key prefix 'mesh-' is reserved for internal use"),
    ],
    [
      { Name: 'a', Kind: 'connect-proxy' },
      'Validation failed: 2 errors occurred:\n\t* Proxy.DestinationServiceName must be non-empty for Connect proxy services\n\t* Port or SocketPath must be set for a connect-proxy\n\n',
    ],
    [
      { Name: 'a', Connect: { Native: true } },
      'Validation failed: 1 error occurred:\n\t* Port or SocketPath must be set for a Connect native service.\n\n',
    ],
    // choice/mesh#null-check-in-registration
    [{ Name: 'a', Checks: [null] }, 'Invalid check: TTL must be > 0 for TTL checks'],
    [
      { Name: 'a', Check: { TTL: '1s', Interval: '1s' } },
      'Invalid check: Interval and TTL cannot both be specified',
    ],
    [
      { Name: 'a', Check: { HTTP: 'http://x' } },
      'Invalid check: Interval must be > 0 for Script, HTTP, H2PING, TCP, UDP or OSService checks',
    ],
    [
      { Name: 'a', Check: { AliasService: 'b', TTL: '1s' } },
      'Invalid check: TTL must be not be set for Alias checks',
    ],
    [
      { Name: 'a', Check: { TTL: '1s', FailuresBeforeWarning: 2 } },
      "Invalid check: FailuresBeforeWarning can't be higher than FailuresBeforeCritical",
    ],
    [
      { Name: 'a', Check: { TTL: '1s', Status: 'x' } },
      "Status for checks must 'passing', 'warning', 'critical'",
    ],
    [{ Name: 'a', Check: { TTL: '' } }, 'Request decode failed: time: invalid duration ""'],
    [
      { Name: 'a', Check: { check_id: 'x', TTL: '1s' } },
      'Request decode failed: json: unknown field "check_id"',
    ],
  ] as const)('the registration of %j is 400: %s', async ([body, text]) => {
    const { mesh: client } = await mesh()
    expect(outcome(await client.put('agent/service/register', body))).toEqual([400, text])
    expect((await client.get('agent/services')).text).toBe('{}')
  })

  test.for([
    [
      { ScriptArgs: ['x'], Interval: '1s' },
      "Scripts are disabled on this agent from remote calls; to enable, configure 'enable_script_checks' to true",
    ],
    [{ OSService: 'x', Interval: '1s' }, 'not implemented'],
  ] as const)('the check %j is 500', async ([Check, text]) => {
    const { mesh: client } = await mesh()
    const reply = await client.put('agent/service/register', { Name: 'a', Check })
    expect(outcome(reply)).toEqual([500, text])
    const { mesh: open } = await mesh({ options: { scriptChecks: true } })
    const accepted = await open.put('agent/service/register', { Name: 'a', Check })
    expect(accepted.status).toBe('ScriptArgs' in Check ? 200 : 500)
  })

  test('registering again keeps the checks unless they are replaced', async () => {
    const { mesh: client } = await mesh()
    const ids = async () => Object.keys((await client.get('agent/checks')).body)
    await register(client, { Name: 'a', Checks: [{ TTL: '1m' }, { TTL: '1m', CheckID: 'x' }] })
    expect(await ids()).toEqual(['service:a:1', 'x'])
    const { headers } = await client.get('health/service/a')
    await register(client, { Name: 'a' })
    expect((await client.get('health/service/a')).headers['x-mesh-index']).toBe(
      headers['x-mesh-index'],
    )
    await register(
      client,
      { Name: 'a', Check: { TTL: '1m', CheckID: 'y' } },
      '?replace-existing-checks=1',
    )
    expect(await ids()).toEqual(['service:a:1', 'x', 'y'])
    await register(
      client,
      { Name: 'a', Check: { TTL: '1m', CheckID: 'y' } },
      '?replace-existing-checks',
    )
    expect(await ids()).toEqual(['y'])
    await register(client, { ID: 'a', Name: 'b' })
    expect((await client.get('catalog/services')).body).toEqual({ mesh: [], b: [] })
    expect((await client.get('health/checks/b')).body).toHaveLength(1)
  })

  test('a sidecar is registered and removed with its service', async () => {
    const { mesh: client } = await mesh()
    await register(client, { Name: 'web', Port: 80, Connect: { SidecarService: {} } })
    const { body } = await client.get('agent/services')
    expect(body['web-sidecar-proxy']).toMatchObject({
      Kind: 'connect-proxy',
      Port: 21_000,
      Proxy: {
        DestinationServiceName: 'web',
        DestinationServiceID: 'web',
        LocalServiceAddress: '127.0.0.1',
        LocalServicePort: 80,
      },
    })
    const checks = (await client.get('agent/checks')).body
    expect(checks['service:web-sidecar-proxy:1']).toMatchObject({ Type: 'tcp', Interval: '10s' })
    expect(checks['service:web-sidecar-proxy:2']).toMatchObject({
      Type: 'alias',
      Status: 'passing',
      Output: 'No checks found.',
    })
    expect((await client.get('health/connect/web')).body).toHaveLength(1)
    expect((await client.get('catalog/connect/web')).body[0].ServiceKind).toBe('connect-proxy')
    await client.put('agent/service/deregister/web')
    expect((await client.get('agent/services')).text).toBe('{}')
    expect((await client.get('agent/checks')).text).toBe('{}')
  })

  test('a removed service disappears from the agent and the catalog; an unknown service is 404', async () => {
    const { mesh: client } = await mesh()
    await register(client, { Name: 'a', Check: { TTL: '1m' } })
    expect(outcome(await client.put('agent/service/deregister/a'))).toEqual([200, ''])
    expect((await client.get('health/service/a')).text).toBe('[]')
    expect((await client.get('health/checks/a')).text).toBe('[]')
    for (const id of ['a', '', 'consul']) {
      expect(outcome(await client.put(`agent/service/deregister/${id}`))).toEqual([
        404,
        `Unknown service ID "default/default/${id}". Ensure that the service ID is passed, not the service name.`,
      ])
    }
  })

  test('maintenance adds a critical check, once, and takes it away again', async () => {
    const { mesh: client } = await mesh()
    await register(client, { Name: 'a' })
    const path = 'agent/service/maintenance/a'
    expect((await client.put(`${path}?enable=true&reason=r`)).status).toBe(200)
    await client.put(`${path}?enable=true&reason=other`)
    const { body } = await client.get('agent/checks')
    expect(body['_service_maintenance:a']).toMatchObject({
      Name: 'Service Maintenance Mode',
      Status: 'critical',
      Notes: 'r',
      Type: 'maintenance',
    })
    const { text, headers } = await client.get('agent/health/service/id/a?format=text')
    expect([text, headers['content-type']]).toEqual(['maintenance', 'text/plain'])
    await client.put(`${path}?enable=false`)
    await client.put('agent/maintenance?enable=1')
    const [check] = Object.values<object>((await client.get('agent/checks')).body)
    expect(check).toMatchObject({
      CheckID: '_node_maintenance',
      Notes:
        'Maintenance mode is enabled for this node, but no reason was provided. This is a default message.',
    })
    await client.put('agent/maintenance?enable=0')
    expect((await client.get('agent/checks')).text).toBe('{}')
    const texts = ['', 'a', 'a?enable=x', 'b?enable=true'].map(
      async (rest) => (await client.put(`agent/service/maintenance/${rest}`)).text,
    )
    expect(await Promise.all(texts)).toEqual([
      'Missing service ID',
      'Missing value for enable',
      'Invalid value for enable: "x"',
      'Unknown service ID "default/default/b". Ensure that the service ID is passed, not the service name.',
    ])
  })

  test('reading a service waits while its hash is the one that is known', async () => {
    const { mesh: client, clock } = await mesh({ options: { waitJitter: false } })
    await register(client, { Name: 'a', Port: 1 })
    const { body, headers } = await client.get('agent/service/a')
    expect(headers['x-mesh-contenthash']).toBe(body.ContentHash)
    expect(headers['x-mesh-index']).toBeUndefined()
    const path = `agent/service/a?hash=${body.ContentHash}`
    const changed = await waiting(client, path)
    await client.put('agent/check/register', { Name: 'c', ServiceID: 'a', TTL: '1m' })
    await drainEventLoop()
    expect(changed.state).toBe('waits')
    await register(client, { Name: 'a', Port: 2 })
    await drainEventLoop()
    expect(changed.outcome).toEqual([200, undefined])
    expect((await client.get(path)).body.Port).toBe(2)
    await register(client, { Name: 'a', Port: 1 })
    const timed = await waiting(client, `${path}&wait=5s`)
    clock.advance(5_000)
    await drainEventLoop()
    expect(timed.outcome).toEqual([200, undefined])
    const gone = await waiting(client, path)
    await client.put('agent/service/deregister/a')
    await drainEventLoop()
    expect(gone.state).toEqual([404, undefined, 'unknown service ID: a'])
    expect((await client.get('agent/service/a?wait=x')).status).toBe(400)
  })

  test('health of the services of the agent is in the status of the reply', async () => {
    const { mesh: client } = await mesh()
    await register(client, { ID: 'a1', Name: 'a', Check: { TTL: '1m', Status: 'passing' } })
    await register(client, { ID: 'a2', Name: 'a', Check: { TTL: '1m', Status: 'warning' } })
    const read = async (path: string) => {
      const { status, body, headers } = await client.get(`agent/health/service/${path}`)
      return [status, headers['x-mesh-reason'], body]
    }
    const [status, reason, body] = await read('id/a1')
    expect([status, reason]).toEqual([200, 'passing'])
    expect(body.Checks[0]).toMatchObject({ Type: '', ServiceTags: null })
    expect(body.Checks[0]).not.toHaveProperty('Interval')
    expect((await read('name/a')).slice(0, 2)).toEqual([429, 'warning'])
    expect(await read('id/x')).toEqual([
      404,
      'ServiceId x not found',
      { AggregatedStatus: 'critical', Service: null, Checks: null },
    ])
    expect(await read('name/x')).toEqual([404, 'ServiceName x Not Found', []])
    expect(outcome(await client.get('agent/health/service/name/'))).toEqual([
      500,
      'Missing service Name',
    ])
    expect((await client.get('agent/health/service/id/')).text).toBe('Missing serviceID')
    await client.put('agent/maintenance?enable=true')
    expect((await read('id/a1')).slice(0, 2)).toEqual([503, 'maintenance'])
  })

  test('services live in namespaces, where one ID may exist in each', async () => {
    const { mesh: client } = await mesh()
    await client.put('namespace', { Name: 'Team' })
    await register(client, { Name: 'a', Port: 1 })
    await register(client, { Name: 'a', Port: 2, Namespace: 'team' })
    const ofTeam = await client.get('health/service/a?ns=team')
    expect(ofTeam.body.map((entry: { Service: object }) => entry.Service)).toMatchObject([
      { Port: 2, Namespace: 'Team' },
    ])
    expect((await client.get('health/service/a')).body).toHaveLength(1)
    expect((await client.get('catalog/node-services/mesh-1?ns=*')).body.Services).toHaveLength(3)
    expect(outcome(await client.get('catalog/services?ns=*'))).toEqual([
      400,
      'Invalid query parameter: "ns" - a wildcard is not allowed here',
    ])
    expect(
      outcome(await client.put('agent/service/register', { Name: 'a', Namespace: 'x' })),
    ).toEqual([500, 'Namespace "x" does not exist'])
    await client.put('agent/service/deregister/a?ns=team')
    expect(Object.keys((await client.get('agent/services')).body)).toEqual(['a'])
  })

  test('services are removed with their namespace', async () => {
    const { mesh: client, clock } = await mesh()
    await client.put('namespace', { Name: 'team' })
    await register(client, { Name: 'a', Namespace: 'team', Check: { TTL: '1m' } })
    await client.put('catalog/register', {
      ...{ Node: 'n1', Address: 'a' },
      Service: { Service: 'b', Namespace: 'team' },
    })
    await client.delete('namespace/team')
    clock.advance(500)
    expect((await client.get('health/node/mesh-1')).body).toHaveLength(1)
    await client.put('namespace', { Name: 'team' })
    expect((await client.get('catalog/services?ns=team')).text).toBe('{}')
    expect((await client.get('agent/services?ns=team')).text).toBe('{}')
  })

  test('a registration needs service:write of the name and of the service that has the ID', async () => {
    const { manager, clientWithRules } = await meshWithAcls()
    await register(manager, { ID: 'x', Name: 'other' })
    const web = await clientWithRules('service "web" { policy = "write" }')
    await register(web, { Name: 'web', Check: { TTL: '1m' } })
    const denied = await web.put('agent/service/register', { ID: 'x', Name: 'web' })
    expect([denied.status, denied.text]).toEqual([
      403,
      expect.stringContaining(`lacks permission 'service:write' on "other"`),
    ])
    expect((await web.put('agent/service/register', { Name: 'b' })).status).toBe(403)
    expect((await web.put('agent/service/deregister/x')).status).toBe(403)
    expect((await web.put('agent/service/deregister/unknown')).status).toBe(404)
    const listed = await web.get('agent/services')
    expect(Object.keys(listed.body)).toEqual(['web'])
    expect(listed.headers['x-mesh-results-filtered-by-acls']).toBe('true')
    expect((await web.put('agent/check/pass/service:web')).status).toBe(200)
    expect((await web.put('agent/maintenance?enable=true')).status).toBe(403)
    expect((await web.get('health/connect/other')).text).toBe('Permission denied')
    // Health needs node:read as well.
    expect((await web.get('health/service/web')).text).toBe('[]')
  })
})
