import { quoteGo } from '../../go/text.ts'
import { type Json, JsonNumber, type JsonObject } from '../../kernel/json.ts'
import { refuse } from './messages.ts'
import type { Mount, UserLockoutConfig } from './mounts.ts'
import { plainType } from './types.ts'

/** Types of login methods with user lockout. */
const methodsWithLockout: ReadonlySet<string> = new Set(['ldap', 'approle', 'userpass'])

/**
 * Default, in seconds, of two settings: how long a lockout lasts, and how long after the last
 * failed login the count of failures is reset.
 */
const defaultDuration = 900

/** Settings of a mount before they are tuned; 0 means the default. */
const untunedLockout: UserLockoutConfig = {
  lockout_threshold: 0,
  lockout_duration: 0,
  lockout_counter_reset: 0,
  lockout_disable: false,
}

/** Returns the settings with the defaults filled in; durations in seconds. */
export function effectiveLockout({ config }: Pick<Mount, 'config'>): UserLockoutConfig {
  const settings = config.user_lockout_config ?? untunedLockout
  return {
    lockout_threshold: settings.lockout_threshold || 5,
    lockout_duration: settings.lockout_duration || defaultDuration,
    lockout_counter_reset: settings.lockout_counter_reset || defaultDuration,
    lockout_disable: settings.lockout_disable,
  }
}

/**
 * Returns the tuned settings; stores nothing. For an empty input, returns the present settings,
 * which are undefined before the first tuning. Throws an `invalid` refusal for values of the wrong
 * type or form, and for a mount whose type has no lockout.
 *
 * @param toSeconds parses a duration, or throws a refusal
 */
export function tunedLockout(
  { type, config }: Mount,
  input: JsonObject,
  toSeconds: (text: string) => number,
): UserLockoutConfig | undefined {
  const before = config.user_lockout_config
  if (Object.keys(input).length === 0) return before
  const threshold = textOf(input['lockout_threshold'])
  const duration = textOf(input['lockout_duration'])
  const reset = textOf(input['lockout_counter_reset_duration'])
  const disable = input['lockout_disable'] ?? undefined
  if (disable !== undefined && typeof disable !== 'boolean') throw refuse('lockout-config-wrong')
  if (!methodsWithLockout.has(plainType(type))) {
    throw refuse('lockout-not-offered', { type: quoteGo(type) })
  }
  const secondsOf = (text: string, current: number) => {
    if (text === '') return current
    return text === 'system' ? 0 : toSeconds(text)
  }
  const settings = before ?? untunedLockout
  return {
    lockout_threshold: threshold === '' ? settings.lockout_threshold : countOf(threshold),
    lockout_duration: secondsOf(duration, settings.lockout_duration),
    lockout_counter_reset: secondsOf(reset, settings.lockout_counter_reset),
    lockout_disable: disable ?? settings.lockout_disable,
  }
}

function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'number' || value instanceof JsonNumber) return String(value)
  throw refuse('lockout-config-wrong')
}

function countOf(text: string): number {
  if (/^\d+$/.test(text)) return Number(text)
  throw refuse('lockout-threshold-wrong', { text: quoteGo(text) })
}
