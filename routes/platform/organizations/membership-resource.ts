import { text } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { teamsOfMembership } from '../../../state/platform/organizations/membership-changes.ts'
import {
  type Membership,
  membershipAttributes,
  userOf,
} from '../../../state/platform/organizations/memberships.ts'
import { attributeRenderer } from '../json-api/attributes.ts'
import {
  type Resource,
  relationOf,
  relationsOf,
  resourceShape,
  selfLink,
} from '../json-api/resource.ts'

export const membershipType = 'organization-memberships'

const renderer = attributeRenderer(membershipAttributes)

/** Shape of a membership in replies (behaviour/platform#memberships). */
export const membershipShape = resourceShape(
  membershipType,
  struct({ ...renderer.shape.fields, email: text }),
  {
    relationships: struct({
      user: relationOf('users'),
      organization: relationOf('organizations'),
      teams: relationsOf('teams'),
    }),
    links: selfLink,
  },
)

export function membershipResource(world: World, membership: Membership): Resource {
  const { id, user, organization } = membership
  const teams = teamsOfMembership(world, membership).map((team) => ({ id: team.id, type: 'teams' }))
  return {
    id,
    type: membershipType,
    attributes: { ...renderer.render(membership), email: userOf(world, membership).email },
    relationships: {
      user: { data: { id: user, type: 'users' } },
      organization: { data: { id: organization, type: 'organizations' } },
      teams: { data: teams },
    },
    links: { self: `/api/v2/organization-memberships/${id}` },
  }
}
