import { Faults, fault, invalidAttributes } from '../../../state/platform/faults.ts'
import type { PlatformDialect } from '../dialect.ts'

/** Describes what an attribute may be (2-platform-decisions.md section 1.4, Coercion). */
export type AttributeType = 'string' | 'boolean' | 'integer' | 'strings' | 'variables' | 'any'

/** The attributes that an operation takes, by the specification's names; others are ignored. */
export type AttributeTypes = Readonly<Record<string, AttributeType>>

/** A variable of a test run as it was sent. */
export interface SentVariable {
  readonly key: string
  readonly value?: string | number | boolean | null
}

interface ValueTypes {
  /** Null when sent as null: blank. */
  readonly string: string | null
  readonly boolean: boolean
  readonly integer: number
  readonly strings: readonly string[]
  readonly variables: readonly SentVariable[]
  readonly any: unknown
}

/** The values of attributes; those that were not sent are missing. */
export type AttributeValues<T extends AttributeTypes> = {
  readonly [Name in keyof T]?: ValueTypes[T[Name]]
}

type TypeFault = 'no-text' | 'no-flag' | 'no-number' | 'no-integer' | 'no-list' | 'invalid'

const mistakes: Readonly<Record<AttributeType, (value: unknown) => TypeFault | undefined>> = {
  string: (value) => (typeof value === 'string' ? undefined : 'no-text'),
  boolean: (value) => (typeof value === 'boolean' ? undefined : 'no-flag'),
  integer: (value) => {
    if (typeof value !== 'number') return 'no-number'
    return Number.isInteger(value) ? undefined : 'no-integer'
  },
  strings: (value) => {
    if (!Array.isArray(value)) return 'no-list'
    return value.every((item) => typeof item === 'string') ? undefined : 'invalid'
  },
  variables: (value) => (Array.isArray(value) && value.every(isVariable) ? undefined : 'invalid'),
  any: () => undefined,
}

/** With a key that is not blank, and a value that can be written as a text (section 2.1). */
function isVariable(item: unknown): item is SentVariable {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return false
  const { key, value } = item as { readonly key?: unknown; readonly value?: unknown }
  if (typeof key !== 'string' || key.trim() === '') return false
  return (
    value === undefined || value === null || ['string', 'number', 'boolean'].includes(typeof value)
  )
}

/**
 * Reads attributes of the declared types, in either dialect's spelling. Null is a blank text, and
 * nothing at all for a boolean, a number or a list. Refuses with an object for each of a wrong type,
 * whose name begins with `prefix`.
 */
export function readAttributes<const T extends AttributeTypes>(
  types: T,
  sent: Readonly<Record<string, unknown>>,
  dialect: PlatformDialect,
  prefix = '',
): AttributeValues<T> {
  const values: Record<string, unknown> = {}
  const faults = new Faults()
  for (const [name, value] of Object.entries(sent)) {
    const attribute = dialect.in('attribute', name)
    const type = Object.hasOwn(types, attribute) ? types[attribute] : undefined
    if (type === undefined) continue
    if (value === null) {
      if (type === 'string' || type === 'any') values[attribute] = null
      continue
    }
    const mistake = mistakes[type](value)
    if (mistake === undefined) values[attribute] = value
    else faults.add(prefix + attribute, mistake)
  }
  faults.check()
  // Each value was checked against the type that its name declares.
  return values as AttributeValues<T>
}

/**
 * Reads the members of an attribute that is an object (`vcs-repo`), whose names may have underscores
 * for hyphens; undefined when it was not sent, or as null. What is wrong with a member is said of
 * `vcs-repo/<member>`.
 */
export function readMembers<const T extends AttributeTypes>(
  attribute: string,
  types: T,
  sent: unknown,
  dialect: PlatformDialect,
): AttributeValues<T> | undefined {
  if (sent === undefined || sent === null) return undefined
  if (typeof sent !== 'object' || Array.isArray(sent)) {
    throw invalidAttributes([fault(attribute, 'invalid')])
  }
  const members = Object.entries(sent).map(([name, value]) => [name.replaceAll('_', '-'), value])
  return readAttributes(types, Object.fromEntries(members), dialect, `${attribute}/`)
}

type Underscored<Name> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}_${Underscored<Tail>}`
  : Name

/** Attributes under the names that state/ has for them. */
export type InState<Attributes> = {
  readonly [Name in keyof Attributes as Underscored<Name>]: Attributes[Name]
}

/** Attributes under the names that state/ has for them, with underscores for hyphens. */
export function inState<const Attributes extends object>(
  attributes: Attributes,
): InState<Attributes> {
  const entries = Object.entries(attributes)
  // The type says of each name what is done to it here.
  return Object.fromEntries(
    entries.map(([name, value]) => [name.replaceAll('-', '_'), value]),
  ) as InState<Attributes>
}
