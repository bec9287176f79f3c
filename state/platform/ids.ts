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
  | 'tb'
  | 'tprj'
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

/** Returns a random string of base58 characters for an object's address or a token. */
export function newSecret(world: World, length = 48): string {
  return world.ids.text(length, base58)
}
