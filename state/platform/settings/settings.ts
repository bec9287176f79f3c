import { defineTable } from '../../kernel/table.ts'
import type { World } from '../../kernel/world.ts'

/** Names of the administrative settings; the resources' ids (2-platform.md, Administrative settings). */
export type SettingsName = 'general' | 'cost-estimation' | 'saml' | 'smtp' | 'sms' | 'customization'

/** What was set, by attribute; the rest has its default. */
interface StoredSettings {
  readonly values: Readonly<Record<string, unknown>>
}

/** By name. */
export const adminSettings = defineTable<StoredSettings>({
  service: 'platform',
  name: 'admin-settings',
  schema: {
    type: 'object',
    required: ['values'],
    additionalProperties: false,
    properties: {
      values: {
        type: 'object',
        additionalProperties: { type: ['string', 'integer', 'boolean', 'null'] },
      },
    },
  },
})

/** Settings as they hold: what was set over the defaults. */
export function settingsOf<V extends object>(world: World, name: SettingsName, defaults: V): V {
  return { ...defaults, ...storedSettings(world, name) }
}

/** What was set, by attribute; the rest has its default. */
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
