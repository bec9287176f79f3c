import { text } from '../../../state/kernel/shape/kinds.ts'
import { byDefault, described, optional, struct } from '../../../state/kernel/shape/members.ts'
import { underOldNames } from '../../../state/secrets/logins/old-names.ts'
import { userpassLogin } from '../../../state/secrets/userpass/login.ts'
import { refuse } from '../../../state/secrets/userpass/texts.ts'
import {
  changeUser,
  deleteUser,
  findUser,
  type User,
  userNames,
  writeUser,
} from '../../../state/secrets/userpass/users.ts'
import { data, empty, keys } from '../envelope/outcome.ts'
import { authEnvelope, envelopeOf, keysEnvelope } from '../envelope/schemas.ts'
import { duration, needed, texts } from '../fields/forms.ts'
import { type Engine, operation } from '../operation.ts'
import { tokenFieldForms, toldTokenFields } from './login-schemas.ts'
import { authOutcome } from './token-replies.ts'

const spec = 'behaviour/secrets#userpass'

const password = described(text, 'The password')
const policies = texts('Old name of token_policies')

const userEnvelope = envelopeOf(
  struct({
    ...toldTokenFields,
    policies: optional(toldTokenFields.token_policies),
    ttl: optional(toldTokenFields.token_ttl),
    max_ttl: optional(toldTokenFields.token_max_ttl),
    bound_cidrs: optional(toldTokenFields.token_bound_cidrs),
  }),
)

/** A user as one is read; under old names what these have set. */
function userData(user: User): object {
  const { password: hidden, old_names, wal, ...told } = user
  return { ...told, ...underOldNames(user, old_names) }
}

/** The method `userpass`: people log in by name and password (behaviour/secrets#userpass). */
export const userpassEngine: Engine = {
  type: 'userpass',
  openPrefix: 'login/',
  operations: [
    operation({
      id: 'userpassListUsers',
      verb: 'list',
      path: 'users',
      summary: 'Lists the names of the users.',
      spec,
      reply: { 200: keysEnvelope },
      run: ({ world, mount }) => keys(userNames(world, mount)),
    }),
    operation({
      id: 'userpassReadUser',
      verb: 'read',
      path: 'users/:username',
      summary: 'Reads what tokens a user gets.',
      spec,
      reply: { 200: userEnvelope },
      run({ world, mount, params }) {
        const user = findUser(world, mount, params.username)
        if (user === undefined) throw refuse('nothing-here')
        return data(userData(user))
      },
    }),
    operation({
      id: 'userpassWriteUser',
      secrets: { body: ['password'] },
      verb: 'write',
      path: 'users/:username',
      summary: 'Makes or changes a user.',
      spec,
      exists: ({ world, mount, params }) => findUser(world, mount, params.username) !== undefined,
      body: {
        password,
        ...tokenFieldForms,
        policies,
        ttl: duration('Old name of token_ttl'),
        max_ttl: duration('Old name of token_max_ttl'),
        bound_cidrs: texts('Old name of token_bound_cidrs'),
      },
      failures: [500],
      reply: { 204: null },
      run({ world, mount, params, fields }) {
        writeUser(world, mount, params.username, fields)
        return empty
      },
    }),
    operation({
      id: 'userpassDeleteUser',
      verb: 'delete',
      path: 'users/:username',
      summary: 'Deletes a user.',
      spec,
      reply: { 204: null },
      run({ world, mount, params }) {
        deleteUser(world, mount, params.username)
        return empty
      },
    }),
    operation({
      id: 'userpassChangePassword',
      secrets: { body: ['password'] },
      verb: 'write',
      path: 'users/:username/password',
      summary: 'Changes the password of a user.',
      spec,
      body: { password: byDefault(needed(password), '') },
      failures: [500],
      reply: { 204: null },
      run({ world, mount, params, fields }) {
        changeUser(world, mount, params.username, fields)
        return empty
      },
    }),
    operation({
      id: 'userpassChangePolicies',
      verb: 'write',
      path: 'users/:username/policies',
      summary: 'Changes the policies of the tokens that a user gets.',
      spec,
      body: { token_policies: tokenFieldForms.token_policies, policies },
      failures: [500],
      reply: { 204: null },
      run({ world, mount, params, fields }) {
        changeUser(world, mount, params.username, fields)
        return empty
      },
    }),
    operation({
      id: 'userpassLogin',
      secrets: { body: ['password'] },
      verb: 'write',
      path: 'login/:username',
      summary: 'Logs a user in by the password.',
      spec,
      access: 'anyone',
      body: { password: byDefault(needed(password), '') },
      failures: [403, 500],
      reply: { 200: authEnvelope },
      run: ({ world, namespace, mount, params, fields, request }) =>
        authOutcome(
          world,
          userpassLogin(world, {
            namespace,
            mount,
            user: params.username,
            password: fields.password,
            address: request.peer,
          }),
        ),
    }),
  ],
}
