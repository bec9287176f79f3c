import { quoteGo } from '../../go/text.ts'
import { list, text, uint, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, NamedRows, storagePrefix, walField } from '../mounts/mounts.ts'
import { optionsOf } from '../options.ts'
import { secretsTable } from '../table.ts'
import { assignments } from './assignments.ts'
import { type OidcKey, oidcKeys, requireKeyPairs } from './keys.ts'
import { refuse } from './messages.ts'

const clientTypes = ['confidential', 'public'] as const

/** An application whose users log in through a provider (behaviour/secrets#oidc-clients). */
const clientShape = struct({
  client_id: text,
  /** Empty for public clients. */
  client_secret: text,
  client_type: word(...clientTypes),
  /** Name of the key that signs the client's tokens. */
  key: text,
  redirect_uris: list(text),
  assignments: list(text),
  /** Lifetime of identity tokens in seconds. */
  id_token_ttl: uint,
  /** Lifetime of access tokens in seconds. */
  access_token_ttl: uint,
  ...walField,
})
export interface OidcClient extends StoredOf<typeof clientShape> {}

/**
 * Clients by `<mount uuid>/<name>`; index `byClientId` by `<mount uuid>/<client id>`. The mount is
 * that of the identity store.
 */
export const clientTable = secretsTable('oidc-clients', clientShape, {
  secrets: { members: ['client_secret'] },
  indexes: {
    byClientId: ({ client_id }, key) => key.slice(0, key.indexOf('/') + 1) + client_id,
  },
})

/** The clients of each namespace; names are case-sensitive. */
export const oidcClients = new NamedRows<OidcClient>(
  clientTable,
  () => refuse('nothing-here'),
  (name) => name,
)

export function clientById(world: World, mount: Mount, id: string): OidcClient | undefined {
  return world
    .table(clientTable)
    .index('byClientId')
    .get(storagePrefix(mount) + id)
}

/** Returns all clients of a namespace as pairs of name and client. */
export function clientsOf(world: World, mount: Mount): [string, OidcClient][] {
  return oidcClients.names(world, mount).map((name) => [name, oidcClients.read(world, mount, name)])
}

/** A change of a client; members that are left out keep their values. */
type ClientChange = Partial<Omit<OidcClient, 'client_type' | 'wal'>> & {
  readonly client_type?: string | undefined
}

const daySeconds = 24 * 60 * 60

const defaults: OidcClient = {
  client_id: '',
  client_secret: '',
  client_type: 'confidential',
  key: 'default',
  redirect_uris: [],
  assignments: [],
  id_token_ttl: daySeconds,
  access_token_ttl: daySeconds,
}

/**
 * Creates or changes a client. Generates the id of a new client, and the secret of a confidential
 * client, unless they are given. Generates the key pairs of the built-in key at its first use.
 * @throws Refusal `invalid` for the first check that fails, in the order of
 *   behaviour/secrets#oidc-clients
 */
export function writeClient(world: World, mount: Mount, name: string, change: ClientChange): void {
  const before = oidcClients.find(world, mount, name)
  const { client_type: type = before?.client_type ?? defaults.client_type, ...others } = change
  const merged = { ...(before ?? defaults), ...others }
  const distinct = (texts: readonly string[]) => [...new Set(texts)]
  for (const assignment of merged.assignments) {
    if (assignments.find(world, mount, assignment) === undefined) {
      throw refuse('oidc-assignment-unknown', { name: quoteGo(assignment) })
    }
  }
  if (before !== undefined && before.key !== merged.key) throw refuse('oidc-client-key-stays')
  const known = oidcKeys.find(world, mount, merged.key)
  if (known === undefined) throw refuse('oidc-client-key-unknown', { name: quoteGo(merged.key) })
  if (merged.id_token_ttl > known.verification_ttl) throw refuse('oidc-client-ttl-long')
  if (before !== undefined && before.client_type !== type) throw refuse('oidc-client-type-stays')
  const client_type = clientTypes.find((each) => each === type)
  if (client_type === undefined) {
    throw refuse('oidc-client-type-unknown', { type: quoteGo(type) })
  }
  world.write(() => {
    requireKeyPairs(world, mount, merged.key)
    const secret = () => optionsOf(world).clientSecretPrefix + world.ids.base62(64)
    oidcClients.put(world, mount, name, {
      ...merged,
      client_type,
      redirect_uris: distinct(merged.redirect_uris),
      assignments: distinct(merged.assignments),
      client_id: merged.client_id || world.ids.base62(32),
      client_secret: client_type === 'public' ? '' : merged.client_secret || secret(),
    })
  })
}

/** Returns the signing keys that clients use, without duplicates. */
export function keysOfClients(
  world: World,
  mount: Mount,
  clients: readonly OidcClient[],
): OidcKey[] {
  const names = [...new Set(clients.map(({ key }) => key))]
  return names.flatMap((name) => oidcKeys.find(world, mount, name) ?? [])
}

const loopbackHosts = ['localhost', '127.0.0.1', '[::1]']

/**
 * Returns whether a redirect address is in the list of allowed addresses. Ignores the port of
 * loopback addresses (RFC 8252, 7.3).
 */
export function isRedirectAllowed(address: string, allowed: readonly string[]): boolean {
  const withoutPort = (text: string) => {
    if (!URL.canParse(text)) return undefined
    const url = new URL(text)
    if (!loopbackHosts.includes(url.hostname)) return undefined
    url.port = ''
    return url.href
  }
  const local = withoutPort(address)
  if (local === undefined) return allowed.includes(address)
  return allowed.some((each) => withoutPort(each) === local)
}
