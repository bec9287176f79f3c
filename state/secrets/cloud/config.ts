import { text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, MountRow, walField } from '../mounts/mounts.ts'
import { secretsTable } from '../table.ts'
import { refuse } from './messages.ts'

/** The configuration of a cloud login method (behaviour/secrets#api-cloud). */
const cloudConfigShape = struct({
  /** Only identities of this tenancy may log in. */
  home_tenancy_id: text,
  ...walField,
})

/** Configurations by `<mount uuid>/config`. */
export const cloudConfigTable = secretsTable('cloud-configs', cloudConfigShape)

/** The configurations of mounts. */
export const cloudConfigs = new MountRow(
  cloudConfigTable,
  () => refuse('cloud-not-configured'),
  'config',
)

/**
 * Sets the tenancy whose identities may log in (behaviour/secrets#cloud-config).
 *
 * @throws invalid `Missing homeTenancyId` if it is blank.
 */
export function writeCloudConfig(world: World, mount: Mount, homeTenancyId: string): void {
  if (homeTenancyId.trim() === '') throw refuse('tenancy-missing')
  cloudConfigs.put(world, mount, { home_tenancy_id: homeTenancyId })
}
