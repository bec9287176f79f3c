import { list, text } from '../kernel/shape/kinds.ts'
import { struct } from '../kernel/shape/members.ts'
import type { StoredOf } from '../kernel/shape/values.ts'
import type { World } from '../kernel/worlds/world.ts'
import { refuse } from './messages.ts'
import { secretsTable } from './table.ts'

/** The origins that may send cross-origin requests (behaviour/secrets#cors). */
const corsSettingsShape = struct({
  /** Exact origins, or only `*` for all. */
  allowed_origins: list(text, { minItems: 1 }),
  /** Allowed request headers in addition to the standard ones. */
  allowed_headers: list(text),
})
export interface CorsSettings extends StoredOf<typeof corsSettingsShape> {}

/** The cluster's one setting, under `cors`; no row exists while CORS is off. */
export const corsSettings = secretsTable('cors', corsSettingsShape)

const corsKey = 'cors'
const anyOrigin = '*'

/** Returns the setting; undefined while CORS is off. */
export function readCors(world: World): CorsSettings | undefined {
  return world.table(corsSettings).get(corsKey)
}

/**
 * Replaces the setting and enables CORS.
 *
 * @throws invalid (a multierror; an internal error in the reference) without an origin, or with `*`
 * among others.
 */
export function enableCors(world: World, settings: CorsSettings): void {
  const { allowed_origins, allowed_headers } = settings
  if (allowed_origins.length === 0) throw refuse('cors-origins-missing')
  if (allowed_origins.includes(anyOrigin) && allowed_origins.length > 1) {
    throw refuse('cors-wildcard-alone')
  }
  world.write(() => world.table(corsSettings).put(corsKey, { allowed_origins, allowed_headers }))
}

/** Disables CORS and deletes the setting, if any. */
export function disableCors(world: World): void {
  world.write(() => world.table(corsSettings).delete(corsKey))
}

/** Returns whether an origin is allowed. */
export function allowsOrigin({ allowed_origins }: CorsSettings, origin: string): boolean {
  return allowed_origins[0] === anyOrigin || allowed_origins.includes(origin)
}
