import type { Service, SharedSettings } from '../services.ts'

/**
 * Returns world options by service, with defaults from settings of the process; explicit options
 * win.
 */
export function withSharedSettings(
  settings: SharedSettings,
  options: Readonly<Record<string, object>>,
  services: readonly Service[],
): Readonly<Record<string, object>> {
  const shared = services.flatMap(({ name, sharedOptions }) =>
    sharedOptions === undefined ? [] : [[name, { ...sharedOptions(settings), ...options[name] }]],
  )
  return { ...options, ...Object.fromEntries(shared) }
}
