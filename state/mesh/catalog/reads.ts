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

/** Returns a node by its name, which is compared without case, or by its ID. */
export function nodeNamed(world: World, name: string): CatalogNode | undefined {
  const table = world.table(catalogNodes)
  return table.get(nodeKey(name)) ?? table.index('byId').get(name.toLowerCase())
}

/** Instances of a service that a read lists: those with the name, or its proxies in the mesh. */
export type InstanceKind = 'byName' | 'byDestination'

/** Returns the instances of a service by node and ID. */
export function instancesOf(
  world: World,
  kind: InstanceKind,
  namespace: string,
  name: string,
): readonly CatalogService[] {
  return [...world.table(catalogServices).index(kind).rows(nameKey(namespace, name))]
}

/** An instance of a service with its node. */
export interface Instance {
  readonly node: CatalogNode
  readonly service: CatalogService
}

/** Instances of a service, with the index of the read. */
export interface InstanceList {
  readonly index: number
  readonly instances: readonly Instance[]
}

/**
 * Returns the instances of a service with their nodes (behaviour/mesh#catalog-index).
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
  // A read by name observes only its index, which every change raises.
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

/** Returns the checks of an instance and of its node, by ID. The read is not observed. */
export function checksOfInstance(world: World, service: CatalogService): readonly CatalogCheck[] {
  return world.unobserved(() => {
    const { node } = service
    const ofNode = checksOfService(world, { node, namespace: defaultNamespace, id: '' })
    const ofService =
      service.id === '' && namespaceKey(service.namespace) === defaultNamespace
        ? []
        : checksOfService(world, service)
    return [...ofNode, ...ofService].sort(byCheckId)
  })
}

/** Returns the checks of all instances of a service. */
export function checksOfName(world: World, namespace: string, name: string) {
  const prefix = nameKey(namespace, name)
  return [...world.table(catalogChecks).index('byServiceName').rows(prefix)]
}

/** Returns the checks with a status, which is compared without case; `any` stands for all. */
export function checksWithStatus(world: World, status: string): readonly CatalogCheck[] {
  const table = world.table(catalogChecks)
  if (status === 'any') return [...table.rows()]
  return [...table.index('byStatus').rows(`${encodeURIComponent(status.toLowerCase())}/`)]
}
