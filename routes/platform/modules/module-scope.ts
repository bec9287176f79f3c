import { checkOwner } from '../../../state/platform/accounts/callers.ts'
import {
  isWellFormed,
  provisionModule,
  provisionOrganization,
} from '../../../state/platform/auto-provision.ts'
import { refuse } from '../../../state/platform/messages.ts'
import { type Module, moduleKey, modules } from '../../../state/platform/modules/modules.ts'
import { optionsOf } from '../../../state/platform/options.ts'
import { organizations } from '../../../state/platform/organizations/organizations.ts'
import type { Scope } from '../operation.ts'

/** Path prefix of everything about a module's tests: `P` of behaviour/platform#api-endpoints. */
export const modulePath =
  '/organizations/:organization_name/tests/registry-modules/private/:namespace/:name/:provider'

/**
 * Returns the module that a path below `modulePath` names. Operations pass this function to
 * `operationsOn`. Throws 404 if the organization or module is unknown, if the namespace is not the
 * organization's, or if the caller is not an owner (behaviour/platform#authentication). Throws 401
 * if the organization does not accept the caller's kind of token. With the option `autoProvision`,
 * a well-formed path creates the organization and the module that it names
 * (behaviour/platform#seeds).
 */
export function findModule({ world, caller, params }: Scope): Module {
  const { organization_name: organization = '', namespace = '', name = '', provider = '' } = params
  const moduleName = { organization, registry_name: 'private', namespace, name, provider } as const
  const autoProvisions = optionsOf(world).autoProvision && isWellFormed(moduleName)
  if (autoProvisions) provisionOrganization(world, caller, organization)
  if (!world.table(organizations).has(organization)) throw refuse('not-found')
  checkOwner(world, caller, organization)
  if (namespace !== organization) throw refuse('not-found')
  const module = world.table(modules).get(moduleKey(moduleName))
  if (module !== undefined) return module
  if (!autoProvisions) throw refuse('not-found')
  return provisionModule(world, moduleName)
}
