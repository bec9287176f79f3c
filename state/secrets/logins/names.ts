/**
 * Returns whether a string can name a role or user in a path. Names consist of word characters;
 * periods and dashes are allowed except at the ends.
 */
export function isLoginName(text: string): boolean {
  return /^\w(?:[\w.-]*\w)?$/.test(text)
}
