import { bool, int, nullable, text as plainText } from '../../kernel/shape/kinds.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { isBlank } from '../names.ts'
import { type AttributeViolation, violation } from '../violations.ts'
import type { SettingsName } from './settings.ts'

const blankable = nullable(plainText)
const optionalInt = nullable(int)

/** The shape of an attribute of the settings: a text, blank when null; a switch; a number, if it was set. */
type SettingsShape = typeof blankable | typeof bool | typeof optionalInt

/** One attribute of the settings. */
export interface SettingsAttribute<S extends SettingsShape = SettingsShape> {
  readonly shape: S
  readonly default: StoredOf<SettingsShape>
  /** The treatment of it when it is not simply kept and told. */
  readonly use?: AttributeUse
  /** Nobody but those who may call is to read it; so it is with all that is never told. */
  readonly secret?: true
  /** Only the vendor's dialect has it (behaviour/platform#vendor-settings). */
  readonly vendorOnly?: true
}

/**
 * `write-only`: kept, never told. `once`: not even kept, it is for the change that names it.
 * `read-only`: told, and no caller can set it.
 */
type AttributeUse = 'write-only' | 'once' | 'read-only'

/** Attributes by the specification's names. */
export type SettingsAttributes = Readonly<Record<string, SettingsAttribute>>

/** The values of all attributes. */
export type SettingsValues<A extends SettingsAttributes = SettingsAttributes> = {
  readonly [Name in keyof A]: StoredOf<A[Name]['shape']>
}

/** The changes that a caller wants; the types have been checked. */
export type SettingsChanges<A extends SettingsAttributes = SettingsAttributes> = Partial<
  SettingsValues<A>
>

/** One of the six resources of the administrative settings (behaviour/platform#api-settings). */
export interface SettingsDefinition<A extends SettingsAttributes = SettingsAttributes> {
  /** The resource's id; `<name>-settings` is its type and its path. */
  readonly name: SettingsName
  /** The subject of the settings, as a sentence may say it. */
  readonly title: string
  readonly attributes: A
  /**
   * Every rule beyond the types that values break, looked at as a whole.
   *
   * @param hasVendorAttributes whether the attributes and values that are the vendor's only count
   */
  violations?(
    values: SettingsValues<A>,
    hasVendorAttributes: boolean,
  ): readonly AttributeViolation[]
  /** Returns what a caller means by a change, where that is not simply what was sent. */
  normalize?(changes: SettingsChanges<A>): SettingsChanges<A>
  /** Returns what a change brings about in other attributes. */
  impliedChanges?(before: SettingsValues<A>, changes: SettingsChanges<A>): SettingsChanges<A>
  /** Does what else follows from a change; part of its transaction. */
  onChange?(world: World, changes: SettingsChanges<A>): void
}

/** Declares settings; the values that its functions see get their types from the attributes. */
export function defineSettings<const A extends SettingsAttributes>(
  definition: SettingsDefinition<A>,
): SettingsDefinition<A> {
  return definition
}

type AttributeOptions = Pick<SettingsAttribute, 'use' | 'secret' | 'vendorOnly'>

/** A text; null is blank. */
export function text(
  value: string | null = null,
  options: AttributeOptions = {},
): SettingsAttribute<typeof blankable> {
  return { shape: blankable, default: value, ...options }
}

/** A switch. */
export function flag(
  value: boolean,
  options: AttributeOptions = {},
): SettingsAttribute<typeof bool> {
  return { shape: bool, default: value, ...options }
}

/** A whole number; null when never set. */
export function integer(
  value: number | null,
  options: AttributeOptions = {},
): SettingsAttribute<typeof optionalInt> {
  return { shape: optionalInt, default: value, ...options }
}

/** For `more`: the vendor's dialect only. */
export const vendorOption = { vendorOnly: true } as const

/** A fault for each named attribute that is blank. */
export function blankViolations<A extends SettingsAttributes>(
  values: SettingsValues<A>,
  names: readonly (keyof A & string)[],
): AttributeViolation[] {
  return names
    .filter((attribute) => {
      const value = values[attribute]
      return value === null || (typeof value === 'string' && isBlank(value))
    })
    .map((attribute) => violation(attribute, 'blank'))
}

/** The faults of a text that must be one of a few; a blank one has two (behaviour/platform#errors). */
export function unlistedViolations(
  attribute: string,
  value: string | null,
  allowed: readonly string[],
): AttributeViolation[] {
  if (value !== null && allowed.includes(value)) return []
  const blankViolation = isBlank(value) ? [violation(attribute, 'blank')] : []
  return [...blankViolation, violation(attribute, 'not-listed')]
}
