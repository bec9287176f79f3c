import { bool, int, list, text, word } from '../../../state/kernel/shape/kinds.ts'
import { described, optional } from '../../../state/kernel/shape/members.ts'
import { duration, texts } from '../fields/field-kinds.ts'

/**
 * Token fields of the roles, users and configurations of login methods
 * (behaviour/secrets#token-fields).
 */
export const tokenInputFields = {
  token_bound_cidrs: texts('Networks from which clients may use the tokens'),
  token_explicit_max_ttl: duration('Maximum lifetime of the tokens, including renewals'),
  token_max_ttl: duration('Maximum lifetime of the tokens'),
  token_no_default_policy: described(bool, 'Whether tokens lack the policy `default`'),
  token_num_uses: described(int, 'Maximum number of uses of a token; 0 means unlimited'),
  token_period: duration('Period of the tokens'),
  token_policies: texts('Policies of the tokens'),
  token_ttl: duration('Lifetime of the tokens'),
  token_type: described(text, '`service`, `batch` or `default`'),
} as const

/** Old names of some token fields (behaviour/secrets#token-fields). */
export const oldTokenInputFields = {
  policies: texts('Old name of token_policies'),
  bound_cidrs: texts('Old name of token_bound_cidrs'),
  num_uses: described(int, 'Old name of token_num_uses'),
  ttl: duration('Old name of token_ttl'),
  max_ttl: duration('Old name of token_max_ttl'),
  period: duration('Old name of token_period'),
} as const

const seconds = described(int, 'Seconds')
const textList = list(text)

/** Token fields in replies about roles, users and configurations of login methods. */
export const tokenFieldSchemas = {
  token_bound_cidrs: textList,
  token_explicit_max_ttl: seconds,
  token_max_ttl: seconds,
  token_no_default_policy: bool,
  token_num_uses: int,
  token_period: seconds,
  token_policies: textList,
  token_ttl: seconds,
  token_type: word('default', 'service', 'batch'),
} as const

/**
 * Optional members with the old names of token fields, for replies that contain
 * `tokenFieldSchemas`. A reply has such a member if the field was set under its old name.
 */
export const oldTokenFieldSchemas = {
  policies: optional(textList),
  bound_cidrs: optional(textList),
  num_uses: optional(int),
  ttl: optional(seconds),
  max_ttl: optional(seconds),
  period: optional(seconds),
} as const
