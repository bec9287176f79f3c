import type { Diagnostic } from './error.ts'
import type { Token } from './token.ts'

interface TokenError {
  readonly summary: string
  readonly detail: string
  /**
   * Key under which the mistake is reported only once per document; undefined if it is reported
   * each time.
   */
  readonly onceKey?: string
}

const BITWISE_UNSUPPORTED = 'Bitwise operators are not supported.'

function tokenError(text: string): TokenError {
  const summary = 'Invalid character'
  switch (text) {
    case '&':
    case '|':
    case '~':
    case '^': {
      const suggestion = { '&': 'AND ("&&")', '|': 'OR ("||")', '~': 'NOT ("!")', '^': undefined }[
        text
      ]
      const detail =
        suggestion === undefined
          ? BITWISE_UNSUPPORTED
          : `${BITWISE_UNSUPPORTED} Did you mean boolean ${suggestion}?`
      return { summary: 'Unsupported operator', detail, onceKey: 'bitwise' }
    }
    case "'":
      return {
        summary,
        detail: 'Single quotes are not valid. Use double quotes (") to enclose strings.',
        onceKey: "'",
      }
    case '`':
      return {
        summary,
        detail:
          'The "`" character is not valid. To create a multi-line string, use the "heredoc" syntax, like "<<EOT".',
        onceKey: '`',
      }
    case ';':
      return {
        summary,
        detail:
          'The ";" character is not valid. Use newlines to separate arguments and blocks, and commas to separate items in collection values.',
        onceKey: ';',
      }
    case '\n':
      return {
        summary: 'Invalid multi-line string',
        detail:
          'Quoted strings may not be split over multiple lines. To produce a multi-line string, either use the \\n escape to represent a newline character or use the "heredoc" multi-line template syntax.',
      }
    case '\u201c':
    case '\u201d':
      return {
        summary,
        detail:
          '"Curly quotes" are not valid here. These can sometimes be inadvertently introduced when sharing code via documents or discussion forums. It might help to replace the character with a "straight quote".',
      }
  }
  return { summary, detail: 'This character is not used within the language.' }
}

/**
 * Adds the diagnostic for a character that the language does not allow. Some kinds of mistakes are
 * reported only once; `reported` contains the kinds that were already reported.
 */
export function reportInvalid(
  token: Token,
  reported: Set<string>,
  diagnostics: Diagnostic[],
): void {
  const { summary, detail, onceKey } = tokenError(
    token.kind === 'quoted-newline' ? '\n' : token.text,
  )
  if (onceKey !== undefined) {
    if (reported.has(onceKey)) return
    reported.add(onceKey)
  }
  diagnostics.push({ summary, detail, range: token.range })
}
