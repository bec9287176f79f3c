import type { World } from '../kernel/worlds/world.ts'
import type { Caller } from './accounts/callers.ts'
import { type Module, type ModuleName, newModule, putModule } from './modules/modules.ts'
import { newModuleVersion } from './modules/versions.ts'
import { isModuleName, isPlainName, isProviderName } from './names.ts'
import { organizations, putOrganization } from './organizations/organizations.ts'
import { addTeam, ownersTeam } from './organizations/teams.ts'

/**
 * Returns whether the names in a request path are valid for a private module, whose namespace must
 * be the name of the organization (behaviour/platform#seeds).
 */
export function isWellFormed({ organization, namespace, name, provider }: ModuleName): boolean {
  return (
    isPlainName(organization) &&
    namespace === organization &&
    isModuleName(name) &&
    isProviderName(provider)
  )
}

/**
 * Creates the organization that a request path names, unless it exists, and makes the calling user
 * its owner (behaviour/platform#seeds). Does nothing for a token of a team or an organization,
 * because the token's own organization already exists.
 */
export function provisionOrganization(world: World, { token, user }: Caller, name: string): void {
  if (token.kind !== 'user' || world.table(organizations).has(name)) return
  world.write(() => {
    putOrganization(world, { name, email: user.email })
    addTeam(world, { organization: name, name: ownersTeam, members: [user.id] })
  })
}

/** Creates a module with one published version. The name must be free. */
export function provisionModule(world: World, name: ModuleName): Module {
  return world.write(() => {
    const versions = [newModuleVersion(world, '1.0.0', { status: 'ok', source: 'published' })]
    return putModule(world, newModule(world, name, { status: 'setup_complete', versions }))
  })
}
