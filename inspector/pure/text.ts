/** A time of day of an RFC 3339 text, as it stands there; the whole text where it is none. */
export function timeOfDay(text: string): string {
  return /T(\d\d:\d\d:\d\d(?:\.\d{1,3})?)/.exec(text)?.[1] ?? text
}

/** An RFC 3339 text as people read it, without the zone, which is UTC. */
export function formatClock(text: string): string {
  return text.replace('T', ' ').replace('Z', '')
}

/** So many of something. */
export function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Milliseconds as people read them. */
export function formatMilliseconds(value: number): string {
  if (value >= 10_000) return `${(value / 1000).toFixed(1)} s`
  return value >= 100 ? `${value.toFixed(0)} ms` : `${value.toFixed(value >= 10 ? 1 : 2)} ms`
}

/** A span of time in its two largest units: `2 d 3 h`; without milliseconds from ten seconds on. */
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

/** A text cut to a length, with how much is left out. */
export function truncate(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}… (${text.length} characters)`
}

/** A text in which what no font has is seen: keys of rows are parted by control characters. */
export function showControlCharacters(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return text.replace(/[\u0000-\u001f\u007f]+/g, ' · ')
}
