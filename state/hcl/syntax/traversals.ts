import type { Expression, Step } from './ast.ts'
import { ParsingAborted, type Reader } from './reader.ts'
import { spanOf } from './source.ts'
import type { ParseExpression } from './template-parts.ts'
import type { Token } from './token.ts'

/**
 * Parses the steps after a term: `.name`, `.0`, `[key]`, `.*` and `[*]`. Returns the term itself if
 * no step follows. Reports an invalid step and throws ParsingAborted.
 */
export function parseSteps(
  reader: Reader,
  source: Expression,
  parseExpression: ParseExpression,
): Expression {
  const { kind } = reader.peek()
  if (kind !== '.' && kind !== '[') return source
  let base = source
  let steps: Step[] = []
  const restartFrom = (found: Expression): void => {
    base = found
    steps = []
  }
  for (;;) {
    if (steps.length > 0) reader.countOperator()
    const dot = reader.accept('.')
    if (dot !== undefined) {
      if (reader.peek().kind === '*') restartFrom(parseSplat(reader, traversalOf(base, steps), dot))
      else steps.push(parseName(reader, dot))
      continue
    }
    const bracket = reader.accept('[')
    if (bracket === undefined) return traversalOf(base, steps)
    if (reader.accept('*')) {
      restartFrom(parseFullSplat(reader, traversalOf(base, steps), bracket, parseExpression))
      continue
    }
    const key = parseKey(reader, parseExpression)
    const constantIndex = constantKey(key)
    const range = spanOf(bracket.range, reader.last.range)
    if (constantIndex === undefined) {
      reader.countOperator()
      const collection = traversalOf(base, steps)
      const whole = spanOf(collection.range, range)
      restartFrom({ kind: 'index', collection, key, range: whole })
    } else {
      steps.push({ kind: 'index', key: constantIndex, range })
    }
  }
}

/**
 * Parses `.*`. Names and numbers that follow apply to each element; other steps apply to the
 * result.
 */
function parseSplat(reader: Reader, source: Expression, dot: Token): Expression {
  const star = reader.read()
  const steps: Step[] = []
  for (;;) {
    const next = reader.accept('.')
    if (next === undefined) break
    reader.countOperator()
    steps.push(parseName(reader, next))
  }
  reader.countOperator()
  const element = { kind: 'splat-element', range: spanOf(dot.range, star.range) } as const
  const each = traversalOf(element, steps)
  return { kind: 'splat', source, each, range: spanOf(source.range, each.range) }
}

/** Parses the step after a dot. `.0` is an index in HCL1 notation. */
function parseName(reader: Reader, dot: Token): Step {
  const token = reader.peek()
  if (token.kind === 'identifier') {
    reader.read()
    return { kind: 'attribute', name: token.text, range: spanOf(dot.range, token.range) }
  }
  if (token.kind === 'number') {
    reader.read()
    if (token.text.includes('.')) {
      return reader.fail(
        'Invalid legacy index syntax',
        `When using the legacy index syntax, chaining two indexes together is not permitted. Use the proper index syntax instead, like [${token.text.replace('.', '][')}].`,
        token.range,
      )
    }
    const key = Number(token.text)
    if (Number.isNaN(key)) {
      return reader.fail(
        'Invalid number literal',
        'Failed to recognize the value of this number literal.',
        token.range,
      )
    }
    return { kind: 'index', key, range: spanOf(dot.range, token.range) }
  }
  return missingName(reader, token)
}

function missingName(reader: Reader, token: Token): never {
  return reader.fail(
    'Invalid attribute name',
    'An attribute name is required after a dot.',
    token.range,
  )
}

function parseKey(reader: Reader, parseExpression: ParseExpression): Expression {
  return reader.withNewlines(false, () => {
    const key = parseExpression(reader)
    closeBracket(
      reader,
      'Missing close bracket on index',
      'The index operator must end with a closing bracket ("]").',
    )
    return key
  })
}

/** Parses `[*]`. All steps that follow, even splats, apply to each element. */
function parseFullSplat(
  reader: Reader,
  source: Expression,
  opening: Token,
  parseExpression: ParseExpression,
): Expression {
  closeBracket(
    reader,
    'Missing close bracket on splat index',
    'The star for a full splat operator must be immediately followed by a closing bracket ("]").',
  )
  const range = spanOf(opening.range, reader.last.range)
  const each = reader.nested(() =>
    parseSteps(reader, { kind: 'splat-element', range }, parseExpression),
  )
  return { kind: 'splat', source, each, range: spanOf(source.range, each.range) }
}

function closeBracket(reader: Reader, summary: string, detail: string): void {
  if (reader.accept(']')) return
  const wasRecovering = reader.isRecovering
  // The problem is reported at the closing bracket or, if there is none, at the end of the text.
  const closingBracket = reader.skipBracket(reader.openBrackets - 1)
  if (!wasRecovering) reader.report(summary, detail, closingBracket.range)
  throw new ParsingAborted()
}

/**
 * Returns the key of an index if the key is constant: a number, or a string without sequences.
 * Returns undefined for an expression that must be evaluated.
 */
function constantKey(key: Expression): string | number | undefined {
  if (key.kind === 'literal' && typeof key.value === 'number') return key.value
  if (key.kind !== 'template' || key.parts.length !== 1) return undefined
  const part = key.parts[0]
  return part?.kind === 'literal' && typeof part.value === 'string' ? part.value : undefined
}

function traversalOf(source: Expression, steps: readonly Step[]): Expression {
  const last = steps[steps.length - 1]
  if (last === undefined) return source
  return { kind: 'traversal', source, steps, range: spanOf(source.range, last.range) }
}
