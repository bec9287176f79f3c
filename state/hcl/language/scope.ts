import type { Budget } from './budget.ts'
import type { HclFunction, HclFunctionContext } from './function.ts'
import type { HclValue } from './values.ts'

/** Stands for a value that could not be found out: the problem is told elsewhere. */
export const UNKNOWN: unique symbol = Symbol('unknown')
/** See `UNKNOWN`. */
export type Unknown = typeof UNKNOWN
/** The result of evaluating a part of an expression. */
export type Result = HclValue | Unknown

/** The surroundings that the expressions of a document share. */
export interface EvaluationEnvironment {
  /** Absent where functions may not be called. `try`, `can` and `convert` need not be in it. */
  readonly functions?: ReadonlyMap<string, HclFunction>
  /** The value of a reference whose root nobody knows, given as written: `attr.cpu.arch`. */
  readonly unknownRoot?: (reference: string) => HclValue
  /** The names that are declared but have no value, `var.x` and `local.y`; that has been told. */
  readonly unsetNames?: ReadonlySet<string>
  readonly budget: Budget
  /** A random UUID of the world's generator. */
  readonly uuid: () => string
}

/** Where names of an expression are looked up: here, then in the parents. */
export interface Scope {
  /** Values by root name; absent where variables may not be used. */
  readonly variables?: ReadonlyMap<string, Result>
  readonly parent?: Scope
  /** The element at hand of a splat. */
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
 * Returns a scope in which further names are known: those of a loop, the iterator of a dynamic
 * block.
 */
export function childScope(
  parent: Scope,
  variables: Iterable<readonly [name: string, value: Result]>,
): Scope {
  const { environment, context } = parent
  return { parent, environment: environment, context, variables: new Map(variables) }
}

/** Returns the scope of a splat's `each`. */
export function elementScope(parent: Scope, element: Result): Scope {
  const { environment, context } = parent
  return { parent, environment: environment, context, element }
}

/** Returns the value of a root name, of the innermost scope that has it; undefined for none. */
export function lookUp(scope: Scope, name: string): Result | undefined {
  for (let current: Scope | undefined = scope; current !== undefined; current = current.parent) {
    const found = current.variables?.get(name)
    if (found !== undefined) return found
  }
  return undefined
}

/** Returns whether a first step from a root leads to something declared that has no value. */
export function isUnset(scope: Scope, root: string, name: string): boolean {
  if (!scope.environment.unsetNames?.has(`${root}.${name}`)) return false
  // A loop may have given the name to something of its own.
  for (let current: Scope | undefined = scope; current !== undefined; current = current.parent) {
    if (current.variables?.has(root)) return current.parent === undefined
  }
  return false
}

/**
 * Returns all root names of a scope and its parents; undefined where variables may not be used at
 * all.
 */
export function knownRoots(scope: Scope): string[] | undefined {
  let names: string[] | undefined
  for (let current: Scope | undefined = scope; current !== undefined; current = current.parent) {
    if (current.variables !== undefined) names = [...(names ?? []), ...current.variables.keys()]
  }
  return names
}

/** Returns the element at hand of the innermost splat. */
export function currentElement(scope: Scope): Result {
  for (let current: Scope | undefined = scope; current !== undefined; current = current.parent) {
    if (current.element !== undefined) return current.element
  }
  return UNKNOWN
}
