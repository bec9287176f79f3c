import type { Budget } from './budget.ts'
import type { HclFunction, HclFunctionContext } from './function.ts'
import type { HclValue } from './values.ts'

/**
 * Placeholder for a value that could not be determined or is not known yet. If there is a problem,
 * other code reports it.
 */
export const UNKNOWN: unique symbol = Symbol('unknown')
export type Unknown = typeof UNKNOWN
/** Value of a part of an expression, or `UNKNOWN`. */
export type Result = HclValue | Unknown

/** Environment shared by all expressions of a document. */
export interface EvaluationEnvironment {
  /**
   * Functions that can be called, in addition to `try`, `can` and `convert`; undefined if calls are
   * not allowed.
   */
  readonly functions?: ReadonlyMap<string, HclFunction>
  /**
   * Returns the value of a reference whose root is unknown, such as `attr.cpu.arch`, from its
   * source text.
   */
  readonly unknownRoot?: (reference: string) => HclValue
  /** Declared names without a value, `var.x` and `local.y`, which were already reported. */
  readonly unsetNames?: ReadonlySet<string>
  readonly budget: Budget
  /** Returns a random UUID from the world's generator. */
  readonly uuid: () => string
}

/** Names that an expression can read. A name that is missing here is looked up in the parent. */
export interface Scope {
  /** Values by root name; undefined if variables are not allowed. */
  readonly variables?: ReadonlyMap<string, Result>
  readonly parent?: Scope
  /** Current element of a splat. */
  readonly element?: Result
  readonly environment: EvaluationEnvironment
  readonly context: HclFunctionContext
}

/** Returns the outermost scope of a document. */
export function createScope(
  environment: EvaluationEnvironment,
  variables?: ReadonlyMap<string, HclValue>,
): Scope {
  const context = { uuid: environment.uuid, spend: environment.budget.spend }
  return { environment, context, ...(variables && { variables }) }
}

/**
 * Returns a scope that adds names to those of its parent: the names of a loop, or the iterator of a
 * dynamic block.
 */
export function childScope(
  parent: Scope,
  variables: Iterable<readonly [name: string, value: Result]>,
): Scope {
  const { environment, context } = parent
  return { parent, environment: environment, context, variables: new Map(variables) }
}

/** Returns the scope for the `each` expression of a splat. */
export function elementScope(parent: Scope, element: Result): Scope {
  const { environment, context } = parent
  return { parent, environment: environment, context, element }
}

/** Returns the value of a root name from the innermost scope that has it, or undefined. */
export function lookUp(scope: Scope, name: string): Result | undefined {
  for (let current: Scope | undefined = scope; current !== undefined; current = current.parent) {
    const found = current.variables?.get(name)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Returns whether `root.name`, such as `var.x`, is a declared variable or local without a value.
 */
export function isUnset(scope: Scope, root: string, name: string): boolean {
  if (!scope.environment.unsetNames?.has(`${root}.${name}`)) return false
  // A loop may have declared the name for a value of its own.
  for (let current: Scope | undefined = scope; current !== undefined; current = current.parent) {
    if (current.variables?.has(root)) return current.parent === undefined
  }
  return false
}

/** Returns all root names of a scope and its parents; undefined if variables are not allowed. */
export function knownRoots(scope: Scope): string[] | undefined {
  let names: string[] | undefined
  for (let current: Scope | undefined = scope; current !== undefined; current = current.parent) {
    if (current.variables !== undefined) names = [...(names ?? []), ...current.variables.keys()]
  }
  return names
}

/** Returns the current element of the innermost splat; unknown outside of splats. */
export function currentElement(scope: Scope): Result {
  for (let current: Scope | undefined = scope; current !== undefined; current = current.parent) {
    if (current.element !== undefined) return current.element
  }
  return UNKNOWN
}
