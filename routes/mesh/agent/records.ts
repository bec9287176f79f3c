import { createHash } from 'node:crypto'
import { any, bool, int, list, map, text } from '../../../state/kernel/shape/kinds.ts'
import { optional, struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { AgentCheck, AgentService } from '../../../state/mesh/agent/tables.ts'
import { optionsOf } from '../../../state/mesh/options.ts'
import { addresses, weights } from '../catalog/filters.ts'
import { tenancyOf, withoutEmpty } from '../catalog/records.ts'
import { tenancyFields } from '../catalog/shapes.ts'
import type { MeshDialect } from '../dialect.ts'

export const agentServiceShape = struct({
  Kind: optional(text),
  ID: text,
  Service: text,
  Tags: list(text),
  Meta: map(text),
  Port: int,
  Address: text,
  SocketPath: optional(text),
  TaggedAddresses: optional(addresses),
  Weights: weights,
  EnableTagOverride: bool,
  ContentHash: optional(text),
  Proxy: optional(any),
  Connect: optional(any),
  Datacenter: text,
  Locality: optional(any),
  ...tenancyFields,
})

/** Renders a service as in replies of `/v1/agent` (behaviour/mesh#agent-services). */
export function agentServiceRecord(
  world: World,
  dialect: MeshDialect,
  service: AgentService,
): Readonly<Record<string, unknown>> {
  const { kind, connect, locality, socket_path, tagged_addresses } = service
  const hasProxy = kind === 'connect-proxy' || kind.endsWith('-gateway')
  return {
    ...withoutEmpty({ Kind: kind }),
    ID: service.id,
    Service: service.name,
    Tags: service.tags,
    Meta: service.meta ?? {},
    Port: service.port,
    Address: service.address,
    ...withoutEmpty({ SocketPath: socket_path, TaggedAddresses: tagged_addresses }),
    Weights: service.weights,
    EnableTagOverride: service.enable_tag_override,
    ...(hasProxy && { Proxy: withoutEmpty(service.proxy) }),
    ...withoutEmpty({ Connect: connect }),
    Datacenter: optionsOf(world).datacenter,
    ...withoutEmpty({ Locality: locality }),
    ...tenancyOf(world, dialect)(service.namespace),
  }
}

/**
 * Returns the hash of a rendered service as 16 hexadecimal digits. Clients wait for a change of the
 * hash.
 */
export function contentHash(record: object): string {
  return createHash('sha256').update(JSON.stringify(record)).digest('hex').slice(0, 16)
}

/** Returns the members of a check that the list of checks and the health reports have in common. */
function commonCheckMembers(world: World, check: AgentCheck) {
  return {
    Node: optionsOf(world).nodeName,
    CheckID: check.check_id,
    Name: check.name,
    Status: check.status,
    Notes: check.notes,
    Output: check.output,
    ServiceID: check.service_id,
    ServiceName: check.service_name,
  }
}

const noIndexes = { CreateIndex: 0, ModifyIndex: 0 }

/** Renders a check as in the list of the agent's checks. */
export function agentCheckRecord(
  world: World,
  dialect: MeshDialect,
  check: AgentCheck,
): Readonly<Record<string, unknown>> {
  return {
    ...commonCheckMembers(world, check),
    ServiceTags: check.service_tags,
    Type: check.type,
    Interval: check.interval,
    Timeout: check.timeout,
    ExposedPort: 0,
    Definition: check.definition,
    ...tenancyOf(world, dialect)(check.namespace),
    ...noIndexes,
  }
}

const zeroDefinition = {
  ...{ Interval: '0s', Timeout: '0s', DeregisterCriticalServiceAfter: '0s', HTTP: '' },
  ...{ Header: null, Method: '', Body: '', TLSServerName: '', TLSSkipVerify: false, TCP: '' },
  ...{ TCPUseTLS: false, UDP: '', GRPC: '', OSService: '', GRPCUseTLS: false },
}

/**
 * Renders a check for replies about the health of agent services. In these replies, the type is
 * empty and the definition has only zero values.
 */
export function healthCheckRecord(world: World, dialect: MeshDialect, check: AgentCheck) {
  const { service_tags: tags } = check
  return {
    ...commonCheckMembers(world, check),
    ServiceTags: tags.length === 0 ? null : tags,
    Type: '',
    ExposedPort: 0,
    Definition: zeroDefinition,
    ...tenancyOf(world, dialect)(check.namespace),
    ...noIndexes,
  }
}
