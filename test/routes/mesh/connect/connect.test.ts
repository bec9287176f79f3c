import { X509Certificate } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { mesh } from '../../../support/mesh/mesh.ts'
import { meshWithAcls } from '../../../support/mesh/mesh-acl.ts'

const uriOf = (service: string) => `spiffe://domain/ns/default/dc/dc1/svc/${service}`

describe('behaviour/mesh#connect', () => {
  test('the root certificate is valid, signs itself and stays the same', async () => {
    const { mesh: client } = await mesh()
    const { body, headers } = await client.get('connect/ca/roots')
    const [root] = body.Roots
    const certificate = new X509Certificate(root.RootCert)
    expect(certificate.verify(certificate.publicKey)).toBe(true)
    expect(certificate.ca).toBe(true)
    expect(certificate.subjectAltName).toBe(`URI:spiffe://${body.TrustDomain}`)
    expect(certificate.fingerprint.toLowerCase()).toBe(root.ID)
    expect(body.ActiveRootID).toBe(root.ID)
    expect(Date.parse(root.NotBefore)).toBe(Date.parse(certificate.validFrom))
    expect(Date.parse(root.NotAfter)).toBe(Date.parse(certificate.validTo))
    expect(headers['x-mesh-index']).toBe(String(root.ModifyIndex))
    expect((await client.get('agent/connect/ca/roots')).body).toEqual(body)
    const pem = await client.get('connect/ca/roots?pem=true')
    expect([pem.headers['content-type'], pem.text]).toEqual([
      'application/pem-certificate-chain',
      root.RootCert,
    ])
  })

  test('connections are decided by intentions', async () => {
    const { mesh: client } = await mesh()
    const authorize = (body: object) => client.post('agent/connect/authorize', body)
    const sent = { Target: 'web', ClientCertURI: uriOf('api') }
    const { body, headers } = await authorize(sent)
    expect(body).toEqual({ Authorized: true, Reason: 'Default behavior configured by ACLs' })
    expect(headers['x-cache']).toBe('MISS')
    expect((await authorize(sent)).headers['x-cache']).toBe('HIT')
    expect((await client.get('connect/intentions/match?by=source&name=a')).body).toEqual({
      a: null,
    })
    await client.put('config', {
      Kind: 'service-intentions',
      Name: 'web',
      Sources: [{ Name: 'api', Action: 'deny' }],
    })
    expect((await authorize(sent)).body).toEqual({
      Authorized: false,
      Reason: 'Matched L4 intention: default/api => default/web (Precedence: 9, Action: DENY)',
    })
  })

  test.each([
    ['', 'Request decode failed: EOF'],
    ['{}', 'Target service must be specified'],
    ['{"Target":"web"}', 'ClientCertURI not a valid Connect identifier'],
    [
      '{"Target":"web","ClientCertURI":"spiffe://d/agent/client/dc/dc1/id/x"}',
      'ClientCertURI not a valid Service identifier',
    ],
  ])('a question with the body %s is refused: %s', async (body, text) => {
    const { mesh: client } = await mesh()
    const reply = await client.request('POST', 'agent/connect/authorize', body)
    expect([reply.status, reply.text]).toEqual([400, text])
  })

  test('operations on certificates of services are 501 for callers with the permission', async () => {
    const { manager } = await meshWithAcls()
    for (const reply of [
      await manager.get('agent/connect/ca/leaf/web'),
      await manager.put('connect/ca/configuration', {}),
    ]) {
      expect([reply.status, reply.text]).toEqual([501, 'not implemented by this server'])
    }
    const { body } = await manager.get('connect/ca/configuration')
    expect(body).toMatchObject({ Provider: 'consul', Config: { LeafCertTTL: '72h' } })
    expect((await manager.get('exported-services')).body).toEqual([])
    const peering = await manager.get('peering/x')
    expect([peering.status, peering.text]).toEqual([404, 'Peering not found for "x"'])
  })
})

describe('behaviour/mesh#operator', () => {
  test('services, instances and nodes are counted by kind', async () => {
    const { mesh: client } = await mesh()
    await client.put('agent/service/register', { ID: 'a', Name: 'web' })
    await client.put('agent/service/register', {
      ID: 'b',
      Name: 'web',
      Port: 1,
      Connect: { Native: true },
    })
    await client.put('agent/service/register', {
      Name: 'web-proxy',
      Kind: 'connect-proxy',
      Port: 1,
      Proxy: { DestinationServiceName: 'web' },
    })
    const { body, headers } = await client.get('operator/usage?dc=elsewhere')
    expect(body.Usage.dc1).toMatchObject({
      Services: 3,
      ServiceInstances: 4,
      BillableServiceInstances: 2,
      Nodes: 1,
    })
    expect(body.Usage.dc1.ConnectServiceInstances).toMatchObject({
      'connect-native': 1,
      'connect-proxy': 1,
      'mesh-gateway': 0,
    })
    expect(headers['x-mesh-index']).toBe(String(body.Index))
  })

  test('the enterprise edition counts by partition and namespace as well', async () => {
    const document = {
      mesh: { namespaces: [{ name: 'team' }], services: [{ Name: 'web', Namespace: 'team' }] },
    }
    const { mesh: client } = await mesh({ document })
    const { dc1 } = (await client.get('operator/usage')).body.Usage
    expect(dc1.PartitionNamespaceServices).toEqual({ default: { default: 1, team: 1 } })
    expect(dc1.PartitionNamespaceServiceInstances).toEqual({ default: { default: 1, team: 1 } })
    const billable = { default: { default: 0, team: 1 } }
    expect(dc1.PartitionNamespaceBillableServiceInstances).toEqual(billable)
    const { team } = dc1.PartitionNamespaceConnectServiceInstances.default
    expect(team).toMatchObject({ 'connect-native': 0, 'mesh-gateway': 0 })
    const { mesh: community } = await mesh({ options: { edition: 'community' } })
    const plain = (await community.get('operator/usage')).body.Usage.dc1
    expect(Object.keys(plain)).not.toContain('PartitionNamespaceServices')
  })

  test('services are exported to the peers that the entry names, each once', async () => {
    const { mesh: client } = await mesh()
    await client.put('agent/service/register', { Name: 'web' })
    const consumers = (...names: string[]) => names.map((Peer) => ({ Peer }))
    const Services = [
      { Name: 'db', Consumers: consumers('west', 'east') },
      { Name: '*', Consumers: consumers('north') },
      { Name: 'db', Consumers: consumers('east') },
    ]
    await client.put('config', { Kind: 'exported-services', Name: 'default', Services })
    expect((await client.get('exported-services')).body).toEqual([
      { Service: 'db', Namespace: 'default', Consumers: { Peers: ['east', 'west'] } },
      { Service: 'web', Namespace: 'default', Consumers: { Peers: ['north'] } },
    ])
  })
})
