import { oneLine } from '../state/kernel/trimming.ts'

/** Code of errors that the caller caused; other errors have codes of the system. */
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
   * Parts of the message for outputs of several lines: a heading, followed by one line for each
   * problem.
   */
  readonly lines: readonly string[]

  constructor(message: string, lines: readonly string[] = []) {
    super(oneLine(message))
    this.name = 'ConfigError'
    this.lines = lines
  }
}

/**
 * Error in a call in the form of a product. The process prints the product's text and exits with
 * code 1, as the product does (behaviour/program#drop-in).
 */
export class ProductCallError extends Error {
  /** The message with its line breaks, as the product's API has it. */
  readonly text: string

  constructor(message: string) {
    super(oneLine(message))
    this.text = message
    this.name = 'ProductCallError'
  }
}

/** Returns the message of an unknown thrown value, on one line. */
export function reasonOf(error: unknown): string {
  return oneLine(error instanceof Error ? error.message : String(error))
}

/** Returns the system's code of a failed call (`ENOENT`, `EADDRINUSE`), if the error has one. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
