import { greatest } from '../../kernel/lists.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { defaultNamespace, namespaceKey } from '../namespaces/namespaces.ts'
import { serviceIndex } from './catalog-indexes.ts'
import {
  type CatalogCheck,
  type CatalogNode,
  type CatalogService,
  catalogChecks,
  catalogNodes,
  catalogServices,
  nameKey,
  nodeKey,
} from './tables.ts'
import { checksOfService } from './writes.ts'

/** Looks up a node by its name, which is case-insensitive, or by its ID. */
export function findNode(world: World, name: string): CatalogNode | undefined {
  const table = world.table(catalogNodes)
  return table.get(nodeKey(name)) ?? table.index('byId').get(name.toLowerCase())
}

/**
 * Index of the services table by which instances are listed: `byName` by the instance's own name,
 * or `byDestination` by the name that a proxy or native instance serves in the mesh.
 */
export type InstanceKind = 'byName' | 'byDestination'

/** Returns the instances of a service, ordered by node and ID. */
export function instancesOf(
  world: World,
  kind: InstanceKind,
  namespace: string,
  name: string,
): readonly CatalogService[] {
  return [...world.table(catalogServices).index(kind).rows(nameKey(namespace, name))]
}

export interface Instance {
  readonly node: CatalogNode
  readonly service: CatalogService
}

export interface InstanceList {
  readonly index: number
  readonly instances: readonly Instance[]
}

/**
 * Returns the instances of a service with their nodes and the index of the list
 * (behaviour/mesh#catalog-index). Instances on unknown nodes are left out.
 *
 * @param wakesForChecks true if a wait wakes for changes of checks as well
 */
export function findInstances(
  world: World,
  kind: InstanceKind,
  namespace: string,
  name: string,
  wakesForChecks: boolean,
): InstanceList {
  const read = (): readonly Instance[] =>
    instancesOf(world, kind, namespace, name).flatMap((service) => {
      const node = world.table(catalogNodes).get(nodeKey(service.node))
      return node === undefined ? [] : [{ node, service }]
    })
  // If changes of checks wake the caller, a read by name observes only the index of the service,
  // because every such change raises that index.
  const isObserved = !wakesForChecks || kind === 'byDestination'
  const instances = isObserved ? read() : world.unobserved(read)
  const names = new Set(instances.map(({ service }) => service.name))
  if (names.size === 0) names.add(name)
  const indexes = [...names].map((each) =>
    serviceIndex(world, namespace, each, instances.length > 0, wakesForChecks),
  )
  return { index: greatest(indexes), instances }
}

const byCheckId = (a: CatalogCheck, b: CatalogCheck) => (a.check_id < b.check_id ? -1 : 1)

/** Returns the checks of an instance and of its node, ordered by ID. The read is not observed. */
export function checksOfInstance(world: World, service: CatalogService): readonly CatalogCheck[] {
  return world.unobserved(() => {
    const { node } = service
    const nodeChecks = checksOfService(world, { node, namespace: defaultNamespace, id: '' })
    const serviceChecks =
      service.id === '' && namespaceKey(service.namespace) === defaultNamespace
        ? []
        : checksOfService(world, service)
    return [...nodeChecks, ...serviceChecks].sort(byCheckId)
  })
}

export function checksOfName(world: World, namespace: string, name: string) {
  const prefix = nameKey(namespace, name)
  return [...world.table(catalogChecks).index('byServiceName').rows(prefix)]
}

/** Returns the checks with a status, regardless of letter case; for `any`, returns all checks. */
export function checksWithStatus(world: World, status: string): readonly CatalogCheck[] {
  const table = world.table(catalogChecks)
  if (status === 'any') return [...table.rows()]
  return [...table.index('byStatus').rows(`${encodeURIComponent(status.toLowerCase())}/`)]
}
