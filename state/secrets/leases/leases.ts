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
 * The work that ends a lease, as plain data: a job of the service and its id. The job runs inside
 * the transaction that ends the lease; an engine registers it with its other jobs and stores what
 * it needs in rows of its own.
 */
interface LeaseEnd {
  /** Name of a job in the service's definition, such as `secrets.orch.revoke`. */
  readonly job: string
  readonly id: string
  /**
   * Name of a job that runs instead if the lease ends although the engine refuses. The job removes
   * the engine's rows about the secret.
   */
  readonly abandonJob?: string
}

/** Treatment of an engine's refusal to revoke: `refuse` keeps the lease, `force` ends it anyway. */
export type RevokeMode = 'refuse' | 'force'

/**
 * Runs the work that ends a lease. With `force`, a refusal of the engine rolls back only the
 * engine's writes, and the secret is abandoned; otherwise the refusal is rethrown.
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

/** Messages about leases (behaviour/secrets#leases). */
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
   * The request path, a slash and 24 letters and digits; outside the root namespace followed by a
   * period and the namespace's id.
   */
  id: text,
  /** Namespace id. */
  namespace: text,
  /** The request path within the namespace. */
  path: text,
  /**
   * The requesting token, whose end also ends the lease: its accessor, or the id of a batch token.
   */
  holder: text,
  issue_time: int,
  expire_time: int,
  last_renewal: nullable(int),
  renewable: bool,
  /** The TTL granted last. */
  ttl: uint,
  /** The engine's own maximum TTL; 0 if the mount's applies. */
  max_ttl: uint,
  /** The engine's TTL of renewals without an increment; 0 if the mount's applies. */
  default_ttl: optional(uint),
  revoke: nullable(struct({ job: text, id: text, abandonJob: optional(text) })),
  /** Work of the engine at each renewal. */
  renew: optional(struct({ job: text, id: text })),
})
export interface Lease extends StoredOf<typeof leaseShape> {}

/** Leases by `<namespace id>/<lease id>`; `byHolder` by the holder, `/` and that key. */
export const leases = secretsTable('leases', leaseShape, {
  secrets: { members: ['holder'] },
  indexes: { byHolder: (lease) => `${lease.holder}/${keyOf(lease)}` },
})

const expireJob = 'secrets.lease.expire'
/** The job of tokens.ts that revokes a token. */
export const tokenExpireJob = 'secrets.token.expire'

/** A secret that an engine leases. TTLs in seconds. */
export interface LeaseSpec {
  readonly namespace: InNamespace
  /** The request path within the namespace. */
  readonly path: string
  readonly token: Token
  readonly renewable: boolean
  readonly ttl: number
  readonly maxTtl?: number
  /** TTL of renewals without an increment; the TTL granted last if it is left out. */
  readonly defaultTtl?: number
  readonly revoke?: LeaseEnd
  /** Job that runs in the transaction of a renewal. The job's `at` is the new end of the lease. */
  readonly renew?: LeaseEnd
}

/** Issues a lease with exactly the TTL `ttl`. The engine has already applied the limits. */
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

/** The times of a lease of a secret or a token. */
type LeaseTimes = Pick<Lease, 'id' | 'issue_time' | 'expire_time' | 'last_renewal' | 'renewable'>

/**
 * Returns the times of a lease of a secret or a token; undefined if there is no such lease or it
 * has ended.
 */
export function findLease(
  world: World,
  namespace: InNamespace,
  id: string,
): LeaseTimes | undefined {
  const key = `${namespace.id}/${id}`
  const lease = world.table(leases).get(key)
  if (lease !== undefined) return lease.expire_time > world.clock.now() ? lease : undefined
  const leased = tokenLeasedAt(world, key)
  const token = leased === undefined ? undefined : findToken(world, leased)
  if (token === undefined || token.expire_time === null) return undefined
  const { expire_time, last_renewal, renewable } = token
  return { id, issue_time: token.creation_time, expire_time, last_renewal, renewable }
}

/**
 * Returns the names below a prefix, sorted; names of folders end with a slash.
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
 * Renews a lease by `increment` seconds; if that is 0, by the TTL of the engine's role, or by the TTL
 * granted last for engines without one.
 *
 * @returns the lease, and warnings about limits that shortened it.
 * @throws Refusal `invalid`: `lease not found`, `lease expired`, `lease is not renewable`, `tokens
 *   cannot be renewed through this endpoint`.
 */
export function renewLease(
  world: World,
  namespace: InNamespace,
  id: string,
  increment: number,
): { readonly lease: Lease; readonly warnings: readonly Message[] } {
  const key = `${namespace.id}/${id}`
  const leased = tokenLeasedAt(world, key)
  if (leased !== undefined) {
    const isRenewable = findToken(world, leased)?.renewable === true
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
  const renewed: Lease = { ...lease, ttl, expire_time: now + ttl * 1000, last_renewal: now }
  world.write(() => {
    if (lease.renew !== undefined) {
      jobNamed(world, lease.renew.job)(world, { at: renewed.expire_time, ...lease.renew })
    }
    world.table(leases).put(key, renewed)
    world.agenda.schedule({ at: renewed.expire_time, job: expireJob, id: key })
  })
  return { lease: renewed, warnings }
}

/** Ends a lease of a secret or a token. Does nothing if there is no such lease. */
export function revokeLease(
  world: World,
  namespace: InNamespace,
  id: string,
  mode: RevokeMode = 'refuse',
): void {
  endLease(world, `${namespace.id}/${id}`, mode)
}

/**
 * Ends every lease at or below a prefix: `orch/creds`, or `auth/cloud/`, which revokes tokens. A
 * prefix without a closing slash is the id of one lease or the name of a folder.
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

/** Returns the leases of secrets that a token holds. The token's own lease is not included. */
export function heldLeases(world: World, token: Token): Lease[] {
  return [
    ...world
      .table(leases)
      .index('byHolder')
      .rows(`${holderOf(token)}/`),
  ]
}

/** Ends the leases that a token holds. Called when the token is revoked. */
export function revokeHeldLeases(world: World, token: Token): void {
  for (const lease of heldLeases(world, token)) endLease(world, keyOf(lease), 'force')
}

/** Returns the id of the token whose lease has this row key; undefined if there is none. */
function tokenLeasedAt(world: World, key: string): string | undefined {
  return world.table(tokens).index('byLease').keyOf(key)
}

function keyOf(lease: Lease): string {
  return `${lease.namespace}/${lease.id}`
}

/** Ends the lease with this row key. Returns false if there is no such lease. */
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

/** Handler of the job that ends a lease when it expires. */
export const leaseJobs: Readonly<Record<string, JobHandler>> = {
  [expireJob]: (world, { id }) => {
    endLease(world, id, 'force')
  },
}
