import type { World } from '../../kernel/worlds/world.ts'
import { type Caller, isMember } from '../accounts/callers.ts'
import { refuse } from '../messages.ts'
import { isBlank, type TextInput } from '../names.ts'
import { Violations } from '../violations.ts'
import { changeOrganization } from './changes.ts'
import { administrationDefaults, type Organization, organizations } from './organizations.ts'

/** Settings of an organization that only site admins can read and change. */
type Administration = NonNullable<Organization['administration']>

/**
 * Returns the settings that only site admins can change. Settings that no site admin has set have
 * their defaults.
 */
export function administrationOf({ administration }: Organization): Administration {
  return { ...administrationDefaults, ...administration }
}

/** Members of a site admin's request that changes an organization. */
interface AdministrationInput
  extends Partial<Omit<Administration, 'module_consumers'>>,
    TextInput<'name' | 'notification_email'> {}

/**
 * Changes the given members of an organization. Enabling global module sharing empties the list of
 * module consumers. Throws 422 for invalid values (behaviour/platform#admin-organizations).
 */
export function administerOrganization(
  world: World,
  before: Organization,
  { name, notification_email: email, ...input }: AdministrationInput,
): Organization {
  const violations = new Violations()
  const { workspace_limit: limit } = input
  if (limit != null && limit < 0) violations.add('workspace-limit', 'too-small', { limit: 0 })
  for (const timeout of ['apply_timeout', 'plan_timeout'] as const) {
    const value = input[timeout]
    if (value != null && isBlank(value)) violations.add(timeout.replace('_', '-'), 'blank')
  }
  violations.check()
  const administration = { ...administrationOf(before), ...input }
  const module_consumers =
    input.global_module_sharing === true ? [] : administration.module_consumers
  return world.write(() => {
    const texts = {
      ...(name === undefined ? {} : { name }),
      ...(email === undefined ? {} : { email }),
    }
    const changed = changeOrganization(world, before, texts)
    return putAdministration(world, changed, { ...administration, module_consumers })
  })
}

function putAdministration(
  world: World,
  organization: Organization,
  administration: Administration,
): Organization {
  const changed = { ...organization, administration }
  world.table(organizations).put(changed.name, changed)
  return changed
}

/**
 * Returns the organizations in the list of module consumers, sorted by name. Organizations that may
 * use the modules only through global sharing are not included.
 */
export function moduleConsumersOf(world: World, producer: Organization): Organization[] {
  const { module_consumers: ids } = administrationOf(producer)
  return Array.from(world.table(organizations).rows()).filter((one) =>
    ids.includes(one.external_id),
  )
}

/** Returns the organizations that share their private modules with `consumer`, sorted by name. */
export function moduleProducersOf(world: World, consumer: Organization): Organization[] {
  return Array.from(world.table(organizations).rows()).filter((one) =>
    sharesModulesWith(one, consumer),
  )
}

function sharesModulesWith(producer: Organization, { name, external_id }: Organization): boolean {
  const { global_module_sharing, module_consumers } = administrationOf(producer)
  if (name === producer.name) return false
  return global_module_sharing === true || module_consumers.includes(external_id)
}

/**
 * Replaces the list of organizations that may use the private modules of `producer`, and ends
 * global sharing. `ids` contains names or external ids. Throws 422 for an unknown organization.
 */
export function setModuleConsumers(
  world: World,
  producer: Organization,
  ids: readonly string[],
): Organization {
  const all = Array.from(world.table(organizations).rows())
  const module_consumers = ids.map((id) => {
    const found = all.find((one) => one.name === id || one.external_id === id)
    if (found === undefined) throw refuse('organization-unknown', { name: id })
    return found.external_id
  })
  const administration = {
    ...administrationOf(producer),
    module_consumers: [...new Set(module_consumers)],
    global_module_sharing: false,
  }
  return world.write(() => putAdministration(world, producer, administration))
}

/**
 * Returns whether the caller may download private modules of the organization `name`. The caller
 * must be a member of `name` or of an organization with which `name` shares its modules. A disabled
 * organization shares no modules.
 */
export function mayReadModules(world: World, caller: Caller, name: string): boolean {
  if (isMember(world, caller, name)) return true
  const producer = world.table(organizations).get(name)
  if (producer === undefined || administrationOf(producer).is_disabled) return false
  return Array.from(world.table(organizations).rows()).some(
    (one) => sharesModulesWith(producer, one) && isMember(world, caller, one.name),
  )
}
