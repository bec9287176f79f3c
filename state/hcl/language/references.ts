import type { Expression, Step, Traversal, Variable } from '../syntax/ast.ts'

/** A name that an expression reads from its scope, and the steps that follow the name. */
interface Reference {
  readonly root: string
  readonly steps: readonly Step[]
  readonly expression: Variable | Traversal
}

/**
 * Returns all references of an expression in source order. References to names that its own loops
 * declare are left out.
 */
export function referencesIn(expression: Expression): Reference[] {
  const found: Reference[] = []
  collect(expression, new Set(), found)
  return found
}

/**
 * Returns the first attribute name after a root: `x` for `var.x` and `var["x"]`; undefined without
 * steps.
 */
export function firstName(steps: readonly Step[]): string | undefined {
  const first = steps[0]
  if (first === undefined) return undefined
  return first.kind === 'attribute' ? first.name : String(first.key)
}

function collect(
  expression: Expression,
  boundNames: ReadonlySet<string>,
  found: Reference[],
): void {
  if (expression.kind === 'variable') {
    if (!boundNames.has(expression.name))
      found.push({ root: expression.name, steps: [], expression })
    return
  }
  if (expression.kind === 'traversal' && expression.source.kind === 'variable') {
    const root = expression.source.name
    if (!boundNames.has(root)) found.push({ root, steps: expression.steps, expression })
    return
  }
  if (expression.kind === 'for') {
    const { collection, key, value, condition, keyName, valueName } = expression
    collect(collection, boundNames, found)
    const inner = new Set(boundNames).add(valueName)
    if (keyName !== undefined) inner.add(keyName)
    for (const part of [key, value, condition]) {
      if (part !== undefined) collect(part, inner, found)
    }
    return
  }
  for (const part of partsOf(expression)) collect(part, boundNames, found)
}

/** Returns the direct subexpressions of an expression that declares no names. */
function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'template':
      return expression.parts
    case 'template-wrap':
    case 'parentheses':
      return [expression.expression]
    case 'template-join':
      return [expression.tuple]
    case 'traversal':
      return [expression.source]
    case 'index':
      return [expression.collection, expression.key]
    case 'splat':
      return [expression.source, expression.each]
    case 'call':
      return expression.arguments
    case 'tuple':
      return expression.items
    case 'object':
      return expression.entries.flatMap(({ key, value }) => [key, value])
    case 'unary':
      return [expression.operand]
    case 'binary':
      return [expression.left, expression.right]
    case 'conditional':
      return [expression.condition, expression.whenTrue, expression.whenFalse]
  }
  return []
}
