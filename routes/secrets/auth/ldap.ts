import { list, text } from '../../../state/kernel/shape/kinds.ts'
import { optional } from '../../../state/kernel/shape/members.ts'
import {
  ldapConfig,
  ldapMembers,
  ldapSecretMembers,
  ldapWarnings,
  writeLdapConfig,
} from '../../../state/secrets/ldap/config.ts'
import { ldapLogin } from '../../../state/secrets/ldap/login.ts'
import {
  entryName,
  type LdapEntry,
  ldapGroups,
  ldapUsers,
  writeLdapEntry,
} from '../../../state/secrets/ldap/people.ts'
import type { NamedRows } from '../../../state/secrets/mounts/mounts.ts'
import { dataOutcome, emptyWithWarnings, keysOutcome } from '../envelope/outcome.ts'
import { dataAuthEnvelope, enveloped, keysEnvelope, warningEnvelope } from '../envelope/schemas.ts'
import { duration, requiredText, texts } from '../fields/field-kinds.ts'
import { type Engine, operationsOf, type SecretsOperation } from '../operation.ts'
import { loginOutcome } from './login-outcome.ts'
import { tokenFieldSchemas, tokenInputFields } from './login-schemas.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#ldap' })

/**
 * Declares the operations on the groups or the users of a mount. Each group or user maps a name in
 * the directory to policies.
 */
function entryOperations(kind: 'Group' | 'User', rows: NamedRows<LdapEntry>): SecretsOperation[] {
  const folder = `${kind.toLowerCase()}s` as const
  const hasGroups = kind === 'User'
  const fields = {
    policies: texts('Policies of the tokens'),
    ...(hasGroups ? { groups: texts('Additional groups of the user') } : {}),
  }
  return [
    operation.list(`ldapList${kind}s`, folder, {
      summary: `List the names of the ${folder}.`,
      reply: { 200: keysEnvelope },
      run: ({ world, mount }) => keysOutcome(rows.names(world, mount)),
    }),
    operation.read(`ldapRead${kind}`, `${folder}/*name`, {
      summary: `Read a ${kind.toLowerCase()}.`,
      reply: enveloped({ policies: list(text), groups: optional(text) }),
      run({ world, mount, params }) {
        const { policies, groups } = rows.read(world, mount, entryName(world, mount, params.name))
        return dataOutcome({ ...(hasGroups ? { groups: groups.join(',') } : {}), policies })
      },
    }),
    operation.write(`ldapWrite${kind}`, `${folder}/*name`, {
      summary: `Create or change a ${kind.toLowerCase()}.`,
      body: fields,
      apply: ({ world, mount, params: { name }, fields }) =>
        writeLdapEntry(rows, world, mount, name, fields),
    }),
    operation.delete(`ldapDelete${kind}`, `${folder}/*name`, {
      summary: `Delete a ${kind.toLowerCase()}.`,
      apply: ({ world, mount, params: { name } }) =>
        rows.remove(world, mount, entryName(world, mount, name)),
    }),
  ]
}

/** The login method `ldap`. Users of a directory log in with name and password. */
export const ldapEngine: Engine = {
  type: 'ldap',
  unauthenticatedPrefix: 'login/',
  isNamelessLogin: (path) => /^login\/?$/.test(path),
  operations: [
    operation.read('ldapReadConfig', 'config', {
      summary: 'Read the configuration without its secrets.',
      reply: enveloped({ ...ldapMembers, ...tokenFieldSchemas }),
      run({ world, mount }) {
        const config = ldapConfig(world, mount)
        const { bindpass, client_tls_cert, client_tls_key, wal, ...view } = config
        return { kind: 'envelope', data: view, warnings: ldapWarnings(config) }
      },
    }),
    operation.write('ldapWriteConfig', 'config', {
      summary: 'Configure the directory; omitted fields keep their values.',
      secrets: { body: ['bindpass', 'client_tls_key'] },
      body: {
        ...ldapMembers,
        ...ldapSecretMembers,
        connection_timeout: duration('Timeout of a connection'),
        request_timeout: duration('Timeout of a request'),
        ...tokenInputFields,
      },
      reply: { 200: warningEnvelope, 204: null },
      run: ({ world, mount, fields }) => emptyWithWarnings(writeLdapConfig(world, mount, fields)),
    }),
    ...entryOperations('Group', ldapGroups),
    ...entryOperations('User', ldapUsers),
    operation.write('ldapLogin', 'login/*username', {
      summary: 'Log in a person of the directory with a password.',
      access: 'anyone',
      secrets: { body: ['password'] },
      body: { password: requiredText('Password of the user') },
      failures: [403, 500],
      reply: { 200: dataAuthEnvelope },
      run(call) {
        const { world, namespace, mount, params, fields } = call
        const login = { namespace, mount, username: params.username, password: fields.password }
        const { grant, warnings } = ldapLogin(world, login)
        return { ...loginOutcome(call, grant, warnings), data: {} }
      },
    }),
  ],
}
