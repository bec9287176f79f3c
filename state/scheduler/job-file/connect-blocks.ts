import {
  connectShape,
  gatewayProxyShape,
  gatewayShape,
  gatewayTlsShape,
  ingressServiceShape,
  linkedServiceShape,
  listenerShape,
  proxyShape,
  sidecarServiceShape,
  sidecarTaskShape,
  upstreamShape,
} from '../job/connect-shapes.ts'
import { anyValues, repeatedBlock, singleBlock, stringValues, withLabel } from './schema.ts'
import { shapeContents } from './shape-contents.ts'
import { logs, resources, volumeMount } from './task-blocks.ts'

const config = singleBlock('Config', anyValues)

const sidecarTask = shapeContents(sidecarTaskShape, {
  blocks: {
    config,
    env: singleBlock('Env', stringValues),
    meta: singleBlock('Meta', stringValues),
    resources,
    logs,
    volume_mount: volumeMount,
  },
})

const exposeShape = proxyShape.fields.Expose.shape.to
const exposedPath = repeatedBlock('Paths', shapeContents(exposeShape.fields.Paths.shape.of))

const sidecarService = shapeContents(sidecarServiceShape, {
  blocks: {
    proxy: singleBlock(
      'Proxy',
      shapeContents(proxyShape, {
        blocks: {
          expose: singleBlock(
            'Expose',
            shapeContents(exposeShape, { blocks: { path: exposedPath } }),
          ),
          upstreams: repeatedBlock(
            'Upstreams',
            shapeContents(upstreamShape, { blocks: { config } }),
          ),
          config,
        },
      }),
    ),
  },
})

const encryption = singleBlock('TLS', shapeContents(gatewayTlsShape))

const ingressService = repeatedBlock(
  'Services',
  shapeContents(ingressServiceShape, { blocks: { tls: encryption } }),
)

const listener = repeatedBlock(
  'Listeners',
  shapeContents(listenerShape, { blocks: { service: ingressService } }),
)

const bindAddresses = {
  member: 'EnvoyGatewayBindAddresses',
  form: 'map' as const,
  contents: shapeContents(gatewayProxyShape.fields.EnvoyGatewayBindAddresses.shape.of),
  ...withLabel('', 'Name'),
}

const gateway = shapeContents(gatewayShape, {
  blocks: {
    proxy: singleBlock(
      'Proxy',
      shapeContents(gatewayProxyShape, {
        blocks: { envoy_gateway_bind_addresses: bindAddresses, config },
      }),
    ),
    ingress: singleBlock(
      'Ingress',
      shapeContents(gatewayShape.fields.Ingress.shape.to, {
        blocks: { tls: encryption, listener },
      }),
    ),
    terminating: singleBlock(
      'Terminating',
      shapeContents(gatewayShape.fields.Terminating.shape.to, {
        blocks: { service: repeatedBlock('Services', shapeContents(linkedServiceShape)) },
      }),
    ),
  },
})

export const connect = singleBlock(
  'Connect',
  shapeContents(connectShape, {
    blocks: {
      sidecar_service: singleBlock('SidecarService', sidecarService),
      sidecar_task: singleBlock('SidecarTask', sidecarTask),
      gateway: singleBlock('Gateway', gateway),
    },
  }),
)
