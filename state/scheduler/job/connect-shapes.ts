import { SECOND } from '../../go/duration.ts'
import {
  any,
  bool,
  exactDuration,
  exactInt,
  goList,
  goMap,
  nullable,
  text,
  uintOf,
} from '../../kernel/shape/kinds.ts'
import {
  createdBlock,
  goValue,
  inFile,
  inputOnly,
  lenientStruct,
  notInFile,
  withDefault,
} from '../../kernel/shape/members.ts'
import type { ParsedOf, StoredOf } from '../../kernel/shape/values.ts'
import { driverName } from '../vendor-names.ts'
import { resourcesShape } from './scheduling-shapes.ts'
import { logConfigShape, volumeMountShape } from './task-parts.ts'

/** Values that override the members of a generated sidecar or gateway task. */
export const sidecarTaskShape = lenientStruct('SidecarTask', {
  Name: goValue(text),
  Driver: goValue(driverName),
  User: goValue(text),
  Config: goMap(any),
  Env: goMap(text),
  Resources: createdBlock(nullable(resourcesShape)),
  Meta: goMap(text),
  KillTimeout: withDefault(nullable(exactDuration), 5 * SECOND),
  LogConfig: createdBlock(nullable(logConfigShape)),
  ShutdownDelay: withDefault(nullable(exactDuration), 0),
  KillSignal: goValue(text),
  VolumeMounts: goList(volumeMountShape),
})
export type SidecarTask = StoredOf<typeof sidecarTaskShape>

const meshGatewayShape = lenientStruct('MeshGateway', { Mode: goValue(text) }, 'ConsulMeshGateway')

/** A service that tasks reach through their sidecar. */
export const upstreamShape = lenientStruct(
  'MeshUpstream',
  {
    DestinationName: goValue(text),
    DestinationNamespace: goValue(text),
    DestinationPeer: goValue(text),
    DestinationPartition: goValue(text),
    DestinationType: goValue(text),
    LocalBindPort: goValue(exactInt),
    Datacenter: goValue(text),
    LocalBindAddress: goValue(text),
    LocalBindSocketPath: goValue(text),
    LocalBindSocketMode: goValue(text),
    MeshGateway: nullable(meshGatewayShape),
    Config: goMap(any),
  },
  'ConsulUpstream',
)

const exposedPathShape = lenientStruct(
  'MeshExposePath',
  {
    Path: goValue(text),
    Protocol: goValue(text),
    LocalPathPort: goValue(exactInt),
    ListenerPort: goValue(text),
  },
  'ConsulExposePath',
)

const exposeShape = lenientStruct(
  'MeshExposeConfig',
  {
    Paths: inFile('path', goList(exposedPathShape)),
    Path: inputOnly(notInFile(goList(exposedPathShape))),
  },
  'ConsulExposeConfig',
)

const uint16 = uintOf({ bits: 16 })

const transparentProxyShape = lenientStruct(
  'MeshTransparentProxy',
  {
    UID: goValue(text),
    OutboundPort: goValue(uint16),
    ExcludeInboundPorts: goList(text),
    ExcludeOutboundPorts: goList(uint16),
    ExcludeOutboundCIDRs: inFile('exclude_outbound_cidrs', goList(text)),
    ExcludeUIDs: inFile('exclude_uids', goList(text)),
    NoDNS: goValue(bool),
  },
  'ConsulTransparentProxy',
)

export const proxyShape = lenientStruct(
  'MeshProxy',
  {
    LocalServiceAddress: goValue(text),
    LocalServicePort: goValue(exactInt),
    Expose: nullable(exposeShape),
    ExposeConfig: inputOnly(notInFile(nullable(exposeShape))),
    Upstreams: goList(upstreamShape),
    TransparentProxy: nullable(transparentProxyShape),
    Config: goMap(any),
  },
  'ConsulProxy',
)

export const sidecarServiceShape = lenientStruct(
  'MeshSidecarService',
  {
    Tags: goList(text),
    Port: goValue(text),
    Proxy: nullable(proxyShape),
    DisableDefaultTCPCheck: inFile('disable_default_tcp_check', goValue(bool)),
    Meta: goMap(text),
  },
  'ConsulSidecarService',
)

const bindAddressShape = lenientStruct(
  'MeshGatewayBindAddress',
  { Name: inputOnly(goValue(notInFile(text))), Address: goValue(text), Port: goValue(exactInt) },
  'ConsulGatewayBindAddress',
)

export const gatewayProxyShape = lenientStruct(
  'MeshGatewayProxy',
  {
    ConnectTimeout: withDefault(nullable(exactDuration), 5 * SECOND),
    EnvoyGatewayBindTaggedAddresses: goValue(bool),
    EnvoyGatewayBindAddresses: goMap(bindAddressShape),
    EnvoyGatewayNoDefaultBind: goValue(bool),
    EnvoyDNSDiscoveryType: goValue(text),
    Config: goMap(any),
  },
  'ConsulGatewayProxy',
)
export type GatewayProxy = StoredOf<typeof gatewayProxyShape>

/** TLS settings of a gateway's listeners. */
export const gatewayTlsShape = lenientStruct(
  'MeshGatewayTLSConfig',
  {
    Enabled: goValue(bool),
    TLSMinVersion: goValue(text),
    TLSMaxVersion: goValue(text),
    CipherSuites: goList(text),
    SDS: nullable(
      lenientStruct(
        'MeshGatewayTLSSDSConfig',
        { ClusterName: goValue(text), CertResource: goValue(text) },
        'ConsulGatewayTLSSDSConfig',
      ),
    ),
  },
  'ConsulGatewayTLSConfig',
)

const headerChangesShape = lenientStruct(
  'MeshHTTPHeaderModifiers',
  { Add: goMap(text), Set: goMap(text), Remove: goList(text) },
  'ConsulHTTPHeaderModifiers',
)

const uint32 = uintOf({ bits: 32 })

/** A service that an ingress gateway offers on a listener. */
export const ingressServiceShape = lenientStruct(
  'MeshIngressService',
  {
    Name: goValue(text),
    Hosts: goList(text),
    TLS: nullable(gatewayTlsShape),
    RequestHeaders: nullable(headerChangesShape),
    ResponseHeaders: nullable(headerChangesShape),
    MaxConnections: nullable(uint32),
    MaxPendingRequests: nullable(uint32),
    MaxConcurrentRequests: nullable(uint32),
  },
  'ConsulIngressService',
)

/** A port on which an ingress gateway listens, with the services behind it. */
export const listenerShape = lenientStruct(
  'MeshIngressListener',
  {
    Port: goValue(exactInt),
    Protocol: goValue(text, 'tcp'),
    Services: goList(ingressServiceShape),
  },
  'ConsulIngressListener',
)

/** A service outside of the mesh that a terminating gateway makes reachable. */
export const linkedServiceShape = lenientStruct(
  'MeshLinkedService',
  {
    Name: goValue(text),
    CAFile: goValue(text),
    CertFile: goValue(text),
    KeyFile: goValue(text),
    SNI: goValue(text),
  },
  'ConsulLinkedService',
)

export const gatewayShape = lenientStruct(
  'MeshGatewayService',
  {
    Proxy: nullable(gatewayProxyShape),
    Ingress: nullable(
      lenientStruct(
        'MeshIngressConfigEntry',
        { TLS: nullable(gatewayTlsShape), Listeners: inFile('listener', goList(listenerShape)) },
        'ConsulIngressConfigEntry',
      ),
    ),
    Terminating: nullable(
      lenientStruct(
        'MeshTerminatingConfigEntry',
        { Services: inFile('service', goList(linkedServiceShape)) },
        'ConsulTerminatingConfigEntry',
      ),
    ),
    Mesh: nullable(lenientStruct('MeshConfigEntry', {}, 'ConsulMeshConfigEntry')),
  },
  'ConsulGateway',
)
export type Gateway = StoredOf<typeof gatewayShape>

/** The `connect` block, which makes a service part of the mesh. */
export const connectShape = lenientStruct(
  'MeshConnect',
  {
    Native: goValue(bool),
    Gateway: nullable(gatewayShape),
    SidecarService: nullable(sidecarServiceShape),
    SidecarTask: nullable(sidecarTaskShape),
  },
  'ConsulConnect',
)
export type Connect = StoredOf<typeof connectShape>
export type InputConnect = ParsedOf<typeof connectShape>
