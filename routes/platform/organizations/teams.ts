import { isObject } from '../../../state/kernel/objects.ts'
import { any, bool, constant, int, list, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../../state/kernel/shape/members.ts'
import { users } from '../../../state/platform/accounts/users.ts'
import { refuse } from '../../../state/platform/messages.ts'
import {
  addMembers,
  changeTeam,
  createTeam,
  deleteTeam,
  managesTeam,
  removeMembers,
  rightsOf,
  teamRights,
  teamsFor,
} from '../../../state/platform/organizations/team-changes.ts'
import {
  ownersTeam,
  type Team,
  teamAttributes,
} from '../../../state/platform/organizations/teams.ts'
import { ok } from '../../http/declare/operation.ts'
import { userResource, userShape } from '../accounts/users.ts'
import {
  attributeRenderer,
  blankable,
  hyphenatedMembers,
  inState,
  openQuery,
  optionalMembers,
} from '../json-api/attributes.ts'
import { identifiersIn } from '../json-api/body.ts'
import { pageOf } from '../json-api/pagination.ts'
import {
  documentOf,
  flags,
  listOf,
  type Resource,
  relationOf,
  relationsOf,
  resourceShape,
  selfLink,
  withExtraFields,
} from '../json-api/resource.ts'
import { operationsOn, type ParsedBody, type PlatformContext } from '../operation.ts'
import { findOrganization, findOrganizationFor, nameFilter, nameQuery } from './scopes.ts'
import { findTeam, findTeamFor } from './team-scope.ts'

const type = 'teams'
const spec = 'behaviour/platform#surroundings'

const permissionNames = [
  'can-update-membership',
  'can-destroy',
  'can-update-organization-access',
  'can-update-api-token',
  'can-update-visibility',
] as const

const teamRenderer = attributeRenderer(teamAttributes)

const shape = resourceShape(
  type,
  struct({
    ...teamRenderer.shape.fields,
    'users-count': int,
    'is-unified': constant(false),
    permissions: flags(permissionNames),
    'organization-access': flags(teamRights),
  }),
  {
    links: selfLink,
    relationships: struct({
      users: relationsOf('users'),
      organization: relationOf('organizations'),
    }),
  },
)

function resourceOf(team: Team, { world, caller }: PlatformContext<unknown>): Resource {
  const isManager = managesTeam(world, caller, team, 'manage-teams')
  return {
    id: team.id,
    type,
    attributes: {
      ...teamRenderer.render({ allow_member_token_management: true, ...team }),
      'users-count': team.members.length,
      'is-unified': false,
      permissions: {
        'can-update-membership': managesTeam(world, caller, team, 'manage-membership'),
        'can-destroy': isManager && team.name !== ownersTeam,
        'can-update-organization-access': isManager,
        'can-update-api-token': isManager,
        'can-update-visibility': isManager,
      },
      'organization-access': rightsOf(team),
    },
    relationships: {
      users: { data: team.members.map((id) => ({ id, type: 'users' })) },
      organization: { data: { id: team.organization, type: 'organizations' } },
    },
    links: { self: `/api/v2/teams/${team.id}` },
  }
}

/** Attributes that callers can set. */
const inputAttributes = optionalMembers({
  name: blankable,
  visibility: blankable,
  'organization-access': any,
  'sso-team-id': blankable,
  'allow-member-token-management': bool,
})

/**
 * Parses the input for a team. Permissions may have any of the spellings in
 * behaviour/platform#coercion.
 */
function inputOf({ attributes }: ParsedBody<typeof inputAttributes>) {
  const { 'organization-access': access, ...rest } = attributes
  const input = inState(rest)
  if (access === undefined) return input

  const organization_access = isObject(access) ? hyphenatedMembers(access) : access
  return { ...input, organization_access }
}

/** Query parameter that includes the members, whose usernames appear nowhere else. */
const include = { include: described(text, '`users` brings the members along') }

/** Document members for the included users. */
const includedShape = { included: optional(list(userShape)) }

/**
 * Returns the distinct members of teams if the query has `include=users`. Throws 400 for any other
 * value of `include`.
 */
function includedMembers(
  teams: readonly Team[],
  includeQuery: string | undefined,
  { world, caller }: PlatformContext<unknown>,
): { readonly included?: readonly Resource[] } {
  if (includeQuery === undefined || includeQuery === '') return {}
  if (includeQuery.split(',').some((name) => name !== 'users')) {
    throw refuse('include-unknown', { names: 'users' })
  }
  const ids = new Set(teams.flatMap(({ members }) => members))
  const members = [...ids]
    .map((id) => world.table(users).get(id))
    .filter((one) => one !== undefined)
  return { included: members.map((user) => userResource(world, user, caller)) }
}

/** Filters by name: part of a name, in any case, or a list of full names. */
const query = openQuery({
  ...include,
  ...nameQuery,
})

const onOrganization = operationsOn('caller', findOrganization, spec)
const onManagedOrganization = operationsOn('caller', findOrganizationFor('manage-teams'), spec)
const onTeam = operationsOn('caller', findTeam, spec)
const onManagedTeam = operationsOn('caller', findTeamFor('manage-teams'), spec)
const onMembership = operationsOn('caller', findTeamFor('manage-membership'), spec)

const membershipPath = '/teams/:team_id/relationships/users'

/** Operations on teams and their members. */
export const teamOperations = [
  onOrganization('GET', '/organizations/:organization_name/teams', {
    id: 'listTeams',
    summary: 'List the teams of an organization that the caller sees, by name.',
    query,
    failures: [400, 422],
    reply: { 200: withExtraFields(listOf(shape), includedShape) },
    run: ({ context, query: { q = '', 'filter[names]': names = '', include: includeQuery } }) => {
      const { world, caller, subject, address } = context
      const teams = teamsFor(world, caller, subject.name).filter(nameFilter(q, names))
      const page = pageOf(teams, (team) => resourceOf(team, context), address)
      const ids = new Set(page.data.map(({ id }) => id))
      const teamRenderer = teams.filter(({ id }) => ids.has(id))
      return ok({ ...page, ...includedMembers(teamRenderer, includeQuery, context) })
    },
  }),
  onManagedOrganization('POST', '/organizations/:organization_name/teams', {
    id: 'createTeam',
    summary: 'Add a team to an organization.',
    body: { type, attributes: inputAttributes },
    reply: { 200: documentOf(shape) },
    run: ({ context, body }) => {
      const team = createTeam(context.world, context.subject.name, inputOf(body()))
      return ok({ data: resourceOf(team, context) })
    },
  }),
  onTeam('GET', '/teams/:team_id', {
    id: 'readTeam',
    summary: 'Read a team.',
    query: openQuery(include),
    failures: [400],
    reply: { 200: withExtraFields(documentOf(shape), includedShape) },
    run: ({ context, query: { include: includeQuery } }) =>
      ok({
        data: resourceOf(context.subject, context),
        ...includedMembers([context.subject], includeQuery, context),
      }),
  }),
  onManagedTeam('PATCH', '/teams/:team_id', {
    id: 'changeTeam',
    summary: 'Change what is named of a team.',
    body: { type, attributes: inputAttributes },
    reply: { 200: documentOf(shape) },
    run: ({ context, body }) => {
      const team = changeTeam(context.world, context.subject, inputOf(body()))
      return ok({ data: resourceOf(team, context) })
    },
  }),
  onManagedTeam('DELETE', '/teams/:team_id', {
    id: 'deleteTeam',
    summary: 'Delete a team with its token.',
    failures: [422],
    reply: { 204: null },
    run: ({ context: { world, subject } }) => deleteTeam(world, subject),
  }),
  onMembership('POST', membershipPath, {
    id: 'addTeamMembers',
    identifiers: 'users',
    summary: 'Add users to a team, by their names: all of them or none.',
    failures: [400],
    reply: { 204: null },
    run: ({ context }) =>
      addMembers(context.world, context.subject, identifiersIn(context.list(), 'users')),
  }),
  onMembership('DELETE', membershipPath, {
    id: 'removeTeamMembers',
    identifiers: 'users',
    summary: 'Take users out of a team, by their names: all of them or none.',
    failures: [400],
    reply: { 204: null },
    run: ({ context }) =>
      removeMembers(context.world, context.subject, identifiersIn(context.list(), 'users')),
  }),
]
