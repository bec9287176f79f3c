import { formatTimestamp } from '../../../state/kernel/time.ts'
import { authPrefix } from '../../../state/secrets/mounts/mounts.ts'
import {
  type LeaseCountQuota,
  quotaPath,
  type RateLimitQuota,
} from '../../../state/secrets/quotas/quotas.ts'
import { closestName } from '../../http/declare/similarity.ts'
import type { Diagnosis } from '../../http/journal-hooks/api-explanations.ts'
import type { RefusedRequest } from '../../http/journal-hooks/token-corrections.ts'
import { type Explanations, joinNames, memberOf, withoutMembers } from './names.ts'
import { mountPathsIn, targetOf } from './request-target.ts'
import { explainRateLimit } from './requests.ts'
import { sendTo, withField } from './root-requests.ts'

/** Formats the paths and the role that a quota limits, for a sentence. */
function scopeOf(quota: RateLimitQuota | LeaseCountQuota): string {
  const path = quotaPath(quota)
  const role = quota.role === '' ? '' : ` with the role ${quota.role}`
  return `${path === '' ? 'all paths' : `paths below ${path}`}${role}`
}

/**
 * Explains that the client has sent more requests than a quota or the option `rateLimit` allows.
 */
function explainRate(request: RefusedRequest): Diagnosis {
  const { refusal, path } = request
  const { quota, until } = { ...refusal?.details } as {
    readonly quota?: RateLimitQuota
    readonly until?: number
  }
  if (quota === undefined) return explainRateLimit(request)
  const { name, rate, interval } = quota
  const end = formatTimestamp(until ?? request.at)
  return {
    because: `the request to ${path} exceeds the quota ${name}, which allows ${rate} requests in ${interval} s of the world's clock for ${scopeOf(quota)}; requests are allowed again at ${end}`,
    change: `Retry at ${end}, or raise the rate of sys/quotas/rate-limit/${name}`,
    request: {},
    spec: 'behaviour/secrets#quotas',
  }
}

function explainLeaseCount(request: RefusedRequest): Diagnosis | undefined {
  const quota = request.refusal?.details['quota'] as LeaseCountQuota | undefined
  if (quota === undefined) return undefined
  const { name, max_leases, role } = quota
  const body = { max_leases: max_leases * 2, path: quotaPath(quota), role }
  return {
    because: `${max_leases} leases exist, which is the maximum of the quota ${name} for ${scopeOf(quota)}`,
    ...sendTo(
      request,
      `sys/quotas/lease-count/${name}`,
      () => body,
      'Revoke a lease, or raise "max_leases"',
    ),
    spec: 'behaviour/secrets#quotas',
  }
}

function explainUnknownMount(request: RefusedRequest): Diagnosis {
  const path = String(memberOf(request, 'path'))
  const known = mountPathsIn(request.world, targetOf(request).namespace)
  const closest = closestName(path.endsWith('/') ? path : `${path}/`, known)
  const because = `nothing is mounted at the path of the quota, ${path}; mounts exist at ${closest ?? joinNames(known)}`
  return { because, ...withField('path', closest ?? '')(request) }
}

function explainRoleWithoutMethod(request: RefusedRequest): Diagnosis {
  const path = String(memberOf(request, 'path') ?? '')
  return {
    because: `"role" limits the logins of a role, but ${path} is not a login method with roles (below ${authPrefix})`,
    ...withoutMembers('role'),
  }
}

/** Explanations of refusals by quotas, and of refusals to store a quota. */
export const quotaExplanations: Explanations = {
  'rate-limit-exceeded': explainRate,
  'lease-count-exceeded': explainLeaseCount,
  'quota-mount-unknown': explainUnknownMount,
  'quota-mount-without-roles': explainRoleWithoutMethod,
  'quota-method-without-roles': explainRoleWithoutMethod,
  'quota-path-and-role': (request) => ({
    because: `"role" applies to a whole login method, but "path" is ${String(memberOf(request, 'path'))}, a path below a mount`,
    ...withoutMembers('role'),
  }),
  'quota-limit-invalid': (request) => {
    const name = String(request.refusal?.params['name'])
    const sent = memberOf(request, name)
    return {
      because: `"${name}" is ${sent === undefined ? 'missing' : String(sent)}; it must be more than 0`,
      ...withField(name, 10)(request),
    }
  },
  'quota-similar': (request) => {
    const other = String(request.refusal?.params['name']).replaceAll('"', '')
    const to = request.path.slice(0, request.path.lastIndexOf('/') + 1) + other
    return {
      because: `the quota ${other} already applies to the same path and role`,
      change: `Change the quota ${other}`,
      request: { path: to },
    }
  },
}
