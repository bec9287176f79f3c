import {
  any,
  bool,
  duration,
  float,
  goList,
  goMap,
  int,
  list,
  map,
  nullable,
  text,
  uint,
} from '../../kernel/shape/kinds.ts'
import { aliased, optional, struct } from '../../kernel/shape/members.ts'
import { durationText, enterpriseText } from './weak-decoder.ts'

// Members of configuration entries in the reference's order. An optional member is left out of
// replies if it is empty; an optional object is left out only if it was not sent.

export const optionalText = optional(text)
export const optionalBool = optional(bool)
export const optionalInt = optional(int)
export const optionalUint = optional(uint)
export const optionalTexts = optional(list(text))
const optionalTextMap = optional(map(text))
/** A number that replies contain even if it is 0, but not if a client did not send it. */
const optionalPointer = optional(nullable(int))

/** Metadata, which every kind of entry has. */
export const metaMember = { Meta: optionalTextMap } as const

/** Namespace and partition of a reference, which only the enterprise edition has. */
export const referenceTenancy = {
  Namespace: optional(enterpriseText),
  Partition: optional(enterpriseText),
} as const

export const meshGateway = struct({ Mode: optionalText })
export const transparentProxy = struct({
  OutboundListenerPort: optionalInt,
  DialedDirectly: optionalBool,
})

export const expose = struct({
  Checks: optionalBool,
  Paths: optional(
    list(
      struct({
        ListenerPort: optionalInt,
        Path: optionalText,
        LocalPathPort: optionalInt,
        Protocol: optionalText,
        ParsedFromCheck: optionalBool,
      }),
    ),
  ),
})

export const envoyExtensions = optional(
  list(
    struct({
      Name: text,
      Required: bool,
      Arguments: goMap(any),
      ConsulVersion: text,
      EnvoyVersion: text,
    }),
  ),
)

export const passiveHealthCheck = optional(
  struct({
    Interval: optional(duration),
    MaxFailures: optionalUint,
    EnforcingConsecutive5xx: aliased('enforcing_consecutive_5xx', optionalPointer),
    MaxEjectionPercent: optionalPointer,
    BaseEjectionTime: optional(nullable(duration)),
  }),
)

/** Settings of connections to one upstream or, without a name, to all upstreams. */
export const upstream = struct({
  Name: optionalText,
  ...referenceTenancy,
  Peer: text,
  EnvoyListenerJSON: optionalText,
  EnvoyClusterJSON: optionalText,
  Protocol: optionalText,
  ConnectTimeoutMs: optionalInt,
  Limits: optional(
    struct({
      MaxConnections: optionalPointer,
      MaxPendingRequests: optionalPointer,
      MaxConcurrentRequests: optionalPointer,
    }),
  ),
  PassiveHealthCheck: passiveHealthCheck,
  MeshGateway: meshGateway,
  BalanceOutboundConnections: optionalText,
})

const rateOfPath = {
  PathExact: text,
  PathPrefix: text,
  PathRegex: text,
  RequestsPerSecond: int,
  RequestsMaxBurst: int,
} as const

export const rateLimits = optional(
  struct({
    InstanceLevel: struct({
      RequestsPerSecond: int,
      RequestsMaxBurst: int,
      Routes: goList(struct(rateOfPath)),
    }),
  }),
)

export const failoverPolicy = optional(struct({ Mode: optionalText, Regions: optionalTexts }))
export const prioritizeByLocality = optional(struct({ Mode: optionalText }))

const headerModifiers = optional(
  struct({ Add: optionalTextMap, Set: optionalTextMap, Remove: optionalTexts }),
)
export const modifiedHeaders = {
  RequestHeaders: headerModifiers,
  ResponseHeaders: headerModifiers,
} as const

const headerMatch = {
  Name: text,
  Present: optionalBool,
  Exact: optionalText,
  Prefix: optionalText,
  Suffix: optionalText,
  Regex: optionalText,
  Invert: optionalBool,
} as const
const { Prefix: _, Suffix: __, Invert: ___, ...queryMatch } = headerMatch

const pathMatch = {
  PathExact: optionalText,
  PathPrefix: optionalText,
  PathRegex: optionalText,
} as const

export const route = struct({
  Match: optional(
    struct({
      HTTP: optional(
        struct({
          ...pathMatch,
          CaseInsensitive: optionalBool,
          Header: optional(list(struct(headerMatch))),
          QueryParam: optional(list(struct(queryMatch))),
          Methods: optionalTexts,
        }),
      ),
    }),
  ),
  Destination: optional(
    struct({
      RequestTimeout: optional(durationText),
      IdleTimeout: optional(durationText),
      Service: optionalText,
      ServiceSubset: optionalText,
      Namespace: optionalText,
      Partition: optionalText,
      PrefixRewrite: optionalText,
      NumRetries: optionalUint,
      RetryOnConnectFailure: optionalBool,
      RetryOn: optionalTexts,
      RetryOnStatusCodes: optional(list(uint)),
      ...modifiedHeaders,
    }),
  ),
})

export const split = struct({
  Weight: float,
  Service: optionalText,
  ServiceSubset: optionalText,
  Namespace: optionalText,
  Partition: optionalText,
  ...modifiedHeaders,
})

const target = {
  Service: optionalText,
  ServiceSubset: optionalText,
  Namespace: optionalText,
  Partition: optionalText,
  Datacenter: optionalText,
  Peer: optionalText,
} as const

export const resolution = {
  DefaultSubset: optionalText,
  Subsets: optional(map(struct({ Filter: optionalText, OnlyPassing: optionalBool }))),
  Redirect: optional(struct({ ...target, SamenessGroup: optionalText })),
  Failover: optional(
    map(
      struct({
        Service: optionalText,
        ServiceSubset: optionalText,
        Namespace: optionalText,
        Datacenters: optionalTexts,
        Targets: optional(list(struct(target))),
        Policy: failoverPolicy,
        SamenessGroup: optionalText,
      }),
    ),
  ),
  PrioritizeByLocality: prioritizeByLocality,
  LoadBalancer: optional(
    struct({
      Policy: optionalText,
      RingHashConfig: optional(
        struct({ MinimumRingSize: optionalUint, MaximumRingSize: optionalUint }),
      ),
      LeastRequestConfig: optional(struct({ ChoiceCount: optionalUint })),
      HashPolicies: optional(
        list(
          struct({
            Field: optionalText,
            FieldValue: optionalText,
            CookieConfig: optional(
              struct({ Session: optionalBool, TTL: optional(duration), Path: optionalText }),
            ),
            SourceIP: optionalBool,
            Terminal: optionalBool,
          }),
        ),
      ),
    }),
  ),
} as const

/** JSON Web Tokens that a request must carry. */
export const jwtRequirement = optional(
  struct({
    Providers: optional(
      list(
        struct({
          Name: optionalText,
          VerifyClaims: optional(list(struct({ Path: optionalTexts, Value: optionalText }))),
        }),
      ),
    ),
  }),
)

const permissions = optional(
  list(
    struct({
      Action: text,
      HTTP: optional(
        struct({
          ...pathMatch,
          Header: optional(list(struct(headerMatch))),
          Methods: optionalTexts,
        }),
      ),
      JWT: jwtRequirement,
    }),
  ),
)

export const intentionSource = struct({
  Name: text,
  Action: optionalText,
  Permissions: permissions,
  Precedence: int,
  LegacyID: optionalText,
  Type: text,
  Description: optionalText,
  LegacyMeta: optionalTextMap,
  LegacyCreateTime: optionalText,
  LegacyUpdateTime: optionalText,
  ...referenceTenancy,
  Peer: optionalText,
  SamenessGroup: optionalText,
})
