/** Tells whether paths can name a role or user so: word characters, with periods and dashes inside. */
export function isLoginName(text: string): boolean {
  return /^\w(?:[\w.-]*\w)?$/.test(text)
}
