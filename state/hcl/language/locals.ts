import type { Attribute, Block } from '../syntax/ast.ts'
import type { Diagnostic } from '../syntax/error.ts'
import { readAttributes } from './content.ts'
import { inspect } from './evaluate.ts'
import { firstName, referencesIn } from './references.ts'
import { createScope, type EvaluationEnvironment } from './scope.ts'
import type { HclValue } from './values.ts'

/**
 * Returns the definitions of all `locals` blocks by name. The last definition of a repeated name
 * counts.
 */
export function collectLocals(
  blocks: readonly Block[],
  problems: Diagnostic[],
): ReadonlyMap<string, Attribute> {
  const locals = new Map<string, Attribute>()
  for (const block of blocks) {
    if (block.type !== 'locals') continue
    const { attributes, problems: found } = readAttributes(block.body)
    problems.push(...found)
    for (const [name, attribute] of attributes) locals.set(name, attribute)
  }
  return locals
}

/**
 * Returns the values of locals, each evaluated once, after the locals that it refers to. A cycle
 * has no such order: a local is then missing when it is referred to, and the reference's message is
 * `Unsupported attribute`. As in the reference, only the first failing local is reported, since
 * others may fail because of it. A local that depends on a variable without a value has no value,
 * and its name is added to `unset`.
 */
export function evaluateLocals(
  locals: ReadonlyMap<string, Attribute>,
  variables: HclValue,
  environment: EvaluationEnvironment,
  unset: Set<string>,
  problems: Diagnostic[],
): ReadonlyMap<string, HclValue> {
  const values = new Map<string, HclValue>()
  if (locals.size === 0) return values
  let isReported = false
  for (const { name, attribute, takesAll } of ordered(locals)) {
    if (takesAll) environment.budget.spend(values.size)
    const known: HclValue = { kind: 'object', entries: takesAll ? new Map(values) : values }
    const scope = createScope(
      environment,
      new Map([
        ['var', variables],
        ['local', known],
      ]),
    )
    const found = inspect(attribute.expression, scope)
    if (found.value !== undefined) {
      values.set(name, found.value)
    } else if (found.problems.length === 0) {
      unset.add(`local.${name}`)
    } else if (!isReported) {
      problems.push(...found.problems)
      isReported = true
    }
  }
  return values
}

interface Local {
  readonly name: string
  readonly attribute: Attribute
  /** Names of the other locals that the local refers to. */
  readonly needs: readonly string[]
  /** Whether the local refers to `local` as a whole. */
  readonly takesAll: boolean
}

/** Returns locals after those that they refer to; locals that refer to all others come last. */
function ordered(locals: ReadonlyMap<string, Attribute>): Local[] {
  const all = new Map([...locals].map(([name, attribute]) => [name, describe(name, attribute)]))
  const found: Local[] = []
  const seen = new Set<string>()
  for (const local of all.values()) {
    // An explicit stack, since chains of references may be thousands of locals long.
    const stack = [{ local, next: 0 }]
    if (seen.has(local.name)) continue
    seen.add(local.name)
    for (let top = stack[0]; top !== undefined; top = stack[stack.length - 1]) {
      const name = top.local.needs[top.next++]
      if (name === undefined) {
        found.push(top.local)
        stack.pop()
        continue
      }
      const needed = all.get(name)
      if (needed === undefined || seen.has(name)) continue
      seen.add(name)
      stack.push({ local: needed, next: 0 })
    }
  }
  return [...found.filter(({ takesAll }) => !takesAll), ...found.filter(({ takesAll }) => takesAll)]
}

function describe(name: string, attribute: Attribute): Local {
  const own = referencesIn(attribute.expression).filter(({ root }) => root === 'local')
  const names = own.map(({ steps }) => firstName(steps))
  const needs = [...new Set(names.filter((needed) => needed !== undefined))]
  return { name, attribute, needs, takesAll: names.includes(undefined) }
}
