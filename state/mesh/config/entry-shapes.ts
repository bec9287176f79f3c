import { any, bool, goList, goMap, list, text, uint } from '../../kernel/shape/kinds.ts'
import { aliased, optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import {
  envoyExtensions,
  expose,
  failoverPolicy,
  intentionSource,
  jwtRequirement,
  meshGateway,
  metaMember,
  optionalBool,
  optionalInt,
  optionalText,
  passiveHealthCheck,
  prioritizeByLocality,
  rateLimits,
  referenceTenancy,
  resolution,
  route,
  split,
  transparentProxy,
  upstream,
} from './entry-members.ts'
import {
  directionalTls,
  gatewayListener,
  gatewayTls,
  ingressListener,
  keySet,
  linkedService,
  resourceReference,
  routeRule,
  status,
  tokenLocations,
} from './gateway-members.ts'
import { durationText } from './weak-decoder.ts'

const named = { Kind: text, Name: text } as const

const proxySettings = {
  Mode: optionalText,
  TransparentProxy: transparentProxy,
  MutualTLSMode: optionalText,
  MeshGateway: meshGateway,
  Expose: expose,
} as const

const certificate = { Certificate: text, PrivateKey: text } as const

/** Shapes of configuration entries by their kind, without namespace, partition and indexes. */
export const entryShapes = {
  'service-defaults': struct({
    ...named,
    Protocol: text,
    ...proxySettings,
    ExternalSNI: optionalText,
    UpstreamConfig: optional(
      struct({ Overrides: optional(list(upstream)), Defaults: optional(upstream) }),
    ),
    Destination: optional(struct({ Addresses: optional(list(text)), Port: optionalInt })),
    MaxInboundConnections: optionalInt,
    LocalConnectTimeoutMs: optionalInt,
    LocalRequestTimeoutMs: optionalInt,
    BalanceInboundConnections: optionalText,
    RateLimits: rateLimits,
    EnvoyExtensions: envoyExtensions,
    ...metaMember,
  }),
  'proxy-defaults': struct({
    ...named,
    Config: goMap(any),
    ...proxySettings,
    AccessLogs: struct({
      Enabled: optionalBool,
      DisableListenerLogs: optionalBool,
      Type: optionalText,
      Path: optionalText,
      JSONFormat: optionalText,
      TextFormat: optionalText,
    }),
    EnvoyExtensions: envoyExtensions,
    FailoverPolicy: failoverPolicy,
    PrioritizeByLocality: prioritizeByLocality,
    ...metaMember,
  }),
  'service-router': struct({ ...named, Routes: goList(route), ...metaMember }),
  'service-splitter': struct({ ...named, Splits: goList(split), ...metaMember }),
  'service-resolver': struct({
    ConnectTimeout: optional(durationText),
    RequestTimeout: optional(durationText),
    ...named,
    ...resolution,
    ...metaMember,
  }),
  'ingress-gateway': struct({
    ...named,
    TLS: gatewayTls,
    Listeners: goList(ingressListener),
    Defaults: optional(
      struct({
        MaxConnections: uint,
        MaxPendingRequests: uint,
        MaxConcurrentRequests: uint,
        PassiveHealthCheck: passiveHealthCheck,
      }),
    ),
    ...metaMember,
  }),
  'terminating-gateway': struct({ ...named, Services: goList(linkedService), ...metaMember }),
  'service-intentions': struct({
    ...named,
    Sources: goList(intentionSource),
    JWT: jwtRequirement,
    ...metaMember,
  }),
  mesh: struct({
    Kind: text,
    TransparentProxy: struct({ MeshDestinationsOnly: bool }),
    AllowEnablingPermissiveMutualTLS: optionalBool,
    ValidateClusters: optionalBool,
    TLS: optional(struct({ Incoming: directionalTls, Outgoing: directionalTls })),
    HTTP: optional(struct({ SanitizeXForwardedClientCert: bool })),
    Peering: optional(struct({ PeerThroughMeshGateways: bool })),
    ...metaMember,
  }),
  'exported-services': struct({
    ...named,
    Services: optional(
      list(
        struct({
          Name: text,
          Namespace: optionalText,
          Consumers: optional(
            list(
              struct({
                Partition: optionalText,
                Peer: aliased('peer_name', optionalText),
                SamenessGroup: optionalText,
              }),
            ),
          ),
        }),
      ),
    ),
    ...metaMember,
  }),
  'sameness-group': struct({
    ...named,
    DefaultForFailover: optionalBool,
    IncludeLocal: optionalBool,
    Members: goList(struct({ Partition: optionalText, Peer: optionalText })),
    ...metaMember,
  }),
  'api-gateway': struct({
    ...named,
    Listeners: goList(gatewayListener),
    Status: status,
    ...metaMember,
  }),
  'bound-api-gateway': struct({
    ...named,
    Listeners: goList(
      struct({
        Name: text,
        Routes: goList(resourceReference),
        Certificates: goList(resourceReference),
      }),
    ),
    Services: goMap(any),
    ...metaMember,
  }),
  'http-route': struct({
    ...named,
    Parents: goList(resourceReference),
    Rules: goList(routeRule),
    Hostnames: goList(text),
    ...metaMember,
    Status: status,
  }),
  'tcp-route': struct({
    ...named,
    Parents: goList(resourceReference),
    Services: goList(struct({ Name: text, ...referenceTenancy })),
    ...metaMember,
    Status: status,
  }),
  'file-system-certificate': struct({ ...named, ...certificate, ...metaMember }),
  'inline-certificate': struct({ ...named, ...certificate, ...metaMember }),
  'jwt-provider': struct({
    Kind: optionalText,
    Name: optionalText,
    JSONWebKeySet: keySet,
    Issuer: optionalText,
    Audiences: optional(list(text)),
    Locations: tokenLocations,
    Forwarding: optional(struct({ HeaderName: optionalText, PadForwardPayloadHeader: bool })),
    ClockSkewSeconds: optionalInt,
    CacheConfig: optional(struct({ Size: optionalInt })),
    ...metaMember,
  }),
} as const

export type EntryKind = keyof typeof entryShapes

/** Decoded members of a configuration entry; without an argument, those of any kind. */
export type EntryMembers<Kind extends EntryKind = EntryKind> = MembersByKind[Kind]

type MembersByKind = { readonly [Kind in EntryKind]: StoredOf<(typeof entryShapes)[Kind]> }

export function isEntryKind(kind: string): kind is EntryKind {
  return Object.hasOwn(entryShapes, kind)
}

/** The namespace and the edition, on which the rules of an entry depend. */
export interface EntryScope {
  readonly namespace: string
  readonly isCommunity: boolean
}
