import { Ids } from '../../kernel/worlds/ids.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { serverOf } from '../agent/server.ts'
import { toNanoseconds } from '../cluster/model/evaluations.ts'
import { firstKeyId } from '../signing-key.ts'
import { type RootKey, type RootKeyRow, rootKeys } from './root-keys.ts'

/** The only algorithm with which variables are encrypted. */
export const algorithm = 'aes256-gcm'

/** The keys of a world with what is kept of them, in order of ID. */
export function rootKeyRows(world: World): readonly RootKeyRow[] {
  const rows = [...world.table(rootKeys).rows()]
  return rows.length > 0 ? rows : [firstKey(world)]
}

/** The key with which a world begins. */
function firstKey(world: World): RootKeyRow {
  return {
    KeyID: firstKeyId(world),
    Algorithm: algorithm,
    CreateTime: toNanoseconds(serverOf(world).since),
    CreateIndex: 1,
    ModifyIndex: 1,
    State: 'active',
    PublishTime: 0,
    since: 0,
  }
}

/** A key without what nobody is told. */
export function keyMetadata({ since: _, ...metadata }: RootKeyRow): RootKey {
  return metadata
}

/** The reference makes a new key after 30 days by itself; in seconds. */
const rotationInterval = 720 * 3600

/** So long, in seconds, public keys may be kept at least. */
const minPublicKeyAge = 15 * 60

/**
 * For how many seconds the public keys may be kept (behaviour/scheduler#operator): half the time until
 * the reference would make the next key. Keys are made by request alone here.
 */
export function publicKeysAge(world: World): number {
  const newest = Math.max(...rootKeyRows(world).map(({ CreateTime }) => CreateTime)) / 1e9
  const untilRotation = newest + rotationInterval - world.clock.now() / 1000
  return Math.floor(Math.max(untilRotation / 2, minPublicKeyAge))
}

/** A key that is published for those who verify identities of tasks: half of a JSON web key's pair. */
interface PublicKey {
  readonly use: 'sig'
  readonly kty: 'RSA'
  readonly kid: string
  readonly alg: 'RS256'
  readonly n: string
  readonly e: 'AQAB'
}

/**
 * The public keys of a world (behaviour/scheduler#diff). Nothing is ever signed with them, so the modulus is a number of
 * 2048 bits that the world's seed gives, and no private half exists.
 */
export function publicKeys(world: World): readonly PublicKey[] {
  return rootKeyRows(world).map(({ KeyID: kid }) => {
    const modulus = Buffer.from(new Ids(`${world.seed}/${kid}`).bytes(256))
    modulus.writeUInt8(modulus.readUInt8(0) | 0x80, 0)
    modulus.writeUInt8(modulus.readUInt8(255) | 1, 255)
    return {
      use: 'sig',
      kty: 'RSA',
      kid,
      alg: 'RS256',
      n: modulus.toString('base64url'),
      e: 'AQAB',
    }
  })
}
