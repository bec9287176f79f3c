import { formatGoDuration } from '../../go/duration.ts'
import type { Json } from '../../kernel/json.ts'
import { any, bool, duration, int, list, map, text } from '../../kernel/shape/kinds.ts'
import { partial, secret, struct } from '../../kernel/shape/members.ts'
import type { ParsedOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { isAnyAddress } from '../agent/service-input.ts'
import { refuse } from '../messages.ts'
import { defaultNamespace } from '../namespaces/namespaces.ts'
import {
  type CatalogCheck,
  type CatalogNode,
  type CatalogService,
  catalogNodes,
  catalogServices,
  instanceKey,
  nodeKey,
  type WithoutIndexes,
} from './tables.ts'
import { storedAddresses, taggedAddressesInput } from './tagged-addresses.ts'

const definition = partial(
  struct('HealthCheckDefinition', {
    HTTP: text,
    TLSServerName: text,
    TLSSkipVerify: bool,
    Header: map(list(text)),
    Method: text,
    Body: text,
    DisableRedirects: bool,
    TCP: text,
    TCPUseTLS: bool,
    UDP: text,
    H2PING: text,
    OSService: text,
    H2PingUseTLS: bool,
    Interval: duration,
    OutputMaxSize: int,
    Timeout: duration,
    DeregisterCriticalServiceAfter: duration,
    ScriptArgs: list(text),
    DockerContainerID: text,
    Shell: text,
    GRPC: text,
    GRPCUseTLS: bool,
    AliasNode: text,
    AliasService: text,
    TTL: duration,
  }),
)

/** Members of a health check in registrations, replies and filters alike. */
export const checkMembers = {
  Node: text,
  CheckID: text,
  Name: text,
  Status: text,
  Notes: text,
  Output: text,
  ServiceID: text,
  ServiceName: text,
  ServiceTags: list(text),
  Type: text,
  Interval: text,
  Timeout: text,
} as const

const check = partial(
  struct('HealthCheck', {
    ...checkMembers,
    ExposedPort: int,
    PeerName: text,
    Definition: definition,
    Namespace: text,
    Partition: text,
    CreateIndex: any,
    ModifyIndex: any,
  }),
)

const locality = partial(struct('Locality', { Region: text, Zone: text }))

const service = partial(
  struct('NodeService', {
    Kind: text,
    ID: text,
    Service: text,
    Tags: list(text),
    Address: text,
    TaggedAddresses: taggedAddressesInput,
    Meta: map(text),
    Port: int,
    SocketPath: text,
    Weights: partial(struct('Weights', { Passing: int, Warning: int })),
    EnableTagOverride: bool,
    Proxy: map(any),
    Connect: map(any),
    Locality: locality,
    PeerName: text,
    Namespace: text,
    Partition: text,
    CreateIndex: any,
    ModifyIndex: any,
  }),
)

/** Body of `PUT /v1/catalog/register`. */
export const registerRequest = partial(
  struct('RegisterRequest', {
    Datacenter: text,
    ID: text,
    Node: text,
    Address: text,
    TaggedAddresses: map(text),
    NodeMeta: map(text),
    Service: service,
    Check: check,
    Checks: list(check),
    SkipNodeUpdate: bool,
    Locality: locality,
    ...{ Partition: text, PeerName: text, Token: secret(text), CreateIndex: any, ModifyIndex: any },
  }),
)

export type RegisterInput = ParsedOf<typeof registerRequest>

export type CatalogServiceInput = NonNullable<RegisterInput['Service']>

export type CatalogCheckInput = NonNullable<RegisterInput['Check']>

/** Throws a refusal for a node without a name or with an ID that does not have 36 characters. */
export function validateNode({ Node = '', ID = '' }: { Node?: string; ID?: string }): void {
  if (Node === '') throw refuse('catalog-node-unsaid')
  if (ID !== '' && ID.length !== 36) throw refuse('node-id-invalid')
}

/**
 * Returns the node that a registration stores; undefined if `SkipNodeUpdate` keeps the existing
 * node. Throws a refusal if the node is invalid.
 */
export function catalogNodeOf(
  world: World,
  input: RegisterInput,
): WithoutIndexes<CatalogNode> | undefined {
  const { Node = '', ID = '', Address = '', SkipNodeUpdate = false } = input
  validateNode(input)
  if (Address === '' && !SkipNodeUpdate) throw refuse('node-address-unsaid')
  if (SkipNodeUpdate && world.table(catalogNodes).has(nodeKey(Node))) return undefined
  const { TaggedAddresses = null, NodeMeta = null, Locality } = input
  return {
    ...{ id: ID, node: Node, address: Address, tagged_addresses: TaggedAddresses, meta: NodeMeta },
    ...(Locality !== undefined && { locality: { ...Locality } }),
  }
}

const maximumWeight = 65_535

/**
 * Returns the weights of a service. A missing weight counts as 0. If `Passing` is not from 1 to
 * 65535 or `Warning` not from 0 to 65535, both are 1.
 */
function weightsOf({ Passing = 0, Warning = 0 }: NonNullable<CatalogServiceInput['Weights']> = {}) {
  const isValid =
    Passing >= 1 && Passing <= maximumWeight && Warning >= 0 && Warning <= maximumWeight
  return isValid ? { Passing, Warning } : { Passing: 1, Warning: 1 }
}

/**
 * Converts a service in a registration to its stored form. Throws a refusal if the service has no
 * name or its address is a wildcard.
 *
 * @param toStoredName returns the stored form of a name or ID; this form is empty for the server's
 *   own service
 */
export function catalogServiceOf(
  node: string,
  input: CatalogServiceInput,
  namespace: string,
  toStoredName: (name: string) => string,
): WithoutIndexes<CatalogService> {
  const { Service: serviceName = '', ID = '', Address = '', Weights, Locality } = input
  if (serviceName === '') throw refuse('service-name-unsaid')
  if (isAnyAddress(Address)) throw refuse('catalog-address-invalid')
  return {
    node,
    namespace,
    id: toStoredName(ID || serviceName),
    name: toStoredName(serviceName),
    kind: input.Kind ?? '',
    tags: [...(input.Tags ?? [])],
    address: Address,
    tagged_addresses: storedAddresses(input.TaggedAddresses),
    meta: input.Meta ?? null,
    port: input.Port ?? 0,
    socket_path: input.SocketPath ?? '',
    weights: weightsOf(Weights),
    enable_tag_override: input.EnableTagOverride ?? false,
    proxy: input.Proxy ?? {},
    connect: input.Connect ?? {},
    ...(Locality !== undefined && { locality: { ...Locality } }),
  }
}

/** Types of checks, each with the member of the definition that selects it. */
const typesByDefinition = [
  ['GRPC', 'grpc'],
  ['HTTP', 'http'],
  ['TCP', 'tcp'],
  ['UDP', 'udp'],
  ['H2PING', 'h2ping'],
] as const

/**
 * Converts a definition to its stored form: without empty strings and false values, and with
 * durations as strings.
 */
function storedDefinition(input: ParsedOf<typeof definition>): Readonly<Record<string, Json>> {
  const members = Object.entries(input as Readonly<Record<string, Json>>).map(
    ([name, value]): [string, Json] => [
      name,
      typeof value === 'number' && name !== 'OutputMaxSize' ? formatGoDuration(value) : value,
    ],
  )
  return Object.fromEntries(members.filter(([, value]) => value !== '' && value !== false))
}

/**
 * Converts a check in a registration to its stored form. Throws a refusal if the check names
 * another node, has neither ID nor name, or belongs to a service that neither the catalog nor the
 * registration has.
 *
 * @param addedService the service in the registration
 */
export function catalogCheckOf(
  world: World,
  node: string,
  input: CatalogCheckInput,
  namespace: string,
  addedService: WithoutIndexes<CatalogService> | undefined,
): WithoutIndexes<CatalogCheck> {
  const { ServiceID = '', Name = '', Definition = {} } = input
  const id = input.CheckID || Name
  if ((input.Node ?? '') !== '' && nodeKey(input.Node ?? '') !== nodeKey(node)) {
    throw refuse('check-node-differs', { node, check: id, other: input.Node ?? '' })
  }
  if (id === '') throw refuse('check-id-missing', { node })
  const isAdded = addedService !== undefined && addedService.id === ServiceID && ServiceID !== ''
  const owningService = isAdded
    ? addedService
    : world.table(catalogServices).get(instanceKey(node, namespace, ServiceID))
  if (ServiceID !== '' && owningService === undefined) {
    throw refuse('check-service-unknown', { service: ServiceID, check: id })
  }
  const hasService = ServiceID !== '' && owningService !== undefined
  const type = typesByDefinition.find(([member]) => Definition[member])?.[1] ?? ''
  return {
    node,
    namespace: hasService ? owningService.namespace : defaultNamespace,
    check_id: id,
    name: Name,
    status: input.Status || 'critical',
    notes: input.Notes ?? '',
    output: input.Output ?? '',
    service_id: ServiceID,
    service_name: hasService ? owningService.name : '',
    service_tags: hasService ? owningService.tags : [],
    type: input.Type || type,
    interval: input.Interval ?? '',
    timeout: input.Timeout ?? '',
    definition: storedDefinition(Definition),
  }
}
