import { quoteGo } from '../../../state/go/text.ts'
import { parseJson } from '../../../state/json/json.ts'
import { isJsonObject } from '../../../state/kernel/json.ts'
import { Refusal } from '../../../state/kernel/refusal.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { appRoleOfId } from '../../../state/secrets/approle/roles.ts'
import { type Mount, mountOf } from '../../../state/secrets/mounts/mounts.ts'
import { resolveNamespace } from '../../../state/secrets/namespaces/namespaces.ts'
import {
  quotaConfig,
  quotaFor,
  type RateLimitQuota,
  rateLimitQuotas,
} from '../../../state/secrets/quotas/quotas.ts'
import { refuse } from '../messages.ts'

/** Headers of a reply to a limited request: `X-Ratelimit-…` and, on a refusal, `Retry-After`. */
export type QuotaHeaders = Readonly<Record<string, string>>

/** The parts of a request that quotas depend on, and the member that receives the headers. */
interface LimitedRequest {
  readonly world: World
  /** Path below `/v1/`. */
  readonly path: string
  /** IP address of the client. */
  readonly peer: string
  readonly namespaceHeader: string
  readonly http: { readonly body: unknown }
  /** Headers about the quota, for the reply to a refused request. */
  quotaHeaders: QuotaHeaders | undefined
}

/**
 * Function that counts a request for the quota that applies to it. Returns headers for the reply if
 * the settings of the quotas require such headers. If the limit is exceeded or the client is
 * blocked, the function stores the headers in `quotaHeaders` and throws a refusal.
 */
export type LimitByQuota = (request: LimitedRequest) => QuotaHeaders | undefined

/** The requests of one client address in one interval of a quota. */
interface QuotaWindow {
  /** Epoch of the world's state. A restore starts a new epoch, in which counting starts again. */
  readonly epoch: number
  readonly quota: RateLimitQuota
  /** Start of the interval (`from`) and its end (`until`), in milliseconds since 1970. */
  readonly from: number
  readonly until: number
  count: number
  /** Instant until which the address is blocked, in milliseconds since 1970. */
  blockedUntil: number
}

/**
 * Creates the function that applies quotas to requests (behaviour/secrets#quotas). The counts are
 * not stored in the world, because requests that only read must not write.
 *
 * @returns a function that throws a refusal with status 429 if the limit is exceeded or the client
 *   is blocked
 */
export function createQuotaLimit(): LimitByQuota {
  const windowsByWorld = new WeakMap<World, Map<string, QuotaWindow>>()
  return (request) => {
    const { world, path, peer } = request
    const config = quotaConfig(world)
    const quota = isExempt(path, config.rate_limit_exempt_paths) ? undefined : quotaOf(request)
    if (quota === undefined) return undefined
    const windows = windowsByWorld.get(world) ?? new Map<string, QuotaWindow>()
    windowsByWorld.set(world, windows)
    const key = JSON.stringify([quota.name, peer])
    const now = world.clock.now()
    const window = currentWindow(windows.get(key), quota, world.store.feed.epoch, now)
    windows.set(key, window)
    const limit = Math.max(1, Math.round(quota.rate))
    const isAllowed = now >= window.blockedUntil && window.count < limit
    if (isAllowed) window.count += 1
    else if (quota.block_interval > 0 && now >= window.blockedUntil) {
      window.blockedUntil = now + quota.block_interval * 1000
    }
    const reset = String(Math.floor((Math.max(window.until, window.blockedUntil) - now) / 1000))
    const headers = config.enable_rate_limit_response_headers
      ? {
          'X-Ratelimit-Limit': String(limit),
          'X-Ratelimit-Remaining': String(limit - window.count),
          'X-Ratelimit-Reset': reset,
          ...(!isAllowed && { 'Retry-After': reset }),
        }
      : undefined
    if (!isAllowed) {
      request.quotaHeaders = headers
      const until = Math.max(window.until, window.blockedUntil)
      throw refuse('rate-limit-exceeded', { path: quoteGo(path) }).withDetails({ quota, until })
    }
    return headers
  }
}

function isExempt(path: string, exemptPaths: readonly string[]): boolean {
  return exemptPaths.some((each) =>
    each.endsWith('*') ? path.startsWith(each.slice(0, -1)) : path === each,
  )
}

/**
 * Returns the quota that applies to a request; undefined if no quota applies. No quota applies to
 * an unknown namespace, because the namespace is checked later.
 */
function quotaOf(request: LimitedRequest): RateLimitQuota | undefined {
  const { world, path: fullPath, namespaceHeader } = request
  const quotas = [...world.table(rateLimitQuotas).rows()]
  try {
    const { namespace, path } = resolveNamespace(world, namespaceHeader, fullPath)
    const mount = mountOf(world, namespace, path)
    const hasRoles = quotas.some(({ role }) => role !== '')
    const role = mount === undefined || !hasRoles ? '' : roleOf(request, mount, path)
    return quotaFor(quotas, { namespace, mount, path, role })
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/**
 * Returns the role with which a request logs in; empty for requests that are not logins, for bodies
 * that cannot be parsed, and for an unknown role id.
 */
function roleOf({ world, http }: LimitedRequest, mount: Mount, path: string): string {
  const [, rest = ''] = /^login(?:\/(.*))?$/.exec(path.slice(mount.path.length)) ?? []
  if (!path.startsWith('login', mount.path.length)) return ''
  if (mount.type === 'cloud') return rest
  try {
    const body = parseJson(String(http.body ?? ''))
    if (!isJsonObject(body)) return ''
    const { role, role_id } = body
    if (mount.type !== 'approle') return typeof role === 'string' ? role : ''
    return typeof role_id === 'string' ? (appRoleOfId(world, mount, role_id)?.name ?? '') : ''
  } catch {
    return ''
  }
}

function currentWindow(
  last: QuotaWindow | undefined,
  quota: RateLimitQuota,
  epoch: number,
  now: number,
): QuotaWindow {
  const isSame =
    last !== undefined && last.epoch === epoch && last.quota === quota && now >= last.from
  if (!isSame) {
    const until = now + quota.interval * 1000
    return { epoch, quota, from: now, until, count: 0, blockedUntil: 0 }
  }
  if (now < last.until) return last
  const length = quota.interval * 1000
  const from = now - ((now - last.from) % length)
  return { ...last, from, until: from + length, count: 0 }
}
