import { any, bool, duration, int, list, map, text } from '../../kernel/shape/kinds.ts'
import { aliased, embedded, partial, secret, struct } from '../../kernel/shape/members.ts'
import type { ParsedOf } from '../../kernel/shape/values.ts'
import { taggedAddressesInput } from '../catalog/tagged-addresses.ts'

/**
 * Members that a check has both in its own registration and in that of a service: type, notes and
 * first status, and how the agent runs the check.
 */
const checkKinds = {
  Notes: text,
  Status: text,
  ScriptArgs: { ...aliased('args', list(text)), aliases: ['args', 'script_args'] },
  HTTP: text,
  H2PING: text,
  H2PingUseTLS: aliased('h2ping_use_tls', bool),
  Header: map(list(text)),
  Method: text,
  Body: text,
  DisableRedirects: bool,
  TCP: text,
  TCPUseTLS: aliased('tcp_use_tls', bool),
  UDP: text,
  Interval: duration,
  AliasNode: text,
  AliasService: text,
  DockerContainerID: aliased('docker_container_id', text),
  Shell: text,
  GRPC: text,
  GRPCUseTLS: aliased('grpc_use_tls', bool),
  OSService: text,
  TLSServerName: aliased('tls_server_name', text),
  TLSSkipVerify: aliased('tls_skip_verify', bool),
  Timeout: duration,
  TTL: duration,
  SuccessBeforePassing: int,
  FailuresBeforeWarning: int,
  FailuresBeforeCritical: int,
  ProxyHTTP: text,
  ProxyGRPC: text,
  DeregisterCriticalServiceAfter: aliased('deregister_critical_service_after', duration),
  OutputMaxSize: int,
} as const

export const checkType = partial(
  struct('CheckType', {
    ...embedded('Alias', {
      CheckID: text,
      Name: text,
      ...checkKinds,
      // The reference accepts a service ID here, but ignores it.
      ServiceID: aliased('service_id', any),
    }),
  }),
)

export type CheckTypeInput = ParsedOf<typeof checkType>

/** Body of `PUT /v1/agent/check/register`. */
export const checkDefinition = partial(
  struct('CheckDefinition', {
    ...embedded('Alias', {
      ID: text,
      Name: text,
      ServiceID: aliased('service_id', text),
      Token: secret(text),
      Namespace: text,
      Partition: text,
      ...checkKinds,
      DisableRedirects: aliased('disable_redirects', bool),
    }),
  }),
)

export type CheckDefinitionInput = ParsedOf<typeof checkDefinition>

/** The member `Proxy` of a service's registration. */
export const proxyDefinition = partial(
  struct('ConnectProxyConfig', {
    DestinationServiceName: text,
    DestinationServiceID: text,
    LocalServiceAddress: text,
    LocalServicePort: int,
    LocalServiceSocketPath: text,
    Mode: text,
    Config: map(any),
    Upstreams: list(any),
    MeshGateway: map(any),
    Expose: map(any),
    TransparentProxy: map(any),
    EnvoyExtensions: list(any),
    AccessLogs: map(any),
  }),
)

const serviceMembers = {
  Kind: text,
  ID: text,
  Name: text,
  Tags: list(text),
  Address: text,
  TaggedAddresses: aliased('tagged_addresses', taggedAddressesInput),
  Meta: map(text),
  Port: int,
  SocketPath: text,
  Check: checkType,
  Checks: list(checkType),
  Weights: partial(struct('Weights', { Passing: int, Warning: int })),
  Token: secret(text),
  EnableTagOverride: aliased('enable_tag_override', bool),
  Locality: partial(struct('Locality', { Region: text, Zone: text })),
  Proxy: proxyDefinition,
  Namespace: text,
  Partition: text,
} as const

const sidecar = partial(struct('ServiceDefinition', embedded('Alias', serviceMembers)))

/** Body of `PUT /v1/agent/service/register`. */
export const serviceDefinition = partial(
  struct(
    'ServiceDefinition',
    embedded('Alias', {
      ...serviceMembers,
      Connect: partial(struct('ServiceConnect', { Native: bool, SidecarService: sidecar })),
    }),
  ),
)

export type ServiceDefinitionInput = ParsedOf<typeof serviceDefinition>
