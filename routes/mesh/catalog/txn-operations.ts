import {
  any,
  bool,
  duration,
  int,
  list,
  map,
  text,
  uint,
} from '../../../state/kernel/shape/kinds.ts'
import { partial, struct } from '../../../state/kernel/shape/members.ts'
import type { ParsedOf } from '../../../state/kernel/shape/values.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { taggedAddressesInput } from '../../../state/mesh/catalog/tagged-addresses.ts'
import {
  checkTxnOperation,
  nodeTxnOperation,
  serviceTxnOperation,
} from '../../../state/mesh/catalog/transactions.ts'
import type { TxnObject, TxnOperation } from '../../../state/mesh/transactions.ts'
import type { MeshDialect } from '../dialect.ts'
import { type CatalogRecords, recordsOf, withNulls } from './records.ts'

const tenancyMembers = { PeerName: text, Namespace: text, Partition: text } as const
const indexMembers = { CreateIndex: uint, ModifyIndex: uint } as const
const locality = partial(struct('Locality', { Region: text, Zone: text }))

const nodeOperation = partial(
  struct('NodeTxnOp', {
    Verb: text,
    Node: partial(
      struct('Node', {
        ...{ ID: text, Node: text, Address: text, Datacenter: text },
        ...{ TaggedAddresses: map(text), Meta: map(text), Locality: locality },
        ...{ Partition: text, PeerName: text },
        ...indexMembers,
      }),
    ),
  }),
)

const serviceOperation = partial(
  struct('ServiceTxnOp', {
    Verb: text,
    Node: text,
    Service: partial(
      struct('AgentService', {
        ...{ Kind: text, ID: text, Service: text, Tags: list(text), Meta: map(text), Port: int },
        ...{ Address: text, SocketPath: text },
        TaggedAddresses: taggedAddressesInput,
        Weights: partial(struct('AgentWeights', { Passing: int, Warning: int })),
        ...{ EnableTagOverride: bool, ContentHash: text, Proxy: map(any), Connect: map(any) },
        ...{ Datacenter: text, Locality: locality },
        ...tenancyMembers,
        ...indexMembers,
      }),
    ),
  }),
)

const checkOperation = partial(
  struct('CheckTxnOp', {
    Verb: text,
    Check: partial(
      struct('HealthCheck', {
        ...{ Node: text, CheckID: text, Name: text, Status: text, Notes: text, Output: text },
        ...{ ServiceID: text, ServiceName: text, ServiceTags: list(text), Type: text },
        ExposedPort: int,
        Definition: partial(
          struct('HealthCheckDefinition', {
            ...{ HTTP: text, Header: map(list(text)), Method: text, Body: text },
            ...{ TLSServerName: text, TLSSkipVerify: bool, TCP: text, TCPUseTLS: bool },
            ...{ UDP: text, GRPC: text, OSService: text, GRPCUseTLS: bool, SessionName: text },
            ...{ Interval: duration, Timeout: duration },
            DeregisterCriticalServiceAfter: duration,
            ...{ IntervalDuration: duration, TimeoutDuration: duration },
            DeregisterCriticalServiceAfterDuration: duration,
          }),
        ),
        ...tenancyMembers,
        ...indexMembers,
      }),
    ),
  }),
)

/** Members of a transaction's operation that name an object of the catalog. */
export const catalogTxnMembers = {
  Node: nodeOperation,
  Service: serviceOperation,
  Check: checkOperation,
} as const

const operations = partial(struct('TxnOp', catalogTxnMembers))

/** Members of `Proxy` that the reference keeps in a transaction. Other members are dropped. */
const proxyMembers: ReadonlySet<string> = new Set([
  'DestinationServiceName',
  'DestinationServiceID',
  'LocalServiceAddress',
  'LocalServicePort',
  'LocalServiceSocketPath',
  'MeshGateway',
  'TransparentProxy',
])

/** A parsed operation whose default namespace is unknown until the caller is resolved. */
export interface ParsedTxnOperation {
  readonly isRead: boolean
  /** @param fallback the namespace of operations that name no namespace */
  inNamespace(fallback: string): TxnOperation
}

function parsedOperation(
  verb: string,
  toOperation: (fallback: string) => TxnOperation,
): ParsedTxnOperation {
  return { isRead: verb === 'get', inNamespace: toOperation }
}

/**
 * Parses an operation on the catalog. Returns undefined if the operation names no object. If the
 * operation names several objects, a node takes precedence over a service, and a service over a
 * check (behaviour/mesh#transactions).
 */
export function parseCatalogOperation(
  {
    Node: nodeOperation,
    Service: serviceOperation,
    Check: checkOperation,
  }: ParsedOf<typeof operations>,
  { product }: MeshDialect,
): ParsedTxnOperation | undefined {
  if (nodeOperation !== undefined) {
    const { Verb: verb = '', Node = {} } = nodeOperation
    const operation = nodeTxnOperation({ verb, index: Node.ModifyIndex ?? 0 }, Node)
    return parsedOperation(verb, () => operation)
  }
  if (serviceOperation !== undefined) {
    const { Verb: verb = '', Node: node = '', Service = {} } = serviceOperation
    const { Proxy: proxy = {}, Weights, Namespace = '' } = Service
    const input = {
      ...{ Kind: Service.Kind ?? '', ID: Service.ID ?? '', Service: Service.Service ?? '' },
      ...{ Tags: Service.Tags ?? [], Address: Service.Address ?? '', Port: Service.Port ?? 0 },
      ...(Service.Meta !== undefined && { Meta: Service.Meta }),
      ...(Weights !== undefined && { Weights }),
      EnableTagOverride: Service.EnableTagOverride ?? false,
      Proxy: Object.fromEntries(Object.entries(proxy).filter(([name]) => proxyMembers.has(name))),
    }
    return parsedOperation(verb, (fallback) => {
      const place = { node, namespace: Namespace || fallback, product }
      return serviceTxnOperation({ verb, index: Service.ModifyIndex ?? 0 }, place, input)
    })
  }
  if (checkOperation === undefined) return undefined
  const { Verb: verb = '', Check = {} } = checkOperation
  const { Namespace = '', Definition = {}, Node: node = '' } = Check
  const input = { ...Check, Definition: storedDefinition(Definition) }
  return parsedOperation(verb, (fallback) => {
    const place = { node, namespace: Namespace || fallback, product }
    return checkTxnOperation({ verb, index: Check.ModifyIndex ?? 0 }, place, input)
  })
}

type CheckDefinition = NonNullable<
  NonNullable<ParsedOf<typeof checkOperation>['Check']>['Definition']
>

/**
 * Converts the definition of a check in a transaction to the form in a registration. Drops `UDP`
 * and `SessionName`. Gives each duration its name in registrations: in a transaction, `Interval`
 * can also be called `IntervalDuration`, for example.
 */
function storedDefinition(sent: CheckDefinition) {
  const { UDP: _, SessionName: __, ...members } = sent
  const { IntervalDuration, TimeoutDuration, ...others } = members
  const { DeregisterCriticalServiceAfterDuration, ...definition } = others
  const Interval = definition.Interval || IntervalDuration
  const Timeout = definition.Timeout || TimeoutDuration
  const DeregisterCriticalServiceAfter =
    definition.DeregisterCriticalServiceAfter || DeregisterCriticalServiceAfterDuration
  return {
    ...definition,
    ...(Interval !== undefined && { Interval }),
    ...(Timeout !== undefined && { Timeout }),
    ...(DeregisterCriticalServiceAfter !== undefined && { DeregisterCriticalServiceAfter }),
  }
}

/**
 * Returns a function that renders the results of operations on the catalog. Empty tags are null in
 * these results.
 */
export function txnResultRenderer(world: World, dialect: MeshDialect) {
  const records: CatalogRecords = recordsOf(world, dialect)
  return (object: Exclude<TxnObject, { kind: 'KV' }>): string => {
    switch (object.kind) {
      case 'Node':
        return `{"Node":${records.node(object.row).json}}`
      case 'Service':
        return `{"Service":${JSON.stringify(withNulls(records.service(object.row).record, 'Tags'))}}`
      case 'Check':
        return `{"Check":${JSON.stringify(withNulls(records.check(object.row).record, 'ServiceTags'))}}`
    }
  }
}
