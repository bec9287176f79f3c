import { createHash } from 'node:crypto'
import type { World } from '../kernel/worlds/world.ts'

/** Base58 alphabet: without 0, O, I and l, which look like other characters. */
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

/** Returns a new id: the prefix, a hyphen and 16 base58 characters. */
export function newId(world: World, prefix: IdPrefix): string {
  return `${prefix}-${world.ids.text(16, base58)}`
}

/**
 * Returns an id derived from the given parts, for an object that exists at most once for these
 * parts, such as the membership of a user in an organization. Does not advance the world's
 * generator of random ids.
 */
export function derivedId(prefix: IdPrefix, ...parts: readonly string[]): string {
  const digest = createHash('sha256').update(parts.join('/')).digest().subarray(0, 16)
  return `${prefix}-${Array.from(digest, (byte) => base58[byte % base58.length]).join('')}`
}

/** Returns a random base58 string, for a token or the secret part of a URL. */
export function newSecret(world: World, length = 48): string {
  return world.ids.text(length, base58)
}
