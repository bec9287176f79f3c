import { defineMessages, refusals } from '../../kernel/refusal.ts'
import { commonMessages, raisedRefusals } from '../common-messages.ts'
import { loginMessages } from '../logins/messages.ts'

/** Details of an error that the reference reports as an internal error, with the bare text. */
const internal = { internalInReference: true }

/** Messages of the login method github (behaviour/secrets#github). */
export const { table, message, refuse } = defineMessages({
  ...commonMessages,
  ...loginMessages,
  ...refusals('invalid', { 'github-organization-missing': 'organization is a required parameter' }),
  ...raisedRefusals({
    'github-organization-unknown':
      'unable to fetch the organization_id, you must manually set it in the config: GET {base}orgs/{name}: 404 Not Found []',
  }),
  ...refusals(
    'invalid',
    {
      'github-not-configured': 'configuration has not been set',
      'github-token-refused': 'GET {base}user: 401 Bad credentials []',
      'github-unreachable': 'Get "{base}user": dial tcp: {why}',
      'github-not-member': 'user is not part of required org',
    },
    internal,
  ),
  'github-organization-renamed': {
    text: 'the organization name has changed to {name}. It is recommended to verify and update the organization name in the config: organization_id={id}',
  },
})
