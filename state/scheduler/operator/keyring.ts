import { greatest } from '../../kernel/lists.ts'
import { Ids } from '../../kernel/worlds/ids.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { serverOf } from '../agent/server.ts'
import { toNanoseconds } from '../cluster/model/evaluations.ts'
import { initialKeyId } from '../signing-key.ts'
import { type RootKey, type RootKeyRow, rootKeys } from './root-keys.ts'

export const keyAlgorithm = 'aes256-gcm'

/**
 * Returns the keys of a world, ordered by ID. Before the first rotation, the only key is the
 * initial key, which is not stored.
 */
export function rootKeyRows(world: World): readonly RootKeyRow[] {
  const rows = [...world.table(rootKeys).rows()]
  return rows.length > 0 ? rows : [initialKey(world)]
}

function initialKey(world: World): RootKeyRow {
  return {
    KeyID: initialKeyId(world),
    Algorithm: keyAlgorithm,
    CreateTime: toNanoseconds(serverOf(world).since),
    CreateIndex: 1,
    ModifyIndex: 1,
    State: 'active',
    PublishTime: 0,
    since: 0,
  }
}

export function keyMetadata({ since: _, ...metadata }: RootKeyRow): RootKey {
  return metadata
}

/** Time after which the reference rotates a key: 30 days, in seconds. */
const rotationInterval = 720 * 3600

/** Minimum result of `publicKeysAge`, in seconds. */
const minPublicKeyAge = 15 * 60

/**
 * Returns how many seconds clients may cache public keys (behaviour/scheduler#operator): half the
 * time until the reference would rotate the key, but at least `minPublicKeyAge`. The mock itself
 * rotates keys only on request.
 */
export function publicKeysAge(world: World): number {
  const newest = greatest(rootKeyRows(world).map(({ CreateTime }) => CreateTime)) / 1e9
  const untilRotation = newest + rotationInterval - world.clock.now() / 1000
  return Math.floor(Math.max(untilRotation / 2, minPublicKeyAge))
}

/**
 * Returns the public keys of a world as JSON web keys (behaviour/scheduler#operator). The mock
 * signs nothing and has no private keys. Each modulus is a 2048-bit number derived from the world's
 * seed and the key's ID.
 */
export function publicKeys(world: World) {
  return rootKeyRows(world).map(({ KeyID: kid }) => {
    const modulus = Buffer.from(new Ids(`${world.seed}/${kid}`).bytes(256))
    modulus.writeUInt8(modulus.readUInt8(0) | 0x80, 0)
    modulus.writeUInt8(modulus.readUInt8(255) | 1, 255)
    const n = modulus.toString('base64url')
    return { use: 'sig', kty: 'RSA', kid, alg: 'RS256', n, e: 'AQAB' } as const
  })
}
