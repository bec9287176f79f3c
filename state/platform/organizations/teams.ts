import { bool, list, map, nullable, text, word } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { newId } from '../ids.ts'
import { requireFound } from '../messages.ts'
import { dropNotificationConfigurations } from '../notifications/configurations.ts'
import { lookupByName } from '../owned-rows.ts'
import { platformTable } from '../table.ts'
import {
  activateMembers,
  dropTeamFromMemberships,
  type Membership,
  putMembership,
} from './memberships.ts'

export const teamAttributes = {
  name: text,
  sso_team_id: nullable(text),
  visibility: word('secret', 'organization'),
  /**
   * Whether members may manage the team's tokens. Documents of old releases do not contain this
   * member, and members then may manage the tokens.
   */
  allow_member_token_management: optional(bool),
}

const teamShape = struct({
  ...teamAttributes,
  /** Id of the form `team-…`. */
  id: text,
  /** The organization's name. */
  organization: text,
  /** User ids. */
  members: list(text),
  /** Granted permissions. Ignored for the owners team, which has all permissions. */
  organization_access: map(bool),
})

/** A team of an organization. Permissions are granted to teams, not to single users. */
export interface Team extends StoredOf<typeof teamShape> {}

/** Teams by id. The index `byName` has keys of the form `<organization>/<name>`. */
export const teams = platformTable('teams', teamShape, {
  secrets: 'none',
  indexes: { byName: ({ organization, name }) => `${organization}/${name}` },
})

/** Name of the team whose members have all permissions in their organization. */
export const ownersTeam = 'owners'

/** Adds a team. The name must be free. Must run inside a transaction. */
export function addTeam(
  world: World,
  team: Pick<Team, 'organization' | 'name'> & Partial<Team>,
): Team {
  const added: Team = {
    id: newId(world, 'team'),
    members: [],
    visibility: 'secret',
    organization_access: {},
    sso_team_id: null,
    allow_member_token_management: true,
    ...team,
  }
  return putTeam(world, added)
}

export function teamWithId(world: World, id: string): Team | undefined {
  return world.table(teams).get(id)
}

/**
 * Returns the team with the given name in an organization, or undefined if no team has that name.
 */
export const teamNamed = lookupByName(teams)

/** Returns the teams of an organization, sorted by name. */
export function teamsOf(world: World, organization: string): Team[] {
  return Array.from(world.table(teams).index('byName').rows(`${organization}/`))
}

/** Returns the sorted names of the organizations in which the user is a member of a team. */
export function organizationsOfUser(world: World, user: string): string[] {
  const all = Array.from(world.table(teams).rows()).filter(({ members }) => members.includes(user))
  return [...new Set(all.map(({ organization }) => organization))].sort()
}

/**
 * Stores a team and makes all its members active members of the organization. Must run inside a
 * transaction.
 */
export function putTeam(world: World, team: Team): Team {
  activateMembers(world, team.organization, team.members)
  world.table(teams).put(team.id, team)
  return team
}

/**
 * Adds a user to a team. If the user is only invited to the organization, adds the team to the
 * invitation instead. Throws 404 if the team does not exist. Must run inside a transaction.
 */
export function joinTeam(world: World, id: string, membership: Membership): void {
  const team = requireFound(teamWithId(world, id))
  const { user, status, teams } = membership
  if (status === 'invited') {
    putMembership(world, { ...membership, teams: [...new Set([...teams, id])] })
  } else if (!team.members.includes(user)) {
    putTeam(world, { ...team, members: [...team.members, user] })
  }
}

/** Removes a user from a team. Must run inside a transaction. */
export function leaveTeam(world: World, team: Team, user: string): void {
  if (!team.members.includes(user)) return
  putTeam(world, { ...team, members: team.members.filter((id) => id !== user) })
}

/**
 * Deletes a team with its notification configurations, and removes the team from invitations. Does
 * not delete the team's tokens or its access to workspaces and projects. Must run inside a
 * transaction.
 */
export function dropTeam(world: World, team: Team): void {
  dropTeamFromMemberships(world, team)
  dropNotificationConfigurations(world, team.id)
  world.table(teams).delete(team.id)
}
