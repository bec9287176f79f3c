import { bool, int, map, text, uint } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { tableIndex } from '../../../state/mesh/catalog/catalog-indexes.ts'
import { catalogNodes, catalogServices, nameKey } from '../../../state/mesh/catalog/tables.ts'
import { optionsOf } from '../../../state/mesh/options.ts'
import { requiresAnyOf } from '../access.ts'
import { operationsOf } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/mesh#operator' })

const usageShape = struct({
  Services: int,
  ServiceInstances: int,
  ConnectServiceInstances: map(int),
  BillableServiceInstances: int,
  Nodes: int,
})

const usageReply = struct({
  Usage: map(usageShape),
  Index: uint,
  LastContact: int,
  KnownLeader: bool,
  ConsistencyLevel: text,
  NotModified: bool,
  Backend: int,
  ResultsFilteredByACLs: bool,
})

/** Kinds of instances of the mesh, in order of their names. */
const meshKinds = [
  'api-gateway',
  'connect-native',
  'connect-proxy',
  'ingress-gateway',
  'mesh-gateway',
  'terminating-gateway',
] as const

function usageOf(world: World) {
  const instances = [...world.table(catalogServices).rows()]
  const names = new Set(instances.map(({ namespace, name }) => nameKey(namespace, name)))
  const counts = meshKinds.map((kind) => {
    const isOfKind =
      kind === 'connect-native'
        ? ({ connect }: (typeof instances)[number]) => connect['Native'] === true
        : (instance: (typeof instances)[number]) => instance.kind === kind
    return [kind, instances.filter(isOfKind).length] as const
  })
  return {
    Services: names.size,
    ServiceInstances: instances.length,
    ConnectServiceInstances: Object.fromEntries(counts),
    // The instance of the server itself has no ID.
    BillableServiceInstances: instances.filter(({ id, kind }) => id !== '' && kind === '').length,
    Nodes: [...world.table(catalogNodes).rows()].length,
  }
}

/** Operation that counts the services of the catalog (behaviour/mesh#operator). */
export const usageOperations = [
  operation.get('readUsage', '/operator/usage', {
    access: requiresAnyOf('operator:read'),
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
          const body = {
            Usage: { [datacenter]: usageOf(world) },
            Index: index,
            LastContact: 0,
            KnownLeader: !noLeader,
            ConsistencyLevel,
            NotModified: false,
            Backend: 0,
            ResultsFilteredByACLs: false,
          }
          return { index, body }
        },
        { showsConsistency: true },
      )
    },
  }),
]
