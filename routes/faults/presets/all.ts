import type { Effect } from '../effect.ts'
import { anyPresets } from './any.ts'
import { meshPresets } from './mesh.ts'
import { platformPresets } from './platform.ts'
import type { Preset } from './preset.ts'
import { schedulerPresets } from './scheduler.ts'
import { secretsPresets } from './secrets.ts'

/** Every preset, API by API. */
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

/** The preset with a name. */
export function findPreset(name: string): Preset | undefined {
  return byName.get(name)
}

/** The things that the faults of a preset do beyond their action; undefined for other faults. */
export function effectOf(name: string | null): Effect | undefined {
  return byName.get(name)?.effect
}
