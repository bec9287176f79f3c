const trueTexts = ['1', 't', 'T', 'TRUE', 'true', 'True']
const falseTexts = ['0', 'f', 'F', 'FALSE', 'false', 'False']

/** Returns the strings that Go parses as a boolean value. */
export function goBooleanTexts(value: boolean): readonly string[] {
  return value ? trueTexts : falseTexts
}

/** Parses a boolean as Go's `strconv.ParseBool` does; undefined if the text is not a boolean. */
export function parseGoBoolean(text: string): boolean | undefined {
  if (trueTexts.includes(text)) return true
  return falseTexts.includes(text) ? false : undefined
}
