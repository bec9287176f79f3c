import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts'

/** The service account that a JWT is of; empty for what the JWT does not say. */
export interface ClaimedAccount {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  /** The secret that an old token is kept in. */
  readonly secret: string
}

/** Whose words claims may be in: either dialect's, whichever is configured. */
const domains = ['orch.io', 'kubernetes.io'] as const

/**
 * Reads the account out of claims (behaviour/secrets#orch-login): from the nested form of tokens that
 * expire, and else from the flat one of tokens that are kept in secrets.
 */
export function accountIn(claims: JsonObject): ClaimedAccount {
  const domain = domains.find((each) =>
    Object.keys(claims).some((name) => isQualifiedName(name, each)),
  )
  const flatClaim = (name: string) => textOf(claims[`${domain}/serviceaccount/${name}`])
  const nested = objectOf(claims[domain ?? ''])
  const account = objectOf(nested?.['serviceaccount'])
  return {
    namespace: nested === undefined ? flatClaim('namespace') : textOf(nested['namespace']),
    name: account === undefined ? flatClaim('service-account.name') : textOf(account['name']),
    uid: account === undefined ? flatClaim('service-account.uid') : textOf(account['uid']),
    secret: flatClaim('secret.name'),
  }
}

function isQualifiedName(name: string, domain: string): boolean {
  return name === domain || name.startsWith(`${domain}/serviceaccount/`)
}

function objectOf(value: Json | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}
