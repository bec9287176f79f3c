import { MILLISECOND, parseGoDuration } from '../go/duration.ts'
import { defineOptions, option } from '../kernel/options/options.ts'
import {
  any,
  bool,
  list,
  map,
  name,
  nullable,
  text,
  textOf,
  uint,
  union,
  word,
} from '../kernel/shape/kinds.ts'
import { struct } from '../kernel/shape/members.ts'
import type { StoredOf } from '../kernel/shape/values.ts'
import type { World } from '../kernel/worlds/world.ts'

const defaultToken = 'mesh-management-token'

/** World options of the service mesh (behaviour/program#fresh-world). */
const optionShape = struct({
  aclEnabled: option(bool, false, 'Enforce ACLs'),
  allowedOrigins: option(
    list(name),
    [],
    "Origins of web pages that may send requests while ACLs are off, in addition to this machine's; *: all",
  ),
  defaultPolicy: option(word('allow', 'deny'), 'allow', 'Decision if no rule matches'),
  initialManagementToken: option(
    nullable(text),
    defaultToken,
    "Secret of a fresh world's management token; empty or null: no such token",
  ),
  bootstrap: option(
    word('done', 'open'),
    'done',
    'Whether the ACLs of a fresh world are already bootstrapped',
  ),
  edition: option(
    word('enterprise', 'community'),
    'enterprise',
    'Edition of the product that is simulated',
  ),
  version: option(
    textOf({ pattern: '^[0-9]+\\.[0-9]+\\.[0-9]+([-+].*)?$' }),
    '1.18.0+ent',
    'Version of the product that is simulated; namespaces came with 1.7.0',
  ),
  namespaceRemovalDelay: option(
    textOf({ pattern: '^(manual|0|([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h)){1,16})$' }),
    '500ms',
    'How long after its deletion a namespace is removed with its data: a duration, or manual',
  ),
  tokenMinExpirationTTL: option(
    textOf({ pattern: '^(0|([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h)){1,16})$' }),
    '1m',
    'Minimum time until a new token expires: a duration',
  ),
  waitJitter: option(bool, true, 'Add up to a sixteenth to the time that blocking reads wait'),
  staleLastContact: option(uint, 3, 'The X-Mesh-LastContact of stale reads, in milliseconds'),
  antiEntropyInterval: option(
    textOf({ pattern: '^(manual|0|([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h)){1,16})$' }),
    '1m',
    'How often the agent writes its services and checks to the catalog: a duration, or manual',
  ),
  reapInterval: option(
    textOf({ pattern: '^(0|([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h)){1,16})$' }),
    '30s',
    'How often the agent removes services whose checks stay critical: a duration',
  ),
  deregisterMinimum: option(
    textOf({ pattern: '^(0|([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h)){1,16})$' }),
    '1m',
    'Shortest time for which a service that is to be removed stays critical: a duration',
  ),
  callChecks: option(
    union(bool, word('any')),
    false,
    'Call HTTP and TCP checks: those of this machine, or any',
  ),
  scriptChecks: option(bool, false, 'Accept script and docker checks, which are never run'),
  jwtKeys: option(
    map(struct({ keys: list(map(any)) })),
    {},
    'Key sets (JWKS) by the JWKSURL or OIDCDiscoveryURL of auth methods, which is not fetched',
  ),
  noLeader: option(bool, false, 'Whether the servers have no leader'),
  datacenter: option(name, 'dc1', 'The only datacenter that dc may name'),
  nodeName: option(name, 'mesh-1', 'The name of the only server, which is its node'),
  nodeId: option(
    nullable(textOf({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' })),
    null,
    "The ID of the server's node; null: a generated one",
  ),
  nodeMeta: option(
    map(text),
    {},
    "Metadata of the server's node, in addition to its built-in metadata",
  ),
  clusterId: option(
    nullable(name),
    null,
    "ID of the mesh in the trust domain of its certificates; null: derived from the server's ID",
  ),
})
export interface MeshOptions extends StoredOf<typeof optionShape> {}

const baseOptions = defineOptions('mesh', optionShape)

/**
 * Schema that matches contradictory options. If `bootstrap` is `open`, a client bootstraps the
 * ACLs, so `initialManagementToken` must not be set. The default token is allowed, because exports
 * also contain default values.
 */
const openBootstrapWithToken = {
  required: ['bootstrap', 'initialManagementToken'],
  properties: {
    bootstrap: { const: 'open' },
    initialManagementToken: { type: 'string', minLength: 1, not: { const: defaultToken } },
  },
} as const

/**
 * Declaration of the mesh options that fixtures and the control plane can set. The schema rejects
 * options that match `openBootstrapWithToken`.
 */
export const meshOptions: typeof baseOptions = {
  ...baseOptions,
  get defaults() {
    return baseOptions.defaults
  },
  get schema() {
    return { ...baseOptions.schema, not: openBootstrapWithToken }
  },
}

export function optionsOf(world: World): MeshOptions {
  return world.options(meshOptions)
}

/**
 * Returns the secret of the management token that a fresh world contains; empty if a fresh world
 * contains no management token (behaviour/mesh#acl-switches).
 */
export function initialSecret(world: World): string {
  const { bootstrap, initialManagementToken } = optionsOf(world)
  return bootstrap === 'open' ? '' : (initialManagementToken ?? '')
}

/** Returns whether the edition and the version support namespaces. */
export function hasNamespaces(world: World): boolean {
  return world.derived(optionsOf(world), supportsNamespaces)
}

/** Returns whether the world simulates the community edition (behaviour/mesh#community). */
export function isCommunity(world: World): boolean {
  return optionsOf(world).edition === 'community'
}

/**
 * Returns the version that replies report. For the community edition, removes the suffix that
 * begins with `+ent`.
 */
export function versionOf(world: World): string {
  const { edition, version } = optionsOf(world)
  return edition === 'community' ? version.replace(/\+ent\b.*$/, '') : version
}

function supportsNamespaces({ edition, version }: MeshOptions): boolean {
  return edition === 'enterprise' && isAtLeast(version, 7)
}

/** Returns whether a version is 1.`minor` or later. */
function isAtLeast(version: string, minor: number): boolean {
  const [major = 0, actualMinor = 0] = version.split('.').map(Number)
  return major > 1 || (major === 1 && actualMinor >= minor)
}

/** Returns whether messages link to the documentation site of releases before 1.21. */
export function linksToFormerSite(world: World): boolean {
  return !isAtLeast(optionsOf(world).version, 21)
}

/** Converts a Go duration to milliseconds, rounded up. */
export function milliseconds(duration: string): number {
  return Math.ceil(parseGoDuration(duration) / MILLISECOND)
}
