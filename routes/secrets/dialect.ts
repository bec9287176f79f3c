/** Whose names a process speaks: the specification's neutral ones, or the vendor's. */
export type DialectName = 'neutral' | 'vendor'

/** The secrets API's side of a dialect (1-secrets-decisions.md sections 0 and 11). */
export interface SecretsDialect {
  readonly name: DialectName
  /** Prefix of the API's own headers, in lower case and as sent. */
  readonly headerPrefix: string
  /** Texts of errors and warnings in this dialect. */
  text(neutral: string): string
  /** Whether to answer with the reference's status where it differs from the specification's (R5). */
  readonly referenceStatuses: boolean
}

export const neutralDialect: SecretsDialect = {
  name: 'neutral',
  headerPrefix: 'X-Secrets-',
  text: (neutral) => neutral,
  referenceStatuses: false,
}

/** Words of texts that differ; longer ones first, so that none is cut in two. */
const vendorWords: readonly (readonly [string, string])[] = [
  ["'secrets kv ", "'vault kv "],
  ['X-Secrets-', 'X-Vault-'],
  ['service is unsealed', 'vault is unsealed'],
  ['Service', 'Vault'],
]

export const vendorDialect: SecretsDialect = {
  name: 'vendor',
  headerPrefix: 'X-Vault-',
  text: (neutral) =>
    vendorWords.reduce((text, [ours, theirs]) => text.replaceAll(ours, theirs), neutral),
  referenceStatuses: true,
}

export function secretsDialect(name: DialectName): SecretsDialect {
  return name === 'vendor' ? vendorDialect : neutralDialect
}

/**
 * A request header of the API in either spelling, whatever the dialect (DESIGN section 2): `token`
 * is `X-Secrets-Token` or `X-Vault-Token`.
 */
export function apiHeader(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  name: string,
): string | undefined {
  const value = headers[`x-secrets-${name}`] ?? headers[`x-vault-${name}`]
  return typeof value === 'string' ? value : value?.[0]
}
