import type { World } from '../../kernel/worlds/world.ts'
import { invalidAttributes } from '../violations.ts'
import type {
  SettingsAttributes,
  SettingsChanges,
  SettingsDefinition,
  SettingsValues,
} from './definition.ts'
import { settingsWithDefaults, storedSettings, storeSettings } from './settings.ts'

/** Returns the settings of a resource, with defaults for attributes that are not stored. */
export function readSettings<A extends SettingsAttributes>(
  world: World,
  { name, attributes }: SettingsDefinition<A>,
): SettingsValues<A> {
  const defaults = Object.entries(attributes).map(([attribute, { default: value }]) => [
    attribute,
    value,
  ])
  // The cast is safe, because each default has the type of its attribute.
  return settingsWithDefaults(world, name, Object.fromEntries(defaults) as SettingsValues<A>)
}

/**
 * Returns the settings as they would be after a change, including attributes that are never stored.
 * Stores nothing. Throws 422 with all broken rules (behaviour/platform#settings).
 */
export function settingsAfter<A extends SettingsAttributes>(
  world: World,
  definition: SettingsDefinition<A>,
  input: SettingsChanges<A>,
  hasVendorAttributes: boolean,
): SettingsValues<A> {
  const changes = normalizedChanges(definition, input)
  const before = readSettings(world, definition)
  const after = { ...before, ...changes, ...definition.impliedChanges?.(before, changes) }
  const violations = definition.violations?.(after, hasVendorAttributes) ?? []
  if (violations.length > 0) throw invalidAttributes(violations)
  return after
}

/**
 * Stores changed settings, applies the side effects of the change, and returns the new values.
 * Throws like `settingsAfter`.
 */
export function changeSettings<A extends SettingsAttributes>(
  world: World,
  definition: SettingsDefinition<A>,
  input: SettingsChanges<A>,
  hasVendorAttributes: boolean,
): SettingsValues<A> {
  settingsAfter(world, definition, input, hasVendorAttributes)
  const changes = normalizedChanges(definition, input)
  const { name, attributes } = definition
  const before = readSettings(world, definition)
  const stored = Object.entries(changes).filter(
    ([attribute]) => attributes[attribute]?.use !== 'once',
  )
  world.write(() => {
    storeSettings(world, name, {
      ...storedSettings(world, name),
      ...Object.fromEntries(stored),
      ...definition.impliedChanges?.(before, changes),
    })
    definition.onChange?.(world, changes)
  })
  return readSettings(world, definition)
}

function normalizedChanges<A extends SettingsAttributes>(
  definition: SettingsDefinition<A>,
  input: SettingsChanges<A>,
): SettingsChanges<A> {
  return definition.normalize?.(input) ?? input
}
