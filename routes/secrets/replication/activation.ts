import { STATUS_CODES } from 'node:http'
import type { Refusal } from '../../../state/kernel/refusal.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { decryptSealed, encryptFor } from '../../../state/secrets/replication/keys.ts'
import { replicationRow } from '../../../state/secrets/replication/modes.ts'
import { checkReplicationMove } from '../../../state/secrets/replication/replication.ts'
import {
  addPendingSecondary,
  checkNewSecondary,
} from '../../../state/secrets/replication/secondaries.ts'
import { clusterAddress } from '../../../state/secrets/replication/status.ts'
import { jwtClaims } from '../../../state/secrets/wrapping/jwt.ts'
import { opaqueTokenId, type WrapInfo, wrap } from '../../../state/secrets/wrapping/wrapping.ts'
import { refuse } from '../messages.ts'
import { PrimaryFailure } from './primary-peer.ts'

/** The content of an activation token: all data that a secondary needs to join. */
export interface Membership {
  readonly id: string
  readonly credential: string
  readonly cluster_id: string
  readonly api_address: string
  readonly cluster_address: string
}

/** Parameters of a request for an activation token. */
interface Invitation {
  /** The name that the operator gives the secondary. */
  readonly id: string
  /** Time to live in seconds. */
  readonly ttl: number
  /** Path of the request, relative to the namespace. */
  readonly path: string
  /** Address at which the primary's API was called. */
  readonly address: string
}

/**
 * Registers a secondary, and returns the data that it needs to join in a wrapping token
 * (behaviour/secrets#replication). Throws a refusal if the cluster cannot register the secondary.
 */
export function issueWrappedToken(world: World, invitation: Invitation): WrapInfo {
  const { ttl, path, address } = invitation
  const membership = newMembership(world, invitation)
  return world.write(() => {
    const text = JSON.stringify(wrapInEnvelope(world, membership))
    const info = wrap(world, { text, ttl, path, address })
    registerSecondary(world, membership, ttl, opaqueTokenId(world, info.token) ?? '')
    return info
  })
}

/**
 * Registers a secondary, and returns the data that it needs to join. The data are encrypted with
 * the given public key and encoded as base64url. Creates no wrapping token. Throws a refusal if the
 * cluster cannot register the secondary.
 */
export function issueSealedToken(world: World, key: Uint8Array, invitation: Invitation): string {
  const membership = newMembership(world, invitation)
  return world.write(() => {
    registerSecondary(world, membership, invitation.ttl, '')
    return encryptFor(world, key, JSON.stringify(membership))
  })
}

function newMembership(world: World, { id, address }: Invitation): Membership {
  checkReplicationMove(world, 'issue-token')
  checkNewSecondary(world, id)
  const row = replicationRow(world)
  const provided = row?.mode === 'primary' ? row.primary_cluster_addr : ''
  return {
    id,
    credential: world.ids.base62(48),
    cluster_id: row?.cluster_id ?? '',
    api_address: address,
    cluster_address: provided || clusterAddress(address),
  }
}

function registerSecondary(
  world: World,
  { id, credential }: Membership,
  ttl: number,
  wrapping: string,
): void {
  const expires = world.clock.now() + ttl * 1000
  addPendingSecondary(world, { id, credential, wrapping_token: wrapping, expires })
}

function wrapInEnvelope(world: World, data: Membership): object {
  return {
    request_id: world.ids.uuid(),
    lease_id: '',
    renewable: false,
    lease_duration: 0,
    data,
    wrap_info: null,
    warnings: null,
    auth: null,
  }
}

/** The content of an activation token, as far as it can be read without the primary. */
type ActivationToken =
  | { readonly kind: 'wrapped'; readonly token: string; readonly address: string }
  | { readonly kind: 'sealed'; readonly membership: Membership }

/**
 * Parses an activation token. Refuses an empty token, and a token that is neither a JWT nor
 * encrypted for this cluster. Throws an error if an encrypted token does not contain the data of a
 * membership.
 */
export function readActivationToken(world: World, token: string): ActivationToken {
  if (token === '') throw refuse('activation-token-missing')
  const claims = jwtClaims(token)
  if (claims !== undefined) return { kind: 'wrapped', token, address: claims.addr }
  const membershipJson = decryptSealed(world, token)
  if (membershipJson === undefined) throw refuseUnwrap(400)
  return { kind: 'sealed', membership: readMembership(JSON.parse(membershipJson)) }
}

/**
 * Parses the reply body that was wrapped in an activation token. Throws an error for a body that
 * primaries do not send.
 */
export function membershipIn(text: string): Membership {
  const body: unknown = JSON.parse(text)
  if (typeof body !== 'object' || body === null || !('data' in body)) {
    throw new Error('the primary sent no data')
  }
  return readMembership(body.data)
}

function readMembership(value: unknown): Membership {
  const fields = Object.entries(value ?? {}) as [string, unknown][]
  const read = (name: keyof Membership): string => {
    const text = fields.find(([key]) => key === name)?.[1]
    if (typeof text !== 'string') throw new Error(`the primary sent no ${name}`)
    return text
  }
  return {
    id: read('id'),
    credential: read('credential'),
    cluster_id: read('cluster_id'),
    api_address: read('api_address'),
    cluster_address: read('cluster_address'),
  }
}

/** Returns the refusal for a failed attempt to join (behaviour/secrets#replication). */
export function refuseJoin(error: unknown): Refusal {
  if (error instanceof PrimaryFailure) return refuseUnwrap(error.status)
  const why = error instanceof Error ? error.message : String(error)
  return refuse('activation-failed', { why })
}

function refuseUnwrap(status: number): Refusal {
  const params = { status, message: `${status} ${STATUS_CODES[status] ?? 'unknown'}` }
  return status < 500
    ? refuse('activation-token-refused', params)
    : refuse('activation-upstream-failed', params)
}
