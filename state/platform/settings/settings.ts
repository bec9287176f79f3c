import { bool, int, map, nullable, text, union } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { platformTable } from '../table.ts'

/**
 * Names of the administrative settings, which are also the resources' ids
 * (behaviour/platform#api-settings).
 */
export type SettingsName = 'general' | 'cost-estimation' | 'saml' | 'smtp' | 'sms' | 'customization'

/**
 * Changed settings, by name of the settings and attribute. Attributes without a row have their
 * default.
 */
export const adminSettings = platformTable(
  'admin-settings',
  struct({ values: map(nullable(union(text, int, bool))) }),
  {
    secrets: { members: ['values'] },
  },
)

/** Returns the current settings: stored values over the defaults. */
export function settingsWithDefaults<V extends object>(
  world: World,
  name: SettingsName,
  defaults: V,
): V {
  return { ...defaults, ...storedSettings(world, name) }
}

/** Returns the stored values by attribute. Attributes without a stored value have their default. */
export function storedSettings(
  world: World,
  name: SettingsName,
): Readonly<Record<string, unknown>> {
  return world.table(adminSettings).get(name)?.values ?? {}
}

/** Stores settings as a whole. Must run inside a transaction. */
export function storeSettings(world: World, name: SettingsName, values: object): void {
  world.table(adminSettings).put(name, { values: { ...values } })
}
