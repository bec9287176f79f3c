const named: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
}

const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u

/** Whether Go calls every character of a text printable: no space but the plain one, no control. */
export function isPrintable(text: string): boolean {
  return Array.from(text).every((character) => printable.test(character))
}

/** A character as Go writes it inside a quoted string. */
function escaped(character: string): string {
  const name = named[character]
  if (name !== undefined) return name
  if (printable.test(character)) return character
  const code = character.codePointAt(0) ?? 0
  if (code < 0x80) return '\\x' + code.toString(16).padStart(2, '0')
  if (code < 0x10000) return '\\u' + code.toString(16).padStart(4, '0')
  return '\\U' + code.toString(16).padStart(8, '0')
}

/** Text in double quotes as Go's `%q` writes it, which many of the services' messages hold. */
export function quoteGo(text: string): string {
  return `"${Array.from(text, escaped).join('')}"`
}

/** One character in single quotes, as Go's JSON errors name it. */
export function quoteGoCharacter(character: string): string {
  if (character === "'") return "'\\''"
  if (character === '"') return `'"'`
  return `'${escaped(character)}'`
}
