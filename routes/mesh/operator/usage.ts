import { int, map } from '../../../state/kernel/shape/kinds.ts'
import { optional, struct } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { tableIndex } from '../../../state/mesh/catalog/catalog-indexes.ts'
import {
  type CatalogService,
  catalogNodes,
  catalogServices,
  nameKey,
} from '../../../state/mesh/catalog/tables.ts'
import { isCommunity, optionsOf } from '../../../state/mesh/options.ts'
import { requires } from '../access.ts'
import { operationsOf } from '../operation.ts'
import { metadataMembers, readMetadata } from '../read-metadata.ts'

const operation = operationsOf({ spec: 'behaviour/mesh#operator' })

const usageShape = struct({
  Services: int,
  ServiceInstances: int,
  ConnectServiceInstances: map(int),
  BillableServiceInstances: int,
  Nodes: int,
  PartitionNamespaceServices: optional(map(map(int))),
  PartitionNamespaceServiceInstances: optional(map(map(int))),
  PartitionNamespaceBillableServiceInstances: optional(map(map(int))),
  PartitionNamespaceConnectServiceInstances: optional(map(map(map(int)))),
})

const usageReply = struct({ Usage: map(usageShape), ...metadataMembers })

/** Kinds of instances that take part in the mesh, sorted as in replies. */
const meshKinds = [
  'api-gateway',
  'connect-native',
  'connect-proxy',
  'ingress-gateway',
  'mesh-gateway',
  'terminating-gateway',
] as const

type Instances = readonly CatalogService[]

/** Counts services. Several instances with one namespace and name count as one service. */
const countServices = (instances: Instances) =>
  new Set(instances.map(({ namespace, name }) => nameKey(namespace, name))).size

/** Counts instances, except proxies, gateways and the server itself, whose ID is empty. */
const countBillable = (instances: Instances) =>
  instances.filter(({ id, kind }) => id !== '' && kind === '').length

/** Counts the instances that take part in the mesh, by kind. */
function countConnected(instances: Instances): Readonly<Record<string, number>> {
  const counts = meshKinds.map((kind) => {
    const isOfKind =
      kind === 'connect-native'
        ? ({ connect }: CatalogService) => connect['Native'] === true
        : (instance: CatalogService) => instance.kind === kind
    return [kind, instances.filter(isOfKind).length] as const
  })
  return Object.fromEntries(counts)
}

function usageOf(world: World) {
  const instances = [...world.table(catalogServices).rows()]
  return {
    Services: countServices(instances),
    ServiceInstances: instances.length,
    ConnectServiceInstances: countConnected(instances),
    BillableServiceInstances: countBillable(instances),
    Nodes: [...world.table(catalogNodes).rows()].length,
    ...(!isCommunity(world) && usageByNamespace(instances)),
  }
}

/** Returns the counts by partition and namespace. Only the enterprise edition has these counts. */
function usageByNamespace(instances: Instances) {
  const namespaces = new Map<string, CatalogService[]>()
  for (const instance of instances) {
    const known = namespaces.get(instance.namespace)
    if (known === undefined) namespaces.set(instance.namespace, [instance])
    else known.push(instance)
  }
  const countEach = <T>(count: (instances: Instances) => T) => ({
    default: Object.fromEntries([...namespaces].map(([name, own]) => [name, count(own)])),
  })
  return {
    PartitionNamespaceServices: countEach(countServices),
    PartitionNamespaceServiceInstances: countEach((own) => own.length),
    PartitionNamespaceBillableServiceInstances: countEach(countBillable),
    PartitionNamespaceConnectServiceInstances: countEach(countConnected),
  }
}

export const usageOperations = [
  operation.get('readUsage', '/operator/usage', {
    access: requires('operator:read'),
    tenancy: 'none',
    summary: 'Count the services, their instances and the nodes.',
    reply: { 200: storedSchema(usageReply) },
    run: ({ context }) => {
      const { query, world } = context
      const { datacenter, noLeader } = optionsOf(world)
      const ConsistencyLevel = query.has('stale')
        ? 'stale'
        : query.has('consistent')
          ? 'consistent'
          : 'leader'
      return context.read(
        () => {
          const index = tableIndex(world, 'services')
          const metadata = readMetadata({ Index: index, KnownLeader: !noLeader, ConsistencyLevel })
          return { index, body: { Usage: { [datacenter]: usageOf(world) }, ...metadata } }
        },
        { showsConsistency: true },
      )
    },
  }),
]
