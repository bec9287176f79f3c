import { describe, expect, test } from 'vitest'
import { blockingReader, drainEventLoop } from '../../../support/blocked-reads.ts'
import { mesh, peeringToken } from '../../../support/mesh/mesh.ts'
import { meshWithAcls } from '../../../support/mesh/mesh-acl.ts'

const waiting = blockingReader('x-mesh-index')
const Coord = { Vec: [1, 2, 3, 4, 5, 6, 7, 8], Error: 0.5, Adjustment: 0.1, Height: 0.2 }
const origin = { Vec: Array(8).fill(0), Error: 1.5, Adjustment: 0, Height: 0.00001 }

describe('behaviour/mesh#coordinates', () => {
  test.each(['neutral', 'vendor'] as const)(
    'a coordinate is shown as soon as it is sent: %s',
    async (dialect) => {
      const { mesh: client } = await mesh({ dialect })
      const shown = (coordinate: object) => [{ Node: 'mesh-1', Segment: '', Coord: coordinate }]
      expect((await client.get('coordinate/nodes')).body).toEqual(shown(origin))
      const sent = await client.put('coordinate/update', { Node: 'mesh-1', Coord })
      expect([sent.status, sent.text]).toEqual([200, ''])
      expect((await client.get('coordinate/nodes')).body).toEqual(shown(Coord))
      expect((await client.get('coordinate/node/mesh-1')).body).toEqual(shown(Coord))
    },
  )

  test('other segments and datacenters have no coordinates', async () => {
    const { mesh: client } = await mesh()
    expect((await client.get('coordinate/nodes?segment=x')).body).toEqual([])
    expect((await client.get('coordinate/node/mesh-1?segment=x')).body).toEqual([])
    expect((await client.get('coordinate/datacenters')).body).toEqual([])
  })

  test('an unknown node is 404 with an empty body, and its coordinate is ignored', async () => {
    const { mesh: client } = await mesh()
    const sent = await client.put('coordinate/update', { Node: 'x', Coord })
    expect(sent.status).toBe(200)
    const { status, text } = await client.get('coordinate/node/x')
    expect([status, text]).toEqual([404, ''])
  })

  test('a node of the catalog has a coordinate once it has sent one', async () => {
    const { mesh: client } = await mesh()
    await client.put('catalog/register', { Node: 'far', Address: '10.0.0.9' })
    expect((await client.get('coordinate/node/far')).status).toBe(404)
    await client.put('coordinate/update', { Node: 'far', Coord })
    const { body } = await client.get('coordinate/nodes')
    expect(body).toEqual([
      { Node: 'far', Segment: '', Coord },
      { Node: 'mesh-1', Segment: '', Coord: origin },
    ])
  })

  test('a coordinate with another number of dimensions is 500 and changes nothing', async () => {
    const { mesh: client } = await mesh()
    const body = { Node: 'mesh-1', Coord: { ...Coord, Vec: [1] } }
    const { status, text } = await client.put('coordinate/update', body)
    expect([status, text]).toEqual([500, 'incompatible coordinate'])
    const unreadable = await client.put('coordinate/update', '{"Node":5}')
    expect([unreadable.status, unreadable.text]).toEqual([
      400,
      'Request decode failed: json: cannot unmarshal number into Go struct field CoordinateUpdateRequest.Node of type string',
    ])
    expect((await client.get('coordinate/nodes')).body[0].Coord).toEqual(origin)
  })

  test('a blocked read wakes when a coordinate is sent', async () => {
    const { mesh: client } = await mesh()
    const read = await waiting(client, 'coordinate/node/mesh-1?index=1')
    expect(read.outcome).toBe('waits')
    await client.put('coordinate/update', { Node: 'mesh-1', Coord })
    await drainEventLoop()
    expect(read.reply?.body[0].Coord).toEqual(Coord)
  })

  test('the list leaves out nodes that the caller may not read', async () => {
    const { mesh: anonymous, as } = await meshWithAcls()
    expect((await anonymous.get('coordinate/nodes')).body).toEqual([])
    for (const path of ['coordinate/nodes', 'coordinate/node/mesh-1']) {
      const { status, headers } = await as('bad').get(path)
      expect([status, headers['x-mesh-index'], headers['x-mesh-knownleader']]).toEqual([
        ...[403, '1', 'false'],
      ])
    }
  })
})

const autopilot = 'operator/autopilot/configuration'
const defaults = {
  CleanupDeadServers: true,
  LastContactThreshold: '200ms',
  MaxTrailingLogs: 250,
  MinQuorum: 0,
  ServerStabilizationTime: '10s',
  RedundancyZoneTag: '',
  DisableUpgradeMigration: false,
  UpgradeVersionTag: '',
}

describe('behaviour/mesh#operator: autopilot', () => {
  test('the configuration is replaced as a whole', async () => {
    const { mesh: client } = await mesh()
    const before = (await client.get(autopilot)).body
    expect(before).toMatchObject(defaults)
    const body = { ...defaults, LastContactThreshold: '1s', MaxTrailingLogs: 5 }
    expect((await client.put(autopilot, body)).body).toBe(true)
    const after = (await client.get(autopilot)).body
    expect(after).toMatchObject(body)
    expect(after.CreateIndex).toBe(before.CreateIndex)
    expect(after.ModifyIndex).toBeGreaterThan(before.ModifyIndex)
    await client.put(autopilot, {})
    expect((await client.get(autopilot)).body).toMatchObject({
      CleanupDeadServers: false,
      LastContactThreshold: '0s',
    })
  })

  test('with cas, the configuration is replaced only if its index is the same', async () => {
    const { mesh: client } = await mesh()
    const { ModifyIndex } = (await client.get(autopilot)).body
    expect((await client.put(`${autopilot}?cas=${ModifyIndex + 9}`, {})).body).toBe(false)
    expect((await client.get(autopilot)).body).toMatchObject(defaults)
    expect((await client.put(`${autopilot}?cas=${ModifyIndex}`, {})).body).toBe(true)
  })

  test.each([
    { path: autopilot, body: '', text: 'Error parsing autopilot config: EOF' },
    {
      path: autopilot,
      body: '{"MinQuorum":"x"}',
      text: 'Error parsing autopilot config: json: cannot unmarshal string into Go struct field AutopilotConfiguration.MinQuorum of type uint',
    },
    {
      path: `${autopilot}?cas=x`,
      body: '{}',
      text: 'Error parsing cas value: strconv.ParseUint: parsing "x": invalid syntax',
    },
  ])('the body "$body" to $path is refused: $text', async ({ path, body, text }) => {
    const { mesh: client } = await mesh()
    const reply = await client.put(path, body)
    expect([reply.status, reply.text]).toEqual([400, text])
    expect((await client.get(autopilot)).body).toMatchObject(defaults)
  })

  test('the only server is healthy and leads', async () => {
    const { mesh: client } = await mesh()
    const health = (await client.get('operator/autopilot/health')).body
    expect(health).toMatchObject({
      Healthy: true,
      FailureTolerance: 0,
      Servers: [{ Name: 'mesh-1', SerfStatus: 'alive', Leader: true, Voter: true }],
    })
    const [{ ID }] = health.Servers
    expect((await client.get('operator/autopilot/state')).body).toMatchObject({
      Leader: ID,
      Voters: [ID],
      Servers: {
        [ID]: {
          ...{ NodeStatus: 'alive', Status: 'leader', NodeType: 'voter', ReadReplica: false },
          Meta: { 'mesh-network-segment': '', 'mesh-version': '1.18.0+ent' },
        },
      },
    })
  })
})

describe('behaviour/mesh#operator: servers, keyring, peerings', () => {
  test.each([
    {
      method: 'DELETE',
      path: 'operator/raft/peer',
      expected: [
        400,
        "Must specify either ?id with the server's ID or ?address with IP:port of peer to remove",
      ],
    },
    {
      method: 'DELETE',
      path: 'operator/raft/peer?id=x&address=y',
      expected: [400, 'Must specify only one of ?id or ?address'],
    },
    {
      method: 'DELETE',
      path: 'operator/raft/peer?address=x',
      expected: [500, 'address "x" was not found in the Raft configuration'],
    },
    {
      method: 'DELETE',
      path: 'operator/raft/peer?id=x',
      expected: [500, 'id "x" was not found in the Raft configuration'],
    },
    {
      method: 'POST',
      path: 'operator/raft/transfer-leader',
      expected: [500, 'cannot find peer'],
    },
    {
      method: 'GET',
      path: 'operator/keyring',
      expected: [
        500,
        '2 errors occurred:\n\t* dc1 (LAN) error: 1/1 nodes reported failure\n\t* mesh-1: Keyring is empty (encryption not enabled)\n\n',
      ],
    },
    { method: 'GET', path: 'peerings', expected: [200, '[]'] },
  ])('$method $path', async ({ method, path, expected }) => {
    const { mesh: client } = await mesh()
    const { status, text } = await client.request(method, path)
    expect([status, text]).toEqual(expected)
  })

  test('requests for a peering are refused even with the right', async () => {
    const { mesh: client } = await mesh()
    const impossible = [500, 'TLS for gRPC must be enabled when generating peering tokens'] as const
    for (const [path, body, ...expected] of [
      ['token', '', 400, 'Body decoding failed: EOF'],
      ['token', '{"Bogus":1}', 400, 'Body decoding failed: json: unknown field "Bogus"'],
      [
        ...['token', '{}', 400],
        'PeerName is required in the payload when generating a new peering token.',
      ],
      ['token', '{"PeerName":"x"}', ...impossible],
      [
        ...['establish', '{}', 400],
        'PeerName is required in the payload when establishing a peering.',
      ],
      [
        ...['establish', '{"PeerName":"x"}', 400],
        'PeeringToken is required in the payload when establishing a peering.',
      ],
      ...(
        [
          ['y', 'failed to decode token: illegal base64 data at input byte 0'],
          ['eA==', "invalid character 'x' looking for beginning of value"],
          [peeringToken({ ServerAddresses: [] }), 'peering token server addresses value is empty'],
          [peeringToken({ ServerAddresses: ['x'] }), 'x is not a valid peering server address'],
          [peeringToken({ PeerID: '' }), 'peering token peer ID value is empty'],
          [peeringToken({ CA: ['x'] }), 'peering token server name value is empty'],
          [peeringToken(), impossible[1]],
        ] as const
      ).map(
        ([PeeringToken, text]) =>
          ['establish', JSON.stringify({ PeerName: 'x', PeeringToken }), 500, text] as const,
      ),
      [
        ...['token', '{"PeerName":"X"}', 500],
        "X is not a valid peer name: a valid peering name must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
      ],
    ] as const) {
      const { status, text } = await client.request('POST', `peering/${path}`, String(body))
      expect([path, body, status, text]).toEqual([path, body, ...expected])
    }
    const deleted = await client.delete('peering/x')
    expect([deleted.status, deleted.text]).toEqual([200, ''])
    const unnamed = await client.delete('peering/')
    expect([unnamed.status, unnamed.text]).toEqual([400, 'Must specify a name to fetch.'])
  })
})
