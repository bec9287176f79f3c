import { int, list, nullable, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../../state/kernel/shape/members.ts'
import {
  type GithubMapping,
  githubConfigs,
  githubPerson,
  githubTeams,
  githubUsers,
  writeGithubConfig,
} from '../../../state/secrets/github/github.ts'
import { grantLogin } from '../../../state/secrets/logins/grants.ts'
import type { NamedRows } from '../../../state/secrets/mounts/mounts.ts'
import { dataOutcome } from '../envelope/outcome.ts'
import { authEnvelope, enveloped, envelopeOf } from '../envelope/schemas.ts'
import { requiredText, textField } from '../fields/field-kinds.ts'
import { type Call, type Engine, operationsOf, type SecretsOperation } from '../operation.ts'
import { roleData } from '../role-operations.ts'
import { loginOutcome } from './login-outcome.ts'
import {
  oldTokenFieldSchemas,
  oldTokenInputFields,
  tokenFieldSchemas,
  tokenInputFields,
} from './login-schemas.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#github' })

/** Declares the operations on the policies that a mount assigns to teams or to users. */
function mappingOperations(
  kind: 'Team' | 'User',
  rows: NamedRows<GithubMapping>,
): SecretsOperation[] {
  const folder = `map/${kind.toLowerCase()}s` as const
  const noun = kind.toLowerCase()
  const listing = {
    summary: `List the ${noun}s that have policies.`,
    reply: enveloped({ keys: optional(list(text)) }),
    run({ world, mount }: Call<unknown>) {
      const names = rows.names(world, mount)
      return dataOutcome(names.length === 0 ? {} : { keys: names })
    },
  }
  return [
    operation.list(`githubList${kind}s`, folder, listing),
    operation.read(`githubReadAll${kind}s`, folder, listing),
    operation.read(`githubRead${kind}`, `${folder}/:name`, {
      summary: `Read the policies of a ${noun}.`,
      reply: { 200: envelopeOf(nullable(struct({ key: text, value: text }))) },
      run({ world, mount, params }) {
        const row = rows.find(world, mount, params.name)
        return dataOutcome(row === undefined ? null : { key: row.key, value: row.value })
      },
    }),
    operation.write(`githubWrite${kind}`, `${folder}/:name`, {
      summary: `Set the policies of a ${noun}.`,
      body: { value: textField('Comma-separated policies') },
      apply: ({ world, mount, params: { name }, fields: { value } }) =>
        rows.put(world, mount, name, { key: name, value }),
    }),
    operation.delete(`githubDelete${kind}`, `${folder}/:name`, {
      summary: `Remove the policies of a ${noun}.`,
      apply: ({ world, mount, params: { name } }) => rows.remove(world, mount, name),
    }),
  ]
}

/** The login method `github`. Members of an organization log in with a personal access token. */
export const githubEngine: Engine = {
  type: 'github',
  operations: [
    operation.read('githubReadConfig', 'config', {
      summary: 'Read the organization.',
      reply: enveloped({
        base_url: text,
        organization: text,
        organization_id: int,
        ...tokenFieldSchemas,
        ttl: oldTokenFieldSchemas.ttl,
        max_ttl: oldTokenFieldSchemas.max_ttl,
      }),
      run({ world, mount }) {
        return dataOutcome(roleData(githubConfigs.read(world, mount)))
      },
    }),
    operation.write('githubWriteConfig', 'config', {
      summary: 'Set the organization; omitted fields keep their values.',
      body: {
        organization: described(text, 'Name of the organization'),
        organization_id: described(int, 'Id of the organization; looked up if left out'),
        base_url: described(text, 'Address of the API'),
        ...tokenInputFields,
        ttl: oldTokenInputFields.ttl,
        max_ttl: oldTokenInputFields.max_ttl,
      },
      failures: [500],
      apply: ({ world, mount, fields }) => writeGithubConfig(world, mount, fields),
    }),
    ...mappingOperations('Team', githubTeams),
    ...mappingOperations('User', githubUsers),
    operation.write('githubLogin', 'login', {
      summary: 'Log in a member of the organization by a personal access token.',
      access: 'anyone',
      secrets: { body: ['token'] },
      body: { token: requiredText('The token of the user') },
      failures: [403, 500],
      reply: { 200: authEnvelope },
      run(call) {
        const { world, namespace, mount } = call
        const person = githubPerson(world, mount, call.fields.token)
        const { name, organization, fields, teams, warnings } = person
        const grant = grantLogin(world, {
          namespace,
          mount,
          path: 'login',
          alias: name,
          name,
          metadata: { org: organization, username: name },
          aliasMetadata: null,
          groups: teams,
          fields,
        })
        return loginOutcome(call, grant, warnings)
      },
    }),
  ],
}
