import type { World } from '../kernel/worlds/world.ts'

/** Digits and letters without those that are easily taken for others. */
const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** The prefixes of the platform's ids (behaviour/platform#ids). */
type IdPrefix =
  | 'trun'
  | 'cv'
  | 'var'
  | 'mod'
  | 'modver'
  | 'tc'
  | 'user'
  | 'team'
  | 'at'
  | 'oc'
  | 'ot'
  | 'org'
  | 'prj'
  | 'ws'
  | 'nocode'

/** A new id: prefix, hyphen and 16 characters. */
export function newId(world: World, prefix: IdPrefix): string {
  return `${prefix}-${world.ids.text(16, base58)}`
}

/** Text that nobody guesses, safe in URLs: object addresses and tokens. */
export function newSecret(world: World, length = 48): string {
  return world.ids.text(length, base58)
}
