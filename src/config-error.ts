import { joinLines } from '../state/kernel/trimming.ts'

/** Error code of `ConfigError`, which distinguishes errors of the caller from other failures. */
export const configErrorCode = 'ERR_CONFIG'

/**
 * Error in the call of the command: in a flag, in a variable, or in a file that a flag or variable
 * names. The message is one line with the cause and the correct form. The process exits with code 2
 * (behaviour/program#command).
 */
export class ConfigError extends Error {
  /** Code that identifies the error across separately loaded copies of this program. */
  readonly code = configErrorCode

  /**
   * The message as separate lines: a heading, then one line for each problem. Empty if the message
   * has only one line.
   */
  readonly lines: readonly string[]

  constructor(message: string, lines: readonly string[] = []) {
    super(joinLines(message))
    this.name = 'ConfigError'
    this.lines = lines
  }
}

/**
 * Error in a command line that has a product's syntax. The process prints the product's text and
 * exits with code 1, as the product does (behaviour/program#drop-in).
 */
export class ProductCallError extends Error {
  /** The product's message, with its line breaks. */
  readonly text: string

  constructor(message: string) {
    super(joinLines(message))
    this.text = message
    this.name = 'ProductCallError'
  }
}

/** Returns the message of an unknown thrown value, on one line. */
export function reasonOf(error: unknown): string {
  return joinLines(error instanceof Error ? error.message : String(error))
}

/** Returns the code of an error, such as `ENOENT`; undefined if the error has no such string. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
