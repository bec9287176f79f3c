import {
  applyTokenFieldsChange,
  readAddress,
  type TokenFields,
  type TokenFieldsChange,
  tokenFields,
} from './token-fields.ts'

/** Old names of token fields that some methods accept. */
const oldNames = {
  policies: 'token_policies',
  period: 'token_period',
  ttl: 'token_ttl',
  max_ttl: 'token_max_ttl',
  num_uses: 'token_num_uses',
  bound_cidrs: 'token_bound_cidrs',
} as const satisfies Readonly<Record<string, keyof TokenFields>>

type OldName = keyof typeof oldNames

/** The members of a write that have old names. Each method accepts some of them. */
export type DeprecatedFieldsChange = {
  readonly [Old in OldName]?: TokenFields[(typeof oldNames)[Old]] | undefined
}

/** The members of a write, divided into token fields and others. */
interface SeparatedChange<Others> {
  readonly tokens: TokenFields
  /** The old names under which reads return a value from now on. */
  readonly oldNamesInUse: readonly string[]
  /** Members other than token fields. */
  readonly otherFields: Others
}

/**
 * Returns the token fields after a write under new and old names (behaviour/secrets#token-fields).
 * A new name overrides its old one. As in the reference, only values under new names are checked,
 * and values under old names are set afterwards: the caller must compare the TTLs if the method
 * does, because each method has its own message. After a write under an old name, reads also return
 * the value under that name, until a write uses the new name alone.
 *
 * @param previousOldNames the old names that reads returned before this write
 * @param checkOtherFields checks that the product makes between the new and the old names
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
  const renamed: Record<string, unknown> = {}
  for (const [old, name] of Object.entries(oldNames) as [OldName, keyof TokenFields][]) {
    const value = change[old]
    const hasNewName = change[name] !== undefined
    if (value !== undefined) oldNamesInUse.add(old)
    else if (hasNewName) oldNamesInUse.delete(old)
    if (value !== undefined && !hasNewName) renamed[name] = normalized(old, value)
  }
  return {
    tokens: { ...updated, ...renamed },
    oldNamesInUse: [...oldNamesInUse],
    otherFields: Object.fromEntries(members.filter(([name]) => isOther(name))) as Omit<
      Change,
      keyof TokenFields | OldName
    >,
  }
}

function normalized(old: OldName, value: unknown): unknown {
  if (old === 'policies') return normalizePolicies(value as readonly string[])
  return old === 'bound_cidrs' ? (value as readonly string[]).map(readAddress) : value
}

/**
 * Returns the values that a read shows under old names. Values that are 0 or empty are left out.
 */
export function oldNameValues(role: TokenFields, oldNamesInUse: readonly string[]): object {
  return Object.fromEntries(
    (Object.entries(oldNames) as [OldName, keyof TokenFields][])
      .filter(([old]) => oldNamesInUse.includes(old))
      .map(([old, name]) => [old, role[name]] as const)
      .filter(([, value]) => (Array.isArray(value) ? value.length > 0 : value !== 0)),
  )
}

/**
 * Normalizes the policies of a write under an old name: trimmed, in lower case, sorted, without
 * duplicates.
 */
export function normalizePolicies(policies: readonly string[]): string[] {
  const names = policies.map((name) => name.trim().toLowerCase()).filter((name) => name !== '')
  return [...new Set(names)].sort()
}
