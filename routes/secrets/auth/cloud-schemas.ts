import { bool, int, list, text, word } from '../../../state/kernel/shape/kinds.ts'
import { byDefault, described, struct } from '../../../state/kernel/shape/members.ts'
import { envelopeOf } from '../envelope/schemas.ts'
import { headers, needed, signedDuration, texts } from '../fields/forms.ts'

/** Fields of the configuration (behaviour/secrets#api-cloud). */
export const configFields = {
  home_tenancy_id: byDefault(
    needed(described(text, 'The tenancy whose identities may log in')),
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
  token_bound_cidrs: texts('Networks that the tokens belong to'),
  token_explicit_max_ttl: signedDuration('Longest life of the tokens, renewals included'),
  token_max_ttl: signedDuration('Longest life of the tokens'),
  token_no_default_policy: described(bool, 'Leave out the policy `default`'),
  token_num_uses: described(int, 'How often the tokens can be used; 0 for any number'),
  token_period: signedDuration('Period of the tokens'),
  token_policies: texts('Policies of the tokens'),
  token_ttl: signedDuration('How long the tokens live'),
  token_type: described(text, '`service`, `batch` or `default`'),
} as const

const textList = list(text)
const seconds = described(int, 'Seconds')

/** A role as it is read. */
export const roleEnvelope = envelopeOf(
  struct({
    cid_list: textList,
    token_bound_cidrs: textList,
    token_explicit_max_ttl: seconds,
    token_max_ttl: seconds,
    token_no_default_policy: bool,
    token_num_uses: int,
    token_period: seconds,
    token_policies: textList,
    token_ttl: seconds,
    token_type: word('default', 'service', 'batch'),
  }),
)

/** Fields of a login. */
export const loginFields = {
  request_headers: byDefault(
    needed(
      described(
        headers,
        'The signed headers by name: date, (request-target), host and authorization',
      ),
    ),
    {},
  ),
} as const
