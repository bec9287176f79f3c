import { type Message, renderMessage } from '../../state/kernel/message.ts'
import type { InParts } from '../../state/kernel/parts.ts'
import type { WordingOf } from '../../state/kernel/refusal.ts'
import { toDialect, toDialectInParts } from '../../state/kernel/shape/dialect.ts'
import type { Shape } from '../../state/kernel/shape/kinds.ts'
import type { clientMessages } from '../../state/scheduler/client/messages.ts'
import type { schedulerMessages } from '../../state/scheduler/messages.ts'
import type { connectMessages } from '../../state/scheduler/validation/connect-messages.ts'
import type { schedulingMessages } from '../../state/scheduler/validation/scheduling-messages.ts'
import type { serviceCheckMessages } from '../../state/scheduler/validation/service-messages.ts'
import type { taskMessages } from '../../state/scheduler/validation/task-messages.ts'
import type { unlicensedMessages } from '../../state/scheduler/validation/unlicensed.ts'
import type { warningMessages } from '../../state/scheduler/validation/warnings.ts'
import type { DialectName } from '../http/declare/dialect.ts'

/** Messages for which the vendor has its own wording (behaviour/scheduler#vendor-names). */
export const vendorMessages = {
  'restart-impossible':
    "Nomad can't restart the TaskGroup {attempts} times in an interval of {interval} with a delay of {delay}",
  'reschedule-attempts-constant':
    'Nomad can only make {attempts} attempts in {interval} with initial delay {delay} and delay function {function}',
  'reschedule-attempts-growing':
    'Nomad can only make {attempts} attempts in {interval} with initial delay {delay}, delay function {function}, and delay ceiling {ceiling}',

  'service-provider-unknown': 'Service provider must be "consul", or "nomad"; not {provider}',
  'check-mesh-only': '{what} may only be set for Consul service checks',
  'check-warnings-mesh-only':
    'on_update may only be set to ignore_warnings for Consul service checks',
  'check-restart-mesh-only':
    'ignore_warnings on check_restart only supported for Consul service checks',
  'check-method-unsupported': 'method type {method} not supported in Nomad http check',

  'native-task-ambiguous':
    'task for Consul Connect Native service {group}->{service} is ambiguous and must be set',
  'native-task-absent':
    'task {task} named by Consul Connect Native service {group}->{service} does not exist',
  'sidecar-network-count':
    'Consul Connect sidecars require exactly 1 network, found {count} in group {group}',
  'sidecar-network-mode':
    'Consul Connect sidecar requires bridge network, found {mode} in group {group}',
  'sidecar-service-uppercase':
    'Consul Connect service name {service} in group {group} must not contain uppercase characters',
  'sidecar-group-uppercase':
    'Consul Connect group {group} with service {service} must not contain uppercase characters',
  'gateway-network-count':
    'Consul Connect gateways require exactly 1 network, found {count} in group {group}',
  'gateway-network-mode':
    'Consul Connect Gateway service requires Task Group with network mode of type "bridge" or "host"',
  'upstreams-same-address':
    'Consul Connect services {service} and {other} in group {group} using same address for upstreams ({address})',
  'transparent-dns':
    'Consul Connect transparent proxy cannot be used with network.dns unless no_dns=true',
  'transparent-port':
    'Consul Connect transparent proxy port {port} must be numeric or one of network.port labels',
  'transparent-alone': 'Consul Connect transparent proxy requires there is only one connect block',
  'connect-exclusive':
    'Consul Connect must be exclusively native, make use of a sidecar, or represent a Gateway',
  'gateway-timeout': 'Consul Gateway Proxy connection_timeout must be set',
  'gateway-discovery':
    'Consul Gateway Proxy Envoy DNS Discovery type must be STRICT_DNS or LOGICAL_DNS',
  'gateway-address-missing': 'Consul Gateway Bind Address must be set',
  'gateway-address-port': 'Consul Gateway Bind Address must set valid Port',
  'gateway-kinds': 'One Consul Gateway Configuration must be set',
  'ingress-empty': 'Consul Ingress Gateway requires at least one listener',
  'listener-port': 'Consul Ingress Listener requires valid Port',
  'listener-protocol':
    'Consul Ingress Listener requires protocol of tcp, http, http2, grpc, got {protocol}',
  'listener-empty': 'Consul Ingress Listener requires one or more services',
  'ingress-service-unnamed': 'Consul Ingress Service requires a name',
  'ingress-wildcard-tcp':
    'Consul Ingress Service doesn\'t support wildcard name for "tcp" protocol',
  'ingress-hosts-tcp':
    'Consul Ingress Service doesn\'t support associating hosts to a service for the "tcp" protocol',
  'ingress-wildcard-hosts':
    'Consul Ingress Service with a wildcard "*" service name can not also specify hosts',
  'terminating-empty': 'Consul Terminating Gateway requires at least one service',
  'linked-unnamed': 'Consul Linked Service requires Name',
  'linked-ca': 'Consul Linked Service TLS requires CAFile',
  'linked-pair': 'Consul Linked Service TLS Cert and Key must both be set',
  'linked-sni': 'Consul Linked Service TLS SNI requires CAFile',

  'secrets-invalid': 'Vault validation failed: {errors}',
  'secrets-not-enabled': 'Vault {cluster} not enabled but used in the job',
  'secrets-policies-empty': 'Task {task} has a Vault block with an empty list of policies',
  'enterprise-only': 'Nomad Enterprise only endpoint',
  'numa-enterprise': 'numa scheduling requires Nomad Enterprise',

  'namespace-secrets-unlicensed': 'invalid vault configuration: Multi-Cluster Vault is unlicensed.',
  'namespace-mesh-unlicensed': 'invalid consul configuration: Multi-Cluster Consul is unlicensed.',
  'schedule-unlicensed': 'task schedules requires Nomad Enterprise',

  'mbits-deprecated':
    'mbits has been deprecated as of Nomad 0.12.0. Please remove mbits from the network block',
  'iops-deprecated':
    'IOPS has been deprecated as of Nomad 0.9.0. Please remove IOPS from resource block.',
  'task-networks-deprecated':
    'task network resources have been deprecated as of Nomad 0.12.0. Please configure networking via group network block.',

  'file-absent': '{call} /var/lib/nomad/alloc/{id}/{path}: no such file or directory',
  'folder-is-file': 'readdirent /var/lib/nomad/alloc/{id}/{path}: not a directory',
} satisfies WordingOf<
  typeof clientMessages &
    typeof connectMessages &
    typeof schedulerMessages &
    typeof schedulingMessages &
    typeof serviceCheckMessages &
    typeof taskMessages &
    typeof unlicensedMessages &
    typeof warningMessages
>

/** Scheduler-specific part of a dialect (behaviour/scheduler#vendor-names). */
export interface SchedulerDialect {
  readonly name: DialectName
  readonly isVendor: boolean
  /** Adds the header prefix to names (`Index` becomes `X-Sched-Index`) and encodes the values. */
  encodeHeaders(values: Readonly<Record<string, string>>): Readonly<Record<string, string>>
  renderMessage(message: Message): string
  /** Renames the members of a value of a shape. The neutral dialect returns the value unchanged. */
  renameMembers(shape: Shape, value: unknown): unknown
  /** Renames members as `renameMembers` does, but pauses between parts so that other worlds are served. */
  renameMembersInParts(shape: Shape, value: unknown): InParts<unknown>
}

/** Prefixes of the API's headers: the neutral one, then the vendor's. */
const prefixes = ['X-Sched-', 'X-Nomad-'] as const

/** Spellings of the token's request header in lower case and in order of precedence. */
export const tokenHeaders = prefixes.map((prefix) => `${prefix}Token`.toLowerCase())

/** Request headers that hold secrets, in lower case. */
export const secretHeaders: readonly string[] = [
  ...tokenHeaders,
  ...prefixes.map((prefix) => `${prefix}CSI-Secrets`.toLowerCase()),
  'authorization',
]

/**
 * Encodes a text as a header value: its UTF-8 bytes become Latin-1 characters, which Node writes
 * unchanged. Characters that headers must not contain become spaces; Go's servers replace line
 * breaks in this way.
 */
function headerValue(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text
  const bytes = Buffer.from(text, 'utf8').toString('latin1')
  return bytes.replace(/[^\t\x20-\x7e\x80-\xff]/g, ' ')
}

function withPrefix(prefix: string, values: Readonly<Record<string, string>>) {
  const prefixedHeaders: Record<string, string> = {}
  for (const name in values) prefixedHeaders[prefix + name] = headerValue(values[name] ?? '')
  return prefixedHeaders
}

const neutralDialect: SchedulerDialect = {
  name: 'neutral',
  isVendor: false,
  encodeHeaders: (values) => withPrefix(prefixes[0], values),
  renderMessage,
  renameMembers: (_shape, value) => value,
  renameMembersInParts: (shape, value) => toDialectInParts(value, shape, 'neutral'),
}

const vendorDialect: SchedulerDialect = {
  name: 'vendor',
  isVendor: true,
  encodeHeaders: (values) => withPrefix(prefixes[1], values),
  renderMessage: (message) => renderMessage(message, vendorMessages),
  renameMembers: (shape, value) => toDialect(value, shape, 'vendor'),
  renameMembersInParts: (shape, value) => toDialectInParts(value, shape, 'vendor'),
}

export function schedulerDialect(name: DialectName): SchedulerDialect {
  return name === 'vendor' ? vendorDialect : neutralDialect
}
