const version = 'v?\\d+(?:\\.\\d+){0,2}(?:-[0-9A-Za-z.-]+)?(?:\\+[0-9A-Za-z.-]+)?'
const constraint = `\\s*(?:=|!=|>=?|<=?|~>)?\\s*${version}\\s*`
const requested = new RegExp(`^(?:latest|${constraint}(?:,${constraint})*)$`)

/**
 * Returns whether a text requests a version of the tool: an exact version, `latest`, or constraints
 * such as `>= 1.5, < 2` (behaviour/platform#workspace-settings).
 */
export function requestsVersion(text: string): boolean {
  return text.length <= 256 && requested.test(text)
}
