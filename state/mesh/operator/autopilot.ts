import { MILLISECOND, SECOND } from '../../go/duration.ts'
import { bool, int, text, uint } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { meshTable, nextIndex } from '../indexes.ts'
import { serverOf } from '../server.ts'

const settingsShape = {
  cleanup_dead_servers: bool,
  /** Duration in nanoseconds. */
  last_contact_threshold: int,
  max_trailing_logs: uint,
  min_quorum: uint,
  /** Duration in nanoseconds. */
  server_stabilization_time: int,
  redundancy_zone_tag: text,
  disable_upgrade_migration: bool,
  upgrade_version_tag: text,
} as const

export const configurationShape = struct({
  ...settingsShape,
  create_index: uint,
  modify_index: uint,
})

/**
 * Configuration of autopilot (behaviour/mesh#operator). The mock stores the configuration and
 * returns it, but the configuration has no effect.
 */
interface AutopilotConfiguration extends StoredOf<typeof configurationShape> {}

type AutopilotSettings = Omit<AutopilotConfiguration, 'create_index' | 'modify_index'>

/**
 * Configuration that a client has set, in one row under the empty key. The default configuration
 * applies if the table is empty.
 */
export const autopilotConfigurations = meshTable('autopilot', configurationShape, {
  secrets: 'none',
})

const defaultSettings: AutopilotSettings = {
  cleanup_dead_servers: true,
  last_contact_threshold: 200 * MILLISECOND,
  max_trailing_logs: 250,
  min_quorum: 0,
  server_stabilization_time: 10 * SECOND,
  redundancy_zone_tag: '',
  disable_upgrade_migration: false,
  upgrade_version_tag: '',
}

/** Returns the configuration of autopilot; the default if no client has replaced it. */
export function autopilotConfiguration(world: World): AutopilotConfiguration {
  const { index } = serverOf(world)
  return (
    world.table(autopilotConfigurations).get('') ?? {
      ...defaultSettings,
      create_index: index,
      modify_index: index,
    }
  )
}

/**
 * Replaces the configuration of autopilot.
 *
 * @param cas ModifyIndex that the current configuration must have; undefined to replace any
 *   configuration
 * @returns false if the current configuration has another ModifyIndex; otherwise true
 */
export function replaceAutopilotConfiguration(
  world: World,
  settings: AutopilotSettings,
  cas: number | undefined,
): boolean {
  const { create_index, modify_index } = autopilotConfiguration(world)
  if (cas !== undefined && cas !== modify_index) return false
  return world.write(() => {
    const row = { ...settings, create_index, modify_index: nextIndex(world) }
    world.table(autopilotConfigurations).put('', row)
    return true
  })
}
