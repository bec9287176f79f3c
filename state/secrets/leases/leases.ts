import type { Message } from '../../kernel/message.ts'
import { defineMessages, Refusal } from '../../kernel/refusal.ts'
import { bool, int, nullable, text, uint } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { commonMessages } from '../common-messages.ts'
import type { InNamespace } from '../namespaces/namespaces.ts'
import { secretsTable } from '../table.ts'
import { grantTtl, limitsAt } from '../tokens/lifetime.ts'
import { findToken, holderOf, type Token, tokens } from '../tokens/rows.ts'

/**
 * The job that an engine runs to end a lease. The job runs inside the transaction that ends the
 * lease. An engine registers the job in its service, and stores the data of the job in its own
 * tables.
 */
interface LeaseEnd {
  /** Name of a job in the service's definition, such as `secrets.orch.revoke`. */
  readonly job: string
  readonly id: string
  /**
   * Job that runs instead of `job` if the engine refuses to revoke but the lease ends anyway. This
   * job deletes the engine's rows about the secret.
   */
  readonly abandonJob?: string
}

/**
 * Effect of an engine's refusal to revoke: `refuse` keeps the lease, `force` ends the lease anyway.
 */
export type RevokeMode = 'refuse' | 'force'

/**
 * Runs the job that ends a lease. If the engine refuses, `force` rolls back the writes of the job
 * and runs the lease's `abandonJob`; `refuse` rethrows the refusal.
 */
function runLeaseEnd(world: World, end: LeaseEnd, mode: RevokeMode): void {
  const job = jobNamed(world, end.job)
  const run = () => world.write(() => job(world, { at: world.clock.now(), ...end }))
  try {
    run()
  } catch (error) {
    if (mode === 'refuse' || !(error instanceof Refusal)) throw error
    const { abandonJob: name, id } = end
    if (name !== undefined) jobNamed(world, name)(world, { at: world.clock.now(), job: name, id })
  }
}

function jobNamed(world: World, name: string): JobHandler {
  for (const { jobs } of world.services) {
    const job = jobs[name]
    if (job !== undefined) return job
  }
  throw new Error(`no service knows the job ${name}, which a lease names for its end`)
}

export const { table, refuse } = defineMessages({
  ...commonMessages,
  'lease-of-token': { kind: 'invalid', text: 'tokens cannot be renewed through this endpoint' },
  'lease-not-found': { kind: 'invalid', text: 'lease not found' },
  'lease-expired': { kind: 'invalid', text: 'lease expired' },
})

/**
 * A lease of a generated secret (behaviour/secrets#leases). Instants in milliseconds since 1970,
 * TTLs in seconds.
 */
const leaseShape = struct({
  /**
   * Request path, a slash, and 24 letters and digits. Outside the root namespace, a period and the
   * namespace's id follow.
   */
  id: text,
  /** Namespace id. */
  namespace: text,
  /** Request path within the namespace. */
  path: text,
  /**
   * Accessor of the token that requested the secret, or the id of a batch token. The lease ends
   * with the token.
   */
  holder: text,
  issue_time: int,
  expire_time: int,
  last_renewal: nullable(int),
  renewable: bool,
  /** The TTL, in seconds, of the last grant or renewal. */
  ttl: uint,
  /** The engine's own maximum TTL; 0 if the mount's maximum applies. */
  max_ttl: uint,
  /**
   * TTL that the engine sets for renewals without an increment: 0 for the mount's TTL, undefined
   * for the last TTL.
   */
  default_ttl: optional(uint),
  revoke: nullable(struct({ job: text, id: text, abandonJob: optional(text) })),
  /** Job of the engine that runs at each renewal. */
  renew: optional(struct({ job: text, id: text })),
})
export interface Lease extends StoredOf<typeof leaseShape> {}

/**
 * Leases by `<namespace id>/<lease id>`. Index `byHolder`: `<holder>/<namespace id>/<lease id>`.
 */
export const leases = secretsTable('leases', leaseShape, {
  secrets: { members: ['holder'] },
  indexes: { byHolder: (lease) => `${lease.holder}/${keyOf(lease)}` },
})

const expireJob = 'secrets.lease.expire'
/**
 * Name of the job in `tokens.ts` that revokes a token; declared here to avoid a cycle of imports.
 */
export const tokenExpireJob = 'secrets.token.expire'

/** A lease that an engine issues. TTLs in seconds. */
export interface LeaseSpec {
  readonly namespace: InNamespace
  /** Request path within the namespace. */
  readonly path: string
  readonly token: Token
  readonly renewable: boolean
  readonly ttl: number
  readonly maxTtl?: number
  /** TTL of renewals without an increment. If left out, such renewals grant the last TTL again. */
  readonly defaultTtl?: number
  readonly revoke?: LeaseEnd
  /**
   * Job that runs in the transaction of a renewal. The `at` of the job is the new expiry of the
   * lease.
   */
  readonly renew?: LeaseEnd
}

/**
 * Stores a lease with exactly the TTL `ttl`, and schedules its expiry. The engine must have applied
 * the limits before.
 */
export function registerLease(world: World, spec: LeaseSpec): Lease {
  const { namespace, path, token, renewable, ttl, maxTtl = 0, revoke = null, renew } = spec
  const { defaultTtl: default_ttl } = spec
  const now = world.clock.now()
  const suffix = namespace.id === 'root' ? '' : `.${namespace.id}`
  const lease: Lease = {
    id: `${path}/${world.ids.base62(24)}${suffix}`,
    namespace: namespace.id,
    path,
    holder: holderOf(token),
    issue_time: now,
    expire_time: now + ttl * 1000,
    last_renewal: null,
    renewable,
    ttl,
    max_ttl: maxTtl,
    ...(default_ttl === undefined ? {} : { default_ttl }),
    revoke,
    ...(renew === undefined ? {} : { renew }),
  }
  world.write(() => {
    const key = keyOf(lease)
    world.table(leases).put(key, lease)
    world.agenda.schedule({ at: lease.expire_time, job: expireJob, id: key })
  })
  return lease
}

/** Times of a lease, which can be the lease of a secret or of a token. */
type LeaseTimes = Pick<Lease, 'id' | 'issue_time' | 'expire_time' | 'last_renewal' | 'renewable'>

/** Finds a lease of a secret or of a token. Returns undefined for an unknown or expired lease. */
export function findLease(
  world: World,
  namespace: InNamespace,
  id: string,
): LeaseTimes | undefined {
  const key = `${namespace.id}/${id}`
  const lease = world.table(leases).get(key)
  if (lease !== undefined) return lease.expire_time > world.clock.now() ? lease : undefined
  const tokenId = tokenLeasedAt(world, key)
  const token = tokenId === undefined ? undefined : findToken(world, tokenId)
  if (token === undefined || token.expire_time === null) return undefined
  const { expire_time, last_renewal, renewable } = token
  return { id, issue_time: token.creation_time, expire_time, last_renewal, renewable }
}

/**
 * Lists the next path segments of lease ids below a prefix, sorted. Segments that are not the last
 * of an id end with a slash.
 * @param prefix ends with a slash unless empty
 */
export function leasesUnder(world: World, namespace: InNamespace, prefix: string): string[] {
  const from = `${namespace.id}/${prefix}`
  const names = new Set([
    ...world.table(leases).children(from),
    ...world.table(tokens).index('byLease').children(from),
  ])
  return [...names].sort()
}

/**
 * Renews a lease by `increment` seconds. An increment of 0 requests the TTL that the engine sets
 * for renewals, or the last TTL if the engine sets no TTL.
 *
 * @returns the lease, and warnings about limits that shortened the TTL
 * @throws Refusal `invalid`: `lease not found`, `lease expired`, `lease is not renewable`, `tokens
 *   cannot be renewed through this endpoint`; and the engine's refusals
 */
export function renewLease(
  world: World,
  namespace: InNamespace,
  id: string,
  increment: number,
): { readonly lease: Lease; readonly warnings: readonly Message[] } {
  const key = `${namespace.id}/${id}`
  const tokenId = tokenLeasedAt(world, key)
  if (tokenId !== undefined) {
    const isRenewable = findToken(world, tokenId)?.renewable === true
    throw refuse(isRenewable ? 'lease-of-token' : 'lease-not-renewable')
  }
  const lease = world.table(leases).get(key)
  if (lease === undefined) throw refuse('lease-not-found')
  const now = world.clock.now()
  if (lease.expire_time <= now) throw refuse('lease-expired')
  if (!lease.renewable) throw refuse('lease-not-renewable')
  const { ttl, warnings } = grantTtl(
    limitsAt(world, lease.namespace, lease.path),
    {
      increment,
      ttl: lease.default_ttl ?? lease.ttl,
      maxTtl: lease.max_ttl,
      issued: lease.issue_time,
    },
    now,
  )
  const renewedLease: Lease = { ...lease, ttl, expire_time: now + ttl * 1000, last_renewal: now }
  world.write(() => {
    if (lease.renew !== undefined) {
      jobNamed(world, lease.renew.job)(world, { at: renewedLease.expire_time, ...lease.renew })
    }
    world.table(leases).put(key, renewedLease)
    world.agenda.schedule({ at: renewedLease.expire_time, job: expireJob, id: key })
  })
  return { lease: renewedLease, warnings }
}

/**
 * Ends a lease of a secret or of a token. Does nothing for an unknown lease. In the mode `refuse`,
 * throws the engine's refusal and keeps the lease.
 */
export function revokeLease(
  world: World,
  namespace: InNamespace,
  id: string,
  mode: RevokeMode = 'refuse',
): void {
  endLease(world, `${namespace.id}/${id}`, mode)
}

/**
 * Ends every lease at or below a prefix, such as `orch/creds`. A prefix of login paths, such as
 * `auth/cloud/`, revokes the tokens of a login method. A prefix without a trailing slash can be the
 * id of one lease. In the mode `refuse`, throws the first refusal of an engine and keeps all
 * leases.
 */
export function revokeLeasesUnder(
  world: World,
  namespace: InNamespace,
  prefix: string,
  mode: RevokeMode = 'refuse',
): void {
  const exact = `${namespace.id}/${prefix}`
  const folder = prefix === '' || prefix.endsWith('/') ? exact : `${exact}/`
  world.write(() => {
    if (endLease(world, exact, mode)) return
    const secrets = Array.from(world.table(leases).entries(folder), ([key]) => key)
    for (const key of secrets) endLease(world, key, mode)
    const held = Array.from(world.table(tokens).index('byLease').entries(folder), ([key]) => key)
    for (const key of held) endLease(world, key, mode)
  })
}

/** Returns the leases of secrets that a token requested, without the lease of the token itself. */
export function heldLeases(world: World, token: Token): Lease[] {
  return [
    ...world
      .table(leases)
      .index('byHolder')
      .rows(`${holderOf(token)}/`),
  ]
}

/**
 * Ends the leases that a token holds, even if an engine refuses. Called when the token is revoked.
 */
export function revokeHeldLeases(world: World, token: Token): void {
  for (const lease of heldLeases(world, token)) endLease(world, keyOf(lease), 'force')
}

/**
 * Returns the id of the token whose own lease has this row key; undefined for a lease of a secret.
 */
function tokenLeasedAt(world: World, key: string): string | undefined {
  return world.table(tokens).index('byLease').keyOf(key)
}

function keyOf(lease: Lease): string {
  return `${lease.namespace}/${lease.id}`
}

/**
 * Ends the lease with this row key. Returns false for an unknown lease. In the mode `refuse`,
 * throws the engine's refusal and keeps the lease.
 */
function endLease(world: World, key: string, mode: RevokeMode): boolean {
  const lease = world.table(leases).get(key)
  const token = tokenLeasedAt(world, key)
  if (lease === undefined && token === undefined) return false
  world.write(() => {
    if (lease !== undefined) {
      if (lease.revoke !== null) runLeaseEnd(world, lease.revoke, mode)
      world.table(leases).delete(key)
      world.agenda.cancel(expireJob, key)
    }
    if (token !== undefined) runLeaseEnd(world, { job: tokenExpireJob, id: token }, mode)
  })
  return true
}

export const leaseJobs: Readonly<Record<string, JobHandler>> = {
  [expireJob]: (world, { id }) => {
    endLease(world, id, 'force')
  },
}
