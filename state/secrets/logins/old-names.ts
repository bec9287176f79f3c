import {
  applyTokenFieldsChange,
  type TokenFields,
  type TokenFieldsChange,
  tokenFields,
} from './token-fields.ts'

/** Old names of token fields by which methods may be written too. */
const oldNames = {
  policies: 'token_policies',
  period: 'token_period',
  ttl: 'token_ttl',
  max_ttl: 'token_max_ttl',
  num_uses: 'token_num_uses',
  bound_cidrs: 'token_bound_cidrs',
} as const satisfies Readonly<Record<string, keyof TokenFields>>

type OldName = keyof typeof oldNames

/** A write's members under old names; each method takes some. */
export type OldNamesChange = {
  readonly [Old in OldName]?: TokenFields[(typeof oldNames)[Old]] | undefined
}

/** A write under new names alone, and the old names that reads tell besides from now on. */
interface RenamedChange {
  readonly fields: TokenFieldsChange
  readonly oldNamesInUse: readonly string[]
}

/**
 * Takes a write under old names for one under new ones (behaviour/secrets#token-fields): the new name
 * wins. What came under its old name is told under it too, until the new name is written.
 *
 * @param before the old names that were told until now
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

/** The members of a write by what they are about. */
interface SeparatedChange<Others> {
  readonly tokens: TokenFields
  /** The old names that reads tell besides from now on. */
  readonly oldNamesInUse: readonly string[]
  /** Those that are no token fields. */
  readonly otherFields: Others
}

/**
 * Returns the token fields after a write under new and old names, of a method that checks first what
 * came under new ones (behaviour/secrets#token-fields). It has yet to compare the TTLs, which old names
 * may have set, in its own words.
 */
export function applyChangeUnderBothNames<Change extends TokenFieldsChange & OldNamesChange>(
  before: TokenFields,
  previousOldNames: readonly string[],
  change: Change,
): SeparatedChange<Omit<Change, keyof TokenFields | OldName>> {
  const isToken = (name: string) => Object.hasOwn(tokenFields, name)
  const currentNames = Object.entries(change).filter(([name]) => isToken(name))
  const updated = applyTokenFieldsChange(before, Object.fromEntries(currentNames))
  const { fields, oldNamesInUse: told } = renameOldFields(previousOldNames, change)
  const { token_ttl = updated.token_ttl, token_max_ttl = updated.token_max_ttl, ...rest } = fields
  const otherFields = Object.fromEntries(Object.entries(rest).filter(([name]) => !isToken(name)))
  return {
    tokens: { ...applyTokenFieldsChange(updated, rest), token_ttl, token_max_ttl },
    oldNamesInUse: told,
    otherFields: otherFields as Omit<Change, keyof TokenFields | OldName>,
  }
}

/** The values that a read tells under old names. */
export function oldNameValues(role: TokenFields, oldNamesInUse: readonly string[]): object {
  return Object.fromEntries(
    (Object.entries(oldNames) as [OldName, keyof TokenFields][])
      .filter(([old]) => oldNamesInUse.includes(old))
      .map(([old, name]) => [old, role[name]]),
  )
}

/** Policies as old names and properties take them: trimmed, in lower case, sorted, each once. */
export function normalizePolicies(policies: readonly string[]): string[] {
  const names = policies.map((name) => name.trim().toLowerCase()).filter((name) => name !== '')
  return [...new Set(names)].sort()
}
