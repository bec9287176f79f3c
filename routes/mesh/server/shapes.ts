import { any, bool, constant, list, map, text, uint } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'

/** Shapes of the records of the server (behaviour/mesh#server). */

const indexFields = { CreateIndex: uint, ModifyIndex: uint } as const
const nodeFields = { ID: text, Node: text, Address: text, Datacenter: text } as const

/** A node. */
export const nodeShape = struct({
  ...nodeFields,
  TaggedAddresses: constant(null),
  Meta: map(text),
  ...indexFields,
})

const weights = struct({ Passing: uint, Warning: uint })

/** A service on its node. */
export const serviceShape = struct({
  ID: text,
  Service: text,
  Tags: list(text),
  Address: text,
  Meta: map(text),
  Port: uint,
  Weights: weights,
  EnableTagOverride: bool,
  Proxy: any,
  Connect: any,
  PeerName: text,
  ...indexFields,
})

/** A service with its node. */
export const catalogShape = struct({
  ...nodeFields,
  TaggedAddresses: constant(null),
  NodeMeta: map(text),
  ServiceKind: text,
  ServiceID: text,
  ServiceName: text,
  ServiceTags: list(text),
  ServiceAddress: text,
  ServiceWeights: weights,
  ServiceMeta: map(text),
  ServicePort: uint,
  ServiceSocketPath: text,
  ServiceEnableTagOverride: bool,
  ServiceProxy: any,
  ServiceConnect: any,
  ...indexFields,
})

/** A check of a node. */
export const checkShape = struct({
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
  ExposedPort: uint,
  Definition: any,
  ...indexFields,
})
