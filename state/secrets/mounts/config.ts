import { parseDuration, toSeconds } from '../../go/duration.ts'
import { type Json, JsonNumber, type JsonObject } from '../../kernel/json.ts'
import { tunedLockout } from './lockout-config.ts'
import { refuse } from './messages.ts'
import { type Mount, type MountConfig, mountListSettings, systemLeaseTtl } from './mounts.ts'
import type { MountTable } from './types.ts'

export const defaultMountConfig: MountConfig = {
  default_lease_ttl: 0,
  max_lease_ttl: 0,
  force_no_cache: false,
}

const tokenTypes: readonly string[] = ['default-service', 'default-batch', 'service', 'batch']

/**
 * Parses the `config` of a new mount. Accepts any text as visibility; `checkVisibility` checks the
 * visibility later.
 *
 * @throws Refusal `invalid` for values of the wrong type, and for unreadable or contradictory TTLs
 *   (behaviour/secrets#mounts)
 */
export function readConfig(config: JsonObject, table: MountTable): MountConfig {
  const refuseConfig = () => refuse(table === 'auth' ? 'auth-config-wrong' : 'mount-config-wrong')
  const text = (name: string): string => {
    const value = config[name]
    if (value === undefined || value === null) return ''
    if (typeof value === 'string') return value
    if (typeof value === 'number' || value instanceof JsonNumber) return String(value)
    throw refuseConfig()
  }
  const noCache = config['force_no_cache'] ?? false
  if (typeof noCache !== 'boolean') throw refuseConfig()
  const lists = Object.fromEntries(
    mountListSettings.flatMap((name) => {
      const value = config[name] ?? []
      const items = typeof value === 'string' ? commaItems(value) : value
      if (!isTextList(items)) throw refuseConfig()
      return items.length === 0 ? [] : [[name, items]]
    }),
  )
  const ttls = {
    default_lease_ttl: readTtl(text('default_lease_ttl'), 'default'),
    max_lease_ttl: readTtl(text('max_lease_ttl'), 'max'),
  }
  checkNewTtls(ttls)
  const tokenType = table === 'auth' ? readTokenType(text('token_type')) : undefined
  const visibility = text('listing_visibility')
  text('plugin_name')
  return {
    ...ttls,
    force_no_cache: noCache,
    ...lists,
    ...(visibility === '' ? {} : { listing_visibility: visibility }),
    ...(tokenType === undefined ? {} : { token_type: tokenType }),
  }
}

/** Returns the plugin name in a `config` that `readConfig` has accepted, or an empty string. */
export function pluginNameIn({ plugin_name: name }: JsonObject): string {
  return name === undefined || name === null ? '' : String(name)
}

/**
 * Throws an `invalid` refusal for an unknown visibility. As in the reference, callers check the
 * type of the mount first.
 */
export function checkVisibility({ listing_visibility: visibility }: MountConfig): void {
  if (visibility !== undefined) readVisibility(visibility)
}

/**
 * Settings that a request changes; settings that are left out keep their values. TTLs are
 * durations, or `system` for the system's TTL; an empty TTL changes nothing.
 */
export interface Tuning
  extends Readonly<Partial<Record<(typeof mountListSettings)[number], readonly string[]>>> {
  readonly description?: string
  readonly default_lease_ttl?: string
  readonly max_lease_ttl?: string
  readonly listing_visibility?: string
  readonly token_type?: string
  readonly options?: Readonly<Record<string, string>>
  readonly user_lockout_config?: JsonObject
}

/**
 * Returns a mount's configuration with the changes of a request; stores nothing. Throws an
 * `invalid` refusal for invalid values.
 */
export function tunedConfig(mount: Mount, tuning: Tuning): MountConfig {
  const before: MountConfig = mount.config
  const defaultTtl = tunedTtl(tuning.default_lease_ttl, before.default_lease_ttl)
  const maxTtl = tunedTtl(tuning.max_lease_ttl, before.max_lease_ttl)
  const hasChangedTtl = defaultTtl !== before.default_lease_ttl || maxTtl !== before.max_lease_ttl
  if (hasChangedTtl && defaultTtl !== 0 && maxTtl !== 0 && maxTtl < defaultTtl) {
    throw refuse('max-ttl-below-default', { maxTtl, defaultTtl })
  }
  const lockout = tunedLockout(mount, tuning.user_lockout_config ?? {}, readSeconds)
  const lists = Object.fromEntries(
    mountListSettings.flatMap((name) => {
      const items = tuning[name] ?? before[name] ?? []
      return items.length === 0 ? [] : [[name, items]]
    }),
  )
  const { token_type: tokenType } = tuning
  const { listing_visibility: visibilityBefore = '', ...unchanged } = withoutLists(before)
  const visibility = readVisibility(tuning.listing_visibility ?? visibilityBefore)
  return {
    ...unchanged,
    default_lease_ttl: defaultTtl,
    max_lease_ttl: maxTtl,
    ...lists,
    ...(visibility === '' ? {} : { listing_visibility: visibility }),
    ...(tokenType === undefined ? {} : { token_type: readTokenType(tokenType) }),
    ...(lockout === undefined ? {} : { user_lockout_config: lockout }),
  }
}

/**
 * Returns a copy of a configuration without its list settings. The caller adds the lists that are
 * not empty, because empty lists are not stored.
 */
function withoutLists(config: MountConfig): MountConfig {
  const settings: Partial<Record<keyof MountConfig, unknown>> = { ...config }
  for (const name of mountListSettings) delete settings[name]
  return settings as MountConfig
}

function tunedTtl(text: string | undefined, before: number): number {
  if (text === undefined || text === '') return before
  return text === 'system' ? 0 : readSeconds(text)
}

function readTtl(text: string, which: 'default' | 'max'): number {
  if (text === '' || text === 'system') return 0
  try {
    return readSeconds(text)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw refuse('mount-ttl-wrong', { which, text, why })
  }
}

function readSeconds(text: string): number {
  return toSeconds(parseDuration(text))
}

function checkNewTtls({
  default_lease_ttl: defaultTtl,
  max_lease_ttl: maxTtl,
}: Pick<MountConfig, 'default_lease_ttl' | 'max_lease_ttl'>): void {
  if (maxTtl !== 0 && defaultTtl > maxTtl) throw refuse('default-ttl-above-max')
  if (maxTtl === 0 && defaultTtl > systemLeaseTtl) {
    throw refuse('default-ttl-above-system', { systemLeaseTtl })
  }
}

function readVisibility(text: string): string {
  if (text === '' || text === 'unauth' || text === 'hidden') return text
  throw refuse('listing-visibility-unknown', { text })
}

function readTokenType(text: string): string {
  if (text === '') return 'default-service'
  if (tokenTypes.includes(text)) return text
  throw refuse('mount-token-type-unknown')
}

function commaItems(text: string): string[] {
  return text === '' ? [] : text.split(',').map((item) => item.trim())
}

function isTextList(value: Json): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
