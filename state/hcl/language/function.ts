import type { HclType, HclValue } from './values.ts'

/** One parameter of a function. Arguments are converted to its type before the function runs. */
export interface HclParameter {
  /** As messages call it. */
  readonly name: string
  readonly type: HclType
  /** True when the argument may be null; refused unless set. */
  readonly nullable?: true
}

/** The surroundings of functions beyond their arguments: nothing of the process. */
export interface HclFunctionContext {
  /** A random UUID of the world's generator. */
  readonly uuid: () => string
  /**
   * Pays for work or memory in advance, in units of about a character or an item; throws when the
   * document has used up what it may cost.
   */
  readonly spend: (units: number) => void
}

/** A function of the configuration language. */
export interface HclFunction {
  readonly parameters: readonly HclParameter[]
  /** Takes all further arguments. */
  readonly variadic?: HclParameter
  /** @throws FunctionFault for arguments of the right types that make no sense */
  run(args: readonly HclValue[], context: HclFunctionContext): HclValue
}

/** A function's complaint; the evaluator adds which function it is and where it was called. */
export class FunctionError extends Error {
  /** The argument at fault, from 0; undefined when it is none in particular. */
  readonly argument: number | undefined

  constructor(message: string, argument?: number) {
    super(message)
    this.name = 'FunctionFault'
    this.argument = argument
  }
}
