import { type User, users } from '../../../state/platform/accounts/users.ts'
import { refuse } from '../../../state/platform/messages.ts'
import { ok } from '../../http/declare/operation.ts'
import { documentOf } from '../json-api/resource.ts'
import { operationsOn, type Scope } from '../operation.ts'
import { accountResource, accountShape, userResource, userShape } from './user-resource.ts'

/** Returns the user in the path, service users included. Any caller with a token may see it. */
function findUser({ world, params }: Scope): User {
  const user = world.table(users).get(params['user_id'] ?? '')
  if (user === undefined) throw refuse('not-found')
  return user
}

const onUser = operationsOn('caller', findUser)
const onSelf = operationsOn('caller', () => undefined)

/** Operations that read users and the caller's own account. */
export const userOperations = [
  onUser({
    id: 'readUser',
    method: 'GET',
    path: '/users/:user_id',
    summary: 'Read a user.',
    spec: 'behaviour/platform#surroundings',
    reply: { 200: documentOf(userShape) },
    run: ({ context: { world, subject, caller } }) =>
      ok({ data: userResource(world, subject, caller) }),
  }),
  onSelf({
    id: 'readAccount',
    method: 'GET',
    path: '/account/details',
    summary: 'Read the user as whom the caller acts.',
    spec: 'behaviour/platform#surroundings',
    reply: { 200: documentOf(accountShape) },
    run: ({ context: { world, caller } }) => ok({ data: accountResource(world, caller) }),
  }),
]
