import type { Violations } from './violations.ts'

/** Rules for names (behaviour/platform#surroundings). */

/**
 * Returns whether a string is a valid name of an organization or team: letters, digits, hyphens and
 * underscores.
 */
export function isPlainName(text: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(text)
}

/**
 * Returns whether a string is a valid name of a module or namespace: as in `isPlainName`, but with
 * a letter or digit at both ends and at most 64 characters.
 */
export function isModuleName(text: string): boolean {
  return /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?$/.test(text)
}

/**
 * Adds a violation if the name of something in an organization is blank, not plain, or the name of
 * another one.
 */
export function checkPlainName(
  violations: Violations,
  name: string,
  { id }: { readonly id: string },
  other: { readonly id: string } | undefined,
): void {
  if (isBlank(name)) violations.add('name', 'blank')
  else if (!isPlainName(name)) violations.add('name', 'invalid')
  else if (other !== undefined && other.id !== id) violations.add('name', 'taken')
}

/** Returns whether a string is a valid provider name: lower-case letters and digits. */
export function isProviderName(text: string): boolean {
  return /^[a-z0-9]{1,64}$/.test(text)
}

/**
 * Returns whether a string is a semantic version by the grammar of semver.org
 * (behaviour/platform#test-runs).
 */
export function isVersion(text: string): boolean {
  const number = '(?:0|[1-9]\\d*)'
  const label = `(?:${number}|\\d*[A-Za-z-][0-9A-Za-z-]*)`
  const pattern = `^${number}\\.${number}\\.${number}(?:-${label}(?:\\.${label})*)?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`
  return new RegExp(pattern).test(text)
}

/** Returns whether a string is a time of inactivity after which resources are destroyed: `14d`. */
export function isActivityDuration(text: string): boolean {
  return /^[1-9][0-9]{0,3}[dh]$/.test(text)
}

/** Returns whether a string is missing, empty or only white space. */
export function isBlank(text: string | null | undefined): text is '' | null | undefined {
  return text === null || text === undefined || text.trim() === ''
}

/** Strings that a caller may send; null counts as a blank string. */
export type TextInput<Name extends string> = { readonly [Each in Name]?: string | null }

/** Returns the input, with null as a blank string; a missing input leaves the previous value. */
export function updatedText(input: string | null | undefined, before = ''): string {
  return input === undefined ? before : (input ?? '')
}
