/** Returns the time of day of an RFC 3339 text, or the whole text if it is not one. */
export function timeOfDay(text: string): string {
  return /T(\d\d:\d\d:\d\d(?:\.\d{1,3})?)/.exec(text)?.[1] ?? text
}

/** Formats an RFC 3339 text for display, without the zone, which is UTC. */
export function formatClock(text: string): string {
  return text.replace('T', ' ').replace('Z', '')
}

/** Formats a count with its noun in the singular or plural: `1 row`, `2 rows`. */
export function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Formats a number of milliseconds for display. From ten seconds on, the unit is seconds. */
export function formatMilliseconds(value: number): string {
  if (value >= 10_000) return `${(value / 1000).toFixed(1)} s`
  return value >= 100 ? `${value.toFixed(0)} ms` : `${value.toFixed(value >= 10 ? 1 : 2)} ms`
}

/**
 * Formats a duration, given in milliseconds, in its two largest units that are not 0: `2 d 3 h`.
 * The sign is ignored. From ten seconds on, the duration is rounded to seconds.
 */
export function formatDuration(value: number): string {
  const units = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1000],
    ['ms', 1],
  ] as const
  const rounded = Math.round(Math.abs(value))
  let rest = rounded < 10_000 ? rounded : Math.round(rounded / 1000) * 1000
  const parts: string[] = []
  for (const [name, size] of units) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) parts.push(`${count} ${name}`)
    if (parts.length === 2) break
  }
  return parts.length === 0 ? '0 s' : parts.join(' ')
}

/** Cuts a text that is longer than `length`, and appends the length of the whole text. */
export function truncate(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}… (${text.length} characters)`
}

/**
 * Returns a text with visible marks in place of control characters, which separate the parts of row
 * keys.
 */
export function showControlCharacters(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return text.replace(/[\u0000-\u001f\u007f]+/g, ' · ')
}
