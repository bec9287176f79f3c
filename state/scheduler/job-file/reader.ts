import { evaluate } from '../../hcl/language/evaluate.ts'
import type { Scope } from '../../hcl/language/scope.ts'
import type { HclValue } from '../../hcl/language/values.ts'
import type { Body, Expression } from '../../hcl/syntax/ast.ts'
import { type Diagnostic, HclError } from '../../hcl/syntax/error.ts'
import type { FixedContents } from './schema.ts'
import type { NamesByTable, TableNames } from './table-names.ts'

/** Maximum number of problems. Reading stops at this number, so that the reply stays small. */
const MAX_PROBLEMS = 100
/**
 * Cost of a block without its items, in units of the evaluation budget. The budget limits the work
 * for one file: 1,000,000 units, and 8 more for each character.
 */
const BLOCK_COST = 150

/** Error that stops reading because the file has too many problems. */
export class TooManyProblems extends Error {}

/**
 * State of reading one file: the problems so far, and the parts that the reference reads in a
 * second pass.
 */
export class JobFileReader {
  readonly problems: Diagnostic[] = []
  readonly #names: NamesByTable
  readonly #postponedReads: (() => void)[] = []

  /**
   * @param names names of arguments and blocks, by the table that defines them. If several names
   *   resemble an unknown name, messages suggest the first of these names
   */
  constructor(names: NamesByTable) {
    this.#names = names
  }

  namesOf(contents: FixedContents): TableNames {
    const names = this.#names.get(contents)
    if (names === undefined) throw new Error('a table outside of the root table')
    return names
  }

  /**
   * Records a problem and continues, so that users see all problems at once.
   *
   * @throws TooManyProblems at the maximum number of problems
   */
  readonly report = (problem: Diagnostic): void => {
    this.problems.push(problem)
    if (this.problems.length >= MAX_PROBLEMS) throw new TooManyProblems()
  }

  /**
   * Evaluates an expression. If the expression has problems, records them and returns undefined.
   *
   * @throws HclError if the file exceeds its budget
   * @throws TooManyProblems at the maximum number of problems
   */
  evaluate(expression: Expression, scope: Scope): HclValue | undefined {
    try {
      return evaluate(expression, scope)
    } catch (error) {
      if (!(error instanceof HclError) || isFatal(error)) throw error
      for (const problem of error.diagnostics) this.report(problem)
      return undefined
    }
  }

  /** Runs a step of reading and drops the problems that it records, as the reference does. */
  ignoreProblems(read: () => void): void {
    const before = this.problems.length
    read()
    this.problems.length = before
  }

  /**
   * Charges the evaluation budget for a block.
   * @throws HclError if the file exceeds its budget
   */
  chargeBlock(scope: Scope, { items }: Body): void {
    scope.context.spend(BLOCK_COST + items.length)
  }

  /**
   * Postpones a step until the rest of the file is read without problems. As in the reference, the
   * configuration of drivers is read in this way.
   */
  postpone(run: () => void): void {
    this.#postponedReads.push(run)
  }

  runPostponed(): void {
    for (const run of this.#postponedReads) run()
  }
}

function isFatal({ summary }: HclError): boolean {
  return summary === 'Evaluation too expensive'
}
