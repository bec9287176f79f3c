import { formatGoDuration, SECOND } from '../../go/duration.ts'
import { quoteGo } from '../../go/text.ts'
import type { Refusal } from '../../kernel/refusal.ts'
import { bool, int, list, text, uint, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { fixtureMembers } from '../fixtures/members.ts'
import { type Mount, maxLeaseTtl } from '../mounts/mounts.ts'
import { addressIn } from '../tokens/addresses.ts'
import { refuse } from './messages.ts'

/**
 * Token settings of the roles and users of every login method (behaviour/secrets#token-fields).
 * TTLs and periods in seconds, 0 if unset.
 */
export const tokenFields = {
  token_bound_cidrs: list(text),
  token_explicit_max_ttl: uint,
  token_max_ttl: uint,
  token_no_default_policy: bool,
  token_num_uses: int,
  token_period: uint,
  token_policies: list(text),
  token_ttl: uint,
  /** Type of the token; with `default`, the mount's tuning determines the type. */
  token_type: word('default', 'service', 'batch'),
} as const

const tokenFieldsShape = struct(tokenFields)
export interface TokenFields extends StoredOf<typeof tokenFieldsShape> {}

export const tokenFieldsFixture = fixtureMembers(
  { ...tokenFields, token_type: text },
  { durations: ['token_explicit_max_ttl', 'token_max_ttl', 'token_period', 'token_ttl'] },
)

/** Token settings of a new role. */
export const defaultTokenFields: TokenFields = {
  token_bound_cidrs: [],
  token_explicit_max_ttl: 0,
  token_max_ttl: 0,
  token_no_default_policy: false,
  token_num_uses: 0,
  token_period: 0,
  token_policies: [],
  token_ttl: 0,
  token_type: 'default',
}

/**
 * The token settings that a write changes. `token_type` can still be any string;
 * `applyTokenFieldsChange` checks the type.
 */
export type TokenFieldsChange = {
  readonly [Name in keyof TokenFields]?:
    | (Name extends 'token_type' ? string : TokenFields[Name])
    | undefined
}

/**
 * Applies a write to token settings. Settings that are left out keep their values.
 *
 * @throws Refusal `invalid` for a malformed address, an unknown type, and negative or contradictory
 *   settings. The checks run in the reference's order.
 */
export function applyTokenFieldsChange(
  before: TokenFields,
  change: TokenFieldsChange,
): TokenFields {
  const fields = {
    token_bound_cidrs: (change.token_bound_cidrs ?? before.token_bound_cidrs).map(readAddress),
    token_explicit_max_ttl: change.token_explicit_max_ttl ?? before.token_explicit_max_ttl,
    token_max_ttl: change.token_max_ttl ?? before.token_max_ttl,
    token_no_default_policy: change.token_no_default_policy ?? before.token_no_default_policy,
    token_num_uses: change.token_num_uses ?? before.token_num_uses,
    token_period: change.token_period ?? before.token_period,
    token_policies: change.token_policies ?? before.token_policies,
    token_ttl: change.token_ttl ?? before.token_ttl,
  }
  checkNotNegative(fields, 'token_explicit_max_ttl', 'token_max_ttl', 'token_period')
  const token_type = tokenTypeIn(change.token_type ?? before.token_type)
  checkNotNegative(fields, 'token_num_uses')
  if (token_type === 'batch') {
    if (fields.token_period !== 0) throw refuse('batch-role-periodic')
    if (fields.token_num_uses !== 0) throw refuse('batch-role-limited')
  }
  checkNotNegative(fields, 'token_ttl')
  if (fields.token_max_ttl > 0 && fields.token_ttl > fields.token_max_ttl) {
    throw refuse('role-ttl-above-max')
  }
  return { ...fields, token_type }
}

/**
 * Throws a refusal if a period exceeds the mount's maximum TTL.
 * @param period in seconds
 * @param refusal returns the login method's own refusal of such a period
 */
export function checkPeriod(
  mount: Mount,
  period: number,
  refusal: (limits: { readonly period: string; readonly max: string }) => Refusal,
): void {
  const max = maxLeaseTtl(mount)
  if (period <= max) return
  throw refusal({ period: formatGoDuration(period * SECOND), max: formatGoDuration(max * SECOND) })
}

/**
 * Returns the stored form of an address or network.
 * @throws Refusal for other strings
 */
export function readAddress(text: string): string {
  const address = addressIn(text)
  if (address === undefined) throw refuse('login-address-unreadable', { text })
  return address
}

type NumberField =
  | 'token_explicit_max_ttl'
  | 'token_max_ttl'
  | 'token_num_uses'
  | 'token_period'
  | 'token_ttl'

function checkNotNegative(
  fields: Readonly<Record<NumberField, number>>,
  ...names: readonly NumberField[]
): void {
  for (const name of names) if (fields[name] < 0) throw refuse('role-setting-negative', { name })
}

function tokenTypeIn(text: string): TokenFields['token_type'] {
  switch (text) {
    case '':
      return 'default'
    case 'default':
    case 'service':
    case 'batch':
      return text
  }
  throw refuse('login-token-type-unknown', { text: quoteGo(text) })
}
