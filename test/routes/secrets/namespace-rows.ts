import type { World } from '../../../state/kernel/worlds/world.ts'
import { seedNamespaceMounts } from '../../../state/secrets/mounts/start-mounts.ts'
import { type Namespace, namespaces } from '../../../state/secrets/namespaces/namespaces.ts'
import { seedNamespacePolicies } from '../../../state/secrets/policies/policies.ts'

/** Adds a namespace with its initial contents to the state of a world. */
export function addNamespace(world: World, path: string): Namespace {
  const id = path.replaceAll('/', '').padEnd(5, '0').slice(0, 5)
  const namespace: Namespace = { id, path, custom_metadata: {} }
  world.write(() => {
    world.table(namespaces).put(path, namespace)
    seedNamespaceMounts(world, namespace)
    seedNamespacePolicies(world, namespace)
  })
  return namespace
}
