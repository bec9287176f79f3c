import { ClockControl, type ClockView } from '../../routes/control/clock/clock-control.ts'
import { readClock } from '../../routes/control/clock/clock-text.ts'
import type { ControlPart } from '../../routes/control/control-part.ts'
import type { ClockRequest } from '../../routes/control/shapes.ts'
import { InputError } from '../../routes/http/declare/validate.ts'
import { type ClockSetting, maxRate } from '../../state/kernel/time/clock.ts'
import { clampInstant, formatTimestamp } from '../../state/kernel/time.ts'

/**
 * Describes how a world's time shall run, as embedding programs say it: the words of `--clock`, or
 * an object whose `at` is RFC 3339 or milliseconds since 1970.
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

const remedy = `must be 'real', 'frozen', 'frozen@TIME', 'scaled@RATE' (a number above 0, at most ${maxRate}) or an object with mode, rate and at`

/**
 * The control plane's form of a clock option. Types are checked too: not every caller has a compiler.
 *
 * @param name what the option is called in the message
 * @throws {InputError} when it is none
 */
export function clockRequest(option: ClockOption, name = 'clock'): ClockRequest {
  const setting: Exclude<ClockOption, string> | ClockSetting | undefined =
    typeof option === 'string' ? readClock(option) : option
  if (setting?.mode === 'real') return { mode: 'real' }
  if (setting?.mode === 'frozen') return { mode: 'frozen', ...startTime(setting.at, name) }
  if (setting?.mode === 'scaled' && setting.rate > 0 && setting.rate <= maxRate) {
    return { mode: 'scaled', rate: setting.rate, ...startTime(setting.at, name) }
  }
  throw new InputError([`${name} ${remedy}`])
}

function startTime(at: string | number | undefined, name: string): { at?: string } {
  if (at === undefined) return {}
  if (typeof at === 'string') return { at }
  // The year 1 to 9999; NaN is none.
  if (clampInstant(at) === at) return { at: formatTimestamp(Math.floor(at)) }
  throw new InputError([`${name}.at must be RFC 3339 or milliseconds since 1970`])
}

/** A world's time, as embedding programs drive it. */
export class EmbeddedClock extends ClockControl {
  /** Changes how time runs; what has become due happens at once. Refuses times that are none. */
  override set(clock: ClockOption): ClockView {
    return super.set(clockRequest(clock))
  }
}

/** The same as a part of a world's control. */
export const embeddedClockPart: ControlPart<EmbeddedClock> = {
  make: (world) => new EmbeddedClock(world),
}
