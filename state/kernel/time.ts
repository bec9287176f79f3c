/**
 * The process's only contact with real time: the wall clock, timers, and the text form of instants.
 * Everything else asks a world's clock. An instant is a whole number of milliseconds since 1970.
 */

/** The wall clock, in milliseconds since 1970. */
export function wallClock(): number {
  return Date.now()
}

/** A pending call that can be called off. */
export interface Alarm {
  cancel(): void
}

/** Node's timers hold a signed 32-bit number of milliseconds; a longer wait is cut and asked again. */
const longestTimer = 2 ** 31 - 1

/**
 * Calls `ring` after `delay` milliseconds of real time, or after the longest wait a timer can hold,
 * whichever is sooner: the caller looks at its own deadline again. Does not keep the process alive.
 */
export function setAlarm(delay: number, ring: () => void): Alarm {
  const timer = setTimeout(ring, Math.min(Math.max(delay, 0), longestTimer))
  timer.unref()
  return { cancel: () => clearTimeout(timer) }
}

/**
 * An instant as the APIs write it: RFC 3339 in UTC with trailing zeros of the fraction cut
 * (1-secrets-decisions.md section 0).
 */
export function formatTimestamp(instant: number): string {
  const text = new Date(instant).toISOString()
  if (instant % 1000 === 0) return text.slice(0, 19) + 'Z'
  if (instant % 10 !== 0) return text
  return text.slice(0, instant % 100 === 0 ? 21 : 22) + 'Z'
}

const timestampForm =
  /^(\d{4}-\d{2}-\d{2})[Tt](?:[01]\d|2[0-3]):\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/

/** Reads an RFC 3339 timestamp; undefined when it is none. Digits below the millisecond are cut. */
export function parseTimestamp(text: string): number | undefined {
  const [, day] = timestampForm.exec(text) ?? []
  const instant = Date.parse(text.replace(/(\.\d{3})\d+/, '$1'))
  if (day === undefined || Number.isNaN(instant)) return undefined
  // The built-in parser takes 30 February for 2 March.
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day) ? instant : undefined
}
