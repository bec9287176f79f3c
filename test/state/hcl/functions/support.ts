import { Budget } from '../../../../state/hcl/language/budget.ts'
import { hclFunctions } from '../../../../state/hcl/language/functions.ts'
import { createScope } from '../../../../state/hcl/language/scope.ts'
import { FUNCTIONS, refusal, value } from '../language/support.ts'

/** Functions that create collections, only for these tests: the reference does not have them. */
const makers = ['tolist', 'toset', 'tomap'].flatMap((name) => {
  const maker = FUNCTIONS.get(name)
  return maker === undefined ? [] : [[name, maker] as const]
})

/** Result of `uuidv4` in these tests. */
const someUuid = '6f7a3d52-6a0c-4c0f-8f0e-0d9f3a1b2c4d'

/** Returns the value of an expression that may call all functions, converted by `plain`. */
export function call(expression: string, limit?: number): unknown {
  const functions = new Map([...hclFunctions, ...makers])
  const budget = new Budget(limit)
  return value(expression, createScope({ functions, budget, uuid: () => someUuid }))
}

/** Returns the message of an expression's problem without its location. */
export function fault(expression: string, limit?: number): string {
  return refusal(() => call(expression, limit)).message.replace(/^x:[\d,-]+: /, '')
}
