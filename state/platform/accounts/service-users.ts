import type { World } from '../../kernel/worlds/world.ts'
import type { Organization } from '../organizations/organizations.ts'
import type { Team } from '../organizations/teams.ts'
import { addUser, dropUser, type User, userNamed } from './users.ts'

/**
 * Returns the user that the tokens of a team or an organization act as
 * (behaviour/platform#authentication). Creates the user on the first call. Must run inside a
 * transaction.
 */
function ensureServiceUser(world: World, username: string): User {
  return userNamed(world, username) ?? addUser(world, { username, service_account: true })
}

const organizationUsername = ({ external_id }: Organization) => `api-${external_id}`
const teamUsername = ({ id }: Team) => `api-${id}`

/**
 * Returns the user that the organization's own token acts as; creates the user on the first call.
 * Must run inside a transaction.
 */
export function ensureOrganizationUser(world: World, organization: Organization): User {
  return ensureServiceUser(world, organizationUsername(organization))
}

/**
 * Returns the user that a team's token acts as; creates the user on the first call. Must run inside
 * a transaction.
 */
export function ensureTeamUser(world: World, team: Team): User {
  return ensureServiceUser(world, teamUsername(team))
}

/** Deletes the service users of an organization and its teams. Must run inside a transaction. */
export function dropServiceUsers(
  world: World,
  organization: Organization,
  teams: readonly Team[],
): void {
  for (const username of [organizationUsername(organization), ...teams.map(teamUsername)]) {
    const user = userNamed(world, username)
    if (user !== undefined) dropUser(world, user)
  }
}
