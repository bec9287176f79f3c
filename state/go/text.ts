const namedEscapes: Readonly<Record<string, string>> = {
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

const printablePattern = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u

/**
 * Returns whether Go counts every character of a string as printable: the string contains no
 * control characters and no spaces other than U+0020.
 */
export function isPrintable(text: string): boolean {
  return Array.from(text).every((character) => printablePattern.test(character))
}

/** Escapes a character for a quoted string, as Go does. */
function escapeCharacter(character: string): string {
  const name = namedEscapes[character]
  if (name !== undefined) return name
  if (printablePattern.test(character)) return character
  const code = character.codePointAt(0) ?? 0
  if (code < 0x80) return '\\x' + code.toString(16).padStart(2, '0')
  if (code < 0x10000) return '\\u' + code.toString(16).padStart(4, '0')
  return '\\U' + code.toString(16).padStart(8, '0')
}

/** Pattern of strings that need no escapes. */
const unescapedPattern = /^[ !#-[\]-~]*$/

/**
 * Returns a string in double quotes as Go's `%q` prints it. Many messages of the services contain
 * such strings.
 */
export function quoteGo(text: string): string {
  return unescapedPattern.test(text)
    ? `"${text}"`
    : `"${Array.from(text, escapeCharacter).join('')}"`
}

/** Returns a character in single quotes, as Go's JSON errors print it. */
export function quoteGoCharacter(character: string): string {
  if (character === "'") return "'\\''"
  if (character === '"') return `'"'`
  return `'${escapeCharacter(character)}'`
}

const namedCharacters: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(namedEscapes).map(([character, name]) => [name.slice(1), character]),
)

const escapePattern =
  /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|([abfnrtv\\'"])|)/g

/**
 * Decodes a quoted Go literal, as strconv.Unquote does; undefined if it is invalid. An escaped byte
 * (`\xe9`) becomes the character with that number.
 */
export function unquoteGo(literal: string): string | undefined {
  const quote = literal.charAt(0)
  const quotedContent = literal.slice(1, -1)
  if (quote === '`') return quotedContent.replaceAll('\r', '')
  let isValid = !quotedContent.includes('\n')
  const text = quotedContent.replace(
    escapePattern,
    (match, x, u, longUnicode, octal, namedEscape) => {
      const code = Number.parseInt(
        octal ?? x ?? u ?? longUnicode ?? '',
        octal === undefined ? 16 : 8,
      )
      const hasCode = !Number.isNaN(code)
      isValid &&= match !== '\\' && (!hasCode || isEscapable(code, octal !== undefined))
      isValid &&= namedEscape === undefined || namedEscape !== (quote === '"' ? "'" : '"')
      if (!isValid) return ''
      return hasCode ? String.fromCodePoint(code) : (namedCharacters[namedEscape] ?? namedEscape)
    },
  )
  return isValid ? text : undefined
}

/**
 * Returns whether a Go literal may contain an escape for this character code. Octal escapes must
 * fit into a byte, and half of a surrogate pair is not a character.
 */
function isEscapable(code: number, isOctal: boolean): boolean {
  if (isOctal) return code <= 0xff
  return code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
}
