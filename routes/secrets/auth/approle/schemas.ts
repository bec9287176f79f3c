import { bool, int, list, map, nullable, text } from '../../../../state/kernel/shape/kinds.ts'
import { described, optional, secret, struct } from '../../../../state/kernel/shape/members.ts'
import { envelopeOf } from '../../envelope/schemas.ts'
import { duration, texts } from '../../fields/field-kinds.ts'
import { tokenFieldForms, tokenFieldSchemas } from '../login-schemas.ts'

/** Fields of a role; what is not sent stays. */
export const roleFields = {
  bind_secret_id: described(bool, 'Whether a login needs a secret id'),
  bound_cidr_list: texts('Old name of secret_id_bound_cidrs'),
  secret_id_bound_cidrs: texts('Networks from which one may log in'),
  secret_id_num_uses: described(int, 'How often a secret id can be used; 0 for any number'),
  secret_id_ttl: duration('How long a secret id lives; 0 for ever'),
  local_secret_ids: described(bool, 'Only for new roles'),
  role_id: described(text, 'The id of the role; made up for new ones'),
  policies: texts('Old name of token_policies'),
  period: duration('Old name of token_period'),
  ...tokenFieldForms,
} as const

const seconds = described(int, 'Seconds')
const textList = list(text)

/** A role as it is read. */
export const roleEnvelope = envelopeOf(
  struct({
    bind_secret_id: bool,
    local_secret_ids: bool,
    secret_id_bound_cidrs: nullable(textList),
    secret_id_num_uses: int,
    secret_id_ttl: seconds,
    ...tokenFieldSchemas,
    policies: optional(described(textList, 'As the old name set them')),
    period: optional(seconds),
  }),
)

/** Fields of a new secret id. */
export const secretIdFields = {
  metadata: described(text, 'Remarks for tokens: a JSON object as text, or `k=v,…`'),
  cidr_list: texts('Networks from which one may log in with it'),
  token_bound_cidrs: texts('Networks that its tokens belong to'),
  num_uses: described(int, 'How often it can be used; 0 for any number'),
  ttl: duration('How long it lives'),
} as const

/** A new secret id. */
export const newSecretIdEnvelope = envelopeOf(
  struct({
    secret_id: secret(text),
    secret_id_accessor: text,
    secret_id_ttl: seconds,
    secret_id_num_uses: int,
  }),
)

/** A secret id as it is looked up. */
export const secretIdEnvelope = envelopeOf(
  struct({
    secret_id_num_uses: described(int, 'Uses left; 0 for any number'),
    secret_id_ttl: seconds,
    creation_time: text,
    expiration_time: described(text, '`0001-01-01T00:00:00Z` for never'),
    last_updated_time: text,
    metadata: map(text),
    cidr_list: textList,
    token_bound_cidrs: textList,
    secret_id_accessor: text,
  }),
)
