import { text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { Stored } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/table.ts'
import type { World } from '../../kernel/world.ts'
import { type Mount, nextWal, storagePrefix, written } from '../mounts/mounts.ts'
import { refuse } from './texts.ts'

/**
 * The set-up of a mount of the cloud-identity method (behaviour/secrets#api-cloud).
 */
const cloudConfigShape = struct({
  /** Only identities of this tenancy may log in. */
  home_tenancy_id: text,
  ...written,
})
interface CloudConfig extends Stored<typeof cloudConfigShape> {}

/** By `<mount uuid>/config`. */
export const cloudConfigs = defineTable({
  service: 'secrets',
  name: 'cloud-configs',
  shape: cloudConfigShape,
})

const keyOf = (mount: Mount): string => `${storagePrefix(mount)}config`

/** The configuration of a mount; undefined before there is one. */
export function findCloudConfig(world: World, mount: Mount): CloudConfig | undefined {
  return world.table(cloudConfigs).get(keyOf(mount))
}

/** The configuration of a mount; refuses with `absent`. */
export function readCloudConfig(world: World, mount: Mount): CloudConfig {
  const config = findCloudConfig(world, mount)
  if (config === undefined) throw refuse('cloud-not-configured')
  return config
}

/**
 * Sets the tenancy whose identities may log in (behaviour/secrets#cloud-config).
 *
 * @throws invalid `Missing homeTenancyId` when it is blank.
 */
export function writeCloudConfig(world: World, mount: Mount, homeTenancyId: string): void {
  if (homeTenancyId.trim() === '') throw refuse('tenancy-missing')
  world.write(() => {
    const config = { home_tenancy_id: homeTenancyId, wal: nextWal(world) }
    world.table(cloudConfigs).put(keyOf(mount), config)
  })
}

/** Takes the configuration away; without one it is fine. */
export function deleteCloudConfig(world: World, mount: Mount): void {
  world.write(() => world.table(cloudConfigs).delete(keyOf(mount)))
}
