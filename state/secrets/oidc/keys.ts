import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { quoteGo } from '../../go/text.ts'
import { int, list, map, nullable, text, uint } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, nextWal, walField } from '../mounts/mounts.ts'
import { secretsTable } from '../table.ts'
import { makeKey, privateKeyOf } from '../transit/material.ts'
import type { KeyType } from '../transit/types.ts'
import { BuiltInRows } from './built-in-rows.ts'
import { refuse } from './messages.ts'

/** Key types by algorithm name, as in the header `alg` of a JWT. */
const algorithms: Readonly<Record<string, KeyType>> = {
  RS256: 'rsa-2048',
  RS384: 'rsa-2048',
  RS512: 'rsa-2048',
  ES256: 'ecdsa-p256',
  ES384: 'ecdsa-p384',
  ES512: 'ecdsa-p521',
  EdDSA: 'ed25519',
}

export const oidcAlgorithms = Object.keys(algorithms)

/**
 * A named key that signs identity tokens (behaviour/secrets#identity-tokens). A key consists of
 * several key pairs.
 */
export const oidcKeyShape = struct({
  algorithm: text,
  /** Seconds between rotations. */
  rotation_period: uint,
  /** Seconds for which the old public key is published after a rotation. */
  verification_ttl: uint,
  /** Ids of the roles and clients that may use the key; `*` allows all. */
  allowed_client_ids: list(text),
  /** Instant of the next rotation in milliseconds since 1970. */
  next_rotation: int,
  /**
   * Key pairs by id. A pair expires at `expire_at`, in milliseconds since 1970; null until the pair
   * is rotated out.
   */
  ring: map(struct({ private_key: text, expire_at: nullable(int) })),
  /** Id of the key pair that signs until the next rotation; empty until it is generated. */
  signing: text,
  /** Id of the key pair that signs after the next rotation; empty until it is generated. */
  next: text,
  ...walField,
})
export interface OidcKey extends StoredOf<typeof oidcKeyShape> {}

/** Keys by `<mount uuid>/<name>`. The mount is that of the identity store. */
export const oidcKeyTable = secretsTable('oidc-keys', oidcKeyShape, {
  secrets: { members: ['ring/*/private_key'] },
})

const daySeconds = 24 * 60 * 60

const defaultKey: OidcKey = {
  algorithm: 'RS256',
  rotation_period: daySeconds,
  verification_ttl: daySeconds,
  allowed_client_ids: ['*'],
  next_rotation: 0,
  ring: {},
  signing: '',
  next: '',
}

/** The keys of each namespace. The built-in key `default` always exists. */
export const oidcKeys = new BuiltInRows(
  oidcKeyTable,
  () => refuse('nothing-here'),
  'default',
  defaultKey,
)

/** A change of a key; members that are left out keep their values. */
type OidcKeyChange = Partial<
  Pick<OidcKey, 'algorithm' | 'rotation_period' | 'verification_ttl' | 'allowed_client_ids'>
>

/**
 * Longest token lifetime, in seconds, among the roles that use a key, and among the clients that
 * use it.
 */
interface KeyUses {
  readonly roles: number
  readonly clients: number
}

const rotateJob = 'secrets.oidc.rotate'

/**
 * Creates or changes a key, and schedules its rotation. Generates key pairs for a new key and for a
 * key with a new algorithm.
 * @throws Refusal `invalid` for the first check that fails, in the order of
 *   behaviour/secrets#identity-tokens
 */
export function writeOidcKey(
  world: World,
  mount: Mount,
  name: string,
  change: OidcKeyChange,
  uses: KeyUses,
): void {
  const before = oidcKeys.find(world, mount, name)
  const newKeyDefaults = { ...defaultKey, allowed_client_ids: [] }
  const merged: OidcKey = { ...(before ?? newKeyDefaults), ...change }
  const { rotation_period, verification_ttl, algorithm } = merged
  if (rotation_period < 60) throw refuse('oidc-rotation-period-short')
  if (verification_ttl > 10 * rotation_period) throw refuse('oidc-verification-ttl-long')
  const shortenedKey = { name: quoteGo(name), ttl: verification_ttl }
  if (uses.roles > verification_ttl) throw refuse('oidc-key-shorter-than-roles', shortenedKey)
  if (uses.clients > verification_ttl) throw refuse('oidc-key-shorter-than-clients', shortenedKey)
  if (!Object.hasOwn(algorithms, algorithm)) {
    throw refuse('oidc-algorithm-unknown', { algorithm: quoteGo(algorithm) })
  }
  const next = world.clock.now() + rotation_period * 1000
  const next_rotation = Math.min(merged.next_rotation || next, next)
  const changed = { ...merged, next_rotation }
  const hasNewPairs = before === undefined || before.algorithm !== algorithm
  const key = hasNewPairs ? withPair(world, withPair(world, changed, 'signing'), 'next') : changed
  storeKey(world, oidcKeys.keyOf(mount, name), key)
}

/**
 * Finds a key for signing; undefined for an unknown name. On the first use of the built-in key,
 * generates and stores its key pairs, and schedules its rotation.
 */
export function requireKeyPairs(world: World, mount: Mount, name: string): OidcKey | undefined {
  const key = oidcKeys.find(world, mount, name)
  if (key === undefined || key.signing !== '') return key
  const next_rotation = world.clock.now() + key.rotation_period * 1000
  const keyWithPairs = withPair(
    world,
    withPair(world, { ...key, next_rotation }, 'signing'),
    'next',
  )
  storeKey(world, oidcKeys.keyOf(mount, name), keyWithPairs)
  return keyWithPairs
}

/** Builds an RS256 key with one key pair, which is never rotated. Does not store the key. */
export function newSigningKey(world: World): OidcKey {
  return withPair(world, defaultKey, 'signing')
}

/**
 * Returns a copy of a key with a new key pair.
 * @param use member of the key that refers to the new pair
 */
function withPair(world: World, key: OidcKey, use: 'signing' | 'next'): OidcKey {
  const id = world.ids.uuid()
  const type = algorithms[key.algorithm] ?? 'rsa-2048'
  const private_key = makeKey(world.ids, type, 0, (now, later) => world.part(now, later))
  return { ...key, ring: { ...key.ring, [id]: { private_key, expire_at: null } }, [use]: id }
}

function storeKey(world: World, id: string, key: OidcKey): void {
  world.write(() => {
    world.table(oidcKeyTable).put(id, { ...key, wal: nextWal(world) })
    world.agenda.cancel(rotateJob, id)
    world.agenda.schedule({ at: key.next_rotation, job: rotateJob, id })
  })
}

/**
 * Rotates a key now.
 *
 * @param ttl seconds for which the old public key is published; by default the key's
 *   `verification_ttl`
 * @throws Refusal for an unknown key
 */
export function rotateOidcKey(world: World, mount: Mount, name: string, ttl?: number): void {
  if (oidcKeys.find(world, mount, name) === undefined) {
    throw refuse('oidc-key-to-rotate-unknown', { name: quoteGo(name) })
  }
  const key = requireKeyPairs(world, mount, name) ?? defaultKey
  rotateKeyRow(world, oidcKeys.keyOf(mount, name), key, ttl)
}

function rotateKeyRow(world: World, id: string, key: OidcKey, ttl = key.verification_ttl): void {
  const now = world.clock.now()
  const live = Object.entries(key.ring).filter(([, pair]) => !isExpired(pair, now))
  const ring = Object.fromEntries(live)
  const replacedPair = ring[key.signing]
  if (replacedPair !== undefined)
    ring[key.signing] = { ...replacedPair, expire_at: now + ttl * 1000 }
  const next_rotation = now + key.rotation_period * 1000
  const rotated = { ...key, ring, signing: key.next, next_rotation }
  storeKey(world, id, withPair(world, rotated, 'next'))
}

export const oidcJobs: Readonly<Record<string, JobHandler>> = {
  [rotateJob]: (world, { id }) => {
    const key = world.table(oidcKeyTable).get(id)
    if (key !== undefined) rotateKeyRow(world, id, key)
  },
}

/**
 * Deletes a key.
 *
 * @param users names of the roles and clients that use the key
 * @throws Refusal if a role or client uses the key, and for the key `default`
 */
export function deleteOidcKey(
  world: World,
  mount: Mount,
  name: string,
  users: { readonly roles: readonly string[]; readonly clients: readonly string[] },
): void {
  if (name === 'default') throw refuse('oidc-default-key-stays')
  for (const kind of ['roles', 'clients'] as const) {
    const names = users[kind]
    const rule = kind === 'roles' ? 'oidc-key-of-roles' : 'oidc-key-of-clients'
    if (names.length > 0) throw refuse(rule, { name: quoteGo(name), names: names.join(', ') })
  }
  world.write(() => {
    oidcKeys.remove(world, mount, name)
    world.agenda.cancel(rotateJob, oidcKeys.keyOf(mount, name))
  })
}

function isExpired({ expire_at }: OidcKey['ring'][string], now: number): boolean {
  return expire_at !== null && expire_at < now
}

/** Returns whether a role or client with this id may use a key. */
export function allowsClient({ allowed_client_ids: ids }: OidcKey, id: string): boolean {
  return ids.includes('*') || ids.includes(id)
}

/** A public key in a key set (RFC 7517). */
export type PublicJwk = Readonly<JsonWebKey> & { readonly kid: string }

/** Returns the public keys to publish, which belong to all key pairs that have not expired. */
export function publicKeysOf(world: World, key: OidcKey): PublicJwk[] {
  const now = world.clock.now()
  const published = world.derived(key, exportPublicKeys)
  return published.filter(({ kid }) => {
    const pair = key.ring[kid]
    return pair !== undefined && !isExpired(pair, now)
  })
}

function exportPublicKeys({ ring, algorithm: alg }: OidcKey): PublicJwk[] {
  return Object.entries(ring).map(([kid, { private_key }]) => {
    const key = createPublicKey(privateKeyOf({ key: private_key }))
    const { kty, crv, n, e, x, y } = key.export({ format: 'jwk' })
    const parts = { crv, alg, n, e, x, y }
    const present = Object.entries(parts).filter(([, value]) => value !== undefined)
    return { use: 'sig', kty, kid, ...Object.fromEntries(present) } as PublicJwk
  })
}

/**
 * Returns the seconds until the first of the keys rotates. Returns undefined if no key has key
 * pairs.
 */
export function secondsToRotation(world: World, keys: readonly OidcKey[]): number | undefined {
  const instants = keys.filter(({ signing }) => signing !== '').map((key) => key.next_rotation)
  if (instants.length === 0) return undefined
  const next = instants.reduce((a, b) => Math.min(a, b))
  return Math.max(0, Math.round((next - world.clock.now()) / 1000))
}

/** Returns the private key that signs until the next rotation. */
export function signingKeyOf(world: World, key: OidcKey): KeyObject {
  return world.derived(key, loadSigningKey)
}

function loadSigningKey({ ring, signing }: OidcKey): KeyObject {
  return privateKeyOf({ key: ring[signing]?.private_key ?? '' })
}
