import type { World } from '../kernel/worlds/world.ts'
import type { Caller } from './accounts/callers.ts'
import { type Module, type ModuleName, newModule, putModule } from './modules/modules.ts'
import { newVersion } from './modules/versions.ts'
import { isModuleName, isPlainName, isProviderName } from './names.ts'
import { addOrganization, organizations } from './organizations/organizations.ts'
import { addTeam, ownersTeam } from './organizations/teams.ts'

/** Tells whether a path names a private module as one can be (behaviour/platform#seeds, well-formed). */
export function isWellFormed({ organization, namespace, name, provider }: ModuleName): boolean {
  return (
    isPlainName(organization) &&
    namespace === organization &&
    isModuleName(name) &&
    isProviderName(provider)
  )
}

/**
 * Makes the organization of a path, unless it is there, for a person who becomes its owner
 * (behaviour/platform#seeds). Tokens of teams and organizations have none to make: theirs
 * is there already.
 */
export function provisionOrganization(world: World, { token, user }: Caller, name: string): void {
  if (token.kind !== 'user' || world.table(organizations).has(name)) return
  world.write(() => {
    addOrganization(world, { name, email: user.email })
    addTeam(world, { organization: name, name: ownersTeam, members: [user.id] })
  })
}

/** Makes a module that has one published version; the name is free. */
export function provisionModule(world: World, name: ModuleName): Module {
  return world.write(() => {
    const versions = [newVersion(world, '1.0.0', { status: 'ok', source: 'published' })]
    return putModule(world, newModule(world, name, { status: 'setup_complete', versions }))
  })
}
