import type { Template, TemplateJoin } from '../syntax/ast.ts'
import type { Range } from '../syntax/source.ts'
import { ConversionError } from './convert.ts'
import { type Evaluation, tryConvert } from './evaluation.ts'
import { type Result, type Scope, UNKNOWN, type Unknown } from './scope.ts'
import { isSequence } from './values.ts'

/**
 * Problem details: one for a template part that is null, one for a part that cannot become a
 * string.
 */
interface TemplateMessages {
  readonly nullDetail: string
  readonly unsuitableDetail: string
}

const OF_PART: TemplateMessages = {
  nullDetail: 'The expression result is null. Cannot include a null value in a string template.',
  unsuitableDetail: 'Cannot include the given value in a string template',
}
const OF_ITERATION: TemplateMessages = {
  nullDetail: 'An iteration result is null. Cannot include a null value in a string template.',
  unsuitableDetail: 'Cannot include one of the interpolation results into the string template',
}

/**
 * Returns the value of `"text ${value} text"`. Reports parts that are null or cannot become a
 * string. Returns `UNKNOWN` for such parts, and for parts that are not known yet.
 */
export function evaluateTemplate(
  evaluation: Evaluation,
  { parts }: Template,
  scope: Scope,
): Result {
  const texts: string[] = []
  let isKnown = true
  for (const part of parts) {
    const value = evaluation.evaluate(part, scope)
    const text = textOf(evaluation, value, part.range, OF_PART)
    if (text === UNKNOWN) isKnown = false
    else texts.push(text)
  }
  return isKnown ? concatenate(evaluation, texts) : UNKNOWN
}

/**
 * Returns the string that a `%{for}` yields: its items, joined without a separator. Reports an item
 * that is null or cannot become a string. Returns `UNKNOWN` if there is such an item, or one that
 * is not known yet.
 */
export function evaluateJoin(
  evaluation: Evaluation,
  { tuple, range }: TemplateJoin,
  scope: Scope,
): Result {
  const value = evaluation.evaluate(tuple, scope)
  if (value === UNKNOWN || value === null || !isSequence(value)) return UNKNOWN
  const texts: string[] = []
  for (const item of value.items) {
    const text = textOf(evaluation, item, range, OF_ITERATION)
    if (text === UNKNOWN) return UNKNOWN
    texts.push(text)
  }
  return concatenate(evaluation, texts)
}

function textOf(
  { report, budget }: Evaluation,
  value: Result,
  range: Range,
  { nullDetail, unsuitableDetail }: TemplateMessages,
): string | Unknown {
  const summary = 'Invalid template interpolation value'
  if (value === UNKNOWN || typeof value === 'string') return value
  if (value === null) return report(summary, nullDetail, range)
  const text = tryConvert(value, 'string', budget)
  return text instanceof ConversionError
    ? report(summary, `${unsuitableDetail}: ${text.message}.`, range)
    : String(text)
}

function concatenate({ budget }: Evaluation, texts: readonly string[]): string {
  if (texts.length === 1) return texts[0] ?? ''
  for (const text of texts) budget.spend(1 + text.length)
  return texts.join('').normalize('NFC')
}
