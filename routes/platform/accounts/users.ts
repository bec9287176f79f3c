import { createHash } from 'node:crypto'
import { bool, constant, nullable, text, word } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { Caller } from '../../../state/platform/accounts/callers.ts'
import { changeUser, type User, users } from '../../../state/platform/accounts/users.ts'
import { refuse, requireFound } from '../../../state/platform/messages.ts'
import { mayCreateOrganizations } from '../../../state/platform/organizations/changes.ts'
import { ok } from '../../http/declare/operation.ts'
import { inState, optionalMembers, strictText } from '../json-api/attributes.ts'
import {
  documentOf,
  flags,
  linkedRelation,
  linkShape,
  type Resource,
  resourceShape,
  selfLink,
} from '../json-api/resource.ts'
import { operationsOn, type Rendering, type Scope } from '../operation.ts'

const type = 'users'

const permissionNames = [
  'can-create-organizations',
  'can-change-email',
  'can-change-username',
] as const

const publicAttributes = {
  username: nullable(text),
  'is-service-account': bool,
  'auth-method': text,
  'avatar-url': text,
  'v2-only': bool,
  permissions: flags(permissionNames),
}

const commonParts = {
  links: selfLink,
  relationships: struct({ 'authentication-tokens': linkShape }),
}

/** Shape of a user with the attributes that everyone sees. */
export const userShape = resourceShape(type, struct(publicAttributes), commonParts)

/** Shape of a user with the attributes that only the user sees. */
const accountShape = resourceShape(
  type,
  struct({
    ...publicAttributes,
    'is-site-admin': bool,
    'is-admin': bool,
    'is-sso-login': bool,
    email: text,
    'unconfirmed-email': constant(null),
    'two-factor': flags(['enabled', 'verified']),
  }),
  {
    links: selfLink,
    relationships: struct({
      'authentication-tokens': linkShape,
      'authenticated-resource': struct({
        data: struct({ id: text, type: word('users', 'teams', 'organizations') }),
        links: struct({ related: text }),
      }),
    }),
  },
)

/**
 * Renders a user with public attributes (behaviour/platform#surroundings) and the caller's
 * permissions.
 */
export function userResource(world: World, user: User, caller: Caller): Resource {
  const isSelf = caller.token.kind === 'user' && caller.user.id === user.id
  const selfUrl = `/api/v2/users/${user.id}`
  return {
    id: user.id,
    type,
    attributes: {
      username: user.username === '' ? null : user.username,
      'is-service-account': user.service_account,
      'auth-method': 'local',
      'avatar-url': avatarUrl(user),
      'v2-only': true,
      permissions: {
        'can-create-organizations': isSelf && mayCreateOrganizations(world, caller),
        'can-change-email': isSelf,
        'can-change-username': isSelf,
      },
    },
    relationships: {
      'authentication-tokens': { links: { related: `${selfUrl}/authentication-tokens` } },
    },
    links: { self: selfUrl },
  }
}

/** Renders the caller's own user, with attributes that nobody else sees. */
function accountResource(world: World, caller: Caller): Resource {
  const { user } = caller
  const resource = userResource(world, user, caller)
  return {
    ...resource,
    attributes: {
      ...resource.attributes,
      'is-site-admin': user.site_admin,
      'is-admin': user.site_admin,
      'is-sso-login': false,
      email: user.email,
      'unconfirmed-email': null,
      'two-factor': { enabled: false, verified: false },
    },
    relationships: {
      ...resource.relationships,
      'authenticated-resource': authenticatedResource(caller),
    },
  }
}

/** Renders the relationship to the user, team or organization whose token the caller uses. */
function authenticatedResource({ token, user }: Caller) {
  if (token.kind === 'team') return linkedRelation('teams', token.owner)
  if (token.kind === 'organization') return linkedRelation('organizations', token.owner)
  return linkedRelation('users', user.id)
}

/** Returns the Gravatar address of a user, which depends on nothing but the email address. */
export function avatarUrl({ email }: Pick<User, 'email'>): string {
  const digest = createHash('md5').update(email.trim().toLowerCase()).digest('hex')
  return `https://www.gravatar.com/avatar/${digest}?s=100&d=mm`
}

/**
 * Returns the user in the path, who can also be a service user. Any caller with a token may see
 * every user. Throws 404 for an unknown user.
 */
function findUser({ world, params }: Scope): User {
  const user = requireFound(world.table(users).get(params['user_id'] ?? ''))
  return user
}

const userRendering: Rendering<User> = {
  shape: userShape,
  render: (one, { world, caller }) => userResource(world, one, caller),
}
const accountRendering: Rendering<Caller> = {
  shape: accountShape,
  render: (one, { world }) => accountResource(world, one),
}

const onUser = operationsOn('caller', findUser, 'behaviour/platform#surroundings')
const onSelf = operationsOn('caller', () => undefined, 'behaviour/platform#surroundings')

export const userOperations = [
  onUser.document('GET', '/users/:user_id', userRendering, {
    id: 'readUser',
    summary: 'Read a user.',
    run: ({ context: { subject } }) => subject,
  }),
  onSelf('GET', '/account/details', {
    id: 'readAccount',
    summary: 'Read the user that the caller acts as.',
    reply: { 200: documentOf(accountShape) },
    run: ({ context: { world, caller } }) => ok({ data: accountResource(world, caller) }),
  }),
  onSelf.document('PATCH', '/account/update', accountRendering, {
    id: 'changeAccount',
    summary: 'Change the name and mail address of the user that the caller acts as.',
    failures: [404],
    body: { type, attributes: optionalMembers({ username: strictText, email: strictText }) },
    run({ context: { world, caller }, body }) {
      if (caller.token.kind !== 'user') throw refuse('not-found')
      const user = changeUser(world, caller.user, inState(body().attributes))
      return { ...caller, user }
    },
  }),
]
