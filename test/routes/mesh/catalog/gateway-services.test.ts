import { describe, expect, test } from 'vitest'
import { blockingReader, drainEventLoop } from '../../../support/blocked-reads.ts'
import { mesh } from '../../../support/mesh/mesh.ts'

const waiting = blockingReader('x-mesh-index')

describe('behaviour/mesh#catalog: services of gateways', () => {
  test('a terminating gateway leads to the services that its entry names or covers by a wildcard', async () => {
    const { mesh: client } = await mesh()
    for (const Name of ['api', 'redis']) await client.put('agent/service/register', { Name })
    const Services = [
      { Name: 'api', SNI: 'a.test' },
      { Name: '*', CAFile: 'ca.crt', DisableAutoHostRewrite: true },
    ]
    await client.put('config', { Kind: 'terminating-gateway', Name: 'out', Services })
    const { body, headers } = await client.get('catalog/gateway-services/out')
    const common = {
      Gateway: { Name: 'out', Namespace: 'default' },
      GatewayKind: 'terminating-gateway',
      CreateIndex: expect.any(Number),
      ModifyIndex: expect.any(Number),
    }
    const api = { Service: { Name: 'api', Namespace: 'default' }, SNI: 'a.test' }
    const redis = { Service: { Name: 'redis', Namespace: 'default' }, CAFile: 'ca.crt' }
    expect(body).toEqual([
      { ...common, ...api, ServiceKind: 'service', AutoHostRewrite: true },
      { ...common, ...redis, FromWildcard: true },
    ])
    expect(headers['x-mesh-index']).toBe(String(body[0].ModifyIndex))
    expect((await client.get('catalog/gateway-services/none')).body).toEqual([])

    const read = await waiting(client, `catalog/gateway-services/out?index=${body[0].ModifyIndex}`)
    expect(read.state).toBe('waits')
    await client.put('agent/service/register', { Name: 'web' })
    await drainEventLoop()
    expect(read.reply?.body).toEqual([
      ...body,
      expect.objectContaining({ Service: { Name: 'web', Namespace: 'default' } }),
    ])
  })

  test('the health of the ingress gateways of a service is listed under its name', async () => {
    const { mesh: client } = await mesh()
    const register = (service: object) => client.put('agent/service/register', service)
    await register({ Name: 'edge', Kind: 'ingress-gateway', Port: 8001 })
    await register({ Name: 'web' })
    await register({ Name: 'web-proxy', Kind: 'connect-proxy', ...proxy, Port: 1 })
    const listener = (Port: number, Name: string, Protocol: string) => ({
      ...{ Port, Protocol },
      Services: [{ Name }],
    })
    const Listeners = [listener(1, 'api', 'tcp'), listener(2, '*', 'http')]
    await client.put('config', { Kind: 'ingress-gateway', Name: 'edge', Listeners })
    const services = async () =>
      (await client.get('catalog/gateway-services/edge')).body.map(
        ({ Service, Port }: { Service: { Name: string }; Port: number }) => [Service.Name, Port],
      )
    // The wildcard of a listener covers the proxied services that have its protocol.
    expect(await services()).toEqual([['api', 1]])
    await client.put('config', { Kind: 'service-defaults', Name: 'web', Protocol: 'http' })
    expect(await services()).toEqual([
      ['api', 1],
      ['web', 2],
    ])
    const names = async (service: string) =>
      (await client.get(`health/ingress/${service}?passing`)).body.map(
        ({ Service }: { Service: { Service: string } }) => Service.Service,
      )
    expect(await names('api')).toEqual(['edge'])
    expect(await names('other')).toEqual([])
    await client.delete('config/ingress-gateway/edge')
    expect(await names('api')).toEqual([])
  })
})

const proxy = { Proxy: { DestinationServiceName: 'web' } }
