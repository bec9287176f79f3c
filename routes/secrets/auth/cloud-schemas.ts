import { list, text } from '../../../state/kernel/shape/kinds.ts'
import { described, struct, withDefault } from '../../../state/kernel/shape/members.ts'
import { envelopeOf } from '../envelope/schemas.ts'
import { headers, requiredField, signedDuration, texts } from '../fields/field-kinds.ts'
import { tokenFieldForms, tokenFieldSchemas } from './login-schemas.ts'

/** Fields of the configuration (behaviour/secrets#api-cloud). */
export const configFields = {
  home_tenancy_id: withDefault(
    requiredField(described(text, 'The tenancy whose identities may log in')),
    '',
  ),
} as const

/** The configuration as it is read. */
export const configEnvelope = envelopeOf(
  struct({
    home_tenancy_id: text,
  }),
)

/** Fields of a role; what is not sent stays. */
export const roleFields = {
  cid_list: texts('Ids of the groups and dynamic groups whose members may take the role'),
  ...tokenFieldForms,
  // Here the values are looked at, not how they are written.
  token_explicit_max_ttl: signedDuration('Longest life of the tokens, renewals included'),
  token_max_ttl: signedDuration('Longest life of the tokens'),
  token_period: signedDuration('Period of the tokens'),
  token_ttl: signedDuration('How long the tokens live'),
} as const

/** A role as it is read. */
export const roleEnvelope = envelopeOf(struct({ cid_list: list(text), ...tokenFieldSchemas }))

/** Fields of a login. */
export const loginFields = {
  request_headers: withDefault(
    requiredField(
      described(
        headers,
        'The signed headers by name: date, (request-target), host and authorization',
      ),
    ),
    {},
  ),
} as const
