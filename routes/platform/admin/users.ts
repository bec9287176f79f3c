import { text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import {
  actOnUser,
  deleteUser,
  type userActions,
} from '../../../state/platform/accounts/administration.ts'
import { type User, users } from '../../../state/platform/accounts/users.ts'
import { requireFound } from '../../../state/platform/messages.ts'
import { containsPart } from '../../../state/platform/wildcard.ts'
import { ok } from '../../http/declare/operation.ts'
import { openQuery, optionalMembers } from '../json-api/attributes.ts'
import { documentOf } from '../json-api/resource.ts'
import { operationsOn, type Rendering, type Scope } from '../operation.ts'
import { matchesFlag } from './queries.ts'
import { adminUserResource, adminUserShape } from './user-resource.ts'

function findUser({ world, params }: Scope): User {
  return requireFound(world.table(users).get(params['user_id'] ?? ''))
}

const spec = 'behaviour/platform#admin-users'
const adminUserRendering: Rendering<User> = {
  shape: adminUserShape,
  render: (one, { world }) => adminUserResource(world, one),
}

const onNoSubject = operationsOn('admin', () => undefined, spec)
const onUser = operationsOn('admin', findUser, spec)
const onePath = '/admin/users/:user_id'

const actionIds = {
  suspend: ['suspendUser', 'Suspend a user, whose tokens are then refused.'],
  unsuspend: ['unsuspendUser', 'End the suspension of a user.'],
  grant_admin: ['grantSiteAdmin', 'Make a user a site admin.'],
  revoke_admin: ['revokeSiteAdmin', 'Revoke the rights of a site admin from a user.'],
  disable_two_factor: ['disableTwoFactor', 'Turn off two-factor authentication of a user.'],
} as const satisfies Readonly<Record<keyof typeof userActions, readonly [string, string]>>

const actionNames = Object.keys(actionIds) as (keyof typeof actionIds)[]

export const adminUserOperations = [
  onNoSubject.page('/admin/users', adminUserRendering, {
    id: 'listAdminUsers',
    summary: 'List all users, oldest first.',
    query: openQuery({
      q: described(text, 'Part of a username or an email'),
      'filter[admin]': described(text, '`true` or `false`'),
      'filter[suspended]': described(text, '`true` or `false`'),
    }),
    run: ({ context: { world }, query }) =>
      Array.from(world.table(users).rows())
        .filter(({ username, email }) => containsPart(query.q, username, email))
        .filter(({ site_admin }) => matchesFlag(query['filter[admin]'], site_admin))
        .filter((user) => matchesFlag(query['filter[suspended]'], user.is_suspended === true))
        .sort((one, other) => one.created_at - other.created_at),
  }),
  onUser('DELETE', onePath, {
    id: 'deleteAdminUser',
    summary: 'Delete a user with its tokens.',
    failures: [422],
    run: ({ context: { world, subject } }) => deleteUser(world, subject),
  }),
  ...actionNames.map((action) =>
    onUser('POST', `${onePath}/actions/${action}`, {
      id: actionIds[action][0],
      summary: actionIds[action][1],
      body: { attributes: optionalMembers({}), dataOptional: true },
      reply: { 200: documentOf(adminUserShape) },
      run: ({ context: { world, subject } }) =>
        ok({ data: adminUserResource(world, actOnUser(world, subject, action)) }),
    }),
  ),
]
