import type { World } from '../../kernel/worlds/world.ts'
import { type Caller, hasRight } from '../accounts/callers.ts'
import { addUser, userWithEmail } from '../accounts/users.ts'
import { forcedTransition } from '../forced-transitions.ts'
import { newId } from '../ids.ts'
import { refuse, requireFound } from '../messages.ts'
import { isBlank } from '../names.ts'
import { invalidAttributes, violation } from '../violations.ts'
import {
  activateMembers,
  dropMembership,
  type Membership,
  membershipOf,
  memberships,
  membershipWithId,
  putMembership,
} from './memberships.ts'
import { managesTeam } from './team-changes.ts'
import {
  joinTeam,
  leaveTeam,
  ownersTeam,
  type Team,
  teamNamed,
  teamsOf,
  teamWithId,
} from './teams.ts'

/** Returns the teams of a membership, including the teams that an invited user joins later. */
export function teamsOfMembership(
  world: World,
  { organization, user, teams: invitedTeams }: Membership,
): Team[] {
  return teamsOf(world, organization).filter(
    ({ id, members }) => members.includes(user) || invitedTeams.includes(id),
  )
}

/**
 * Invites a person into an organization (behaviour/platform#memberships). Creates a user without a
 * username if no user has the email address. `teamIds` are the ids of the teams that the user joins
 * on acceptance. Throws 422 if the address is invalid or the organization already has a membership
 * for it. Throws 404 if a team is unknown or in another organization, or if the caller may not
 * manage its members.
 */
export function inviteMember(
  world: World,
  caller: Caller,
  organization: string,
  { email, teamIds }: { readonly email: string; readonly teamIds: readonly string[] },
): Membership {
  const address = email.trim()
  if (isBlank(address) || !address.includes('@')) {
    throw invalidAttributes([violation('email', 'invalid')])
  }
  const existingUser = userWithEmail(world, address)
  if (
    existingUser !== undefined &&
    membershipOf(world, organization, existingUser.id) !== undefined
  ) {
    throw invalidAttributes([violation('email', 'taken')])
  }
  for (const id of teamIds) {
    const team = requireFound(teamWithId(world, id))
    const isManaged = managesTeam(world, caller, team, 'manage-membership')
    if (team.organization !== organization || !isManaged) throw refuse('not-found')
  }
  return world.write(() => {
    const user = existingUser ?? addUser(world, { username: '', email: address })
    return putMembership(world, {
      id: newId(world, 'ou'),
      organization,
      user: user.id,
      status: 'invited',
      created_at: world.clock.now(),
      teams: [...new Set(teamIds)],
    })
  })
}

/**
 * Returns whether the caller may end a membership. The caller needs the permission
 * `manage-membership`. To end the membership of an owner, the caller also needs owner rights or the
 * organization's own token.
 */
export function managesMembership(world: World, caller: Caller, membership: Membership): boolean {
  if (!hasRight(world, caller, membership.organization, 'manage-membership')) return false
  const owners = teamNamed(world, membership.organization, ownersTeam)
  const isOwner = owners?.members.includes(membership.user) === true
  return !isOwner || managesTeam(world, caller, owners, 'manage-membership')
}

/**
 * Deletes a membership and removes the user from the organization's teams. Throws 403 if an owner
 * tries to delete the owner's own membership.
 */
export function deleteMembership(world: World, caller: Caller, membership: Membership): void {
  const { organization, user } = membership
  const isSelf = caller.token.kind === 'user' && caller.user.id === user
  const isOwner = teamNamed(world, organization, ownersTeam)?.members.includes(user) === true
  if (isSelf && isOwner) throw refuse('owner-stays-member')
  world.write(() => {
    for (const team of teamsOf(world, organization)) leaveTeam(world, team, user)
    dropMembership(world, membership)
  })
}

/**
 * Returns memberships by id. Throws 404 for an unknown id, and for a membership in a different
 * organization than the team's.
 */
function requireMemberships(world: World, team: Team, ids: readonly string[]): Membership[] {
  return ids.map((id) => {
    const membership = requireFound(membershipWithId(world, id))
    if (membership.organization !== team.organization) throw refuse('not-found')
    return membership
  })
}

/**
 * Adds memberships to a team. Invited users join the team when they accept the invitation. Throws
 * 404 for a membership that is unknown or belongs to another organization.
 */
export function addMembershipsTo(world: World, team: Team, ids: readonly string[]): void {
  const added = requireMemberships(world, team, ids)
  world.write(() => {
    for (const membership of added) joinTeam(world, team.id, membership)
  })
}

/**
 * Removes members from a team, and removes the team from the invitations of invited users. Ignores
 * memberships that are not in the team. Throws 404 for a membership that is unknown or belongs to
 * another organization.
 */
export function removeMembershipsFrom(world: World, team: Team, ids: readonly string[]): void {
  const removed = requireMemberships(world, team, ids)
  world.write(() => {
    for (const membership of removed) {
      leaveTeam(world, requireFound(teamWithId(world, team.id)), membership.user)
      const teams = membership.teams.filter((id) => id !== team.id)
      putMembership(world, { ...membership, teams })
    }
  })
}

/**
 * Activates an invited user, who joins the teams of the invitation. Must run inside a transaction.
 */
export function acceptInvitation(
  world: World,
  { id, organization, user, teams }: Membership,
): void {
  activateMembers(world, organization, [user])
  const active = requireFound(membershipWithId(world, id))
  const accepted = putMembership(world, { ...active, teams: [] })
  for (const team of teams) joinTeam(world, team, accepted)
}

const membershipKind = 'platform.membership'

/**
 * Forced transition of memberships through `/_mock/transitions`. Only this transition and fixtures
 * accept invitations.
 */
export const membershipTransition = forcedTransition({
  subject: 'membership',
  table: memberships,
  kind: membershipKind,
  summary: 'Memberships in organizations; an invited user becomes active only if forced.',
  targets: ['active'],
  reachableTargets: (_world, { status }) => (status === 'invited' ? ['active'] : []),
  move: (world, membership) => world.write(() => acceptInvitation(world, membership)),
})
