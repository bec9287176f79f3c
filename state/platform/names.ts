import type { Violations } from './violations.ts'

/**
 * Returns whether a string is not empty and consists of letters, digits, hyphens and underscores,
 * as names of organizations, workspaces and users must.
 */
export function isPlainName(text: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(text)
}

/**
 * Returns whether a string is a valid name of a module or of a public module's namespace: a plain
 * name of at most 64 characters that begins and ends with a letter or digit.
 */
export function isModuleName(text: string): boolean {
  return /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?$/.test(text)
}

/**
 * Adds a violation if a name is blank, not plain, or taken. `other` is the stored object with this
 * name; the name is taken if that object's id differs from the id of the named object.
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

/** Returns whether a string is a valid provider name: 1 to 64 lower-case letters and digits. */
export function isProviderName(text: string): boolean {
  return /^[a-z0-9]{1,64}$/.test(text)
}

/**
 * Returns whether a string is a semantic version by the grammar of semver.org
 * (behaviour/platform#registry-providers).
 */
export function isVersion(text: string): boolean {
  const number = '(?:0|[1-9]\\d*)'
  const label = `(?:${number}|\\d*[A-Za-z-][0-9A-Za-z-]*)`
  const pattern = `^${number}\\.${number}\\.${number}(?:-${label}(?:\\.${label})*)?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`
  return new RegExp(pattern).test(text)
}

/**
 * Returns whether a string is a number of days or hours, such as `14d`, after which the resources
 * of an inactive workspace are destroyed.
 */
export function isActivityDuration(text: string): boolean {
  return /^[1-9][0-9]{0,3}[dh]$/.test(text)
}

/** Returns whether a string is missing, empty or only whitespace. */
export function isBlank(text: string | null | undefined): text is '' | null | undefined {
  return text === null || text === undefined || text.trim() === ''
}

/** Optional strings of a request body. Null is handled like a blank string. */
export type TextInput<Name extends string> = { readonly [Each in Name]?: string | null }

/**
 * Returns the new value of a text attribute: an empty string for null, and `before` for undefined.
 */
export function updatedText(input: string | null | undefined, before = ''): string {
  return input === undefined ? before : (input ?? '')
}
