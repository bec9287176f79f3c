import {
  applyTokenFieldsChange,
  readAddress,
  type TokenFields,
  type TokenFieldsChange,
  tokenFields,
} from './token-fields.ts'

/** Token fields by their old names, which some login methods accept. */
const oldNames = {
  policies: 'token_policies',
  period: 'token_period',
  ttl: 'token_ttl',
  max_ttl: 'token_max_ttl',
  num_uses: 'token_num_uses',
  bound_cidrs: 'token_bound_cidrs',
} as const satisfies Readonly<Record<string, keyof TokenFields>>

type OldName = keyof typeof oldNames

/** Values of token fields under their old names. Each login method accepts some of the names. */
export type DeprecatedFieldsChange = {
  readonly [Old in OldName]?: TokenFields[(typeof oldNames)[Old]] | undefined
}

/** A write, with token fields separated from other members. */
interface SeparatedChange<Others> {
  readonly tokens: TokenFields
  /** The old names under which later reads also return the value. */
  readonly oldNamesInUse: readonly string[]
  readonly otherFields: Others
}

/**
 * Returns the token fields after a write under new and old names (behaviour/secrets#token-fields),
 * and the other members of the write. If a write contains both names of a field, the value under
 * the new name is stored. As in the reference, values under new names are checked, and values under
 * old names are then set without these checks. Callers compare the TTLs themselves, because each
 * method has a different message. After a write under an old name, reads return the value under
 * both names, until a write uses the new name alone.
 *
 * @param previousOldNames the old names that reads returned before this write
 * @param checkOtherFields makes the checks that the product runs after the new names and before the
 *   old names
 * @throws Refusal `invalid` for invalid values under new names, and for a malformed address
 */
export function applyChangeUnderBothNames<
  Change extends TokenFieldsChange & DeprecatedFieldsChange,
>(
  before: TokenFields,
  previousOldNames: readonly string[],
  change: Change,
  checkOtherFields?: () => void,
): SeparatedChange<Omit<Change, keyof TokenFields | OldName>> {
  const members = Object.entries(change)
  const isToken = (name: string) => Object.hasOwn(tokenFields, name)
  const isOther = (name: string) => !isToken(name) && !Object.hasOwn(oldNames, name)
  const updated = applyTokenFieldsChange(
    before,
    Object.fromEntries(members.filter(([name]) => isToken(name))),
  )
  checkOtherFields?.()
  const oldNamesInUse = new Set(previousOldNames)
  const renamedFields: Record<string, unknown> = {}
  for (const [old, name] of Object.entries(oldNames) as [OldName, keyof TokenFields][]) {
    const value = change[old]
    const hasNewName = change[name] !== undefined
    if (value !== undefined) oldNamesInUse.add(old)
    else if (hasNewName) oldNamesInUse.delete(old)
    if (value !== undefined && !hasNewName) renamedFields[name] = normalizeValue(old, value)
  }
  return {
    tokens: { ...updated, ...renamedFields },
    oldNamesInUse: [...oldNamesInUse],
    otherFields: Object.fromEntries(members.filter(([name]) => isOther(name))) as Omit<
      Change,
      keyof TokenFields | OldName
    >,
  }
}

function normalizeValue(old: OldName, value: unknown): unknown {
  if (old === 'policies') return normalizePolicies(value as readonly string[])
  return old === 'bound_cidrs' ? (value as readonly string[]).map(readAddress) : value
}

/** Returns the values that reads add under old names. Leaves out values that are 0 or empty. */
export function oldNameValues(role: TokenFields, oldNamesInUse: readonly string[]): object {
  return Object.fromEntries(
    (Object.entries(oldNames) as [OldName, keyof TokenFields][])
      .filter(([old]) => oldNamesInUse.includes(old))
      .map(([old, name]) => [old, role[name]] as const)
      .filter(([, value]) => (Array.isArray(value) ? value.length > 0 : value !== 0)),
  )
}

/**
 * Trims policy names, converts them to lower case, sorts them and drops duplicates and empty names,
 * as a write under an old name requires.
 */
export function normalizePolicies(policies: readonly string[]): string[] {
  const names = policies.map((name) => name.trim().toLowerCase()).filter((name) => name !== '')
  return [...new Set(names)].sort()
}
