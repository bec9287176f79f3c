import type { HclType, HclValue } from './values.ts'

/**
 * Parameter of a function. Arguments are converted to the type of the parameter before the function
 * runs.
 */
export interface HclParameter {
  /** Name of the parameter in messages. */
  readonly name: string
  readonly type: HclType
  /** True if the argument may be null; by default, null is rejected. */
  readonly nullable?: true
}

/**
 * Services that functions may use in addition to their arguments. Functions have no other access to
 * the process.
 */
export interface HclFunctionContext {
  /** Returns a random UUID from the world's generator. */
  readonly uuid: () => string
  /**
   * Charges for work or memory in advance, in units of about a character or an item. Throws once
   * the document's budget is used up.
   */
  readonly spend: (units: number) => void
}

/** A function that expressions can call. `run` receives arguments of the parameters' types. */
export interface HclFunction {
  readonly parameters: readonly HclParameter[]
  /**
   * Parameter for all arguments after those in `parameters`, if the function accepts any number of
   * arguments.
   */
  readonly variadic?: HclParameter
  /**
   * Runs the function.
   * @throws FunctionError for arguments that have the right types but invalid values
   */
  run(args: readonly HclValue[], context: HclFunctionContext): HclValue
}

/**
 * Error of a function call. The evaluator adds the name of the function and the position of the
 * call.
 */
export class FunctionError extends Error {
  /** Index of the invalid argument, from 0; undefined if no single argument is invalid. */
  readonly argument: number | undefined

  constructor(message: string, argument?: number) {
    super(message)
    this.name = 'FunctionError'
    this.argument = argument
  }
}
