import { bool, duration, goList, goMap, int, nullable, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import { logConfigShape } from '../job/task-shape.ts'
import {
  type Comparison,
  composite,
  document,
  type MemberComparisons,
  object,
  objects,
  plain,
  textSet,
} from './compare.ts'
import { type Flat, isObject, ownMember } from './flatten.ts'
import { byMember, textOf } from './pairing.ts'

/**
 * Returns what the reference compares of a service's part in the mesh and of its identity, of which
 * behaviour/scheduler#diff says nothing. Rows keep both as they were sent, so members
 * may be missing, which is as good as a zero.
 */
export function connectMembers(resources: Comparison): MemberComparisons {
  const sidecarTask = composite('SidecarTask', sidecarTaskShape, {
    objects: [
      ['Config', document('Config')],
      ['Resources', resources],
      ['LogConfig', object(plain('LogConfig', logConfigShape))],
    ],
  })
  const connect = composite('MeshConnect', struct('Connect', { Native: bool }), {
    objects: [
      ['SidecarService', object(sidecarService)],
      ['SidecarTask', object(sidecarTask)],
      ['Gateway', object(gateway)],
    ],
  })
  return [
    ['Connect', object(connect)],
    ['Identity', object(identity)],
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

const identity = composite('Identity', identityShape, {
  objects: [['Audience', textSet('Audience')]],
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

const upstream = composite('MeshUpstreams', upstreamShape, {
  objects: [['MeshGateway', object(plain('MeshGateway', struct('MeshGateway', { Mode: text })))]],
})

const proxyShape = struct('Proxy', { LocalServiceAddress: text, LocalServicePort: int })

const proxy = composite('MeshProxy', proxyShape, {
  objects: [
    ['Upstreams', objects(byMember('Datacenter', 'DestinationName'), upstream)],
    ['Config', document('Config')],
  ],
})

const sidecarServiceShape = struct('SidecarService', {
  Tags: goList(text),
  Port: text,
  DisableDefaultTCPCheck: bool,
  Meta: goMap(text),
})

const sidecarService = composite('SidecarService', sidecarServiceShape, {
  objects: [['Proxy', object(proxy)]],
})

const gatewayProxyShape = struct('GatewayProxy', {
  ConnectTimeout: nullable(duration),
  EnvoyGatewayBindTaggedAddresses: bool,
  EnvoyGatewayNoDefaultBind: bool,
  EnvoyDNSDiscoveryType: text,
})

const gatewayProxy = composite('Proxy', gatewayProxyShape, {
  pointers: ['ConnectTimeout'],
  objects: [
    ['EnvoyGatewayBindAddresses', document('EnvoyGatewayBindAddresses', flattenAddresses)],
    ['Config', document('Config')],
  ],
})

const tlsShape = struct('GatewayTLS', { Enabled: bool, TLSMinVersion: text, TLSMaxVersion: text })

const tls = composite('TLS', tlsShape, { objects: [['CipherSuites', textSet('CipherSuites')]] })

const ingressService = composite('MeshIngressService', struct('IngressService', { Name: text }), {
  objects: [['Hosts', textSet('Hosts')]],
})

const listener = composite('Listener', struct('Listener', { Port: int, Protocol: text }), {
  objects: [['Services', objects(byMember('Name'), ingressService)]],
})

const withoutFields = struct('', {})

const ingress = composite('Ingress', withoutFields, {
  objects: [
    ['TLS', object(tls)],
    ['Listeners', objects(byMember('Protocol', 'Port'), listener)],
  ],
})

const linkedServiceShape = struct('LinkedService', {
  Name: text,
  CAFile: text,
  CertFile: text,
  KeyFile: text,
  SNI: text,
})

const terminating = composite('Terminating', withoutFields, {
  objects: [['Services', objects(byMember('Name'), composite('Service', linkedServiceShape))]],
})

const gateway = composite('Gateway', withoutFields, {
  objects: [
    ['Proxy', object(gatewayProxy)],
    ['Ingress', object(ingress)],
    ['Terminating', object(terminating)],
    ['Mesh', object(composite('Mesh', withoutFields))],
  ],
})

/** Addresses in one text each, those with colons in brackets. */
function flattenAddresses(side: unknown): Flat {
  return new Map(
    Object.entries(isObject(side) ? side : {}).map(([name, address]) => {
      const host = textOf(address, 'Address')
      const port = ownMember(address, 'Port') ?? 0
      return [name, `${/[:%]/.test(host) ? `[${host}]` : host}:${port}`]
    }),
  )
}
