import { checkRight, checkTokenKind, isMember } from '../../../state/platform/accounts/callers.ts'
import { refuse, requireFound } from '../../../state/platform/messages.ts'
import {
  type Module,
  type ModuleName,
  moduleNamed,
  modulesUnder,
  moduleWithId,
} from '../../../state/platform/modules/modules.ts'
import type { Scope } from '../operation.ts'

/**
 * Purpose of a request about modules. Members of the organization may read modules; managing them
 * requires a permission.
 */
type Purpose = 'read' | 'manage'

/**
 * Names in a path that select modules: a single module by its full name, or the modules of all
 * providers.
 */
type ModuleSelector = Omit<ModuleName, 'provider'> & { readonly provider?: string }

/**
 * Function that parses the module names in a path. Returns undefined if no module can have the
 * name.
 */
type ModuleNaming = (params: Scope['params']) => ModuleSelector | undefined

/**
 * Parses
 * `/organizations/:organization_name/registry-modules/:registry_name/:namespace/:name[/:provider]`.
 * Returns undefined unless the registry is `private` or `public`.
 */
export const byFullName: ModuleNaming = (params) => {
  const { organization_name: organization = '', registry_name, namespace = '', name = '' } = params
  if (registry_name !== 'private' && registry_name !== 'public') return undefined
  return { organization, registry_name, namespace, name, ...providerIn(params) }
}

/**
 * Parses `…/:organization_name/:name[/:provider]` of the deprecated routes, which name private
 * modules only.
 */
export const byShortName: ModuleNaming = (params) => {
  const { organization_name: organization = '', name = '' } = params
  const registry_name = 'private'
  return { organization, registry_name, namespace: organization, name, ...providerIn(params) }
}

/**
 * Returns the private and public modules that have the name in the path. If the path contains a
 * provider, returns only modules of that provider. Used by the deprecated delete route. Throws 404
 * if there is no such module or the caller lacks access, and 401 if the organization does not
 * accept the caller's kind of token.
 */
export function findModulesOfName(scope: Scope): Module[] {
  const { world, params } = scope
  const { organization_name: organization = '', name, provider } = params
  checkPurpose(scope, organization, 'manage')
  const modules = modulesUnder(world, organization).filter(
    (module) => module.name === name && (provider === undefined || module.provider === provider),
  )
  if (modules.length === 0) throw refuse('not-found')
  return modules
}

function providerIn({ provider }: Scope['params']): { readonly provider?: string } {
  return provider === undefined ? {} : { provider }
}

/**
 * Returns a function that finds the only module that a path names. The function throws 404 if the
 * module does not exist or the caller lacks access, and 401 if the organization does not accept the
 * caller's kind of token.
 */
export function findModuleBy(naming: ModuleNaming, purpose: Purpose): (scope: Scope) => Module {
  return (scope) => {
    const module = requireFound(findModulesBy(naming, purpose)(scope)[0])
    return module
  }
}

/**
 * Returns a function that finds all modules that a path names. The function throws 404 if there are
 * no such modules or the caller lacks access, and 401 if the organization does not accept the
 * caller's kind of token.
 */
export function findModulesBy(naming: ModuleNaming, purpose: Purpose): (scope: Scope) => Module[] {
  return (scope) => {
    const { world, params } = scope
    const selector = requireFound(naming(params))
    const { organization, registry_name, namespace, name, provider } = selector
    checkPurpose(scope, organization, purpose)
    const candidates =
      provider === undefined
        ? modulesUnder(world, organization, registry_name, namespace, name)
        : [moduleNamed(world, { organization, registry_name, namespace, name, provider })]
    const modules = candidates.filter((module) => module !== undefined)
    if (modules.length === 0) throw refuse('not-found')
    return modules
  }
}

/**
 * Returns the module with the id in the path. Throws 404 if the module does not exist or the caller
 * lacks access, and 401 if the organization does not accept the caller's kind of token.
 */
export function findModuleById(scope: Scope): Module {
  const module = requireFound(moduleWithId(scope.world, scope.params['module_id'] ?? ''))
  checkPurpose(scope, module.organization, 'read')
  return module
}

function checkPurpose({ world, caller }: Scope, organization: string, purpose: Purpose): void {
  if (purpose === 'manage') checkRight(world, caller, organization, 'manage-modules')
  else if (!isMember(world, caller, organization)) throw refuse('not-found')
  checkTokenKind(world, caller, organization)
}
