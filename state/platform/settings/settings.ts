import { bool, int, map, nullable, text, union } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'

/** Names of the administrative settings; the resources' ids (behaviour/platform#api-settings). */
export type SettingsName = 'general' | 'cost-estimation' | 'saml' | 'smtp' | 'sms' | 'customization'

/**
 * The settings that were changed, by name of the settings and attribute; the rest has its default.
 */
export const adminSettings = defineTable({
  service: 'platform',
  name: 'admin-settings',
  shape: struct({ values: map(nullable(union(text, int, bool))) }),
})

/** Settings as they hold: what was set over the defaults. */
export function settingsWithDefaults<V extends object>(
  world: World,
  name: SettingsName,
  defaults: V,
): V {
  return { ...defaults, ...storedSettings(world, name) }
}

/** Returns what was set, by attribute; the rest has its default. */
export function storedSettings(
  world: World,
  name: SettingsName,
): Readonly<Record<string, unknown>> {
  return world.table(adminSettings).get(name)?.values ?? {}
}

/** Stores settings as a whole; part of a transaction. */
export function storeSettings(world: World, name: SettingsName, values: object): void {
  world.table(adminSettings).put(name, { values: { ...values } })
}
