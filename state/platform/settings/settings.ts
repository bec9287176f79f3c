import { bool, int, map, nullable, text, union } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { platformTable } from '../table.ts'

/** Ids of the resources of the administrative settings (behaviour/platform#api-settings). */
export type SettingsName = 'general' | 'cost-estimation' | 'saml' | 'smtp' | 'sms' | 'customization'

/** Stored values by resource id. Attributes without a stored value have their default. */
export const adminSettings = platformTable(
  'admin-settings',
  struct({ values: map(nullable(union(text, int, bool))) }),
  {
    secrets: { members: ['values'] },
  },
)

/** Returns the stored values of a resource, merged with the given defaults. */
export function settingsWithDefaults<V extends object>(
  world: World,
  name: SettingsName,
  defaults: V,
): V {
  return { ...defaults, ...storedSettings(world, name) }
}

/** Returns the stored values of a resource, without defaults. */
export function storedSettings(
  world: World,
  name: SettingsName,
): Readonly<Record<string, unknown>> {
  return world.table(adminSettings).get(name)?.values ?? {}
}

/** Replaces all stored values of a resource. Must run inside a transaction. */
export function storeSettings(world: World, name: SettingsName, values: object): void {
  world.table(adminSettings).put(name, { values: { ...values } })
}
