import type { World } from '../../kernel/worlds/world.ts'
import type { Organization } from '../organizations/organizations.ts'
import type { Team } from '../organizations/teams.ts'
import { addUser, dropUser, type User, userNamed } from './users.ts'

/**
 * The user as whom the tokens of a team or an organization act (behaviour/platform#authentication).
 * There is one for each, made with its first token.
 */
function serviceUser(world: World, username: string): User {
  return userNamed(world, username) ?? addUser(world, { username, service_account: true })
}

const organizationName = ({ external_id }: Organization) => `api-${external_id}`
const teamName = ({ id }: Team) => `api-${id}`

/** The user as whom an organization's token acts; part of a transaction. */
export function organizationUser(world: World, organization: Organization): User {
  return serviceUser(world, organizationName(organization))
}

/** The user as whom a team's token acts; part of a transaction. */
export function teamUser(world: World, team: Team): User {
  return serviceUser(world, teamName(team))
}

/** Takes the service users of an organization and its teams away with it; part of a transaction. */
export function dropServiceUsers(
  world: World,
  organization: Organization,
  teams: readonly Team[],
): void {
  for (const username of [organizationName(organization), ...teams.map(teamName)]) {
    const user = userNamed(world, username)
    if (user !== undefined) dropUser(world, user)
  }
}
