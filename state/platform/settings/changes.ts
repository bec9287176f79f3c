import type { World } from '../../kernel/world.ts'
import { invalidAttributes } from '../faults.ts'
import type {
  SettingsAttributes,
  SettingsChanges,
  SettingsDefinition,
  SettingsValues,
} from './definition.ts'
import { settingsOf, storedSettings, storeSettings } from './settings.ts'

/** Settings as they hold: what was set, and the defaults of the rest. */
export function readSettings<A extends SettingsAttributes>(
  world: World,
  { name, attributes }: SettingsDefinition<A>,
): SettingsValues<A> {
  const defaults = Object.entries(attributes).map(([attribute, { default: value }]) => [
    attribute,
    value,
  ])
  // Every attribute has a default of its type, and what is stored was checked against it.
  return settingsOf(world, name, Object.fromEntries(defaults) as SettingsValues<A>)
}

/**
 * Settings as a change would make them, with what it only uses once. Refuses with an object for each
 * rule that the result breaks (behaviour/platform#settings).
 */
export function settingsAfter<A extends SettingsAttributes>(
  world: World,
  definition: SettingsDefinition<A>,
  sent: SettingsChanges<A>,
  extras: boolean,
): SettingsValues<A> {
  const changes = meaningOf(definition, sent)
  const before = readSettings(world, definition)
  const after = { ...before, ...changes, ...definition.alongWith?.(before, changes) }
  const faults = definition.faults?.(after, extras) ?? []
  if (faults.length > 0) throw invalidAttributes(faults)
  return after
}

/** Changes settings and says how they are now. Refuses as `settingsAfter` does, storing nothing. */
export function changeSettings<A extends SettingsAttributes>(
  world: World,
  definition: SettingsDefinition<A>,
  sent: SettingsChanges<A>,
  extras: boolean,
): SettingsValues<A> {
  settingsAfter(world, definition, sent, extras)
  const changes = meaningOf(definition, sent)
  const { name, attributes } = definition
  const before = readSettings(world, definition)
  const kept = Object.entries(changes).filter(
    ([attribute]) => attributes[attribute]?.use !== 'once',
  )
  world.write(() => {
    storeSettings(world, name, {
      ...storedSettings(world, name),
      ...Object.fromEntries(kept),
      ...definition.alongWith?.(before, changes),
    })
    definition.onChange?.(world, changes)
  })
  return readSettings(world, definition)
}

function meaningOf<A extends SettingsAttributes>(
  definition: SettingsDefinition<A>,
  sent: SettingsChanges<A>,
): SettingsChanges<A> {
  return definition.meant?.(sent) ?? sent
}
