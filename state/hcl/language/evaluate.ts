import type {
  Expression,
  Index,
  Literal,
  ObjectExpression,
  Step,
  Template,
  Traversal,
  Variable,
} from '../syntax/ast.ts'
import { type Diagnostic, diagnosticsError } from '../syntax/error.ts'
import { type Range, rangeAfter } from '../syntax/source.ts'
import { nearMiss } from '../syntax/suggestion.ts'
import { elementOf, takeStep } from './access.ts'
import type { Budget } from './budget.ts'
import { evaluateCall } from './calls.ts'
import { evaluateConditional } from './conditional.ts'
import { ConversionError } from './convert.ts'
import { type Evaluation, type EvaluationAttempt, startRange, tryConvert } from './evaluation.ts'
import { evaluateFor, evaluateSplat } from './loops.ts'
import { evaluateBinary, evaluateUnary } from './operators.ts'
import { firstName } from './references.ts'
import {
  currentElement,
  isUnset,
  knownRoots,
  lookUp,
  type Result,
  type Scope,
  UNKNOWN,
  type Unknown,
} from './scope.ts'
import { evaluateJoin, evaluateTemplate } from './templates.ts'
import type { HclValue } from './values.ts'

/** Cost of evaluating one node, in units of the budget. */
const NODE_COST = 5
/** Maximum number of reported problems per expression, since a loop can have one per element. */
const MAX_PROBLEMS = 100

/**
 * Returns the value of an expression (behaviour/scheduler#job-file-language). The cost is charged
 * to the scope's budget.
 *
 * @throws HclError with all problems, in the reference's wording. Also throws `Evaluation too
 *   expensive` if the budget is used up, and `Unsuitable value: value must be known` for a variable
 *   without a value.
 */
export function evaluate(expression: Expression, scope: Scope): HclValue {
  const { value, problems } = evaluateWithProblems(expression, scope)
  const [first, ...others] = problems
  if (first !== undefined) throw diagnosticsError(first, others)
  if (value === undefined) {
    throw diagnosticsError({
      summary: 'Unsuitable value type',
      detail: 'Unsuitable value: value must be known',
      range: startRange(expression),
    })
  }
  return value
}

/**
 * Evaluates an expression like `evaluate`, but returns the problems. If there are problems, the
 * value is undefined. If there is neither a value nor a problem, the expression depends on a
 * variable without a value, and the missing value was already reported.
 *
 * @throws HclError `Evaluation too expensive` if the budget is used up
 */
export function evaluateWithProblems(
  expression: Expression,
  scope: Scope,
): { readonly value: HclValue | undefined; readonly problems: readonly Diagnostic[] } {
  const { budget } = scope.environment
  const { result, problems } = isConstant(expression)
    ? { result: constantOf(expression, budget), problems: [] }
    : new ExpressionRun(budget).attempt(expression, scope)
  if (result === UNKNOWN || problems.length > 0) return { value: undefined, problems }
  budget.at = expression.range
  // The whole value is charged for, because callers may visit every part of it.
  budget.spend(budget.sizeOf(result))
  return { value: result, problems }
}

/**
 * The most frequent arguments: a number, `true`, `false`, `null`, or a string without template
 * sequences.
 */
type Constant = Literal | (Template & { readonly parts: readonly [Literal] })

function isConstant(expression: Expression): expression is Constant {
  if (expression.kind === 'literal') return true
  if (expression.kind !== 'template' || expression.parts.length !== 1) return false
  const part = expression.parts[0]
  return part?.kind === 'literal' && typeof part.value === 'string'
}

/** Returns the value of a constant and charges what an ordinary evaluation would cost. */
function constantOf(expression: Constant, budget: Budget): HclValue {
  budget.at = expression.range
  budget.spend(NODE_COST)
  if (expression.kind === 'literal') return expression.value
  const [part] = expression.parts
  budget.at = part.range
  budget.spend(NODE_COST)
  return part.value
}

class ExpressionRun implements Evaluation {
  readonly budget: Budget
  #problems: Diagnostic[] = []

  constructor(budget: Budget) {
    this.budget = budget
  }

  get problemCount(): number {
    return this.#problems.length
  }

  readonly report = (summary: string, detail: string, range: Range): Unknown => {
    this.addProblems([{ summary, detail, range }])
    return UNKNOWN
  }

  readonly addProblems = (problems: readonly Diagnostic[]): void => {
    for (const problem of problems) {
      this.budget.spend(problem.detail.length)
      if (this.#problems.length < MAX_PROBLEMS) this.#problems.push(problem)
    }
  }

  readonly attempt = (expression: Expression, scope: Scope): EvaluationAttempt => {
    const outer = this.#problems
    this.#problems = []
    try {
      const result = this.evaluate(expression, scope)
      return { result, problems: this.#problems }
    } finally {
      this.#problems = outer
    }
  }

  readonly evaluate = (expression: Expression, scope: Scope): Result => {
    this.budget.at = expression.range
    this.budget.spend(NODE_COST)
    switch (expression.kind) {
      case 'literal':
        return expression.value
      case 'template':
        return evaluateTemplate(this, expression, scope)
      case 'template-wrap':
      case 'parentheses':
        return this.evaluate(expression.expression, scope)
      case 'template-join':
        return evaluateJoin(this, expression, scope)
      case 'variable':
      case 'traversal':
        return this.#traversal(expression, scope)
      case 'index':
        return this.#index(expression, scope)
      case 'splat':
        return evaluateSplat(this, expression, scope)
      case 'splat-element':
        return currentElement(scope)
      case 'call':
        return evaluateCall(this, expression, scope)
      case 'tuple':
        return this.#tuple(expression.items, scope)
      case 'object':
        return this.#object(expression, scope)
      case 'for':
        return evaluateFor(this, expression, scope)
      case 'unary':
        return evaluateUnary(this, expression, scope)
      case 'binary':
        return evaluateBinary(this, expression, scope)
      case 'conditional':
        return evaluateConditional(this, expression, scope)
    }
  }

  /**
   * Returns the value of `name.step[0]`. The scope or an expression provides the root value, to
   * which the steps are applied one after the other.
   */
  #traversal(expression: Variable | Traversal, scope: Scope): Result {
    const { source, steps } =
      expression.kind === 'traversal' ? expression : { source: expression, steps: [] }
    if (source.kind !== 'variable') return this.#walk(this.evaluate(source, scope), steps)
    const root = lookUp(scope, source.name)
    if (root === undefined) return this.#unknownRoot(source, steps, scope)
    const first = firstName(steps)
    if (first !== undefined && isUnset(scope, source.name, first)) return UNKNOWN
    return this.#walk(root, steps)
  }

  #walk(from: Result, steps: readonly Step[]): Result {
    this.budget.spend(steps.length)
    return steps.reduce((value, step) => takeStep(this, value, step), from)
  }

  #unknownRoot({ name, range }: Variable, steps: readonly Step[], scope: Scope): Result {
    const { unknownRoot } = scope.environment
    if (unknownRoot !== undefined) {
      const reference = name + steps.map(stepText).join('')
      this.budget.spend(reference.length)
      return unknownRoot(reference)
    }
    const known = knownRoots(scope)
    if (known === undefined) {
      return this.report('Variables not allowed', 'Variables may not be used here.', range)
    }
    const suggestion = nearMiss(name, known)
    const advice = suggestion === undefined ? '' : ` Did you mean ${JSON.stringify(suggestion)}?`
    const detail = `There is no variable named ${JSON.stringify(name)}.${advice}`
    return this.report('Unknown variable', detail, range)
  }

  #index({ collection, key, range }: Index, scope: Scope): Result {
    const source = this.evaluate(collection, scope)
    const found = this.evaluate(key, scope)
    return elementOf(this, source, found, rangeAfter(collection.range, range))
  }

  #tuple(expressions: readonly Expression[], scope: Scope): Result {
    const items: HclValue[] = []
    let isKnown = true
    for (const expression of expressions) {
      const value = this.evaluate(expression, scope)
      if (value === UNKNOWN) isKnown = false
      else items.push(value)
    }
    return isKnown ? this.budget.chargeNew({ kind: 'tuple', items }) : UNKNOWN
  }

  #object({ entries }: ObjectExpression, scope: Scope): Result {
    const found = new Map<string, HclValue>()
    let isKnown = true
    for (const { key, value } of entries) {
      const before = this.problemCount
      const name = this.#key(key, scope)
      const keyFailed = this.problemCount > before
      const result = this.evaluate(value, scope)
      const text = keyFailed ? UNKNOWN : this.#keyText(name, key, value)
      if (text === UNKNOWN || result === UNKNOWN) isKnown = false
      else found.set(text, result)
    }
    return isKnown ? this.budget.chargeNew({ kind: 'object', entries: found }) : UNKNOWN
  }

  #key(key: Expression, scope: Scope): Result {
    if (key.kind !== 'traversal' || key.source.kind !== 'variable') return this.evaluate(key, scope)
    return this.report(
      'Ambiguous attribute key',
      "If this expression is intended to be a reference, wrap it in parentheses. If it's instead intended as a literal name containing periods, wrap it in quotes to create a string literal.",
      key.range,
    )
  }

  #keyText(name: Result, key: Expression, value: Expression): string | Unknown {
    if (name === UNKNOWN) return UNKNOWN
    if (name === null) {
      return this.report('Null value as key', "Can't use a null value as a key.", value.range)
    }
    const text = tryConvert(name, 'string', this.budget)
    if (text instanceof ConversionError) {
      const detail = `Can't use this value as a key: ${text.message}.`
      return this.report('Incorrect key type', detail, key.range)
    }
    return String(text)
  }
}

/** Returns the source form of a step: `.name`, `.0`, `[0]` or `["key"]`. */
function stepText(step: Step): string {
  if (step.kind === 'attribute') return `.${step.name}`
  const { key, range } = step
  const text = JSON.stringify(key)
  const isDotted =
    typeof key === 'number' && range.end.offset - range.start.offset === text.length + 1
  return isDotted ? `.${text}` : `[${text}]`
}
