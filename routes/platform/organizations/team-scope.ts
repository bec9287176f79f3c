import { checkTokenKind } from '../../../state/platform/accounts/callers.ts'
import { refuse, requireFound } from '../../../state/platform/messages.ts'
import { managesTeam, seesTeam } from '../../../state/platform/organizations/team-changes.ts'
import { type Team, teams } from '../../../state/platform/organizations/teams.ts'
import type { Scope } from '../operation.ts'
import { checkMember } from './scopes.ts'

/**
 * Returns the team in the path. Throws 404 unless the caller can see the team, and 401 if the
 * organization does not accept the caller's kind of token.
 */
export function findTeam({ world, caller, params }: Scope): Team {
  const team = requireFound(world.table(teams).get(params['team_id'] ?? ''))
  checkMember(world, caller, team.organization)
  if (!seesTeam(world, caller, team)) throw refuse('not-found')
  return team
}

/**
 * Returns a function that finds the team in the path. The function throws 404 unless the caller has
 * the given permission over the team, and 401 if the organization does not accept the caller's kind
 * of token.
 */
export function findTeamFor(right: 'manage-teams' | 'manage-membership'): (scope: Scope) => Team {
  return (scope) => {
    const { world, caller, params } = scope
    const team = world.table(teams).get(params['team_id'] ?? '')
    if (team === undefined || !managesTeam(world, caller, team, right)) throw refuse('not-found')
    checkTokenKind(world, caller, team.organization)
    return team
  }
}
