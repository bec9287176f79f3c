import { createPrivateKey, sign } from 'node:crypto'
import { trimSlashes } from '../../kernel/trimming.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { authPrefix } from '../mounts/mounts.ts'
import { optionsOf } from '../options.ts'
import { fingerprintOf, makeKey } from './keys.ts'
import { refuse } from './messages.ts'
import {
  type CloudInstance,
  type CloudUser,
  cloudInstances,
  cloudPrivateKeys,
  cloudUsers,
  exampleIds,
  storePrivateKey,
} from './principals.ts'
import { coveredHeaders, formatHttpDate, requestTarget, signingString } from './signature.ts'

/** A request of the control plane for the signed body of a login. */
export interface CloudLoginRequest {
  readonly role: string
  /** Path of the login method, with or without `auth/`; by default the option `cloudPath`. */
  readonly mount?: string | undefined
  /**
   * Id of a user. If neither `user` nor `instance` is set, the example user of a new world logs in.
   */
  readonly user?: string | undefined
  readonly instance?: string | undefined
}

/** The body of a login: signed headers by name in lower case. */
export interface CloudLoginBody {
  readonly request_headers: Readonly<Record<string, readonly string[]>>
}

/** Lifetime, in seconds, of the JWT that identifies an instance in a login. */
const tokenLifetime = 1200

interface Signer {
  readonly keyId: string
  /** The private key (PKCS#8) in PEM format. */
  readonly privateKey: string
}

/**
 * Builds the body of `POST auth/cloud/login/<role>` for an identity. The body is signed as defined
 * in behaviour/secrets#api-cloud (Login request shape) and dated by the world's clock. If the
 * identity has no key, generates and stores a key, which is slow. Does not check whether the role
 * exists or accepts the identity.
 * @param host value of the header `host`
 * @throws Refusal `absent` for an unknown identity, `conflict` if only its public keys are known,
 *   `invalid` if both a user and an instance are given
 */
export function cloudLoginBody(
  world: World,
  { role, mount, user, instance }: CloudLoginRequest,
  host: string,
): CloudLoginBody {
  if (user !== undefined && instance !== undefined) throw refuse('login-body-of-both')
  const { keyId, privateKey } =
    instance === undefined
      ? userSigner(world, user ?? exampleIds(world).user)
      : instanceSigner(world, instance)
  const headers = {
    date: formatHttpDate(world.clock.now()),
    [requestTarget]: `get /v1/${mountPath(world, mount)}/login/${role.toLowerCase()}`,
    host,
    'content-type': 'application/json',
  }
  const signingInput = signingString(new Map(Object.entries(headers)), coveredHeaders)
  const parameters = {
    version: '1',
    headers: coveredHeaders.join(' '),
    keyId,
    algorithm: 'rsa-sha256',
    signature: signText(signingInput, privateKey).toString('base64'),
  }
  const list = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`)
  const signedHeaders = { ...headers, authorization: `Signature ${list.join(',')}` }
  return {
    request_headers: Object.fromEntries(
      Object.entries(signedHeaders).map(([name, text]) => [name, [text]]),
    ),
  }
}

/** Returns a mount's path with a leading `auth/` and no trailing slash. */
function mountPath(world: World, text = optionsOf(world).cloudPath): string {
  const path = trimSlashes(text)
  return path.startsWith(authPrefix) ? path : authPrefix + path
}

function userSigner(world: World, id: string): Signer {
  const user = world.table(cloudUsers).get(id)
  if (user === undefined) throw refuse('user-absent', { id })
  const fingerprints = Object.keys(user.keys)
  const heldFingerprint = fingerprints.find((fingerprint) =>
    world.table(cloudPrivateKeys).has(fingerprint),
  )
  const fingerprint = fingerprints.length === 0 ? addUserKey(world, user) : heldFingerprint
  return {
    keyId: `${user.tenancy}/${id}/${fingerprint ?? ''}`,
    privateKey: privateKeyOf(world, fingerprint, `user "${id}"`),
  }
}

function instanceSigner(world: World, id: string): Signer {
  const instance = world.table(cloudInstances).get(id)
  if (instance === undefined) throw refuse('instance-absent', { id })
  const fingerprint =
    instance.key === null ? addInstanceKey(world, instance) : fingerprintOf(instance.key)
  const privateKey = privateKeyOf(world, fingerprint, `instance "${id}"`)
  return { keyId: `ST$${instanceToken(world, instance, privateKey)}`, privateKey }
}

function privateKeyOf(world: World, fingerprint: string | undefined, holder: string): string {
  const privateKeyRow =
    fingerprint === undefined ? undefined : world.table(cloudPrivateKeys).get(fingerprint)
  if (privateKeyRow !== undefined) return privateKeyRow.private_key
  throw refuse('private-key-not-held', { whose: holder })
}

function addUserKey(world: World, user: CloudUser): string {
  const key = makeKey()
  world.write(() => {
    const keys = { [key.fingerprint]: key.publicKey }
    world.table(cloudUsers).put(user.id, { ...user, keys })
    storePrivateKey(world, key)
  })
  return key.fingerprint
}

function addInstanceKey(world: World, instance: CloudInstance): string {
  const key = makeKey()
  world.write(() => {
    world.table(cloudInstances).put(instance.id, { ...instance, key: key.publicKey })
    storePrivateKey(world, key)
  })
  return key.fingerprint
}

/**
 * Returns a JWT with the claims that an instance needs for a login. Signs the JWT with
 * `privateKey`.
 */
function instanceToken(world: World, { id, tenancy }: CloudInstance, privateKey: string): string {
  const iat = Math.floor(world.clock.now() / 1000)
  const claims = { sub: id, tenant: tenancy, ptype: 'instance', iat, exp: iat + tokenLifetime }
  const text = [{ alg: 'RS256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${text}.${signText(text, privateKey).toString('base64url')}`
}

function signText(text: string, privateKey: string): Buffer {
  return sign('sha256', Buffer.from(text), createPrivateKey(privateKey))
}
