import {
  any,
  bool,
  int,
  list,
  map,
  nullable,
  text,
  uint,
} from '../../../state/kernel/shape/kinds.ts'
import { optional, struct } from '../../../state/kernel/shape/members.ts'
import { checkMembers } from '../../../state/mesh/catalog/registration.ts'
import { addresses, weights } from './filters.ts'

const indexFields = { CreateIndex: uint, ModifyIndex: uint } as const
/** Namespace and partition. The community edition shows neither. */
export const tenancyFields = { Namespace: optional(text), Partition: optional(text) } as const
const nodeFields = { ID: text, Node: text, Address: text, Datacenter: text } as const

export const nodeShape = struct({
  ...nodeFields,
  TaggedAddresses: nullable(map(text)),
  Meta: nullable(map(text)),
  Locality: optional(any),
  ...indexFields,
})

export const serviceShape = struct({
  Kind: optional(text),
  ID: text,
  Service: text,
  Tags: list(text),
  Address: text,
  TaggedAddresses: optional(addresses),
  Meta: nullable(map(text)),
  Port: optional(int),
  SocketPath: optional(text),
  Weights: weights,
  EnableTagOverride: bool,
  Proxy: any,
  Connect: any,
  PeerName: text,
  Locality: optional(any),
  ...tenancyFields,
  ...indexFields,
})

/** An instance of a service with its node, as one flat object. */
export const catalogShape = struct({
  ...nodeFields,
  TaggedAddresses: nullable(map(text)),
  NodeMeta: nullable(map(text)),
  ServiceKind: text,
  ServiceID: text,
  ServiceName: text,
  ServiceTags: list(text),
  ServiceAddress: text,
  ServiceTaggedAddresses: optional(addresses),
  ServiceWeights: weights,
  ServiceMeta: map(text),
  ServicePort: int,
  ServiceSocketPath: text,
  ServiceEnableTagOverride: bool,
  ServiceProxy: any,
  ServiceConnect: any,
  ServiceLocality: nullable(any),
  ...tenancyFields,
  ...indexFields,
})

export const checkShape = struct({
  ...checkMembers,
  ExposedPort: uint,
  Definition: any,
  ...tenancyFields,
  ...indexFields,
})
