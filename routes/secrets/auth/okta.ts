import { bool, int, list, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional } from '../../../state/kernel/shape/members.ts'
import { grantLogin } from '../../../state/secrets/logins/grants.ts'
import type { NamedRows } from '../../../state/secrets/mounts/mounts.ts'
import {
  type OktaEntry,
  oktaConfigs,
  oktaGroups,
  oktaPerson,
  oktaUsers,
  oktaWarnings,
  writeOktaConfig,
  writeOktaEntry,
} from '../../../state/secrets/okta/okta.ts'
import { dataOutcome, emptyWithWarnings, keysOutcome } from '../envelope/outcome.ts'
import { authEnvelope, enveloped, keysEnvelope, warningEnvelope } from '../envelope/schemas.ts'
import { requiredText, textField, texts } from '../fields/field-kinds.ts'
import { refuse } from '../messages.ts'
import { type Engine, operationsOf, type SecretsOperation } from '../operation.ts'
import { roleData } from '../role-operations.ts'
import { loginOutcome } from './login-outcome.ts'
import {
  oldTokenFieldSchemas,
  oldTokenInputFields,
  tokenFieldSchemas,
  tokenInputFields,
} from './login-schemas.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#okta' })

/**
 * Declares the operations on the groups or the users of a mount. Each group or user maps a name in
 * the organization to policies.
 */
function entryOperations(kind: 'Group' | 'User', rows: NamedRows<OktaEntry>): SecretsOperation[] {
  const folder = `${kind.toLowerCase()}s` as const
  const noun = kind.toLowerCase()
  const hasGroups = kind === 'User'
  return [
    operation.list(`oktaList${kind}s`, folder, {
      summary: `List the names of the ${noun}s.`,
      reply: { 200: keysEnvelope },
      run: ({ world, mount }) => keysOutcome(rows.names(world, mount)),
    }),
    operation.read(`oktaRead${kind}`, `${folder}/*name`, {
      summary: `Read a ${noun}.`,
      reply: enveloped({ policies: list(text), groups: optional(list(text)) }),
      run({ world, mount, params }) {
        const { policies, groups } = rows.read(world, mount, params.name)
        return dataOutcome(hasGroups ? { groups, policies } : { policies })
      },
    }),
    operation.write(`oktaWrite${kind}`, `${folder}/*name`, {
      summary: `Create or replace a ${noun}.`,
      body: {
        policies: texts('Policies of the tokens'),
        ...(hasGroups ? { groups: texts('Additional groups of the user') } : {}),
      },
      apply: ({ world, mount, params: { name }, fields }) =>
        writeOktaEntry(rows, world, mount, name, fields),
    }),
    operation.delete(`oktaDelete${kind}`, `${folder}/*name`, {
      summary: `Delete a ${noun}.`,
      apply: ({ world, mount, params: { name } }) => rows.remove(world, mount, name),
    }),
  ]
}

/** The login method `okta`. Users of an organization log in with name and password. */
export const oktaEngine: Engine = {
  type: 'okta',
  unauthenticatedPrefix: 'login/',
  unauthenticatedPaths: /^verify\//,
  operations: [
    operation.read('oktaReadConfig', 'config', {
      summary: 'Read the configuration without its secrets.',
      reply: enveloped({
        base_url: optional(text),
        bypass_okta_mfa: bool,
        org_name: text,
        organization: text,
        ...tokenFieldSchemas,
        ttl: oldTokenFieldSchemas.ttl,
        max_ttl: oldTokenFieldSchemas.max_ttl,
      }),
      run({ world, mount }) {
        const config = oktaConfigs.read(world, mount)
        const { api_token, base_url, ...view } = config
        const address = base_url === '' ? {} : { base_url }
        return {
          kind: 'envelope',
          data: { ...roleData(view), ...address, organization: config.org_name },
          warnings: oktaWarnings(config),
        }
      },
    }),
    operation.write('oktaWriteConfig', 'config', {
      summary: 'Configure the organization; omitted fields keep their values.',
      secrets: { body: ['api_token', 'token'] },
      body: {
        org_name: described(text, 'Name of the organization'),
        organization: described(text, 'Old name of org_name'),
        api_token: described(text, 'API token of the organization'),
        token: described(text, 'Old name of api_token'),
        base_url: described(text, 'Domain of the organization'),
        bypass_okta_mfa: described(bool, 'Whether logins skip the second factor'),
        ...tokenInputFields,
        ttl: oldTokenInputFields.ttl,
        max_ttl: oldTokenInputFields.max_ttl,
      },
      reply: { 200: warningEnvelope, 204: null },
      run({ world, mount, fields }) {
        const { organization, token, org_name = organization, api_token = token, ...rest } = fields
        return emptyWithWarnings(writeOktaConfig(world, mount, { ...rest, org_name, api_token }))
      },
    }),
    ...entryOperations('Group', oktaGroups),
    ...entryOperations('User', oktaUsers),
    operation.read('oktaVerify', 'verify/:nonce', {
      summary: 'Return no answer to a number challenge, because pushes are accepted at once.',
      access: 'anyone',
      reply: enveloped({ correct_answer: int }),
      run() {
        throw refuse('nothing-here')
      },
    }),
    operation.write('oktaLogin', 'login/*username', {
      summary: 'Log in a person of the organization with a password.',
      access: 'anyone',
      secrets: { body: ['password', 'totp', 'nonce'] },
      body: {
        password: requiredText('Password of the user'),
        totp: textField('Code of the second factor'),
        provider: textField('Has no effect'),
        nonce: textField('Has no effect'),
      },
      failures: [403, 500],
      reply: { 200: authEnvelope },
      run(call) {
        const { world, namespace, mount, params, fields: credentials } = call
        const { username } = params
        const person = oktaPerson(world, mount, username, credentials)
        const grant = grantLogin(world, {
          namespace,
          mount,
          path: `login/${username}`,
          alias: username,
          name: username,
          metadata: { policies: person.policies.join(','), username },
          aliasMetadata: null,
          groups: person.groups,
          fields: person.fields,
        })
        return loginOutcome(call, grant, person.warnings)
      },
    }),
  ],
}
