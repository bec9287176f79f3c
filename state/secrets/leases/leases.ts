import type { Message } from '../../kernel/message.ts'
import { defineMessages } from '../../kernel/refusal.ts'
import { bool, int, nullable, text, uint } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { commonMessages } from '../common-messages.ts'
import { grantTtl, limitsAt } from '../tokens/lifetime.ts'
import { findToken, holderOf, type Token, tokens } from '../tokens/rows.ts'
import { type LeaseEnd, type RevokeMode, runLeaseEnd } from './end.ts'

/** Texts about leases (behaviour/secrets#leases). */
export const { table: leaseTexts, refuse } = defineMessages({
  ...commonMessages,
  'lease-of-token': { kind: 'denied', text: 'tokens cannot be renewed through this endpoint' },
  'lease-not-found': { kind: 'invalid', text: 'lease not found' },
  'lease-expired': { kind: 'invalid', text: 'lease expired' },
})

/**
 * A lease of a generated secret (behaviour/secrets#leases). Instants in milliseconds
 * since 1970, TTLs in seconds.
 */
const leaseShape = struct({
  /** The path that was called, `/` and 24 letters and digits. */
  id: text,
  /** Namespace id. */
  namespace: text,
  /** The path that was called, from the namespace. */
  path: text,
  /** The token that asked for it and with which it dies: accessor, or id of a batch token. */
  holder: text,
  issue_time: int,
  expire_time: int,
  last_renewal: nullable(int),
  renewable: bool,
  /** Granted last. */
  ttl: uint,
  /** The engine's own maximum; 0 leaves the mount's. */
  max_ttl: uint,
  revoke: nullable(
    struct({
      job: text,
      id: text,
    }),
  ),
})
export interface Lease extends StoredOf<typeof leaseShape> {}

/** By `<namespace id>/<lease id>`; `byHolder` by the holder, `/` and that key. */
export const leases = defineTable({
  service: 'secrets',
  name: 'leases',
  indexes: { byHolder: (lease) => `${lease.holder}/${keyOf(lease)}` },
  shape: leaseShape,
})

const expireJob = 'secrets.lease.expire'
/** The job of tokens.ts that revokes a token. */
export const tokenExpireJob = 'secrets.token.expire'

type InNamespace = { readonly id: string }

/** An engine's knowledge of a secret that it leases out. TTLs in seconds. */
export interface LeaseSpec {
  readonly namespace: InNamespace
  /** The path that was called, from the namespace. */
  readonly path: string
  readonly token: Token
  readonly renewable: boolean
  readonly ttl: number
  readonly maxTtl?: number
  readonly revoke?: LeaseEnd
}

/** Issues a lease that lasts exactly `ttl`; the engine has already applied the limits. */
export function registerLease(world: World, spec: LeaseSpec): Lease {
  const { namespace, path, token, renewable, ttl, maxTtl = 0, revoke = null } = spec
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
    revoke,
  }
  world.write(() => {
    const key = keyOf(lease)
    world.table(leases).put(key, lease)
    world.agenda.schedule({ at: lease.expire_time, job: expireJob, id: key })
  })
  return lease
}

/** The times of a lease, be it a secret's or a token's. */
type LeaseTimes = Pick<Lease, 'id' | 'issue_time' | 'expire_time' | 'last_renewal' | 'renewable'>

/** Looks a lease up; undefined when it does not exist or is over. */
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

/** The names below a prefix that ends in `/` or is empty, folders with a closing slash, sorted. */
export function leasesUnder(world: World, namespace: InNamespace, prefix: string): string[] {
  const from = `${namespace.id}/${prefix}`
  const names = new Set([
    ...world.table(leases).children(from),
    ...world.table(tokens).index('byLease').children(from),
  ])
  return [...names].sort()
}

/**
 * Renews a lease by `increment` seconds, or by what was granted last when that is 0.
 *
 * @returns the lease and remarks about what was cut.
 * @throws invalid `lease not found`, `lease expired`, `lease is not renewable`.
 */
export function renewLease(
  world: World,
  namespace: InNamespace,
  id: string,
  increment: number,
): { readonly lease: Lease; readonly warnings: readonly Message[] } {
  const key = `${namespace.id}/${id}`
  if (tokenLeasedAt(world, key) !== undefined) {
    throw refuse('lease-of-token')
  }
  const lease = world.table(leases).get(key)
  if (lease === undefined) throw refuse('lease-not-found')
  const now = world.clock.now()
  if (lease.expire_time <= now) throw refuse('lease-expired')
  if (!lease.renewable) throw refuse('lease-not-renewable')
  const { ttl, warnings } = grantTtl(
    limitsAt(world, lease.namespace, lease.path),
    { increment, ttl: lease.ttl, maxTtl: lease.max_ttl, issued: lease.issue_time },
    now,
  )
  const renewed: Lease = { ...lease, ttl, expire_time: now + ttl * 1000, last_renewal: now }
  world.write(() => {
    world.table(leases).put(key, renewed)
    world.agenda.schedule({ at: renewed.expire_time, job: expireJob, id: key })
  })
  return { lease: renewed, warnings }
}

/** Ends a lease, a token's included; an unknown one is fine. */
export function revokeLease(
  world: World,
  namespace: InNamespace,
  id: string,
  mode: RevokeMode = 'refuse',
): void {
  endLease(world, `${namespace.id}/${id}`, mode)
}

/**
 * Ends every lease at or below a prefix: `orch/creds`, `auth/cloud/` (then tokens die). A prefix
 * without a closing slash may be the id of one lease; else it names a folder.
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

/** The leases that a token holds, its own not among them. */
export function heldLeases(world: World, token: Token): Lease[] {
  return [
    ...world
      .table(leases)
      .index('byHolder')
      .rows(`${holderOf(token)}/`),
  ]
}

/** Ends what a token holds; part of its revocation. */
export function revokeHeldLeases(world: World, token: Token): void {
  for (const lease of heldLeases(world, token)) endLease(world, keyOf(lease), 'force')
}

/** The id of the token whose lease has a key of the tables; undefined without one. */
function tokenLeasedAt(world: World, key: string): string | undefined {
  return world.table(tokens).index('byLease').keyOf(key)
}

function keyOf(lease: Lease): string {
  return `${lease.namespace}/${lease.id}`
}

/** Ends the lease with a key of the tables, if there is one. */
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

/** Ends a lease whose time has come. */
export const leaseJobs: Readonly<Record<string, JobHandler>> = {
  [expireJob]: (world, { id }) => {
    endLease(world, id, 'force')
  },
}
