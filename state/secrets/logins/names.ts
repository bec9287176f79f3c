/**
 * Returns whether a string can name a role or user in a path: word characters, and in the middle
 * also periods and dashes.
 */
export function isLoginName(text: string): boolean {
  return /^\w(?:[\w.-]*\w)?$/.test(text)
}
