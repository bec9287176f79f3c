/**
 * Returns whether a string can name a role or user in a path: word characters, with periods and
 * dashes inside.
 */
export function isLoginName(text: string): boolean {
  return /^\w(?:[\w.-]*\w)?$/.test(text)
}
