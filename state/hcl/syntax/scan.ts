import type { Punctuation } from './token.ts'

/** Returns the longest punctuation that starts at an offset; undefined if there is none. */
export function punctuationAt(text: string, from: number): Punctuation | undefined {
  const character = text[from]
  const next = text[from + 1]
  switch (character) {
    case '{':
    case '}':
    case '[':
    case ']':
    case '(':
    case ')':
    case ',':
    case '?':
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
      return character
    case '=':
      if (next === '>') return '=>'
      return next === '=' ? '==' : '='
    case '!':
      return next === '=' ? '!=' : '!'
    case '<':
      return next === '=' ? '<=' : '<'
    case '>':
      return next === '=' ? '>=' : '>'
    case ':':
      return next === ':' ? '::' : ':'
    case '.':
      return next === '.' && text[from + 2] === '.' ? '...' : '.'
    case '&':
      return next === '&' ? '&&' : undefined
    case '|':
      return next === '|' ? '||' : undefined
  }
  return undefined
}

/** Returns the offset after the ASCII part of a name that starts at `from`. */
export function wordEnd(text: string, from: number): number {
  let at = from
  for (; ; at++) {
    const code = text.charCodeAt(at)
    const isLetter = (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a)
    if (isLetter || code === 0x5f) continue
    const isInner = (code >= 0x30 && code <= 0x39) || code === 0x2d
    if (!isInner || at === from) return at
  }
}

/** Returns whether a line contains only a heredoc's marker and white space. */
export function isMarkerLine(text: string, from: number, end: number, marker: string): boolean {
  let start = from
  while (start < end && (text[start] === ' ' || text[start] === '\t')) start++
  if (!text.startsWith(marker, start)) return false
  return text.slice(start + marker.length, end).trim() === ''
}

/** Returns whether a character is an ASCII digit; false for undefined, the end of the text. */
export function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9'
}

/**
 * Returns the offset after the number that starts at `from`. As in the real lexer, `1.2.3` is one
 * token, which the parser rejects.
 */
export function numberEnd(text: string, from: number): number {
  let end = from + 1
  for (let at = end; ; ) {
    const character = text[at]
    if (isDigit(character)) {
      at++
    } else if (character === '.') {
      // The point belongs to the number only if a digit follows.
      at++
      continue
    } else if (character === 'e' || character === 'E') {
      const sign = text[at + 1] === '+' || text[at + 1] === '-' ? 1 : 0
      if (!isDigit(text[at + 1 + sign])) return end
      at += 2 + sign
    } else {
      return end
    }
    end = at
  }
}
