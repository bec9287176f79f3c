import { quoteGo } from '../../go/text.ts'
import { any, bool, list, map, nullable, text } from '../../kernel/shape/kinds.ts'
import { optional, secret, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { jwsAlgorithms, type KeySet, publicKeyIn } from '../logins/jws.ts'
import { type Mount, MountRow, walField } from '../mounts/mounts.ts'
import { issuerKeySet, simulatedIssuer } from '../oidc/simulated-issuers.ts'
import { optionsOf } from '../options.ts'
import { secretsTable } from '../table.ts'
import { localKeySet, localProvider } from './local-provider.ts'
import { refuse } from './messages.ts'

/**
 * Configuration of a JWT login method: the keys and issuers that the method trusts
 * (behaviour/secrets#jwt-config).
 */
const configShape = struct({
  bound_issuer: text,
  default_role: text,
  jwks_ca_pem: text,
  jwks_url: text,
  jwt_supported_algs: list(text),
  /** Public keys in PEM format. */
  jwt_validation_pubkeys: list(text),
  namespace_in_state: bool,
  oidc_client_id: text,
  oidc_client_secret: secret(text),
  oidc_discovery_ca_pem: text,
  oidc_discovery_url: text,
  oidc_response_mode: text,
  oidc_response_types: list(text),
  provider_config: map(any),
  /**
   * Keys that were fetched from a URL of the configuration; null if no keys were fetched since the
   * last write of the configuration.
   */
  fetched: nullable(struct({ keys: list(map(any)) })),
  /**
   * Address in `oidc_discovery_url` if the URL names a provider of this world; missing for other
   * URLs.
   */
  local_origin: optional(text),
  ...walField,
})
export interface JwtConfig extends StoredOf<typeof configShape> {}

/** Configurations by `<mount uuid>/`. */
export const jwtConfigTable = secretsTable('jwt-configs', configShape, {
  secrets: { members: ['oidc_client_secret'] },
})

export const jwtConfigs = new MountRow(jwtConfigTable, () => refuse('nothing-here'))

/**
 * A write of the configuration. Members that are left out get their defaults, except
 * `namespace_in_state`, which keeps its value.
 */
type JwtConfigWrite = {
  readonly [Name in keyof Omit<JwtConfig, 'wal' | 'fetched' | 'local_origin'>]?:
    | JwtConfig[Name]
    | undefined
}

const defaultConfig: JwtConfig = {
  bound_issuer: '',
  default_role: '',
  jwks_ca_pem: '',
  jwks_url: '',
  jwt_supported_algs: [],
  jwt_validation_pubkeys: [],
  namespace_in_state: true,
  oidc_client_id: '',
  oidc_client_secret: '',
  oidc_discovery_ca_pem: '',
  oidc_discovery_url: '',
  oidc_response_mode: '',
  oidc_response_types: [],
  provider_config: {},
  fetched: null,
}

/**
 * Returns the complete configuration after a write. Members that are left out get their defaults,
 * except `namespace_in_state`, which keeps its value. Stores nothing.
 *
 * @param origin address under which the caller reaches this server
 * @throws Refusal `invalid` unless exactly one source of keys is set, and for invalid values
 */
export function checkedConfig(
  world: World,
  mount: Mount,
  write: JwtConfigWrite,
  origin = '',
): JwtConfig {
  const namespaceInState = jwtConfigs.find(world, mount)?.namespace_in_state
  const provided = Object.fromEntries(
    Object.entries(write).filter(([, value]) => value !== undefined),
  )
  const config: JwtConfig = {
    ...defaultConfig,
    ...(namespaceInState !== undefined && { namespace_in_state: namespaceInState }),
    ...provided,
    default_role: (write.default_role ?? '').toLowerCase(),
  }
  const sources = [
    config.oidc_discovery_url !== '',
    config.jwks_url !== '',
    config.jwt_validation_pubkeys.length > 0,
  ]
  if (sources.filter((isSet) => isSet).length !== 1) throw refuse('jwt-key-sources')
  const hasClient = config.oidc_client_id !== ''
  if (hasClient !== (config.oidc_client_secret !== '')) throw refuse('jwt-client-half')
  if (hasClient && config.oidc_discovery_url === '') throw refuse('jwt-client-without-url')
  const areKeys = config.jwt_validation_pubkeys.every((pem) => publicKeyIn(pem) !== undefined)
  if (!areKeys) throw refuse('jwt-key-unreadable')
  const local = localProvider(world, config.oidc_discovery_url, origin)
  return local === undefined ? config : { ...config, local_origin: local.context.origin }
}

/**
 * Stores a configuration from `checkedConfig`. The caller has already checked that keys from a URL
 * can be fetched.
 * @throws Refusal `invalid` for unknown algorithms, response types and response modes, and for the
 *   response type `id_token` in a mode other than `form_post`
 */
export function putJwtConfig(world: World, mount: Mount, config: JwtConfig): void {
  const unknownAlgorithm = config.jwt_supported_algs.find((name) => !jwsAlgorithms.includes(name))
  if (unknownAlgorithm !== undefined)
    throw refuse('jwt-algorithm-unknown', { name: quoteGo(unknownAlgorithm) })
  const { oidc_response_mode: mode, oidc_response_types: types } = config
  if (!types.every((type) => type === 'code' || type === 'id_token')) {
    throw refuse('jwt-response-types', { types: `[${types.join(' ')}]` })
  }
  if (mode !== '' && mode !== 'query' && mode !== 'form_post') {
    throw refuse('jwt-response-mode', { mode: quoteGo(mode) })
  }
  if (mode !== 'form_post' && types.includes('id_token')) throw refuse('jwt-response-query')
  jwtConfigs.put(world, mount, config)
}

/** A remote source of a configuration's keys. */
export interface KeySource {
  /** URL of a key set, or of an issuer whose discovery document links to its key set. */
  readonly url: string
  readonly kind: 'keys' | 'issuer'
  /** Trusted certificates in PEM format; if empty, Node's default certificates are trusted. */
  readonly ca: string
  readonly hostScope: 'loopback' | 'any'
}

/**
 * Returns the URL from which the keys come: the URL of the key set, or else the URL of the issuer.
 * Returns an empty string if the configuration contains the keys.
 */
export function urlOf({ jwks_url, oidc_discovery_url }: JwtConfig): string {
  return jwks_url === '' ? oidc_discovery_url : jwks_url
}

/**
 * Returns the key set of a configuration without fetching: the key set of a provider of this world,
 * of the option `jwtKeys`, of a simulated issuer, or of an earlier fetch. Returns undefined if none
 * of these has the key set.
 */
export function knownKeys(world: World, config: JwtConfig): KeySet | undefined {
  const { jwtKeys } = optionsOf(world)
  const url = urlOf(config)
  const local = config.local_origin && localProvider(world, url, config.local_origin)
  if (local) return localKeySet(world, local)
  const configuredKeys = Object.hasOwn(jwtKeys, url) ? jwtKeys[url] : undefined
  const issuer = config.jwks_url === '' ? simulatedIssuer(world, url) : undefined
  if (configuredKeys === undefined && issuer !== undefined) return issuerKeySet(world, issuer)
  return (configuredKeys as KeySet | undefined) ?? (config.fetched as KeySet | null) ?? undefined
}

/**
 * Returns the source from which to fetch the keys of a configuration. Returns undefined if the
 * configuration contains the keys, if `knownKeys` finds them, or if the option `jwtFetch` forbids
 * fetching.
 */
export function fetchableKeys(world: World, config: JwtConfig): KeySource | undefined {
  const { jwtFetch } = optionsOf(world)
  const url = urlOf(config)
  if (url === '' || jwtFetch === 'none' || knownKeys(world, config) !== undefined) return undefined
  return config.jwks_url === ''
    ? { url, kind: 'issuer', ca: config.oidc_discovery_ca_pem, hostScope: jwtFetch }
    : { url, kind: 'keys', ca: config.jwks_ca_pem, hostScope: jwtFetch }
}

/**
 * Stores fetched keys in the configuration. The keys stay until the next write of the
 * configuration. Does nothing if the configuration was deleted or its URL changed during the fetch.
 */
export function storeFetchedKeys(
  world: World,
  mount: Mount,
  { url }: KeySource,
  fetched: KeySet,
): void {
  const config = jwtConfigs.find(world, mount)
  if (config === undefined || urlOf(config) !== url) return
  jwtConfigs.put(world, mount, { ...config, fetched: { keys: [...fetched.keys] } })
}
