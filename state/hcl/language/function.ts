import type { HclType, HclValue } from './values.ts'

/** Parameter of a function. Arguments are converted to its type before the function runs. */
export interface HclParameter {
  /** Name of the parameter in messages. */
  readonly name: string
  readonly type: HclType
  /** Whether the argument may be null; null is rejected by default. */
  readonly nullable?: true
}

/**
 * Services that functions may use in addition to their arguments. Functions do not access the
 * process in any other way.
 */
export interface HclFunctionContext {
  /** Returns a random UUID of the world's generator. */
  readonly uuid: () => string
  /**
   * Charges for work or memory in advance, in units of about a character or an item. Throws once
   * the document's budget is used up.
   */
  readonly spend: (units: number) => void
}

/** Function of the configuration language. */
export interface HclFunction {
  readonly parameters: readonly HclParameter[]
  /** Parameter for all further arguments. */
  readonly variadic?: HclParameter
  /**
   * @throws FunctionError for arguments that have the right types but invalid values
   */
  run(args: readonly HclValue[], context: HclFunctionContext): HclValue
}

/** Error of a function call; the evaluator adds the function's name and the place of the call. */
export class FunctionError extends Error {
  /** Index of the argument at fault, from 0; undefined if no single argument is at fault. */
  readonly argument: number | undefined

  constructor(message: string, argument?: number) {
    super(message)
    this.name = 'FunctionFault'
    this.argument = argument
  }
}
