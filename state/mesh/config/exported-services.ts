import type { World } from '../../kernel/worlds/world.ts'
import { catalogServices } from '../catalog/tables.ts'
import { defaultNamespace, namespaceKey } from '../namespaces/namespaces.ts'
import { isCommunity } from '../options.ts'
import { configEntry, entriesIndex } from './entries.ts'

/**
 * A service, with the sorted names of the peers and partitions that may use it
 * (behaviour/mesh#connect).
 */
interface ExportedService {
  readonly namespace: string
  readonly name: string
  readonly peers: readonly string[]
  readonly partitions: readonly string[]
}

/**
 * Returns the services that a name in the entry covers: for `*`, all services of the namespace
 * except proxies and gateways.
 */
function exportedNames(world: World, namespace: string, name: string): readonly string[] {
  if (name !== '*') return [name]
  const scope = namespaceKey(namespace)
  return [...world.table(catalogServices).rows()]
    .filter((service) => service.kind === '' && namespaceKey(service.namespace) === scope)
    .map((service) => service.name)
}

/**
 * Returns the exported services, ordered by name, and the index of this list. Like the product,
 * never exports the server's own service.
 *
 * @param selfName name of the server's own service in requests
 */
export function exportedServices(world: World, selfName: string) {
  const entry = configEntry(world, 'exported-services', defaultNamespace, 'default')
  const exportsByService = new Map<string, ExportedService>()
  for (const { Name, Namespace, Consumers } of entry?.members.Services ?? []) {
    const namespace = Namespace ?? defaultNamespace
    for (const name of exportedNames(world, namespace, Name)) {
      if (name === '' || name === selfName || (Consumers ?? []).length === 0) continue
      const key = `${name}\0${namespaceKey(namespace)}`
      const known = exportsByService.get(key) ?? { namespace, name, peers: [], partitions: [] }
      const merged = (names: readonly string[], more: readonly (string | undefined)[]) =>
        [...new Set([...names, ...more.filter((each) => each !== undefined && each !== '')])].sort()
      exportsByService.set(key, {
        namespace,
        name,
        peers: merged(
          known.peers,
          (Consumers ?? []).map(({ Peer }) => Peer),
        ) as string[],
        partitions: isCommunity(world)
          ? []
          : (merged(
              known.partitions,
              (Consumers ?? []).map(({ Partition }) => Partition),
            ) as string[]),
      })
    }
  }
  const keys = [...exportsByService.keys()].sort()
  const services = keys.flatMap((key) => exportsByService.get(key) ?? [])
  return { index: entry === undefined ? 1 : entriesIndex(world), services }
}
