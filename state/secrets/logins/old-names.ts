import {
  applyTokenFieldsChange,
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

/** The members of a write under old names; each method accepts some of them. */
export type OldNamesChange = {
  readonly [Old in OldName]?: TokenFields[(typeof oldNames)[Old]] | undefined
}

/** A write under new names only, and the old names that reads return from now on. */
interface RenamedChange {
  readonly fields: TokenFieldsChange
  readonly oldNamesInUse: readonly string[]
}

/**
 * Renames the members of a write to their new names (behaviour/secrets#token-fields); a new name
 * overrides its old one. If a value was last written under its old name, reads return it under both
 * names.
 *
 * @param before the old names that reads returned before this write
 */
export function renameOldFields(
  before: readonly string[],
  change: TokenFieldsChange & OldNamesChange,
): RenamedChange {
  const oldNamesInUse = new Set(before)
  const fields: { [name: string]: unknown } = { ...change }
  for (const [old, name] of Object.entries(oldNames) as [OldName, keyof TokenFields][]) {
    delete fields[old]
    const value = change[old]
    if (change[name] !== undefined) oldNamesInUse.delete(old)
    else if (value !== undefined) {
      oldNamesInUse.add(old)
      fields[name] = old === 'policies' ? normalizePolicies(value as readonly string[]) : value
    }
  }
  return { fields, oldNamesInUse: [...oldNamesInUse] }
}

/** The members of a write, separated by purpose. */
interface SeparatedChange<Others> {
  readonly tokens: TokenFields
  /** The old names that reads return from now on. */
  readonly oldNamesInUse: readonly string[]
  /** Members other than token fields. */
  readonly otherFields: Others
}

/**
 * Returns the token fields after a write under new and old names, for a method that checks the new
 * names first (behaviour/secrets#token-fields). The caller must still compare the TTLs, which old
 * names may have changed, since each method has its own message.
 */
export function applyChangeUnderBothNames<Change extends TokenFieldsChange & OldNamesChange>(
  before: TokenFields,
  previousOldNames: readonly string[],
  change: Change,
): SeparatedChange<Omit<Change, keyof TokenFields | OldName>> {
  const isToken = (name: string) => Object.hasOwn(tokenFields, name)
  const currentNames = Object.entries(change).filter(([name]) => isToken(name))
  const updated = applyTokenFieldsChange(before, Object.fromEntries(currentNames))
  const { fields, oldNamesInUse } = renameOldFields(previousOldNames, change)
  const { token_ttl = updated.token_ttl, token_max_ttl = updated.token_max_ttl, ...rest } = fields
  const otherFields = Object.fromEntries(Object.entries(rest).filter(([name]) => !isToken(name)))
  return {
    tokens: { ...applyTokenFieldsChange(updated, rest), token_ttl, token_max_ttl },
    oldNamesInUse,
    otherFields: otherFields as Omit<Change, keyof TokenFields | OldName>,
  }
}

/** Returns the values that a read shows under old names. */
export function oldNameValues(role: TokenFields, oldNamesInUse: readonly string[]): object {
  return Object.fromEntries(
    (Object.entries(oldNames) as [OldName, keyof TokenFields][])
      .filter(([old]) => oldNamesInUse.includes(old))
      .map(([old, name]) => [old, role[name]]),
  )
}

/**
 * Normalizes policies of old names and properties: trimmed, in lower case, sorted, without
 * duplicates.
 */
export function normalizePolicies(policies: readonly string[]): string[] {
  const names = policies.map((name) => name.trim().toLowerCase()).filter((name) => name !== '')
  return [...new Set(names)].sort()
}
