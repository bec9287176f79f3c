import { createRequire } from 'node:module'
import type { RE2JS } from 're2js'
import { Refusal } from '../kernel/refusal.ts'

/** Error for an invalid regular expression, with the message of Go's regexp.Compile. */
export class RegexError extends Refusal {
  constructor(message: string) {
    super('invalid', message)
    this.name = 'RegexError'
  }
}

/**
 * The matched text, followed by the texts of the groups. A group that did not take part is
 * undefined.
 */
type RegexMatch = readonly (string | undefined)[]

/**
 * A regular expression with the syntax and meaning of Go's regexp (RE2). Matches are not anchored,
 * and matching takes time linear in the text. Two groups with one name, which Go allows, are
 * rejected.
 */
export interface GoRegex {
  /** Returns whether the expression matches somewhere in the text. */
  test(text: string): boolean
  /** Returns the first match; undefined if nothing matches. */
  find(text: string): RegexMatch | undefined
  /**
   * Replaces every match. In the template, `$1`, `$name` and `${name}` stand for groups and `$$`
   * for a dollar sign. A name extends as far as possible; an unknown name stands for an empty
   * string.
   *
   * @param addCost called with the cost of each step, in characters, before the step; may throw
   */
  replaceAll(text: string, template: string, addCost?: (cost: number) => void): string
}

/**
 * Loads the library at the first use, because loading it earlier would slow down the cold start
 * (behaviour/program#figures).
 */
function loadRe2(): typeof import('re2js') {
  return createRequire(import.meta.url)('re2js')
}

/**
 * Maximum size of an expression with its repetitions written out. Larger expressions take too long
 * to compile.
 */
const maxProgramSize = 10_000

/**
 * Compiles an expression.
 *
 * @throws RegexError with Go's message, such as ``error parsing regexp: missing closing ): `(` ``,
 *   and also if the expression is too large
 */
export function compileGoRegex(text: string): GoRegex {
  const { RE2JS, RE2JSSyntaxException } = loadRe2()
  try {
    if (unrolledSize(text) > maxProgramSize) throw new RE2JSSyntaxException('expression too large')
    return goRegexOf(RE2JS.compile(text))
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error
    throw new RegexError(`error parsing regexp: ${formatProblem(text, error.error, error.input)}`)
  }
}

/**
 * Pattern of one token of an expression: a character class, a bracket, a repetition count or a
 * character.
 */
const tokenPattern =
  /\\[pPx]\{[^}]*(?:\}|$)|\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*(?:\]|\\?$)|\{(\d+)(?:,(\d*))?\}|./gsu

/** A group whose size is being computed. */
interface GroupSize {
  /** Steps of the group without its last part. A repetition count repeats only the last part. */
  readonly precedingSize: number
  readonly last: number
  /**
   * Product of the repetition counts that apply to the last part, as far as they have been read.
   */
  readonly repetitions: number
}

const emptyGroup: GroupSize = { precedingSize: 0, last: 0, repetitions: 1 }

/**
 * Maximum product of nested repetition counts in Go. Go rejects larger products with another
 * message.
 */
const maxRepetitions = 1000

/**
 * Returns the approximate number of steps of an expression with its repetitions written out; 0 if
 * Go rejects the product of its repetition counts.
 */
function unrolledSize(text: string): number {
  if (text.length > maxProgramSize) return text.length
  let inner = emptyGroup
  const outer: GroupSize[] = []
  for (const [part, minCount, maxCount = ''] of text.matchAll(tokenPattern)) {
    const { precedingSize, last, repetitions } = inner
    if (minCount !== undefined) {
      const count = Math.max(Number(minCount), Number(maxCount), 1)
      if (count * repetitions > maxRepetitions) return 0
      inner = { precedingSize, last: last * count, repetitions: repetitions * count }
    } else if (part === '(') {
      outer.push(inner)
      inner = emptyGroup
    } else if (part === ')') {
      const enclosing = outer.pop() ?? emptyGroup
      inner = {
        precedingSize: enclosing.precedingSize + enclosing.last,
        last: precedingSize + last + 1,
        repetitions: repetitions,
      }
    } else inner = { precedingSize: precedingSize + last, last: 1, repetitions: 1 }
  }
  return outer.reduce(
    (size, { precedingSize, last }) => size + precedingSize + last,
    inner.precedingSize + inner.last,
  )
}

/** Errors for which Go quotes the whole expression and the library quotes nothing. */
const wholePatternErrors = new Set(['expression too large', 'expression nests too deeply'])

function formatProblem(text: string, problem: string, part: string | null): string {
  return `${problem}: \`${part ?? (wholePatternErrors.has(problem) ? text : '')}\``
}

/**
 * Cost of a search per character of the remaining text. The cost is low, because nearly all
 * searches stop early.
 */
const costPerCharacter = 1 / 8

/**
 * Maximum program size at which searches have the base cost. For larger programs, the cost of a
 * search grows in proportion to the size.
 */
const freeSteps = 64

function goRegexOf(compiled: RE2JS): GoRegex {
  const searchCost = costPerCharacter * Math.max(1, compiled.programSize() / freeSteps)
  const names = new Map(Object.entries(compiled.namedGroups()))
  return {
    test: (text) => compiled.test(text),
    find(text) {
      const matcher = compiled.matcher(text)
      if (!matcher.find()) return undefined
      return Array.from(
        { length: matcher.groupCount() + 1 },
        (_, at) => matcher.group(at) ?? undefined,
      )
    },
    replaceAll(text, template, addCost = () => {}) {
      const parts = parseTemplate(template, names)
      const matcher = compiled.matcher(text)
      let output = ''
      let end = 0
      const add = (piece: string): void => {
        addCost(piece.length)
        output += piece
      }
      for (;;) {
        // Each match may require a search of the whole remaining text.
        addCost(1 + Math.ceil((text.length - end) * searchCost))
        if (!matcher.find()) break
        // An empty match directly after another match is not replaced: `a*` matches nothing at the
        // end of `aa`.
        if (matcher.end() === end && matcher.start() > 0) continue
        add(text.slice(end, matcher.start()))
        for (const part of parts) {
          if (typeof part === 'string') add(part)
          else if (part <= matcher.groupCount()) add(matcher.group(part) ?? '')
        }
        end = matcher.end()
      }
      add(text.slice(end))
      return output
    },
  }
}

/** A reference in a template; any other dollar sign is plain text. */
const groupReference = /\$(?:\$|([\p{L}\p{Nd}_]+)|\{([\p{L}\p{Nd}_]+)\})/gu

/** Splits a template into literal text and group numbers. */
function parseTemplate(template: string, names: ReadonlyMap<string, number>): (string | number)[] {
  const parts: (string | number)[] = []
  let end = 0
  for (const match of template.matchAll(groupReference)) {
    const name = match[1] ?? match[2]
    parts.push(template.slice(end, match.index))
    parts.push(name === undefined ? '$' : groupNumberOf(name, names))
    end = match.index + match[0].length
  }
  parts.push(template.slice(end))
  return parts.filter((part) => part !== '')
}

/** Returns the number of a group; for an unknown name, a number that no group has. */
function groupNumberOf(name: string, names: ReadonlyMap<string, number>): number {
  if (/^(?:0|[1-9]\d{0,7})$/.test(name)) return Number(name)
  return names.get(name) ?? Number.POSITIVE_INFINITY
}
