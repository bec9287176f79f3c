/** Part of a file, from offset `start` up to but not including offset `end`. */
export interface Span {
  readonly start: number
  readonly end: number
}

/**
 * Kind of a declaration with a docstring. `method` is a member that can be called, `either` a value
 * that may be a function.
 */
export type CommentSubject = 'function' | 'method' | 'value' | 'type' | 'either'

export interface Comment {
  /** Line of the file, from 1. */
  readonly line: number
  /** Text of each line without comment markers. */
  readonly lines: readonly string[]
  /** True for comments that begin with two stars. */
  readonly isDoc: boolean
  /** Kind of the declaration that a docstring describes; undefined for all other comments. */
  readonly subject: CommentSubject | undefined
  /**
   * First line of code after the comment; for a comment at the end of a line, the code before it.
   */
  readonly code: string
}

/**
 * Returns the comments of a file. Lines of `//` that follow each other are one comment.
 *
 * @param literals strings, templates, regular expressions and text of JSX: nothing in them is a
 *   comment
 * @param subjects kind of each declaration by the offset of its first token
 */
export function findComments(
  text: string,
  literals: readonly Span[],
  subjects: ReadonlyMap<number, CommentSubject>,
  lineOf: (offset: number) => number,
): readonly Comment[] {
  const found: Comment[] = []
  for (const span of joinLines(text, commentSpans(text, literals))) {
    const whole = text.slice(span.start, span.end)
    const isDoc = whole.startsWith('/**')
    const gap = /^\s*/.exec(text.slice(span.end, span.end + 200))?.[0] ?? ''
    const next = span.end + gap.length
    // A comment in front of an empty line is about the file.
    const isDocstring = isDoc && !/\n\s*\n/.test(gap)
    found.push({
      line: lineOf(span.start),
      lines: whole.split('\n').map(withoutMarks),
      isDoc,
      subject: isDocstring ? subjects.get(next) : undefined,
      code: codeBeside(text, span, next),
    })
  }
  return found
}

function commentSpans(text: string, literals: readonly Span[]): readonly Span[] {
  const spans: Span[] = []
  const marks = /\/\/|\/\*/g
  const sorted = [...literals].sort((a, b) => a.start - b.start)
  let next = 0
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    const start = mark.index
    while ((sorted[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next += 1
    const literal = sorted[next]
    if (literal !== undefined && literal.start <= start) {
      marks.lastIndex = literal.end
      continue
    }
    const close = mark[0] === '//' ? text.indexOf('\n', start) : text.indexOf('*/', start + 2) + 2
    const end = close < start ? text.length : close
    spans.push({ start, end })
    marks.lastIndex = end
  }
  return spans
}

/**
 * Joins `//` comments on consecutive lines that have the same indentation, unless code precedes one
 * of them on its line.
 */
function joinLines(text: string, spans: readonly Span[]): readonly Span[] {
  const joined: Span[] = []
  for (const span of spans) {
    const last = joined.at(-1)
    if (last !== undefined && follows(text, last, span)) {
      joined[joined.length - 1] = { start: last.start, end: span.end }
    } else joined.push(span)
  }
  return joined
}

function follows(text: string, first: Span, second: Span): boolean {
  return (
    text.startsWith('//', first.start) &&
    text.startsWith('//', second.start) &&
    /^\n[ \t]*$/.test(text.slice(first.end, second.start)) &&
    lineBefore(text, first.start) === lineBefore(text, second.start)
  )
}

/** Returns the text before an offset in its line. */
function lineBefore(text: string, offset: number): string {
  return text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset)
}

function withoutMarks(line: string): string {
  return line
    .replace(/^\s*(?:\/\/\/?|\/\*\*?|\*(?!\/))?/, '')
    .replace(/\*\/\s*$/, '')
    .trim()
}

function codeBeside(text: string, { start }: Span, next: number): string {
  const before = lineBefore(text, start).trim()
  if (before !== '') return before
  const end = text.indexOf('\n', next)
  return text.slice(next, end === -1 ? text.length : end).trim()
}
