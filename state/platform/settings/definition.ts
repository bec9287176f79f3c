import { bool, int, nullable, text as plainText } from '../../kernel/shape/kinds.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { isBlank } from '../names.ts'
import { type AttributeViolation, violation } from '../violations.ts'
import type { SettingsName } from './settings.ts'

const blankableText = nullable(plainText)
const optionalInt = nullable(int)

/**
 * Shape of an attribute's value: a string (null is treated as blank), a boolean, or a number that
 * can be null.
 */
type SettingsShape = typeof blankableText | typeof bool | typeof optionalInt

/** Declaration of one attribute of a settings resource. */
export interface SettingsAttribute<S extends SettingsShape = SettingsShape> {
  readonly shape: S
  readonly default: StoredOf<SettingsShape>
  /**
   * Use of the value by clients. By default, the value is stored and returned, and clients can set
   * it.
   */
  readonly use?: AttributeUse
  /** Whether the journal hides the value. Values of write-only attributes are always hidden. */
  readonly secret?: true
  /**
   * Set if the attribute exists only in the vendor dialect (behaviour/platform#vendor-settings).
   */
  readonly vendorOnly?: true
}

/**
 * `write-only` attributes are stored but never returned. `once` attributes are only used by the
 * request that contains them. `read-only` attributes are returned, but clients cannot set them.
 */
type AttributeUse = 'write-only' | 'once' | 'read-only'

/** Declarations by the attribute's name in the specification. */
export type SettingsAttributes = Readonly<Record<string, SettingsAttribute>>

export type SettingsValues<A extends SettingsAttributes = SettingsAttributes> = {
  readonly [Name in keyof A]: StoredOf<A[Name]['shape']>
}

/** Attributes that a request changes, with checked types. */
export type SettingsChanges<A extends SettingsAttributes = SettingsAttributes> = Partial<
  SettingsValues<A>
>

/** Declaration of one resource of the administrative settings (behaviour/platform#api-settings). */
export interface SettingsDefinition<A extends SettingsAttributes = SettingsAttributes> {
  /** Id of the resource. The JSON:API type and the path are `<name>-settings`. */
  readonly name: SettingsName
  /** Noun phrase for the resource in descriptions, such as `the general settings`. */
  readonly title: string
  readonly attributes: A
  /**
   * Returns the rules that the values break. Types have already been checked.
   *
   * @param hasVendorAttributes whether attributes and values of the vendor dialect are checked
   */
  violations?(
    values: SettingsValues<A>,
    hasVendorAttributes: boolean,
  ): readonly AttributeViolation[]
  /**
   * Replaces special values in a request by the values to store. For example, an empty string can
   * stand for the default of a timeout.
   */
  normalize?(changes: SettingsChanges<A>): SettingsChanges<A>
  /**
   * Returns changes that follow from `changes`. For example, an attribute with an older name gets
   * the same value as the attribute with the new name.
   */
  impliedChanges?(before: SettingsValues<A>, changes: SettingsChanges<A>): SettingsChanges<A>
  /** Applies side effects of a change. Runs inside the transaction of the change. */
  onChange?(world: World, changes: SettingsChanges<A>): void
}

/**
 * Returns the definition unchanged. Exists for type inference: the attributes determine the types
 * of the values that `violations` and the other functions receive.
 */
export function defineSettings<const A extends SettingsAttributes>(
  definition: SettingsDefinition<A>,
): SettingsDefinition<A> {
  return definition
}

type AttributeOptions = Pick<SettingsAttribute, 'use' | 'secret' | 'vendorOnly'>

/** Declares a string attribute with a default value. Null is treated as blank. */
export function text(
  value: string | null = null,
  options: AttributeOptions = {},
): SettingsAttribute<typeof blankableText> {
  return { shape: blankableText, default: value, ...options }
}

export function flag(
  value: boolean,
  options: AttributeOptions = {},
): SettingsAttribute<typeof bool> {
  return { shape: bool, default: value, ...options }
}

/** Declares an integer attribute with a default value. Null means that no value is set. */
export function integer(
  value: number | null,
  options: AttributeOptions = {},
): SettingsAttribute<typeof optionalInt> {
  return { shape: optionalInt, default: value, ...options }
}

/** Members that mark an attribute which exists only in the vendor dialect. */
export const vendorOption = { vendorOnly: true } as const

/** Returns a violation for each listed attribute whose value is null or blank. */
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
 * Returns the violation `not-listed` unless the list contains the value. A blank value also breaks
 * the rule `blank` (behaviour/platform#errors).
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
