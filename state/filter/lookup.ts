import { quoteGo } from '../go/text.ts'
import { type Field, int, type Shape, type StructShape } from '../kernel/shape/kinds.ts'
import { coerceInt } from './coercion.ts'
import { FilterError, message } from './errors.ts'
import { dereference, elementShape, elementsOf, keyShape, kindOf, zeroValueOf } from './go-kinds.ts'
import type { Binding, Selector } from './syntax.ts'

/** The value that a filter tests, or an element of a collection inside it. */
export interface Scope {
  readonly value: unknown
  /** Key of the element inside its collection; undefined for the whole value. */
  readonly key: string | number | undefined
  readonly outer: Scope | undefined
}

/** The information about a scope that is known at compile time. */
export interface StaticScope {
  readonly shape: Shape
  /** The shape of the element's key: text for maps, a number for lists. */
  readonly keyShape: Shape
  readonly binding: Binding | undefined
  readonly outer: StaticScope | undefined
  /** Returns the path of the element, for messages. */
  path(scope: Scope): readonly string[]
}

/** Returns the outermost scope, whose value is the whole value that the filter tests. */
export function rootScope(shape: Shape): StaticScope {
  return { shape, keyShape, binding: undefined, outer: undefined, path: () => [] }
}

/**
 * The compiled path to a value, with the shape of the value. `read` returns undefined if the last
 * part of the path is a missing key of a map, and throws a FilterError for any other part that
 * cannot be resolved.
 */
export interface Lookup {
  readonly shape: Shape
  read(scope: Scope): unknown
  /** Returns the path of the value, for messages. */
  path(scope: Scope): readonly string[]
}

/** A step along a path. Returns the next value, or a `LookupFailure`. */
type Step = (value: unknown) => unknown

/** The reason why a part of a path cannot be resolved. */
class LookupFailure {
  readonly problem: string
  readonly kind: 'absent key' | 'no part' | 'no parts at all'

  constructor(kind: LookupFailure['kind'], problem: string) {
    this.kind = kind
    this.problem = problem
  }
}

/**
 * Compiles a selector. An enclosing `any` or `all` may bind the first name of the path; otherwise
 * the path begins at the whole value.
 */
export function compileLookup({ parts }: Selector, staticScope: StaticScope): Lookup {
  const [head = '', ...rest] = parts
  let depth = 0
  for (let at: StaticScope | undefined = staticScope; at?.binding !== undefined; at = at.outer) {
    const role = bindingRole(head, at)
    if (role === 'key') return compileKey(parts, at, depth)
    if (role === 'value') return compileSteps(rest, at, depth)
    depth += 1
  }
  return compileSteps(parts, outermostScope(staticScope), depth)
}

function outermostScope(staticScope: StaticScope): StaticScope {
  return staticScope.outer === undefined ? staticScope : outermostScope(staticScope.outer)
}

/**
 * Returns `key` or `value` if the scope binds a name to the key or the value of its element;
 * otherwise undefined.
 */
function bindingRole(name: string, { binding, keyShape: key }: StaticScope) {
  if (binding === undefined) return undefined
  if ('either' in binding) {
    if (binding.either !== name) return undefined
    return key === keyShape ? 'key' : 'value'
  }
  if (binding.value === name) return 'value'
  return binding.index === name ? 'key' : undefined
}

function outerScope(scope: Scope, depth: number): Scope {
  let enclosingScope = scope
  for (let count = depth; count > 0; count--)
    enclosingScope = enclosingScope.outer ?? enclosingScope
  return enclosingScope
}

function compileKey(parts: readonly string[], staticScope: StaticScope, depth: number): Lookup {
  const [name = ''] = parts
  const type = staticScope.keyShape === int ? 'int' : 'string'
  return {
    shape: staticScope.keyShape,
    path: () => [name],
    read(scope) {
      if (parts.length === 1) return outerScope(scope, depth).key
      const [scalarPointer, selector] = [pointer([name]), pointer(parts)]
      throw new FilterError(
        message('filter-below-scalar', { first: scalarPointer, type, selector }),
      )
    },
  }
}

function compileSteps(parts: readonly string[], staticScope: StaticScope, depth: number): Lookup {
  const steps: Step[] = []
  let { shape } = staticScope
  for (const part of parts) {
    const [step, next] = compileStep(shape, part)
    steps.push(step)
    shape = next
  }
  const path = (scope: Scope) => [...staticScope.path(outerScope(scope, depth)), ...parts]
  return {
    shape,
    path,
    read(scope) {
      let { value } = outerScope(scope, depth)
      for (const [count, step] of steps.entries()) {
        value = step(value)
        if (!(value instanceof LookupFailure)) continue
        // The last part of the path may be missing in a map.
        if (value.kind === 'absent key' && count === steps.length - 1) return undefined
        throw lookupError(path(scope), path(scope).length - steps.length + count, value)
      }
      return value
    },
  }
}

function lookupError(path: readonly string[], partIndex: number, { kind, problem }: LookupFailure) {
  const location =
    kind === 'no parts at all'
      ? `${pointer(path)}: at part ${partIndex}, ${problem}`
      : `${pointer(path)} at part ${partIndex}: ${problem}`
  return new FilterError(message('filter-value-missing', { place: location }))
}

/** Formats a path as a JSON pointer. */
function pointer(parts: readonly string[]): string {
  return parts.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** Returns the step for one part of a path and the shape of its result. */
function compileStep(shape: Shape, part: string): [Step, Shape] {
  const target = dereference(shape)
  const next = target.kind === 'struct' ? undefined : (elementShape(target) ?? target)
  const field = target.kind === 'struct' ? findField(target, part) : undefined
  const step = stepInto(target, part, field)
  const checkedStep: Step =
    shape.kind === 'nullable'
      ? (value) => (value === null ? scalarFailure('invalid') : step(value))
      : step
  return [checkedStep, next ?? field?.[1].shape ?? shape]
}

function stepInto(
  shape: Exclude<Shape, { kind: 'nullable' }>,
  part: string,
  field: readonly [string, Field] | undefined,
): Step {
  switch (shape.kind) {
    case 'struct':
      return field === undefined ? missingField(part) : memberStep(...field)
    case 'list':
    case 'bytes':
      return elementStep(shape, part)
    case 'map':
      return keyStep(part)
    case 'any':
      return anyStep(shape, part)
    case 'time':
      return missingField(part)
    default:
      return (value) => scalarFailure(kindOf(shape, value))
  }
}

function scalarFailure(kind: string): LookupFailure {
  return new LookupFailure('no parts at all', `invalid value kind: ${kind}`)
}

function missingField(part: string): Step {
  const failure = new LookupFailure(
    'no part',
    `couldn't find key: struct field with name ${quoteGo(part)}`,
  )
  return () => failure
}

/**
 * Returns a stored member by its name in either dialect; undefined if there is no such member.
 * Names are case-sensitive.
 */
function findField({ fields }: StructShape, name: string): readonly [string, Field] | undefined {
  const found = Object.entries(fields).find(
    ([each, { vendor }]) => each === name || vendor === name,
  )
  // Members that exist only in requests are not stored.
  return found?.[1].presence === 'sent' ? undefined : found
}

function memberStep(name: string, { shape }: Field): Step {
  const zero = zeroValueOf(shape)
  return (value) => read(value, name) ?? zero
}

/** Returns an own member of an object; undefined if the object has none with this name. */
function read(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return Reflect.get(value, name)
}

function elementStep(shape: Shape, part: string): Step {
  const index = coerceInt(part === '' ? '0' : part)
  if ('error' in index) {
    const failure = new LookupFailure(
      'no part',
      `couldn't convert value ${quoteGo(part)} to type int`,
    )
    return () => failure
  }
  return (value) => {
    const elements = elementsOf(shape, value)
    if (index.value >= 0 && index.value < elements.length) return elements[index.value]
    const problem = `index ${index.value} is out of range (length = ${elements.length})`
    return new LookupFailure('no part', problem)
  }
}

function keyStep(part: string): Step {
  const failure = new LookupFailure('absent key', `couldn't find key ${quoteGo(part)}`)
  return (value) => read(value, part) ?? (hasMember(value, part) ? null : failure)
}

function hasMember(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
}

/** Returns the step for arbitrary JSON, in which the meaning of a part depends on the value. */
function anyStep(shape: Shape, part: string): Step {
  const forList = elementStep(shape, part)
  const forMap = keyStep(part)
  return (value) => {
    const kind = kindOf(shape, value)
    if (kind === 'slice') return forList(value)
    return kind === 'map' ? forMap(value) : scalarFailure(kind)
  }
}
