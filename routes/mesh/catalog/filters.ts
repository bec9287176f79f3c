import {
  bool,
  int,
  list,
  map,
  type StructShape,
  text,
  uint,
} from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import { checkMembers } from '../../../state/mesh/catalog/registration.ts'
import { compileMeshFilter } from '../../../state/mesh/filter.ts'
import { refuse } from '../../../state/mesh/messages.ts'
import type { MeshContext } from '../operation.ts'

/** Query parameter of lists that support filters. */
export const filterParameter = {
  filter: described(text, 'Only entries for which this expression is true'),
}

/**
 * Compiles the parameter `filter` of a list. Without a filter, every entry matches. Throws a
 * refusal (500) if the expression is invalid (behaviour/mesh#filters).
 *
 * @param shape the members that a filter may select
 * @param rule rule of the refusal if the expression does not fit the shape
 */
export function filterOf(
  { query }: MeshContext,
  shape: StructShape,
  rule: 'filter-invalid' | 'filter-of-agent-invalid' = 'filter-invalid',
): (entry: unknown) => boolean {
  const expression = query.value('filter') ?? ''
  if (expression === '') return () => true
  const filter = compileMeshFilter(expression, shape)
  if ('problem' in filter) {
    const { problem, isMalformed } = filter
    throw refuse(isMalformed ? 'filter-invalid' : rule, { problem })
  }
  return filter.matches
}

const nodeMembers = {
  ID: text,
  Node: text,
  Address: text,
  Datacenter: text,
  TaggedAddresses: map(text),
} as const

/** Members of a node that filters may select: all except its locality and indexes. */
export const filterableNode = struct({ ...nodeMembers, Meta: map(text) })

export const weights = struct({ Passing: int, Warning: int })
const connect = struct({ Native: bool })
const proxy = struct({
  DestinationServiceID: text,
  DestinationServiceName: text,
  LocalServiceAddress: text,
  LocalServicePort: int,
  Mode: text,
})
export const addresses = map(struct({ Address: text, Port: int }))

export const filterableService = struct({
  ID: text,
  Service: text,
  Kind: text,
  Tags: list(text),
  Address: text,
  TaggedAddresses: addresses,
  Meta: map(text),
  Port: int,
  SocketPath: text,
  Weights: weights,
  EnableTagOverride: bool,
  Proxy: proxy,
  Connect: connect,
  PeerName: text,
})

/** Members that filters may select: those of a service and those of its node. */
export const filterableCatalogEntry = struct({
  ...nodeMembers,
  NodeMeta: map(text),
  ServiceKind: text,
  ServiceID: text,
  ServiceName: text,
  ServiceTags: list(text),
  ServiceAddress: text,
  ServiceTaggedAddresses: addresses,
  ServiceWeights: weights,
  ServiceMeta: map(text),
  ServicePort: int,
  ServiceSocketPath: text,
  ServiceEnableTagOverride: bool,
  ServiceProxy: proxy,
  ServiceConnect: connect,
  PeerName: text,
})

/**
 * Members of a health check that filters may select: all except its definition, namespace,
 * partition and indexes.
 */
export const filterableCheck = struct({
  ...checkMembers,
  ExposedPort: int,
  PeerName: text,
})

/** Members that filters may select in the entries of a service's health list. */
export const filterableHealth = struct({
  Node: filterableNode,
  Service: filterableService,
  Checks: list(filterableCheck),
})

/** Fields that filters may select in a member of the gossip pool. */
export const filterableMember = struct({
  Name: text,
  Addr: text,
  Port: uint,
  Tags: map(text),
  Status: int,
  ProtocolMin: uint,
  ProtocolMax: uint,
  ProtocolCur: uint,
  DelegateMin: uint,
  DelegateMax: uint,
  DelegateCur: uint,
})
