import type { Effect } from '../effect.ts'
import { anyPresets } from './any.ts'
import { meshPresets } from './mesh.ts'
import { platformPresets } from './platform.ts'
import type { Preset } from './preset.ts'
import { schedulerPresets } from './scheduler.ts'
import { secretsPresets } from './secrets.ts'

/** All presets, grouped by API. */
export const presets: readonly Preset[] = [
  ...secretsPresets,
  ...platformPresets,
  ...meshPresets,
  ...schedulerPresets,
  ...anyPresets,
]

const byName: ReadonlyMap<string | null, Preset> = new Map(
  presets.map((preset) => [preset.name, preset]),
)

/** Returns the preset of the given name. */
export function findPreset(name: string): Preset | undefined {
  return byName.get(name)
}

/** Returns the effects of a preset's faults beyond their action; undefined for other faults. */
export function effectOf(name: string | null): Effect | undefined {
  return byName.get(name)?.effect
}
