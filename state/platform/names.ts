/** Rules for the names of things (behaviour/platform#surroundings). */

/** Organizations and teams: letters, digits, hyphens and underscores. */
export function isPlainName(text: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(text)
}

/** Modules and namespaces: the same, but letters and digits at the ends, and 64 characters at most. */
export function isModuleName(text: string): boolean {
  return /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?$/.test(text)
}

/** Providers: lower-case letters and digits. */
export function isProviderName(text: string): boolean {
  return /^[a-z0-9]{1,64}$/.test(text)
}

/** Versions of modules: semantic ones, as semver.org behaviour/platform#test-runs and its grammar have them. */
export function isVersion(text: string): boolean {
  const number = '(?:0|[1-9]\\d*)'
  const label = `(?:${number}|\\d*[A-Za-z-][0-9A-Za-z-]*)`
  const pattern = `^${number}\\.${number}\\.${number}(?:-${label}(?:\\.${label})*)?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`
  return new RegExp(pattern).test(text)
}

/** Tells whether a text is missing or of nothing but white space. */
export function isBlank(text: string | null | undefined): text is '' | null | undefined {
  return text === null || text === undefined || text.trim() === ''
}

/** The text that is sent, null as a blank one; where none is, the one that was there before. */
export function updatedText(input: string | null | undefined, before = ''): string {
  return input === undefined ? before : (input ?? '')
}
