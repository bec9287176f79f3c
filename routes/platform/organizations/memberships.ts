import { text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import type { InputOf } from '../../../state/kernel/shape/values.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { requireFound } from '../../../state/platform/messages.ts'
import {
  addMembershipsTo,
  deleteMembership,
  inviteMember,
  managesMembership,
  removeMembershipsFrom,
  teamsOfMembership,
} from '../../../state/platform/organizations/membership-changes.ts'
import {
  type Membership,
  membershipsOf,
  membershipsOfUser,
  membershipWithId,
  userOf,
} from '../../../state/platform/organizations/memberships.ts'
import { seesTeam } from '../../../state/platform/organizations/team-changes.ts'
import { answer, ok } from '../../http/declare/operation.ts'
import { userResource, userShape } from '../accounts/users.ts'
import { blankable, openQuery, optionalMembers } from '../json-api/attributes.ts'
import { identifiersIn, relatedItems } from '../json-api/body.ts'
import { inclusionsOf } from '../json-api/include.ts'
import { pageOf } from '../json-api/pagination.ts'
import { documentOf, listOf, unpagedListOf, withExtraFields } from '../json-api/resource.ts'
import { operationsOn, type Scope } from '../operation.ts'
import { membershipResource, membershipShape, membershipType } from './membership-resource.ts'
import { checkMember, findOrganization, findOrganizationFor } from './scopes.ts'
import { teamResource, teamShape } from './team-resource.ts'
import { findTeamFor } from './team-scope.ts'

const inclusions = inclusionsOf<Membership>(
  {
    user: {
      find: (membership, { world, caller }) => [
        userResource(world, userOf(world, membership), caller),
      ],
    },
    teams: {
      find: (membership, context) =>
        teamsOfMembership(context.world, membership)
          .filter((team) => seesTeam(context.world, context.caller, team))
          .map((team) => teamResource(team, context)),
    },
  },
  [userShape, teamShape],
)

const listQuery = openQuery({
  ...inclusions.query,
  q: described(text, 'Part of a username or of a mail address'),
  'filter[status]': described(text, '`invited` or `active`'),
  'filter[email]': described(text, 'Comma-separated mail addresses'),
})

/** Returns a predicate that accepts the memberships that match a query. */
function filterOf(world: World, query: InputOf<typeof listQuery>) {
  const { q = '', 'filter[status]': status = '', 'filter[email]': emails = '' } = query
  const part = q.toLowerCase()
  const addresses = emails === '' ? [] : emails.toLowerCase().split(',')
  return (membership: Membership): boolean => {
    const { username, email } = userOf(world, membership)
    const address = email.toLowerCase()
    return (
      (username.toLowerCase().includes(part) || address.includes(part)) &&
      (status === '' || status === membership.status) &&
      (addresses.length === 0 || addresses.includes(address))
    )
  }
}

/**
 * Returns the membership in the path. Throws 404 unless the caller is the user of the membership or
 * a member of the organization. Throws 401 for another member if the organization does not accept
 * the kind of token of that member.
 */
function findMembership({ world, caller, params }: Scope): Membership {
  const membership = requireFound(
    membershipWithId(world, params['organization_membership_id'] ?? ''),
  )
  const isOwn = caller.token.kind === 'user' && caller.user.id === membership.user
  if (!isOwn) checkMember(world, caller, membership.organization)
  return membership
}

/**
 * Returns the membership in the path. Throws 404 unless the caller may end the membership, and 401
 * if the organization does not accept the caller's kind of token.
 */
function findManagedMembership(scope: Scope): Membership {
  const membership = findMembership(scope)
  checkMember(scope.world, scope.caller, membership.organization)
  const isManaged = managesMembership(scope.world, scope.caller, membership)
  return requireFound(isManaged ? membership : undefined)
}

const spec = 'behaviour/platform#memberships'
const onOrganization = operationsOn('caller', findOrganization, spec)
const onManagedOrganization = operationsOn('caller', findOrganizationFor('manage-membership'), spec)
const onNoSubject = operationsOn('caller', () => undefined, spec)
const onMembership = operationsOn('caller', findMembership, spec)
const onManagedMembership = operationsOn('caller', findManagedMembership, spec)
const onTeam = operationsOn('caller', findTeamFor('manage-membership'), spec)

const listPath = '/organizations/:organization_name/organization-memberships'
const onePath = '/organization-memberships/:organization_membership_id'
const teamPath = '/teams/:team_id/relationships/organization-memberships'

export const membershipOperations = [
  onOrganization('GET', listPath, {
    id: 'listMemberships',
    summary: 'List the members of an organization and the invited users, newest first.',
    query: listQuery,
    failures: [400],
    reply: { 200: withExtraFields(listOf(membershipShape), inclusions.shape) },
    run: ({ context, query }) => {
      const { world, subject, address } = context
      const included = inclusions.read(query.include, context)
      const found = membershipsOf(world, subject.name).filter(filterOf(world, query)).toReversed()
      const render = (one: Membership) => included.add(one, membershipResource(world, one))
      return ok({ ...pageOf(found, render, address), ...included.members() })
    },
  }),
  onManagedOrganization('POST', listPath, {
    id: 'createMembership',
    summary: 'Invite a person into an organization, by mail address.',
    body: { type: membershipType, attributes: optionalMembers({ email: blankable }) },
    reply: { 201: withExtraFields(documentOf(membershipShape), inclusions.shape) },
    run: ({ context, body }) => {
      const { world, caller, subject } = context
      const { attributes, relationships } = body()
      const teamIds = identifiersIn(relatedItems(relationships, 'teams') ?? [], 'teams')
      const input = { email: attributes.email ?? '', teamIds }
      const membership = inviteMember(world, caller, subject.name, input)
      const included = inclusions.read('user', context)
      const data = included.add(membership, membershipResource(world, membership))
      return answer(201, { data, ...included.members() })
    },
  }),
  onNoSubject('GET', '/organization-memberships', {
    id: 'listOwnMemberships',
    summary: "List the caller's own memberships in organizations.",
    query: openQuery(inclusions.query),
    failures: [400],
    reply: { 200: withExtraFields(unpagedListOf(membershipShape), inclusions.shape) },
    run: ({ context, query }) => {
      const { world, caller } = context
      const included = inclusions.read(query.include, context)
      const own = caller.token.kind === 'user' ? membershipsOfUser(world, caller.user.id) : []
      const data = own.map((one) => included.add(one, membershipResource(world, one)))
      return ok({ data, ...included.members() })
    },
  }),
  onMembership('GET', onePath, {
    id: 'readMembership',
    summary: 'Read a membership.',
    ...inclusions.readOperation(membershipShape, (membership, { world }) =>
      membershipResource(world, membership),
    ),
  }),
  onManagedMembership('DELETE', onePath, {
    id: 'deleteMembership',
    summary: 'Remove a member or an invited user from an organization and its teams.',
    failures: [403],
    run: ({ context: { world, caller, subject } }) => deleteMembership(world, caller, subject),
  }),
  onTeam('POST', teamPath, {
    id: 'addTeamMemberships',
    identifiers: membershipType,
    summary: 'Add memberships to a team: all of them or none.',
    run: ({ context }) =>
      addMembershipsTo(
        context.world,
        context.subject,
        identifiersIn(context.list(), membershipType),
      ),
  }),
  onTeam('DELETE', teamPath, {
    id: 'removeTeamMemberships',
    identifiers: membershipType,
    summary: 'Remove memberships from a team: all of them or none.',
    run: ({ context }) =>
      removeMembershipsFrom(
        context.world,
        context.subject,
        identifiersIn(context.list(), membershipType),
      ),
  }),
]
