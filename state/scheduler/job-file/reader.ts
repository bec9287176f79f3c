import { evaluate } from '../../hcl/language/evaluate.ts'
import type { Scope } from '../../hcl/language/scope.ts'
import type { HclValue } from '../../hcl/language/values.ts'
import type { Body, Expression } from '../../hcl/syntax/ast.ts'
import { type Diagnostic, HclError } from '../../hcl/syntax/error.ts'
import type { FixedContents } from './schema.ts'
import type { NamesByTable, TableNames } from './table-names.ts'

/** A file with more problems than this is not read on: its answer must stay small. */
const MAX_PROBLEMS = 100
/**
 * The cost of a block beyond its items, in units of the budget, of which a small file has
 * 2,000,000.
 */
const BLOCK_COST = 150

/** Thrown when there are problems enough. */
export class TooManyProblems extends Error {}

/** Reading one file: its problems so far, and what the reference does in a second pass. */
export class JobFileReader {
  readonly problems: Diagnostic[] = []
  readonly #names: NamesByTable
  readonly #postponed: (() => void)[] = []

  /** @param names of all tables; suggestions tell those that come first */
  constructor(names: NamesByTable) {
    this.#names = names
  }

  /** The names of a table. */
  namesOf(contents: FixedContents): TableNames {
    const names = this.#names.get(contents)
    if (names === undefined) throw new Error('a table that stands in no other')
    return names
  }

  /** Records a problem; reading goes on, so that the user is told about all of them. */
  readonly report = (problem: Diagnostic): void => {
    this.problems.push(problem)
    if (this.problems.length >= MAX_PROBLEMS) throw new TooManyProblems()
  }

  /**
   * The value of an expression; undefined when it has problems, which are recorded. A document that
   * is too expensive ends the reading.
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

  /** Reads something of which the reference loses the problems. */
  ignoreProblems(read: () => void): void {
    const before = this.problems.length
    read()
    this.problems.length = before
  }

  /** Pays for a block. */
  chargeBlock(scope: Scope, { items }: Body): void {
    scope.context.spend(BLOCK_COST + items.length)
  }

  /** Puts off what the reference reads only in files without problems: driver configuration. */
  postpone(run: () => void): void {
    this.#postponed.push(run)
  }

  /** Does what was put off. */
  runPostponed(): void {
    for (const run of this.#postponed) run()
  }
}

function isFatal({ summary }: HclError): boolean {
  return summary === 'Evaluation too expensive'
}
