import { Budget } from '../../../../state/hcl/language/budget.ts'
import { evaluate } from '../../../../state/hcl/language/evaluate.ts'
import { FunctionError, type HclFunction } from '../../../../state/hcl/language/function.ts'
import { createScope, type Scope } from '../../../../state/hcl/language/scope.ts'
import { type HclValue, isMapping, isSequence } from '../../../../state/hcl/language/values.ts'
import { HclError } from '../../../../state/hcl/syntax/error.ts'
import { parseHclExpression } from '../../../../state/hcl/syntax/parser.ts'

/**
 * Converts a value for comparison: tuples and objects stay as they are, other collections are
 * marked with their kind.
 */
export function plain(value: HclValue): unknown {
  if (isSequence(value)) {
    const items = value.items.map(plain)
    return value.kind === 'tuple' ? items : { [`<${value.kind}>`]: items }
  }
  if (!isMapping(value)) return value
  const entries = Object.fromEntries([...value.entries].map(([key, item]) => [key, plain(item)]))
  return value.kind === 'object' ? entries : { '<map>': entries }
}

/** Reverses `plain`. */
export function fromPlain(json: unknown): HclValue {
  if (json === null || typeof json !== 'object') {
    if (json === null) return null
    if (typeof json === 'string' || typeof json === 'number' || typeof json === 'boolean')
      return json
    throw new TypeError('not a value')
  }
  if (Array.isArray(json)) return { kind: 'tuple', items: json.map(fromPlain) }
  for (const kind of ['list', 'set'] as const) {
    const items: unknown = Object.entries(json).find(([key]) => key === `<${kind}>`)?.[1]
    if (Array.isArray(items)) return { kind, items: items.map(fromPlain) }
  }
  const [first] = Object.entries(json)
  if (first?.[0] === '<map>') return { kind: 'map', entries: entriesOf(first[1]) }
  return { kind: 'object', entries: entriesOf(json) }
}

function entriesOf(json: object): Map<string, HclValue> {
  return new Map(Object.entries(json).map(([key, item]) => [key, fromPlain(item)]))
}

/** A few functions for tests of calls. The real functions have tests of their own. */
export const FUNCTIONS: ReadonlyMap<string, HclFunction> = new Map<string, HclFunction>([
  [
    'upper',
    {
      parameters: [{ name: 'str', type: 'string' }],
      run: ([text]) => String(text).toUpperCase(),
    },
  ],
  [
    'join',
    {
      parameters: [{ name: 'separator', type: 'string' }],
      variadic: { name: 'lists', type: { kind: 'list', of: 'string' } },
      run: ([separator, ...lists]) =>
        lists.flatMap((list) => (isSequence(list) ? list.items : [])).join(String(separator)),
    },
  ],
  [
    'tolist',
    {
      parameters: [{ name: 'v', type: { kind: 'list', of: 'any' } }],
      run: ([list = null]) => list,
    },
  ],
  [
    'toset',
    {
      parameters: [{ name: 'v', type: { kind: 'set', of: 'any' } }],
      run: ([set = null]) => set,
    },
  ],
  [
    'tomap',
    {
      parameters: [{ name: 'v', type: { kind: 'map', of: 'any' } }],
      run: ([map = null]) => map,
    },
  ],
  [
    'isnull',
    {
      parameters: [{ name: 'v', type: 'any', nullable: true }],
      run: ([value]) => value === null,
    },
  ],
  [
    'count',
    {
      parameters: [{ name: 'v', type: 'any' }],
      run: ([value = null]) => (isSequence(value) ? value.items.length : -1),
    },
  ],
  [
    'range',
    {
      parameters: [{ name: 'limit', type: 'number' }],
      run: ([limit], { spend }) => {
        spend(Number(limit))
        return { kind: 'list', items: Array.from({ length: Number(limit) }, (_, index) => index) }
      },
    },
  ],
  [
    'fail',
    {
      parameters: [{ name: 'how', type: 'string' }],
      run: ([how]) => {
        throw how === 'argument' ? new FunctionError('is no good', 0) : new FunctionError('no luck')
      },
    },
  ],
])

/**
 * Returns a scope with these names, whose values are given in the form of `plain`, and the
 * functions above.
 */
export function scopeOf(
  variables: Record<string, unknown> = {},
  { budget = new Budget() }: { readonly budget?: Budget } = {},
): Scope {
  const surroundings = { functions: FUNCTIONS, budget, uuid: () => 'uuid' }
  const values = Object.entries(variables).map(([name, json]) => [name, fromPlain(json)] as const)
  return createScope(surroundings, new Map(values))
}

/** Evaluates an expression; the result has the form of `plain`. */
export function value(text: string, scope: Scope = scopeOf()): unknown {
  return plain(evaluate(parseHclExpression(text, { file: 'x' }), scope))
}

/** Returns the HclError that a function throws. */
export function refusal(run: () => unknown): HclError {
  try {
    run()
  } catch (error) {
    if (error instanceof HclError) return error
    throw error
  }
  throw new Error('nothing was refused')
}
