import type { World } from '../../kernel/worlds/world.ts'
import type { KeySet } from '../logins/jws.ts'
import { mountOf } from '../mounts/mounts.ts'
import { type Namespace, resolveNamespace } from '../namespaces/namespaces.ts'
import { keysOfClients } from '../oidc/clients.ts'
import type { ProviderContext } from '../oidc/exchange.ts'
import { keySetOf } from '../oidc/id-tokens.ts'
import { clientsOfProvider, type OidcProvider, oidcProviders } from '../oidc/providers.ts'

/** An OIDC provider that this world itself serves. */
interface LocalProvider {
  readonly context: ProviderContext
  readonly row: OidcProvider
}

/**
 * Finds a provider by its path below `/v1/`, or by the path of its login page below
 * `/ui/<product>/`. Returns undefined for other paths.
 *
 * @param origin scheme and host of the provider's URLs, unless the provider has a configured issuer
 */
export function providerAtPath(
  world: World,
  path: string,
  origin: string,
): LocalProvider | undefined {
  const { namespace, path: pathInNamespace } = resolveNamespace(world, '', path)
  const name = /^identity\/oidc\/provider\/([^/]+)$/.exec(pathInNamespace)?.[1]
  return name === undefined ? undefined : providerNamed(world, namespace, name, origin)
}

function providerNamed(
  world: World,
  namespace: Namespace,
  name: string,
  origin: string,
): LocalProvider | undefined {
  const mount = mountOf(world, namespace, 'identity/')
  const row = mount && oidcProviders.find(world, mount, name)
  if (mount === undefined || row === undefined) return undefined
  return { context: { mount, namespace, origin, provider: name }, row }
}

/**
 * Finds the provider of this world by the URL of its issuer (behaviour/secrets#oidc-login). The
 * address in the URL must be configured for the provider or equal `origin`. Returns undefined for
 * other URLs.
 *
 * @param origin address under which a caller reaches this server
 */
export function localProvider(
  world: World,
  url: string,
  origin: string,
): LocalProvider | undefined {
  const [, address, path] = /^(https?:\/\/.+?)\/v1\/(.+?)\/?$/.exec(url) ?? []
  if (address === undefined || path === undefined) return undefined
  const found = providerAtPath(world, path, address)
  if (found === undefined) return undefined
  return address === origin || address === found.row.issuer ? found : undefined
}

/** Returns the public keys of all clients of a provider. */
export function localKeySet(world: World, { context, row }: LocalProvider): KeySet {
  const clients = clientsOfProvider(world, context.mount, row)
  const keys = keysOfClients(world, context.mount, clients)
  return JSON.parse(JSON.stringify(keySetOf(world, keys)))
}
