import { createHash } from 'node:crypto'
import { instant, nullable, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { newId } from '../ids.ts'
import { platformTable } from '../table.ts'
import { isManaged, type StateResource } from './state-file.ts'
import type { StateVersion } from './state-versions.ts'

export const resourceAttributes = {
  address: text,
  name: text,
  created_at: instant,
  updated_at: instant,
  /** Path of the module without the first `module.`; `root` for the root module. */
  module: text,
  /** Namespace and name, such as `hashicorp/random`. */
  provider: text,
  /** Type of the resource, such as `random_pet`. */
  provider_type: text,
  /** Id of the state version that last changed the resource. */
  modified_by_state_version_id: text,
  name_index: nullable(text),
}

const resourceShape = struct({
  ...resourceAttributes,
  /** Id of the form `wsr-…`. */
  id: text,
  /** SHA-256 of the instance's JSON, which shows whether a new state changes the resource. */
  digest: text,
})

/**
 * A managed resource in the current state of a workspace (behaviour/platform#workspace-resources).
 */
export interface ManagedResource extends StoredOf<typeof resourceShape> {}

/** Managed resources by `<workspace id>/<address>`. */
export const managedResources = platformTable('managed-resources', resourceShape, {
  secrets: 'none',
})

/** Returns the managed resources of a workspace, sorted by address. */
export function managedResourcesOf(world: World, workspace: string): readonly ManagedResource[] {
  return Array.from(world.table(managedResources).rows(`${workspace}/`))
}

/**
 * Replaces the managed resources of a workspace with the managed resources of a state. Rows of
 * unchanged resources stay as they are. Must run inside a transaction.
 */
export function replaceManagedResources(
  world: World,
  { id, workspace }: StateVersion,
  resources: readonly StateResource[],
): void {
  const table = world.table(managedResources)
  const before = new Map(Array.from(table.entries(`${workspace}/`)))
  const now = world.clock.now()
  const kept = new Set<string>()
  for (const { instances, name, module, provider, type } of resources.filter(isManaged)) {
    for (const { address, index, json } of instances) {
      const key = `${workspace}/${address}`
      const digest = createHash('sha256').update(json).digest('hex')
      const existing = before.get(key)
      kept.add(key)
      if (existing?.digest === digest) continue
      table.put(key, {
        id: existing?.id ?? newId(world, 'wsr'),
        address,
        name,
        created_at: existing?.created_at ?? now,
        updated_at: now,
        module,
        provider: shortProvider(provider),
        provider_type: type,
        modified_by_state_version_id: id,
        name_index: index,
        digest,
      })
    }
  }
  for (const key of before.keys()) if (!kept.has(key)) table.delete(key)
}

/**
 * Returns the namespace and name of a provider, such as `hashicorp/null` for
 * `provider["…/hashicorp/null"]` in a state file. Returns a text of any other form unchanged.
 */
function shortProvider(provider: string): string {
  return /\["(?:[^"/]+\/)?([^"/]+\/[^"/]+)"\]/.exec(provider)?.[1] ?? provider
}
