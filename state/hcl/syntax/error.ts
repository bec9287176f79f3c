import { formatRange, type Position, type Range } from './source.ts'

/** A problem of a document, in the three parts that the real HCL2 parser prints. */
export interface Diagnostic {
  /** Short statement of the problem. */
  readonly summary: string
  /** Explanation or advice; empty for HCL1 documents, whose messages have only one part. */
  readonly detail: string
  /** Location; undefined if the problem concerns the whole document. */
  readonly range?: Range
}

/**
 * Error for an invalid document, the only exception that callers of the parsers have to handle.
 * `message` has the format of the real parser's message. For HCL1, it is `At 3:5: <problem>`; for
 * the JSON form of HCL1, `<problem>` or `3:5: <problem>`. For HCL2, it is `<range>: <summary>;
 * <detail>`, followed by `, and N other diagnostic(s)` if there are several problems. Problems of a
 * document's content are listed one per line.
 */
export class HclError extends Error {
  /**
   * All problems found, in the order of the real parser; empty only if parsing was aborted without
   * a recorded problem.
   */
  readonly diagnostics: readonly Diagnostic[]

  constructor(message: string, diagnostics: readonly Diagnostic[]) {
    super(message)
    this.name = 'HclError'
    this.diagnostics = diagnostics.map(detachFromText)
  }

  /** Summary of the first problem. */
  get summary(): string {
    return this.diagnostics[0]?.summary ?? this.message
  }

  /** Detail of the first problem; may be empty. */
  get detail(): string {
    return this.diagnostics[0]?.detail ?? ''
  }

  /** Location of the first problem; undefined if the problem has no location. */
  get range(): Range | undefined {
    return this.diagnostics[0]?.range
  }
}

/**
 * Returns a copy of a problem without the document's text, so that an error that is kept does not
 * keep the text in memory.
 */
function detachFromText(problem: Diagnostic): Diagnostic {
  if (problem.range === undefined) return problem
  const { file, start, end } = problem.range
  return { ...problem, range: { file, start, end } }
}

/** Formats one HCL2 problem: `<range>: <summary>; <detail>`. */
export function formatDiagnostic({ range, summary, detail }: Diagnostic): string {
  return `${formatRange(range)}: ${summary}; ${detail}`
}

/**
 * Returns the error for one or more HCL2 problems. The message contains the first problem and the
 * number of other problems.
 */
export function diagnosticsError(first: Diagnostic, others: readonly Diagnostic[] = []): HclError {
  const more = others.length > 0 ? `, and ${others.length} other diagnostic(s)` : ''
  return new HclError(formatDiagnostic(first) + more, [first, ...others])
}

/** Returns the error for an HCL1 problem: `At 3:5: <problem>`. */
export function positionError(problem: string, at: Position): HclError {
  return new HclError(`At ${at.line}:${at.column}: ${problem}`, [diagnosticAt(problem, at)])
}

/** Returns a diagnostic for a problem at one position. The document has no name. */
export function diagnosticAt(problem: string, at: Position): Diagnostic {
  return { summary: problem, detail: '', range: { file: '', start: at, end: at } }
}
