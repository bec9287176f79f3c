import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  generateKeyPairSync,
  sign,
} from 'node:crypto'
import { promisify } from 'node:util'
import { text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { secretsTable } from '../table.ts'
import { namesOfDialect } from './options.ts'

const orchSigningKeyShape = struct({
  /** Key id in tokens and in the key set: a hash of the public key. */
  kid: text,
  /** An RSA key (PKCS#8) in PEM format. */
  private_key: text,
})
interface OrchSigningKey extends StoredOf<typeof orchSigningKeyShape> {}

/**
 * Signing key of the orchestrator, in a single row under `key`. The first token creates the row.
 */
export const orchSigningKeys = secretsTable('orch-signing-key', orchSigningKeyShape, {
  secrets: { members: ['private_key'] },
})

const keyId = 'key'
const modulusBits = 2048

/** The service account for which a token is issued. */
export interface TokenAccount {
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/**
 * Signs a service account token: an RS256 JWT with the claims of behaviour/secrets#orch-token. The
 * first call creates the signing key.
 *
 * @param ttl lifetime in seconds
 * @param audiences if empty, the token's issuer is its only audience
 */
export function signAccountToken(
  world: World,
  account: TokenAccount,
  ttl: number,
  audiences: readonly string[],
): string {
  const { domain, issuer } = namesOfDialect(optionsOf(world))
  const { namespace, name, uid } = account
  const now = Math.floor(world.clock.now() / 1000)
  const { kid, private_key } = signingKey(world)
  const claims = {
    aud: audiences.length === 0 ? [issuer] : audiences,
    exp: now + ttl,
    iat: now,
    iss: issuer,
    [domain]: { namespace, serviceaccount: { name, uid } },
    nbf: now,
    sub: `system:serviceaccount:${namespace}:${name}`,
  }
  const signingInput = `${encode({ alg: 'RS256', kid })}.${encode(claims)}`
  const signature = sign('sha256', Buffer.from(signingInput), createPrivateKey(private_key))
  return `${signingInput}.${signature.toString('base64url')}`
}

/** A public key in a key set (RFC 7517). */
export interface OrchPublicKey {
  readonly kty: string
  readonly n: string
  readonly e: string
  readonly alg: 'RS256'
  readonly use: 'sig'
  readonly kid: string
}

/** Returns the keys that verify tokens. Returns an empty list before the first token. */
export function publicKeys(world: World): readonly OrchPublicKey[] {
  return Array.from(world.table(orchSigningKeys).rows(), ({ kid, private_key }) => {
    const { kty = '', n = '', e = '' } = createPublicKey(private_key).export({ format: 'jwk' })
    return { kty, n, e, alg: 'RS256', use: 'sig', kid }
  })
}

const keyOptions = {
  modulusLength: modulusBits,
  publicKeyEncoding: { type: 'spki', format: 'der' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
} as const

const generateInThread = promisify(generateKeyPair)

/**
 * Returns the signing key. The first call generates and stores the key, which takes noticeable
 * time.
 */
function signingKey(world: World): OrchSigningKey {
  const known = world.table(orchSigningKeys).get(keyId)
  if (known !== undefined) return known
  const { publicKey, privateKey } = world.part(
    () => generateKeyPairSync('rsa', keyOptions),
    () => generateInThread('rsa', keyOptions),
  )
  const kid = createHash('sha256').update(publicKey).digest('base64url')
  const created: OrchSigningKey = { kid, private_key: privateKey }
  world.write(() => world.table(orchSigningKeys).put(keyId, created))
  return created
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
