import { bool, int, nullable, text as plainText } from '../../kernel/shape/kinds.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { isBlank } from '../names.ts'
import { type AttributeViolation, violation } from '../violations.ts'
import type { SettingsName } from './settings.ts'

const blankable = nullable(plainText)
const optionalInt = nullable(int)

/** Shape of a settings attribute: a string (blank when null), a boolean, or an optional number. */
type SettingsShape = typeof blankable | typeof bool | typeof optionalInt

/** One attribute of the settings. */
export interface SettingsAttribute<S extends SettingsShape = SettingsShape> {
  readonly shape: S
  readonly default: StoredOf<SettingsShape>
  /** Special treatment; without it, the value is stored and returned. */
  readonly use?: AttributeUse
  /** Whether only permitted callers may see the value. Write-only attributes are always secret. */
  readonly secret?: true
  /**
   * Present if only the vendor's dialect has the attribute (behaviour/platform#vendor-settings).
   */
  readonly vendorOnly?: true
}

/**
 * `write-only`: stored but never returned. `once`: not stored, used only by the change that
 * contains it. `read-only`: returned, but callers cannot set it.
 */
type AttributeUse = 'write-only' | 'once' | 'read-only'

/** Attributes by their names in the specification. */
export type SettingsAttributes = Readonly<Record<string, SettingsAttribute>>

/** Values of all attributes. */
export type SettingsValues<A extends SettingsAttributes = SettingsAttributes> = {
  readonly [Name in keyof A]: StoredOf<A[Name]['shape']>
}

/** Changes that a caller requests, with checked types. */
export type SettingsChanges<A extends SettingsAttributes = SettingsAttributes> = Partial<
  SettingsValues<A>
>

/** One of the six resources of the administrative settings (behaviour/platform#api-settings). */
export interface SettingsDefinition<A extends SettingsAttributes = SettingsAttributes> {
  /** The resource's id; `<name>-settings` is its type and its path. */
  readonly name: SettingsName
  /** Subject of the settings, worded so that it fits into a sentence. */
  readonly title: string
  readonly attributes: A
  /**
   * Returns the rules that the values break, other than those about types.
   *
   * @param hasVendorAttributes whether to check attributes and values that only the vendor has
   */
  violations?(
    values: SettingsValues<A>,
    hasVendorAttributes: boolean,
  ): readonly AttributeViolation[]
  /**
   * Converts the changes in the input to those that the caller intends; by default they are used as
   * sent.
   */
  normalize?(changes: SettingsChanges<A>): SettingsChanges<A>
  /** Returns changes of other attributes that follow from the input. */
  impliedChanges?(before: SettingsValues<A>, changes: SettingsChanges<A>): SettingsChanges<A>
  /** Applies further effects of a change. Runs inside its transaction. */
  onChange?(world: World, changes: SettingsChanges<A>): void
}

/**
 * Defines settings. The attributes determine the types of the values that its functions receive.
 */
export function defineSettings<const A extends SettingsAttributes>(
  definition: SettingsDefinition<A>,
): SettingsDefinition<A> {
  return definition
}

type AttributeOptions = Pick<SettingsAttribute, 'use' | 'secret' | 'vendorOnly'>

/** Defines a string attribute; null counts as blank. */
export function text(
  value: string | null = null,
  options: AttributeOptions = {},
): SettingsAttribute<typeof blankable> {
  return { shape: blankable, default: value, ...options }
}

/** Defines a boolean attribute. */
export function flag(
  value: boolean,
  options: AttributeOptions = {},
): SettingsAttribute<typeof bool> {
  return { shape: bool, default: value, ...options }
}

/** Defines a whole-number attribute; null if it was never set. */
export function integer(
  value: number | null,
  options: AttributeOptions = {},
): SettingsAttribute<typeof optionalInt> {
  return { shape: optionalInt, default: value, ...options }
}

/** Value for `options`: the attribute exists in the vendor's dialect only. */
export const vendorOption = { vendorOnly: true } as const

/** Returns a violation for each of the given attributes that is blank. */
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

/**
 * Returns the violations of a string that must be one of a fixed list. A blank string causes two
 * (behaviour/platform#errors).
 */
export function unlistedViolations<Name extends string>(
  values: Readonly<Record<Name, string | null>>,
  attribute: Name,
  allowed: readonly string[],
): AttributeViolation[] {
  const value = values[attribute]
  if (value !== null && allowed.includes(value)) return []
  const blankViolation = isBlank(value) ? [violation(attribute, 'blank')] : []
  return [...blankViolation, violation(attribute, 'not-listed')]
}
