import { ConfigError, oneLine, reasonOf } from '../../config-error.ts'
import { readDocument, UnreadableDocument } from './read-document.ts'
import { lineLocator } from './source-lines.ts'

/** What was found in files of fixtures. */
interface CheckResult {
  /** One line for each mistake: `file:line: pointer message`. */
  readonly mistakes: readonly string[]
  /** One line for each file that cannot be read. */
  readonly failures: readonly string[]
}

/**
 * Checks files of fixtures, each by itself, as a start with the same settings would (behaviour/program#commands).
 *
 * @param problemsOf tells what a start has against fixtures
 */
export function checkFixtures(
  files: readonly string[],
  problemsOf: (fixtures: unknown) => readonly string[],
): CheckResult {
  // The settings themselves first.
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

/** One line for each problem of a document, with its place in the text: `file:line: pointer message`. */
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
