import {
  any,
  bool,
  duration,
  goList,
  goMap,
  int,
  list,
  nullable,
  text,
  textOf,
  uint,
} from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import {
  jwtRequirement,
  metaMember,
  modifiedHeaders,
  optionalBool,
  optionalInt,
  optionalText,
  optionalTexts,
  optionalUint,
  passiveHealthCheck,
  referenceTenancy,
} from './entry-members.ts'

// Members of configuration entries about gateways, routes and issuers of tokens.

const tlsVersions = {
  TLSMinVersion: optionalText,
  TLSMaxVersion: optionalText,
  CipherSuites: optionalTexts,
} as const
/** TLS versions and cipher suites of one direction of the connections in the mesh. */
export const directionalTls = optional(struct(tlsVersions))

const certificateSource = optional(
  struct({ ClusterName: optionalText, CertResource: optionalText }),
)

export const gatewayTls = struct({ Enabled: bool, SDS: certificateSource, ...tlsVersions })

const connectionLimits = {
  MaxConnections: optionalUint,
  MaxPendingRequests: optionalUint,
  MaxConcurrentRequests: optionalUint,
} as const

export const ingressListener = struct({
  Port: int,
  Protocol: text,
  TLS: optional(gatewayTls),
  Services: goList(
    struct({
      Name: text,
      Hosts: goList(text),
      TLS: optional(struct({ SDS: certificateSource })),
      ...modifiedHeaders,
      ...connectionLimits,
      PassiveHealthCheck: passiveHealthCheck,
      ...metaMember,
      ...referenceTenancy,
    }),
  ),
})

export const linkedService = struct({
  Name: optionalText,
  CAFile: optionalText,
  CertFile: optionalText,
  KeyFile: optionalText,
  SNI: optionalText,
  DisableAutoHostRewrite: optionalBool,
  ...referenceTenancy,
})

export const resourceReference = struct({
  Kind: text,
  Name: text,
  SectionName: text,
  ...referenceTenancy,
})

export const gatewayListener = struct({
  Name: text,
  Hostname: text,
  Port: int,
  Protocol: text,
  TLS: struct({
    Certificates: goList(resourceReference),
    MaxVersion: text,
    MinVersion: text,
    CipherSuites: goList(text),
  }),
  Override: optional(struct({ JWT: jwtRequirement })),
  Default: optional(struct({ JWT: jwtRequirement })),
})

/** Conditions of gateways and routes. This server stores null, whatever a client sends. */
export const status = struct({ Conditions: goList(any) })

const headerFilters = goList(struct({ Add: goMap(text), Remove: goList(text), Set: goMap(text) }))
const routeFilters = struct({
  Headers: headerFilters,
  URLRewrite: nullable(struct({ Path: text })),
  RetryFilter: nullable(
    struct({
      NumRetries: uint,
      RetryOn: goList(text),
      RetryOnStatusCodes: goList(uint),
      RetryOnConnectFailure: bool,
    }),
  ),
  TimeoutFilter: nullable(struct({ RequestTimeout: duration, IdleTimeout: duration })),
  JWT: nullable(struct({})),
})
const responseFilters = struct({ Headers: headerFilters })
const namedMatch = struct({ Match: text, Name: text, Value: text })

export const routeRule = struct({
  Filters: routeFilters,
  ResponseFilters: responseFilters,
  Matches: goList(
    struct({
      Headers: goList(namedMatch),
      Method: text,
      Path: struct({ Match: text, Value: text }),
      Query: goList(namedMatch),
    }),
  ),
  Services: goList(
    struct({
      Name: text,
      Weight: int,
      Filters: routeFilters,
      ResponseFilters: responseFilters,
      ...referenceTenancy,
    }),
  ),
})

const optionalDuration = optional(duration)

/**
 * Source of the keys that verify JSON Web Tokens: the entry, a file, or an address from which
 * proxies fetch them.
 */
export const keySet = optional(
  struct({
    Local: optional(struct({ JWKS: optionalText, Filename: optionalText })),
    Remote: optional(
      struct({
        URI: optionalText,
        RequestTimeoutMs: optionalInt,
        CacheDuration: optionalDuration,
        FetchAsynchronously: optionalBool,
        RetryPolicy: optional(
          struct({
            NumRetries: optionalInt,
            RetryPolicyBackOff: optional(
              struct({ BaseInterval: optionalDuration, MaxInterval: optionalDuration }),
            ),
          }),
        ),
        JWKSCluster: optional(
          struct({
            DiscoveryType: optionalText,
            TLSCertificates: optional(
              struct({
                CaCertificateProviderInstance: optional(
                  struct({ InstanceName: optionalText, CertificateName: optionalText }),
                ),
                TrustedCA: optional(
                  struct({
                    Filename: optionalText,
                    EnvironmentVariable: optionalText,
                    InlineString: optionalText,
                    InlineBytes: optional(textOf({ format: 'byte' })),
                  }),
                ),
              }),
            ),
            ConnectTimeout: optionalDuration,
          }),
        ),
      }),
    ),
  }),
)

export const tokenLocations = optional(
  list(
    struct({
      Header: optional(
        struct({ Name: optionalText, ValuePrefix: optionalText, Forward: optionalBool }),
      ),
      QueryParam: optional(struct({ Name: optionalText })),
      Cookie: optional(struct({ Name: optionalText })),
    }),
  ),
)
