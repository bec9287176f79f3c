import { isObject } from '../../../state/kernel/objects.ts'
import {
  any,
  bool,
  type Field,
  float,
  list,
  nullable,
  type Shape,
  type StructShape,
  type TextShape,
  text,
  textOf,
  union,
} from '../../../state/kernel/shape/kinds.ts'
import { optional, partial, struct, withOthers } from '../../../state/kernel/shape/members.ts'
import type { StoredOf } from '../../../state/kernel/shape/values.ts'
import { attributeTime, statusTime } from '../../../state/platform/timestamps.ts'
import { invalidAttributes, Violations, violation } from '../../../state/platform/violations.ts'
import { rowRendererWith } from '../../http/declare/row-renderer.ts'
import type { PlatformDialect } from '../dialect.ts'

const nameOf = (member: string): string => member.replaceAll('_', '-')

/** Renderer of rows as attributes, with hyphens in names instead of underscores. */
export const attributeRenderer = rowRendererWith({ renderName: nameOf, time: attributeTime })

/** Renderer of objects whose members are instants, in the format of `status-timestamps`. */
export const timestampRenderer = rowRendererWith({ renderName: nameOf, time: statusTime })

export function optionalMembers<const M extends Readonly<Record<string, Shape | Field>>>(
  members: M,
) {
  return partial(struct(members))
}

/**
 * Returns the shape of a query that has the given optional parameters and accepts any other
 * parameters.
 */
export function openQuery<const M extends Readonly<Record<string, Shape | Field>>>(members: M) {
  return withOthers(optionalMembers(members), any)
}

/** Shape of a string where null counts as blank. */
export const blankable = nullable(text)

/**
 * Shape of a string where null counts as blank. A value of another type is reported as `is invalid`
 * (behaviour/platform#coercion).
 */
export const strictText = nullable(union(text))

/** Shape of a boolean. A value of another type is reported as `is invalid`. */
export const strictFlag = union(bool)

/**
 * Variable of a run or a test run. Numbers and booleans are converted to text
 * (behaviour/platform#coercion).
 */
const inputVariable = struct({
  /** Key with at least one non-blank character. */
  key: textOf({ pattern: '\\S' }),
  value: optional(nullable(union(text, float, bool))),
})
interface InputVariable extends StoredOf<typeof inputVariable> {}

/** Variables that the body of a new run or test run sets. */
export const inputVariables = list(inputVariable)

/**
 * Converts a variable's number or boolean to a string, and a missing value to an empty string
 * (behaviour/platform#coercion).
 */
export function toRunVariable({ key, value }: InputVariable) {
  return { key, value: value === undefined || value === null ? '' : String(value) }
}

/**
 * Reads the attributes that a shape declares, all of them optional, in the spelling of either
 * dialect. Other attributes are ignored. Null counts as a blank text, or as missing for a boolean,
 * a number or a list (behaviour/platform#coercion). Throws a refusal with an error object for each
 * attribute of the wrong type.
 *
 * @param prefix precedes the names of attributes in error objects
 */
export function readAttributes<const S extends StructShape>(
  { fields }: S,
  input: Readonly<Record<string, unknown>>,
  dialect: PlatformDialect,
  prefix = '',
): StoredOf<S> {
  const values: Record<string, unknown> = {}
  const violations = new Violations()
  for (const [name, sent] of Object.entries(hyphenatedMembers(input))) {
    const attribute = dialect.fromWire('attribute', name)
    const field = Object.hasOwn(fields, attribute) ? fields[attribute] : undefined
    if (field === undefined) continue
    if (sent === null) {
      if (mayBeBlank(field.shape)) values[attribute] = null
      continue
    }
    const value = withMemberNames(field.shape, sent)
    const violationRule = typeViolation(field.shape, value)
    if (violationRule === undefined) values[attribute] = value
    else violations.add(prefix + attribute, violationRule)
  }
  violations.check()
  // The cast is safe: each value was checked against the shape that is declared for its name.
  return values as StoredOf<S>
}

function mayBeBlank(shape: Shape): boolean {
  if (shape.kind !== 'nullable') return shape.kind === 'any'
  return shape.to.kind === 'text' || shape.to.kind === 'union'
}

type TypeViolation = 'no-text' | 'no-flag' | 'no-number' | 'no-integer' | 'no-list' | 'invalid'

function typeViolation(shape: Shape, value: unknown): TypeViolation | undefined {
  const violationUnless = (isValid: boolean, violationRule: TypeViolation) =>
    isValid ? undefined : violationRule
  switch (shape.kind) {
    case 'nullable':
      return value === null ? undefined : typeViolation(shape.to, value)
    case 'any':
      return undefined
    case 'text':
      return violationUnless(typeof value === 'string' && fitsPattern(shape, value), 'no-text')
    case 'bool':
      return violationUnless(typeof value === 'boolean', 'no-flag')
    case 'int':
    case 'float':
      if (typeof value !== 'number') return 'no-number'
      return violationUnless(shape.kind === 'float' || Number.isInteger(value), 'no-integer')
    case 'list':
      if (!Array.isArray(value)) return shape.of.kind === 'struct' ? 'invalid' : 'no-list'
      return violationUnless(
        value.every((item) => fits(shape.of, item)),
        'invalid',
      )
    case 'union':
      return violationUnless(
        shape.of.some((each) => fits(each, value)),
        'invalid',
      )
    case 'struct':
      return violationUnless(isObject(value) && hasMembers(shape, value), 'invalid')
    default:
      return 'invalid'
  }
}

function fits(shape: Shape, value: unknown): boolean {
  return typeViolation(shape, value) === undefined
}

function fitsPattern({ pattern }: TextShape, value: string): boolean {
  return pattern === undefined || new RegExp(pattern).test(value)
}

function hasMembers({ fields }: StructShape, value: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(fields).every(([name, { shape, presence }]) => {
    const member = Object.hasOwn(value, name) ? value[name] : undefined
    return member === undefined ? presence === 'optional' : fits(shape, member)
  })
}

/**
 * Returns a name with hyphens, from any of its spellings: `tests-enabled`, `tests_enabled`,
 * `testsEnabled`, `TestsEnabled` (behaviour/platform#coercion).
 */
export function hyphenated(name: string): string {
  return name
    .replaceAll(/([A-Z])(?=[A-Z][a-z])/g, '$1_')
    .replaceAll(/([a-z\d])(?=[A-Z])/g, '$1_')
    .replaceAll('_', '-')
    .toLowerCase()
}

/**
 * Returns an object with hyphens in the names of its members. If a name occurs in several
 * spellings, the last one counts.
 */
export function hyphenatedMembers(
  input: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [hyphenated(name), value]))
}

/**
 * Returns a list with hyphens in the names of its objects' members, if the shape is a list of
 * objects. Returns other values unchanged.
 */
function withMemberNames(shape: Shape, value: unknown): unknown {
  if (shape.kind !== 'list' || shape.of.kind !== 'struct' || !Array.isArray(value)) return value
  return value.map((item) => (isObject(item) ? hyphenatedMembers(item) : item))
}

/**
 * Reads the members of an attribute that is an object, such as `vcs-repo`, in any spelling. Returns
 * undefined if the attribute is missing or null. Throws a refusal for invalid members. The error
 * objects of the refusal name a member as `vcs-repo/<member>`.
 */
export function readMembers<const S extends StructShape>(
  attribute: string,
  shape: S,
  input: unknown,
  dialect: PlatformDialect,
): StoredOf<S> | undefined {
  if (input === undefined || input === null) return undefined
  if (!isObject(input)) throw invalidAttributes([violation(attribute, 'invalid')])
  return readAttributes(shape, input, dialect, `${attribute}/`)
}

type Underscored<Name> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}_${Underscored<Tail>}`
  : Name

/** Attributes under the names that state/ uses, with underscores in place of hyphens. */
type InState<Attributes> = {
  readonly [Name in keyof Attributes as Underscored<Name>]: Attributes[Name]
}

/** Returns the attributes under their names in state/, with underscores for hyphens. */
export function inState<const Attributes extends object>(
  attributes: Attributes,
): InState<Attributes> {
  const entries = Object.entries(attributes)
  // The cast is safe: the type `InState` replaces the hyphens of each name in the same way.
  return Object.fromEntries(
    entries.map(([name, value]) => [name.replaceAll('-', '_'), value]),
  ) as InState<Attributes>
}
