import { createECDH, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { jsonObjectIn } from '../jwt-part.ts'
import { secretsTable } from '../table.ts'

const wrappingKeyShape = struct({
  /** A P-521 key (PKCS#8) in PEM format. */
  private_key: text,
})
interface WrappingKey extends StoredOf<typeof wrappingKeyShape> {}

/** The key that signs wrapping tokens in JWT form, in a single row under `key`. */
export const wrappingKeys = secretsTable('wrapping-key', wrappingKeyShape, {
  secrets: { members: ['private_key'] },
})

const wrappingKeyId = 'key'

/** The claims of a wrapping token in JWT form (behaviour/secrets#activation-tokens). */
interface WrappingClaims {
  readonly accessor: string
  /** URL at which the token can be unwrapped: scheme, host and world prefix. */
  readonly addr: string
  /** End of the validity in seconds since 1970. `iat` and `nbf` have the same unit. */
  readonly exp: number
  readonly iat: number
  /** The wrapping token in opaque form. */
  readonly jti: string
  readonly nbf: number
  readonly type: string
}

/** Length of a P-521 coordinate in bytes. */
const coordinateBytes = 66
/** Length of a private key in bytes. Any number of this length is below the order of the curve. */
const scalarBytes = 65

const header = encode({ alg: 'ES512', typ: 'JWT' })

/** Signs claims with the cluster's key and returns the JWT. The first call creates the key. */
export function signClaims(world: World, claims: WrappingClaims): string {
  const { accessor, addr, exp, iat, jti, nbf, type } = claims
  const signingInput = `${header}.${encode({ accessor, addr, exp, iat, jti, nbf, type })}`
  const key = createPrivateKey(keyOf(world).private_key)
  const signature = sign('sha512', Buffer.from(signingInput), { key, dsaEncoding: 'ieee-p1363' })
  return `${signingInput}.${signature.toString('base64url')}`
}

/**
 * Verifies a wrapping token and returns its claims. Returns undefined for a token that another
 * cluster signed or that is not valid now, and for other strings.
 */
export function verifiedClaims(world: World, text: string): WrappingClaims | undefined {
  const claims = jwtClaims(text)
  const row = world.table(wrappingKeys).get(wrappingKeyId)
  if (claims === undefined || row === undefined) return undefined
  const dot = text.lastIndexOf('.')
  const key = createPublicKey(row.private_key)
  const isSignedByCluster = verify(
    'sha512',
    Buffer.from(text.slice(0, dot)),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(text.slice(dot + 1), 'base64url'),
  )
  const now = world.clock.now() / 1000
  return isSignedByCluster && claims.type === 'wrapping' && claims.nbf <= now && now < claims.exp
    ? claims
    : undefined
}

/**
 * Matches three base64url parts. Opaque tokens of namespaces may also have two periods, but their
 * first part is shorter than three characters.
 */
const jwtForm = /^([\w-]{3,})\.([\w-]+)\.[\w-]+$/

/**
 * Decodes the claims of a wrapping token without verifying the signature, because the claims name
 * the cluster that can unwrap the token. Returns undefined for other strings.
 */
export function jwtClaims(text: string): WrappingClaims | undefined {
  const [, first = '', second = ''] = jwtForm.exec(text) ?? []
  if (jsonObjectIn(first)?.['alg'] !== 'ES512') return undefined
  const { accessor, addr, exp, iat, jti, nbf, type } = jsonObjectIn(second) ?? {}
  if (typeof accessor !== 'string' || typeof addr !== 'string') return undefined
  if (typeof exp !== 'number' || typeof iat !== 'number' || typeof nbf !== 'number')
    return undefined
  if (typeof jti !== 'string' || typeof type !== 'string') return undefined
  return { accessor, addr, exp, iat, jti, nbf, type }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/**
 * Returns the cluster's key. The first call generates and stores the key, from the world's ids, so
 * that worlds with equal seeds have equal keys.
 */
function keyOf(world: World): WrappingKey {
  const known = world.table(wrappingKeys).get(wrappingKeyId)
  if (known !== undefined) return known
  const secret = Buffer.from(world.ids.bytes(scalarBytes))
  const pair = createECDH('secp521r1')
  pair.setPrivateKey(secret)
  const point = pair.getPublicKey()
  const x = point.subarray(1, 1 + coordinateBytes).toString('base64url')
  const y = point.subarray(1 + coordinateBytes).toString('base64url')
  const d = Buffer.concat([Buffer.alloc(coordinateBytes - scalarBytes), secret])
  const key = { kty: 'EC', crv: 'P-521', x, y, d: d.toString('base64url') }
  const pem = createPrivateKey({ key, format: 'jwk' }).export({ type: 'pkcs8', format: 'pem' })
  const created: WrappingKey = { private_key: pem.toString() }
  world.write(() => world.table(wrappingKeys).put(wrappingKeyId, created))
  return created
}
