import { ConfigError, oneLine, reasonOf } from '../../config-error.ts'
import { readDocument, UnreadableDocument } from './read-document.ts'
import { lineLocator } from './source-lines.ts'

/** Result of checking files of fixtures. */
interface CheckResult {
  /** Problems, one line for each: `file:line: pointer message`. */
  readonly mistakes: readonly string[]
  /** Files that cannot be read, one line for each. */
  readonly failures: readonly string[]
}

/**
 * Checks each file of fixtures by itself, as a start with the same settings would
 * (behaviour/program#commands).
 *
 * @param problemsOf returns the problems that a start would find in fixtures
 */
export function checkFixtures(
  files: readonly string[],
  problemsOf: (fixtures: unknown) => readonly string[],
): CheckResult {
  // Invalid settings are reported before any file is read.
  problemsOf({})
  const mistakes: string[] = []
  const failures: string[] = []
  for (const file of files) {
    try {
      const { value, text } = readDocument('validate', file)
      mistakes.push(...locateProblems(file, text, problemsOf(value)))
    } catch (error) {
      if (error instanceof UnreadableDocument) {
        mistakes.push(
          ...error.problems.map((problem) => `${file}:${problem.line}: ${problem.text}`),
        )
      } else if (error instanceof ConfigError) failures.push(reasonOf(error))
      else throw error
    }
  }
  return { mistakes, failures }
}

/**
 * Returns one line for each problem of a document, with its place in the text: `file:line: pointer
 * message`.
 */
export function locateProblems(
  file: string,
  source: string,
  problems: readonly string[],
): readonly string[] {
  if (problems.length === 0) return []
  const locate = lineLocator(source)
  return problems.map((problem) => {
    const { line, text } = locate(problem)
    return `${file}:${line}: ${oneLine(text)}`
  })
}
