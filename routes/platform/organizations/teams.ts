import { isObject } from '../../../state/kernel/objects.ts'
import { any, bool } from '../../../state/kernel/shape/kinds.ts'
import { users } from '../../../state/platform/accounts/users.ts'
import { teamsOfMembership } from '../../../state/platform/organizations/membership-changes.ts'
import { membershipsOf } from '../../../state/platform/organizations/memberships.ts'
import {
  addMembers,
  changeTeam,
  createTeam,
  deleteTeam,
  removeMembers,
  teamsFor,
} from '../../../state/platform/organizations/team-changes.ts'
import type { Team } from '../../../state/platform/organizations/teams.ts'
import { ok } from '../../http/declare/operation.ts'
import { userResource, userShape } from '../accounts/users.ts'
import {
  blankable,
  hyphenatedMembers,
  inState,
  openQuery,
  optionalMembers,
} from '../json-api/attributes.ts'
import { identifiersIn } from '../json-api/body.ts'
import { inclusionsOf } from '../json-api/include.ts'
import { pageOf } from '../json-api/pagination.ts'
import { documentOf, listOf, withExtraFields } from '../json-api/resource.ts'
import { operationsOn, type ParsedBody } from '../operation.ts'
import { membershipResource, membershipShape } from './membership-resource.ts'
import { findOrganization, findOrganizationFor, nameFilter, nameQuery } from './scopes.ts'
import { teamResource, teamShape, teamType } from './team-resource.ts'
import { findTeam, findTeamFor } from './team-scope.ts'

const spec = 'behaviour/platform#surroundings'

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

/**
 * Resources that replies about teams can include: memberships, and members. Only the included
 * members show usernames.
 */
const inclusions = inclusionsOf<Team>(
  {
    users: {
      find: ({ members }, { world, caller }) =>
        members
          .map((id) => world.table(users).get(id))
          .filter((one) => one !== undefined)
          .map((user) => userResource(world, user, caller)),
    },
    'organization-memberships': {
      relationship: 'organization-memberships',
      find: (team, { world }) =>
        membershipsOf(world, team.organization)
          .filter((one) => teamsOfMembership(world, one).some(({ id }) => id === team.id))
          .map((one) => membershipResource(world, one)),
    },
  },
  [userShape, membershipShape],
)

/** Query of the team list: the included resources, and filters by name. */
const query = openQuery({
  ...inclusions.query,
  ...nameQuery,
})

const teamRendering = { shape: teamShape, render: teamResource }

const onOrganization = operationsOn('caller', findOrganization, spec)
const onManagedOrganization = operationsOn('caller', findOrganizationFor('manage-teams'), spec)
const onTeam = operationsOn('caller', findTeam, spec)
const onManagedTeam = operationsOn('caller', findTeamFor('manage-teams'), spec)
const onMembership = operationsOn('caller', findTeamFor('manage-membership'), spec)

const membershipPath = '/teams/:team_id/relationships/users'

export const teamOperations = [
  onOrganization('GET', '/organizations/:organization_name/teams', {
    id: 'listTeams',
    summary: 'List the teams of an organization that the caller sees, by name.',
    query,
    failures: [400, 422],
    reply: { 200: withExtraFields(listOf(teamShape), inclusions.shape) },
    run: ({ context, query: { q = '', 'filter[names]': names = '', include } }) => {
      const { world, caller, subject, address } = context
      const included = inclusions.read(include, context)
      const teams = teamsFor(world, caller, subject.name).filter(nameFilter(q, names))
      const page = pageOf(teams, (team) => included.add(team, teamResource(team, context)), address)
      return ok({ ...page, ...included.members() })
    },
  }),
  onManagedOrganization('POST', '/organizations/:organization_name/teams', {
    id: 'createTeam',
    summary: 'Add a team to an organization.',
    body: { type: teamType, attributes: inputAttributes },
    reply: { 200: documentOf(teamShape) },
    run: ({ context, body }) => {
      const team = createTeam(context.world, context.subject.name, inputOf(body()))
      return ok({ data: teamResource(team, context) })
    },
  }),
  onTeam('GET', '/teams/:team_id', {
    id: 'readTeam',
    summary: 'Read a team.',
    ...inclusions.readOperation(teamShape, teamResource),
  }),
  onManagedTeam.document('PATCH', '/teams/:team_id', teamRendering, {
    id: 'changeTeam',
    summary: 'Change the given attributes of a team.',
    body: { type: teamType, attributes: inputAttributes },
    run: ({ context, body }) => changeTeam(context.world, context.subject, inputOf(body())),
  }),
  onManagedTeam('DELETE', '/teams/:team_id', {
    id: 'deleteTeam',
    summary: 'Delete a team with its token.',
    failures: [422],
    run: ({ context: { world, subject } }) => deleteTeam(world, subject),
  }),
  onMembership('POST', membershipPath, {
    id: 'addTeamMembers',
    identifiers: 'users',
    summary: 'Add users to a team, by their names: all of them or none.',
    failures: [400],
    run: ({ context }) =>
      addMembers(context.world, context.subject, identifiersIn(context.list(), 'users')),
  }),
  onMembership('DELETE', membershipPath, {
    id: 'removeTeamMembers',
    identifiers: 'users',
    summary: 'Remove users from a team, by their names: all of them or none.',
    failures: [400],
    run: ({ context }) =>
      removeMembers(context.world, context.subject, identifiersIn(context.list(), 'users')),
  }),
]
