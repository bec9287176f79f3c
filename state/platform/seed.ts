import type { World } from '../kernel/worlds/world.ts'
import { addToken } from './accounts/tokens.ts'
import { addUser } from './accounts/users.ts'
import { provisionModule } from './auto-provision.ts'
import { optionsOf } from './options.ts'
import { addOrganization } from './organizations/organizations.ts'
import { addTeam, ownersTeam } from './organizations/teams.ts'

/** Names of the organization and module in a fresh world (behaviour/program#fresh-world). */
export const seedNames = {
  organization: 'example-org',
  module: { namespace: 'example-org', name: 'network', provider: 'cloud1' },
} as const

/**
 * Creates the start state: an organization with a published module, three users and their tokens.
 */
export function seedPlatform(world: World): void {
  const { siteAdminToken, ownerToken, memberToken } = optionsOf(world)
  const { organization, module } = seedNames
  const admin = addUser(world, { username: 'site-admin', site_admin: true })
  const owner = addUser(world, { username: 'owner' })
  const member = addUser(world, { username: 'member' })
  for (const [text, { id }] of [
    [siteAdminToken, admin],
    [ownerToken, owner],
    [memberToken, member],
  ] as const) {
    addToken(world, { kind: 'user', owner: id, user: id, text })
  }
  addOrganization(world, { name: organization, email: 'owner@example.com' })
  addTeam(world, { organization, name: ownersTeam, members: [owner.id] })
  addTeam(world, { organization, name: 'developers', members: [member.id] })
  provisionModule(world, { organization, registry_name: 'private', ...module })
}
