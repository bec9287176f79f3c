import { quoteGo } from '../../go/text.ts'
import { bool, float, list, text, uint } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { isAuthMount, type Mount, mountOf } from '../mounts/mounts.ts'
import { plainType } from '../mounts/types.ts'
import { type Namespace, resolveNamespace } from '../namespaces/namespaces.ts'
import { secretsTable } from '../table.ts'
import { refuse } from './messages.ts'

/** The members that determine to which requests a quota applies (behaviour/secrets#quotas). */
const scope = {
  name: text,
  /** Path of the namespace; empty for the root. */
  namespace: text,
  /** Mount path within the namespace; empty for all mounts. */
  mount: text,
  /** Path below the mount, which may end in `*`; empty for all paths. */
  suffix: text,
  /** Role of a login; empty for requests of any role. */
  role: text,
}

/** A limit on the request rate of each client address. Intervals are in seconds. */
const rateLimitShape = struct({ ...scope, rate: float, interval: uint, block_interval: uint })
export interface RateLimitQuota extends StoredOf<typeof rateLimitShape> {}

/** A limit on the number of leases that exist at the same time. */
const leaseCountShape = struct({ ...scope, max_leases: uint })
export interface LeaseCountQuota extends StoredOf<typeof leaseCountShape> {}

const configShape = struct({
  enable_rate_limit_audit_logging: bool,
  enable_rate_limit_response_headers: bool,
  rate_limit_exempt_paths: list(text),
})
interface QuotaConfig extends StoredOf<typeof configShape> {}

/** Rate limit quotas by name. */
export const rateLimitQuotas = secretsTable('rate-limit-quotas', rateLimitShape, {
  secrets: 'none',
})
/** Lease count quotas by name. */
export const leaseCountQuotas = secretsTable('lease-count-quotas', leaseCountShape, {
  secrets: 'none',
})
/** Settings that all quotas share, in a single row under `config`. */
export const quotaConfigs = secretsTable('quota-configs', configShape, { secrets: 'none' })

/** Paths to which no rate limit applies by default. */
export const defaultExemptPaths: readonly string[] = [
  'sys/generate-recovery-token/attempt',
  'sys/generate-recovery-token/update',
  'sys/generate-root/attempt',
  'sys/generate-root/update',
  'sys/health',
  'sys/seal-status',
  'sys/unseal',
]

const defaultConfig: QuotaConfig = {
  enable_rate_limit_audit_logging: false,
  enable_rate_limit_response_headers: false,
  rate_limit_exempt_paths: [...defaultExemptPaths],
}

export function quotaConfig(world: World): QuotaConfig {
  return world.table(quotaConfigs).get('config') ?? defaultConfig
}

export function writeQuotaConfig(world: World, config: QuotaConfig): void {
  world.write(() => world.table(quotaConfigs).put('config', config))
}

type QuotaScope = Pick<RateLimitQuota, keyof typeof scope>

/** A request to write a quota. `path` names a namespace, a mount, or anything below a mount. */
interface QuotaRequest {
  readonly name: string
  readonly path: string
  readonly role: string
}

/**
 * Resolves the path of a quota to its scope.
 *
 * @param others all quotas of the same kind; the written quota itself is ignored
 * @throws Refusal `invalid` for a path without a mount, for a role together with a path below the
 *   mount, for a role at a mount whose logins have no roles, and for a scope that another quota has
 */
function resolveQuotaScope(
  world: World,
  { name, path: requested, role }: QuotaRequest,
  others: Iterable<QuotaScope>,
): QuotaScope {
  const trimmed = requested.replace(/^\/+/, '')
  const withSlash = trimmed === '' || trimmed.endsWith('/') ? trimmed : `${trimmed}/`
  const { namespace, path } = resolveNamespace(world, '', withSlash)
  const mount = path === '' ? undefined : mountOf(world, namespace, path)
  if (path !== '' && mount === undefined) {
    throw refuse('quota-mount-unknown', { path: quoteGo(path) })
  }
  const suffix = path.slice(mount?.path.length ?? 0).replace(/\/$/, '')
  if (role !== '') checkRole(mount, suffix)
  const found = { name, namespace: namespace.path, mount: mount?.path ?? '', suffix, role }
  for (const other of others) {
    if (other.name !== name && scopeKey(other) === scopeKey(found)) {
      throw refuse('quota-similar', { name: quoteGo(other.name) })
    }
  }
  return found
}

const methodsWithRoles: ReadonlySet<string> = new Set(['approle', 'jwt', 'oidc', 'orch', 'cloud'])

function checkRole(mount: Mount | undefined, suffix: string): void {
  if (suffix !== '') throw refuse('quota-path-and-role')
  const path = quoteGo(mount?.path ?? '')
  if (mount === undefined || !isAuthMount(mount))
    throw refuse('quota-mount-without-roles', { path })
  if (!methodsWithRoles.has(plainType(mount.type))) {
    throw refuse('quota-method-without-roles', { path })
  }
}

function scopeKey({ namespace, mount, suffix, role }: QuotaScope): string {
  return JSON.stringify([namespace, mount, suffix, role])
}

/** Returns the path of a quota as replies contain it. */
export function quotaPath({ namespace, mount, suffix }: QuotaScope): string {
  return namespace + mount + suffix
}

/** The members of a request that determine which quotas apply. */
export interface QuotaSubject {
  readonly namespace: Pick<Namespace, 'path'>
  readonly mount: Pick<Mount, 'path'> | undefined
  /** Path within the namespace. */
  readonly path: string
  /** Role of a login; empty for other requests. */
  readonly role: string
}

/**
 * Returns the most specific quota that applies to a request, in this order: mount with role, path,
 * path with `*`, mount, namespace, all requests. Returns undefined if no quota applies.
 */
export function quotaFor<Q extends QuotaScope>(
  quotas: Iterable<Q>,
  subject: QuotaSubject,
): Q | undefined {
  let best: Q | undefined
  let bestRank = 0
  for (const quota of quotas) {
    const rank = rankOf(quota, subject)
    if (rank > bestRank) [best, bestRank] = [quota, rank]
  }
  return best
}

/**
 * Returns how specific a quota is for a request: a higher rank is more specific; 0 means that the
 * quota does not apply.
 */
function rankOf(quota: QuotaScope, { namespace, mount, path, role }: QuotaSubject): number {
  if (quota.mount === '') {
    if (quota.namespace === '') return 1
    return quota.namespace === namespace.path ? 2 : 0
  }
  if (quota.namespace !== namespace.path || quota.mount !== mount?.path) return 0
  if (quota.role !== '') return quota.role === role ? largestRank : 0
  if (quota.suffix === '') return 3
  const pathInMount = path.slice(mount.path.length).replace(/\/$/, '')
  if (quota.suffix === pathInMount) return largestRank - 1
  const isPrefix = quota.suffix.endsWith('*') && pathInMount.startsWith(quota.suffix.slice(0, -1))
  return isPrefix ? 3 + quota.suffix.length : 0
}

/** Rank of a matching quota with a role, which is higher than the rank of any path. */
const largestRank = Number.MAX_SAFE_INTEGER

export function hasRateLimits(world: World): boolean {
  return world.table(rateLimitQuotas).size > 0
}

/**
 * Creates or changes a rate limit. An interval of 0 becomes 1 second.
 * @throws Refusal `invalid` for a rate that is not positive, and for a scope that
 *   `resolveQuotaScope` refuses
 */
export function writeRateLimit(
  world: World,
  request: QuotaRequest & Pick<RateLimitQuota, 'rate' | 'interval' | 'block_interval'>,
): void {
  const { rate, interval, block_interval } = request
  if (rate <= 0) throw refuse('quota-limit-invalid', { name: 'rate' })
  const found = resolveQuotaScope(world, request, world.table(rateLimitQuotas).rows())
  const row = { ...found, rate, interval: interval === 0 ? 1 : interval, block_interval }
  world.write(() => world.table(rateLimitQuotas).put(found.name, row))
}

/**
 * Creates or changes a lease count quota.
 * @throws Refusal `invalid` for a maximum that is not positive, and for a scope that
 *   `resolveQuotaScope` refuses
 */
export function writeLeaseCount(
  world: World,
  request: QuotaRequest & Pick<LeaseCountQuota, 'max_leases'>,
): void {
  const { max_leases } = request
  if (max_leases <= 0) throw refuse('quota-limit-invalid', { name: 'max_leases' })
  const found = resolveQuotaScope(world, request, world.table(leaseCountQuotas).rows())
  world.write(() => world.table(leaseCountQuotas).put(found.name, { ...found, max_leases }))
}
