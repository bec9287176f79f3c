import { text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, withDefault } from '../../../state/kernel/shape/members.ts'
import { isLoginName } from '../../../state/secrets/logins/names.ts'
import { userpassLogin } from '../../../state/secrets/userpass/login.ts'
import { changeUser, users, writeUser } from '../../../state/secrets/userpass/users.ts'
import { endsInPeriod } from '../../http/router/router-mounts.ts'
import { authEnvelope, structEnvelope } from '../envelope/schemas.ts'
import { duration, requiredField, texts } from '../fields/field-kinds.ts'
import { type Engine, operationsOf } from '../operation.ts'
import { roleData, roleOperations } from '../role-operations.ts'
import { loginOutcome } from './login-outcome.ts'
import { tokenFieldSchemas, tokenInputFields } from './login-schemas.ts'

const spec = 'behaviour/secrets#userpass'
const operation = operationsOf({ spec })

const password = described(text, 'Password of the user')
const policies = texts('Old name of token_policies')

const userEnvelope = structEnvelope({
  ...tokenFieldSchemas,
  policies: optional(tokenFieldSchemas.token_policies),
  ttl: optional(tokenFieldSchemas.token_ttl),
  max_ttl: optional(tokenFieldSchemas.token_max_ttl),
  bound_cidrs: optional(tokenFieldSchemas.token_bound_cidrs),
})

/**
 * The login method `userpass`. Users log in with name and password (behaviour/secrets#userpass).
 */
export const userpassEngine: Engine = {
  type: 'userpass',
  unauthenticatedPrefix: 'login/',
  // A login whose name ends in a period does not count as nameless, because its path is refused.
  isNamelessLogin: (path) => !isLoginName(path.replace(/^login\//, '')) && !endsInPeriod(path),
  operations: [
    ...roleOperations({
      method: 'userpass',
      resource: 'User',
      path: 'users/:username',
      spec,
      fields: {
        password,
        ...tokenInputFields,
        policies,
        ttl: duration('Old name of token_ttl'),
        max_ttl: duration('Old name of token_max_ttl'),
        bound_cidrs: texts('Old name of token_bound_cidrs'),
      },
      envelope: userEnvelope,
      rows: users,
      view: ({ password, ...user }) => roleData(user),
      apply: writeUser,
      writeOverrides: { failures: [500], secrets: { body: ['password'] }, reply: { 204: null } },
    }),
    operation.write('userpassChangePassword', 'users/:username/password', {
      secrets: { body: ['password'] },
      summary: 'Change the password of a user.',
      body: { password: withDefault(requiredField(password), '') },
      failures: [500],
      apply: ({ world, mount, params, fields }) =>
        changeUser(world, mount, params.username, fields),
    }),
    operation.write('userpassChangePolicies', 'users/:username/policies', {
      summary: 'Change the policies of the tokens that a user gets.',
      body: { token_policies: tokenInputFields.token_policies, policies },
      failures: [500],
      apply: ({ world, mount, params, fields }) =>
        changeUser(world, mount, params.username, fields),
    }),
    operation.write('userpassLogin', 'login/:username', {
      secrets: { body: ['password'] },
      summary: 'Log in a user with a password.',
      access: 'anyone',
      body: { password: withDefault(requiredField(password), '') },
      failures: [403, 500],
      reply: { 200: authEnvelope },
      run(call) {
        const { world, namespace, mount, params, fields, request } = call
        const login = {
          namespace,
          mount,
          user: params.username,
          password: fields.password,
          address: request.peer,
        }
        return loginOutcome(call, userpassLogin(world, login))
      },
    }),
  ],
}
