import type { Node, Pair, YAMLMap } from 'yaml'
import { pointerName } from '../../../routes/http/declare/validate.ts'
import { loadYaml } from '../../../state/go/yaml.ts'
import { appendAll } from '../../../state/kernel/lists.ts'
import { joinLines } from '../../../state/kernel/trimming.ts'
import { ConfigError, reasonOf } from '../../config-error.ts'
import { readDocument, UnreadableDocument } from './read-document.ts'

/** Problem with the line of its cause. */
interface LocatedProblem {
  /** Line number, from 1. */
  readonly line: number
  /** Message that begins with the JSON pointer. */
  readonly text: string
}

/**
 * Returns a function that finds the line of a problem in a JSON or YAML text, by the JSON pointer
 * at the start of the problem. If the text lacks the named member, the line of its nearest parent
 * is used.
 */
export function lineLocator(text: string): (problem: string) => LocatedProblem {
  const { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } = loadYaml()
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false })
  const indexes = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>()

  const indexOf = (map: YAMLMap): ReadonlyMap<string, Pair> => {
    const known = indexes.get(map)
    if (known !== undefined) return known
    const index = new Map(
      map.items.map((pair) => {
        const name = isScalar(pair.key) ? pair.key.value : pair.key
        return [pointerName(name), pair] as const
      }),
    )
    indexes.set(map, index)
    return index
  }
  const lineOf = (node: unknown, fallback: number): number => {
    const [start] = (node as Node | null)?.range ?? []
    return start === undefined ? fallback : lines.linePos(start).line
  }

  return (problem) => {
    let node: unknown = document.contents
    let line = 1
    let end = 0
    while (problem[end] === '/') {
      if (isAlias(node)) node = node.resolve(document)
      const [segment = ''] = /^[^/]*/.exec(problem.slice(end + 1)) ?? []
      if (isSeq(node)) {
        const [index = ''] = /^\d*/.exec(segment) ?? []
        const item = node.items[Number(index || Number.NaN)]
        if (item === undefined) break
        line = lineOf(item, line)
        node = item
        end += 1 + index.length
      } else if (isMap(node)) {
        const index = indexOf(node)
        const name = possibleNames(segment).find((possible) => index.has(possible))
        const pair = name === undefined ? undefined : index.get(name)
        if (name === undefined || pair === undefined) break
        line = lineOf(pair.key, line)
        node = pair.value
        end += 1 + name.length
      } else break
    }
    const pointer = problem.slice(0, end)
    const rest = problem.slice(end)
    return { line, text: pointer + (rest.startsWith(': ') ? rest.slice(1) : rest) }
  }
}

/**
 * Returns the candidates for the member name at the start of a text, longest first: the whole text,
 * and the text before each colon or space. A name ends before a colon or a space, but names may
 * contain these characters as well.
 */
function possibleNames(segment: string): readonly string[] {
  const ends = [...segment.matchAll(/[: ]|$/g)].map(({ index }) => index)
  return ends.reverse().map((end) => segment.slice(0, end))
}

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
 * @throws {ConfigError} for invalid settings
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
      appendAll(mistakes, locateProblems(file, text, problemsOf(value)))
    } catch (error) {
      if (error instanceof UnreadableDocument) {
        appendAll(
          mistakes,
          error.problems.map((problem) => `${file}:${problem.line}: ${problem.text}`),
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
    return `${file}:${line}: ${joinLines(text)}`
  })
}
