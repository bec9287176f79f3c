import { ClockControl } from '../../routes/control/clock/clock-control.ts'
import type { ClockRequest, ClockView } from '../../routes/control/clock/clock-shapes.ts'
import { readClock } from '../../routes/control/clock/clock-text.ts'
import { InputError } from '../../routes/http/declare/validate.ts'
import { type ClockSetting, maxRate } from '../../state/kernel/time/clock.ts'
import { clampInstant, formatTimestamp } from '../../state/kernel/time.ts'

/**
 * Mode of a world's clock: the syntax of `--clock`, or an object whose `at` is RFC 3339 or
 * milliseconds since 1970.
 */
export type ClockOption =
  | 'real'
  | 'frozen'
  | `frozen@${string}`
  | `scaled@${number}`
  | { readonly mode: 'real' }
  | { readonly mode: 'frozen'; readonly at?: string | number | undefined }
  | {
      readonly mode: 'scaled'
      readonly rate: number
      readonly at?: string | number | undefined
    }

const requirement = `must be 'real', 'frozen', 'frozen@TIME', 'scaled@RATE' (a number above 0, at most ${maxRate}) or an object with mode, rate and at`

/**
 * Converts a clock option into the control plane's form. Types are checked at runtime as well,
 * because callers may be written in JavaScript.
 *
 * @param name name of the option in the message
 * @throws {InputError} if the option is invalid
 */
export function clockRequest(option: ClockOption, name = 'clock'): ClockRequest {
  const setting: Exclude<ClockOption, string> | ClockSetting | undefined =
    typeof option === 'string' ? readClock(option) : option
  if (setting?.mode === 'real') return { mode: 'real' }
  if (setting?.mode === 'frozen') return { mode: 'frozen', ...startTimeMember(setting.at, name) }
  if (setting?.mode === 'scaled' && setting.rate > 0 && setting.rate <= maxRate) {
    return { mode: 'scaled', rate: setting.rate, ...startTimeMember(setting.at, name) }
  }
  throw new InputError([`${name} ${requirement}`])
}

function startTimeMember(at: string | number | undefined, name: string): { at?: string } {
  if (at === undefined) return {}
  if (typeof at === 'string') return { at }
  // Only the years 1 to 9999 are valid. NaN is refused, because it does not equal itself.
  if (clampInstant(at) === at) return { at: formatTimestamp(Math.floor(at)) }
  throw new InputError([`${name}.at must be RFC 3339 or milliseconds since 1970`])
}

/** Clock control of a world for embedding programs. */
export class EmbeddedClock extends ClockControl {
  /**
   * Changes the mode or time of the clock and runs the due jobs at once. Throws an `InputError` for
   * an invalid mode or time.
   */
  override set(clock: ClockOption): ClockView {
    return super.set(clockRequest(clock))
  }
}
