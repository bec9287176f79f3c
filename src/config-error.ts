/** The code of errors of a call; the others are the system's. */
export const configErrorCode = 'ERR_CONFIG'

/**
 * The command was called wrongly: a flag, a variable or a file it names. The message is one line
 * that says which and what would be right; the process ends with code 2 (behaviour/program#command).
 */
export class ConfigError extends Error {
  /** Tells it from other errors where the program that threw it is another than the one that catches it. */
  readonly code = configErrorCode

  /** The parts of the message, for where several lines can be shown: a heading, then one for each. */
  readonly lines: readonly string[]

  constructor(message: string, lines: readonly string[] = []) {
    super(oneLine(message))
    this.name = 'ConfigError'
    this.lines = lines
  }
}

/** A message of somebody else's as part of one line. */
export function oneLine(text: string): string {
  return text
    .trim()
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')
}

/** Returns what an unknown thrown value says, on one line. */
export function reasonOf(error: unknown): string {
  return oneLine(error instanceof Error ? error.message : String(error))
}

/** The system's code of a failed call (`ENOENT`, `EADDRINUSE`), when the error has one. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
