import { checkRight, isOrganizationToken } from '../../../state/platform/accounts/callers.ts'
import { refuse, requireFound } from '../../../state/platform/messages.ts'
import type { Organization } from '../../../state/platform/organizations/organizations.ts'
import {
  type Provider,
  type ProviderPlatform,
  type ProviderVersion,
  providerNamed,
  providerWithId,
} from '../../../state/platform/providers/providers.ts'
import { checkPrivate, platformOf } from '../../../state/platform/providers/versions.ts'
import type { Scope } from '../operation.ts'
import { checkMember, findOrganization } from '../organizations/scopes.ts'

/**
 * Purpose of a request about providers. Members may read providers; managing providers requires a
 * permission. The organization's own token may neither read nor manage providers.
 */
type Purpose = 'read' | 'manage'

/** A version of a provider that a path names. */
interface NamedVersion {
  readonly provider: Provider
  readonly version: ProviderVersion
}

/** The platform that a path names, with its version and provider. */
interface NamedPlatform extends NamedVersion {
  readonly platform: ProviderPlatform
}

/**
 * Returns a function that finds the organization in the path. The function throws 404 for callers
 * who lack the right for the purpose, and 401 if the organization does not accept the caller's kind
 * of token.
 */
export function findRegistryFor(purpose: Purpose): (scope: Scope) => Organization {
  return (scope) => {
    const { world, caller } = scope
    const organization = findOrganization(scope)
    if (purpose === 'manage') checkRight(world, caller, organization.name, 'manage-providers')
    else if (isOrganizationToken(caller, organization.name)) throw refuse('not-found')
    return organization
  }
}

/**
 * Returns a function that finds the provider in the path. The function throws 404 for an unknown
 * provider. The function also throws the refusals of `findRegistryFor`.
 */
export function findProviderFor(purpose: Purpose): (scope: Scope) => Provider {
  const findRegistry = findRegistryFor(purpose)
  return (scope) => {
    const { name: organization } = findRegistry(scope)
    const { registry_name: sent, namespace = '', name = '' } = scope.params
    const registry_name = requireFound((['private', 'public'] as const).find((one) => one === sent))
    return requireFound(
      providerNamed(scope.world, organization, { registry_name, namespace, name }),
    )
  }
}

/**
 * Returns the provider whose id is in the path. Throws 404 unless the caller may read the provider,
 * and 401 if the organization does not accept the caller's kind of token.
 */
export function findProviderById(scope: Scope): Provider {
  const { world, caller, params } = scope
  const provider = requireFound(providerWithId(world, params['registry_provider_id'] ?? ''))
  checkMember(world, caller, provider.organization)
  if (isOrganizationToken(caller, provider.organization)) throw refuse('not-found')
  return provider
}

/**
 * Returns a function that finds the provider in the path. The function throws 403 for a public
 * provider. The function also throws the refusals of the function that `findProviderFor` returns.
 */
export function findPrivateProviderFor(purpose: Purpose): (scope: Scope) => Provider {
  const findProvider = findProviderFor(purpose)
  return (scope) => {
    const provider = findProvider(scope)
    checkPrivate(provider)
    return provider
  }
}

/**
 * Returns a function that finds the version in the path. The function throws 404 for an unknown
 * version. The function also throws the refusals of `findPrivateProviderFor`.
 */
export function findVersionFor(purpose: Purpose): (scope: Scope) => NamedVersion {
  const findProvider = findPrivateProviderFor(purpose)
  return (scope) => {
    const provider = findProvider(scope)
    const { version: number } = scope.params
    const version = requireFound(provider.versions.find((one) => one.version === number))
    return { provider, version }
  }
}

/**
 * Returns a function that finds the platform in the path. The function throws 404 for an unknown
 * platform. The function also throws the refusals of `findVersionFor`.
 */
export function findPlatformFor(purpose: Purpose): (scope: Scope) => NamedPlatform {
  const findVersion = findVersionFor(purpose)
  return (scope) => {
    const named = findVersion(scope)
    const { os, arch } = scope.params
    return { ...named, platform: requireFound(platformOf(named.version, os, arch)) }
  }
}
