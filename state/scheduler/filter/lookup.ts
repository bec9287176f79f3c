import { quoteGo } from '../../go/text.ts'
import { type Field, int, type Shape, type StructShape } from '../../kernel/shape/kinds.ts'
import { coerceInt } from './coercion.ts'
import { FilterError, message } from './errors.ts'
import { elementShape, elementsOf, keyShape, kindOf, pointedTo, zeroOf } from './go-kinds.ts'
import type { Binding, Selector } from './syntax.ts'

/** The value that a filter is tested on, or an element of a collection inside it. */
export interface Scope {
  readonly value: unknown
  /** The name of the element inside its collection; nothing for the whole. */
  readonly key: string | number | undefined
  readonly outer: Scope | undefined
}

/** A scope at compile time. */
export interface Site {
  readonly shape: Shape
  /** The shape of the element's key: text in maps, a number in lists. */
  readonly keyShape: Shape
  readonly binding: Binding | undefined
  readonly outer: Site | undefined
  /** Where the element is. */
  path(scope: Scope): readonly string[]
}

/** The site of a filter itself. */
export function rootSite(shape: Shape): Site {
  return { shape, keyShape, binding: undefined, outer: undefined, path: () => [] }
}

/** A finding: a value and its shape. A key that a map does not have is undefined. */
export interface Lookup {
  readonly shape: Shape
  read(scope: Scope): unknown
  /** Where it is. */
  path(scope: Scope): readonly string[]
}

/** A step along a path: from a value to the one below it, or to why there is none. */
type Step = (value: unknown) => unknown

/** Why a part leads nowhere. */
class Lost {
  readonly problem: string
  readonly kind: 'absent key' | 'no part' | 'no parts at all'

  constructor(kind: Lost['kind'], problem: string) {
    this.kind = kind
    this.problem = problem
  }
}

/** Works out once how a selector is followed from a site. */
export function compileLookup({ parts }: Selector, site: Site): Lookup {
  const [head = '', ...rest] = parts
  let up = 0
  for (let at: Site | undefined = site; at?.binding !== undefined; at = at.outer) {
    const bound = boundAs(head, at)
    if (bound === 'key') return compileKey(parts, at, up)
    if (bound === 'value') return compileSteps(rest, at, up)
    up += 1
  }
  return compileSteps(parts, outermost(site), up)
}

function outermost(site: Site): Site {
  return site.outer === undefined ? site : outermost(site.outer)
}

/** Returns what a name means at a site. */
function boundAs(name: string, { binding, keyShape: key }: Site): 'key' | 'value' | undefined {
  if (binding === undefined) return undefined
  if ('either' in binding) {
    if (binding.either !== name) return undefined
    return key === keyShape ? 'key' : 'value'
  }
  if (binding.value === name) return 'value'
  return binding.index === name ? 'key' : undefined
}

function scopeAbove(scope: Scope, up: number): Scope {
  let above = scope
  for (let count = up; count > 0; count--) above = above.outer ?? above
  return above
}

function compileKey(parts: readonly string[], site: Site, up: number): Lookup {
  const [name = ''] = parts
  const type = site.keyShape === int ? 'int' : 'string'
  return {
    shape: site.keyShape,
    path: () => [name],
    read(scope) {
      if (parts.length === 1) return scopeAbove(scope, up).key
      const [first, selector] = [pointer([name]), pointer(parts)]
      throw new FilterError(message('filter-below-scalar', { first, type, selector }))
    },
  }
}

function compileSteps(parts: readonly string[], site: Site, up: number): Lookup {
  const steps: Step[] = []
  let { shape } = site
  for (const part of parts) {
    const [step, next] = compileStep(shape, part)
    steps.push(step)
    shape = next
  }
  const path = (scope: Scope) => [...site.path(scopeAbove(scope, up)), ...parts]
  return {
    shape,
    path,
    read(scope) {
      let { value } = scopeAbove(scope, up)
      for (const [count, step] of steps.entries()) {
        value = step(value)
        if (!(value instanceof Lost)) continue
        // A map that lacks the last part of the path is no mistake.
        if (value.kind === 'absent key' && count === steps.length - 1) return undefined
        throw fault(path(scope), path(scope).length - steps.length + count, value)
      }
      return value
    },
  }
}

function fault(path: readonly string[], at: number, { kind, problem }: Lost): FilterError {
  const place =
    kind === 'no parts at all'
      ? `${pointer(path)}: at part ${at}, ${problem}`
      : `${pointer(path)} at part ${at}: ${problem}`
  return new FilterError(message('filter-value-missing', { place }))
}

/** A path as a JSON pointer. */
function pointer(parts: readonly string[]): string {
  return parts.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** Tells how one part is followed from a value of a shape, and the shape of what is found. */
function compileStep(shape: Shape, part: string): [Step, Shape] {
  const target = pointedTo(shape)
  const next = target.kind === 'struct' ? undefined : (elementShape(target) ?? target)
  const field = target.kind === 'struct' ? member(target, part) : undefined
  const step = stepInto(target, part, field)
  const checked: Step =
    shape.kind === 'nullable'
      ? (value) => (value === null ? partless('invalid') : step(value))
      : step
  return [checked, next ?? field?.[1].shape ?? shape]
}

function stepInto(
  shape: Exclude<Shape, { kind: 'nullable' }>,
  part: string,
  field: readonly [string, Field] | undefined,
): Step {
  switch (shape.kind) {
    case 'struct':
      return field === undefined ? noField(part) : memberStep(...field)
    case 'list':
    case 'bytes':
      return elementStep(shape, part)
    case 'map':
      return keyStep(part)
    case 'any':
      return anyStep(shape, part)
    case 'time':
      return noField(part)
    default:
      return (value) => partless(kindOf(shape, value))
  }
}

function partless(kind: string): Lost {
  return new Lost('no parts at all', `invalid value kind: ${kind}`)
}

function noField(part: string): Step {
  const lost = new Lost('no part', `couldn't find key: struct field with name ${quoteGo(part)}`)
  return () => lost
}

/** A member by its name in either dialect; the letter case counts. */
function member({ fields }: StructShape, name: string): readonly [string, Field] | undefined {
  const found = Object.entries(fields).find(
    ([each, { vendor }]) => each === name || vendor === name,
  )
  // What only requests have is not stored.
  return found?.[1].presence === 'sent' ? undefined : found
}

function memberStep(name: string, { shape }: Field): Step {
  const zero = zeroOf(shape)
  return (value) => read(value, name) ?? zero
}

/** An own member of an object; undefined for none. */
function read(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return Reflect.get(value, name)
}

function elementStep(shape: Shape, part: string): Step {
  const index = coerceInt(part === '' ? '0' : part)
  if ('error' in index) {
    const lost = new Lost('no part', `couldn't convert value ${quoteGo(part)} to type int`)
    return () => lost
  }
  return (value) => {
    const elements = elementsOf(shape, value)
    if (index.value >= 0 && index.value < elements.length) return elements[index.value]
    const where = `index ${index.value} is out of range (length = ${elements.length})`
    return new Lost('no part', where)
  }
}

function keyStep(part: string): Step {
  const lost = new Lost('absent key', `couldn't find key ${quoteGo(part)}`)
  return (value) => read(value, part) ?? (hasMember(value, part) ? null : lost)
}

function hasMember(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
}

/** In any JSON, what a part means depends on the value. */
function anyStep(shape: Shape, part: string): Step {
  const ofList = elementStep(shape, part)
  const ofMap = keyStep(part)
  return (value) => {
    const kind = kindOf(shape, value)
    if (kind === 'slice') return ofList(value)
    return kind === 'map' ? ofMap(value) : partless(kind)
  }
}
