import { bool, text } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { User } from '../../../state/platform/accounts/users.ts'
import { organizationsOfUser } from '../../../state/platform/organizations/teams.ts'
import { avatarUrl } from '../accounts/users.ts'
import { toMany } from '../json-api/relations.ts'
import { flags, type Resource, relationsOf, resourceShape, selfLink } from '../json-api/resource.ts'

export const adminUserShape = resourceShape(
  'users',
  struct({
    username: text,
    email: text,
    'avatar-url': text,
    'is-admin': bool,
    'is-suspended': bool,
    'is-service-account': bool,
    'two-factor': flags(['enabled', 'verified']),
  }),
  { relationships: struct({ organizations: relationsOf('organizations') }), links: selfLink },
)

export function adminUserResource(world: World, user: User): Resource {
  const { id, username, email, site_admin, service_account, is_suspended = false } = user
  return {
    id,
    type: 'users',
    attributes: {
      username,
      email,
      'avatar-url': avatarUrl(user),
      'is-admin': site_admin,
      'is-suspended': is_suspended,
      'is-service-account': service_account,
      'two-factor': { enabled: false, verified: false },
    },
    relationships: { organizations: toMany('organizations', organizationsOfUser(world, id)) },
    links: { self: `/api/v2/users/${id}` },
  }
}
