import { constant, int } from '../../../state/kernel/shape/kinds.ts'
import { optional, struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { currentToken } from '../../../state/platform/accounts/token-changes.ts'
import {
  managesTeam,
  rightsOf,
  teamRights,
} from '../../../state/platform/organizations/team-changes.ts'
import {
  ownersTeam,
  type Team,
  teamAttributes,
} from '../../../state/platform/organizations/teams.ts'
import { attributeRenderer } from '../json-api/attributes.ts'
import {
  flags,
  identifierOf,
  type Resource,
  relationOf,
  relationsOf,
  resourceShape,
  selfLink,
} from '../json-api/resource.ts'
import type { PlatformContext } from '../operation.ts'

export const teamType = 'teams'

const permissionNames = [
  'can-update-membership',
  'can-destroy',
  'can-update-organization-access',
  'can-update-api-token',
  'can-update-visibility',
] as const

const teamRenderer = attributeRenderer(teamAttributes)

/** Shape of a team in replies (behaviour/platform#surroundings). */
export const teamShape = resourceShape(
  teamType,
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
      'organization-memberships': optional(relationsOf('organization-memberships')),
      'authentication-token': struct({
        data: optional(identifierOf('authentication-tokens')),
        meta: struct({}),
      }),
    }),
  },
)

/** Renders a team with the caller's permissions. */
export function teamResource(
  team: Team,
  { world, caller }: Pick<PlatformContext<unknown>, 'world' | 'caller'>,
): Resource {
  const isManager = managesTeam(world, caller, team, 'manage-teams')
  return {
    id: team.id,
    type: teamType,
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
      'authentication-token': authenticationToken(world, team),
    },
    links: { self: `/api/v2/teams/${team.id}` },
  }
}

/** Renders the relationship to the only token of a team, without data if the team has no token. */
function authenticationToken(world: World, { id }: Team) {
  const token = currentToken(world, { kind: 'team', owner: id })
  if (token === undefined) return { meta: {} }
  return { data: { id: token.id, type: 'authentication-tokens' }, meta: {} }
}
