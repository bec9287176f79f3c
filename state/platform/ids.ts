import { createHash } from 'node:crypto'
import type { World } from '../kernel/worlds/world.ts'

/** Base58 alphabet: digits and letters without the ones that look alike. */
const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** Prefixes of the platform's ids (behaviour/platform#ids). */
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
  | 'agent'
  | 'apool'
  | 'apply'
  | 'asmtres'
  | 'ce'
  | 'ia'
  | 'nc'
  | 'ncvaropt'
  | 'nocode'
  | 'ou'
  | 'plan'
  | 'pol'
  | 'polchk'
  | 'poleval'
  | 'polset'
  | 'polsetver'
  | 'prov'
  | 'provpltfrm'
  | 'provver'
  | 're'
  | 'rt'
  | 'run'
  | 'sshkey'
  | 'sv'
  | 'tag'
  | 'task'
  | 'taskrs'
  | 'taskrso'
  | 'tb'
  | 'tprj'
  | 'tool'
  | 'ts'
  | 'tws'
  | 'varset'
  | 've'
  | 'wsc'
  | 'wsout'
  | 'wsr'
  | 'wstask'

/** Returns a new id: prefix, hyphen and 16 characters. */
export function newId(world: World, prefix: IdPrefix): string {
  return `${prefix}-${world.ids.text(16, base58)}`
}

/**
 * Returns the id of an object that exists at most once for its parts, such as the membership of a
 * user in an organization. Takes nothing from the world's random ids.
 */
export function derivedId(prefix: IdPrefix, ...parts: readonly string[]): string {
  const digest = createHash('sha256').update(parts.join('/')).digest().subarray(0, 16)
  return `${prefix}-${Array.from(digest, (byte) => base58[byte % base58.length]).join('')}`
}

/** Returns a random string of base58 characters for an object's address or a token. */
export function newSecret(world: World, length = 48): string {
  return world.ids.text(length, base58)
}
