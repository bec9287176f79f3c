import { isObject } from '../../kernel/objects.ts'
import { bool, duration, goList, goMap, int, nullable, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import { logConfigShape } from '../job/task-parts.ts'
import {
  type Comparison,
  compareFlattened,
  compareItems,
  compareObject,
  compareStringSet,
  compositeRule,
  type MemberComparisons,
  plainRule,
} from './compare.ts'
import { type FlatFields, propertyOf } from './flatten.ts'
import { byMember, stringMember } from './pairing.ts'

/**
 * Returns comparisons for the `Connect` and `Identity` blocks of services. The comparisons follow
 * the reference's source, because behaviour/scheduler#diff does not cover these blocks. A member
 * that an imported row lacks is compared as its zero value.
 */
export function connectMembers(resources: Comparison): MemberComparisons {
  const sidecarTask = compositeRule('SidecarTask', sidecarTaskShape, {
    objects: [
      ['Config', compareFlattened('Config')],
      ['Resources', resources],
      ['LogConfig', compareObject(plainRule('LogConfig', logConfigShape))],
    ],
  })
  const connect = compositeRule('MeshConnect', struct('Connect', { Native: bool }), {
    objects: [
      ['SidecarService', compareObject(sidecarService)],
      ['SidecarTask', compareObject(sidecarTask)],
      ['Gateway', compareObject(gateway)],
    ],
  })
  return [
    ['Connect', compareObject(connect)],
    ['Identity', compareObject(identity)],
  ]
}

const sidecarTaskShape = struct('SidecarTask', {
  Name: text,
  Driver: text,
  User: text,
  Env: goMap(text),
  Meta: goMap(text),
  KillSignal: text,
})

const identityShape = struct('WorkloadIdentity', {
  Name: text,
  ChangeMode: text,
  ChangeSignal: text,
  Env: bool,
  File: bool,
  Filepath: text,
  ServiceName: text,
  TTL: duration,
})

const identity = compositeRule('Identity', identityShape, {
  objects: [['Audience', compareStringSet('Audience')]],
})

const upstreamShape = struct('Upstream', {
  DestinationName: text,
  DestinationNamespace: text,
  DestinationPeer: text,
  DestinationType: text,
  LocalBindPort: int,
  LocalBindAddress: text,
  LocalBindSocketPath: text,
  LocalBindSocketMode: text,
  Datacenter: text,
})

const upstream = compositeRule('MeshUpstreams', upstreamShape, {
  objects: [
    ['MeshGateway', compareObject(plainRule('MeshGateway', struct('MeshGateway', { Mode: text })))],
  ],
})

const proxyShape = struct('Proxy', { LocalServiceAddress: text, LocalServicePort: int })

const proxy = compositeRule('MeshProxy', proxyShape, {
  objects: [
    ['Upstreams', compareItems(byMember('Datacenter', 'DestinationName'), upstream)],
    ['Config', compareFlattened('Config')],
  ],
})

const sidecarServiceShape = struct('SidecarService', {
  Tags: goList(text),
  Port: text,
  DisableDefaultTCPCheck: bool,
  Meta: goMap(text),
})

const sidecarService = compositeRule('SidecarService', sidecarServiceShape, {
  objects: [['Proxy', compareObject(proxy)]],
})

const gatewayProxyShape = struct('GatewayProxy', {
  ConnectTimeout: nullable(duration),
  EnvoyGatewayBindTaggedAddresses: bool,
  EnvoyGatewayNoDefaultBind: bool,
  EnvoyDNSDiscoveryType: text,
})

const gatewayProxy = compositeRule('Proxy', gatewayProxyShape, {
  pointers: ['ConnectTimeout'],
  objects: [
    ['EnvoyGatewayBindAddresses', compareFlattened('EnvoyGatewayBindAddresses', flattenAddresses)],
    ['Config', compareFlattened('Config')],
  ],
})

const tlsShape = struct('GatewayTLS', { Enabled: bool, TLSMinVersion: text, TLSMaxVersion: text })

const tls = compositeRule('TLS', tlsShape, {
  objects: [['CipherSuites', compareStringSet('CipherSuites')]],
})

const ingressService = compositeRule(
  'MeshIngressService',
  struct('IngressService', { Name: text }),
  {
    objects: [['Hosts', compareStringSet('Hosts')]],
  },
)

const listener = compositeRule('Listener', struct('Listener', { Port: int, Protocol: text }), {
  objects: [['Services', compareItems(byMember('Name'), ingressService)]],
})

const emptyShape = struct('', {})

const ingress = compositeRule('Ingress', emptyShape, {
  objects: [
    ['TLS', compareObject(tls)],
    ['Listeners', compareItems(byMember('Protocol', 'Port'), listener)],
  ],
})

const linkedServiceShape = struct('LinkedService', {
  Name: text,
  CAFile: text,
  CertFile: text,
  KeyFile: text,
  SNI: text,
})

const terminatingRule = compositeRule('Terminating', emptyShape, {
  objects: [
    ['Services', compareItems(byMember('Name'), compositeRule('Service', linkedServiceShape))],
  ],
})

const gateway = compositeRule('Gateway', emptyShape, {
  objects: [
    ['Proxy', compareObject(gatewayProxy)],
    ['Ingress', compareObject(ingress)],
    ['Terminating', compareObject(terminatingRule)],
    ['Mesh', compareObject(compositeRule('Mesh', emptyShape))],
  ],
})

/**
 * Formats each address as `host:port`, with brackets around hosts that contain a colon or a percent
 * sign.
 */
function flattenAddresses(side: unknown): FlatFields {
  return new Map(
    Object.entries(isObject(side) ? side : {}).map(([name, address]) => {
      const host = stringMember(address, 'Address')
      const port = propertyOf(address, 'Port') ?? 0
      return [name, `${/[:%]/.test(host) ? `[${host}]` : host}:${port}`]
    }),
  )
}
