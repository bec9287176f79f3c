import { exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { expect } from 'vitest'
import {
  type RequestOptions,
  servedSecrets,
  type TestSecrets,
  type TestSettings,
  testTime,
} from '../../../support/secrets/secrets.ts'
import { noContent, statusAndBody } from '../replies.ts'

/** Current time in seconds. */
export const now = testTime / 1000

/** Algorithms with a key each, from a library that the server does not use. */
export const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const

/** Creates a key pair that signs claims, with its public key in PEM. */
export async function createSigner(alg: string = 'ES256') {
  const pair = await generateKeyPair(alg, { extractable: true })
  return {
    ...pair,
    pem: await exportSPKI(pair.publicKey),
    sign: (claims: JWTPayload, header: { kid?: string } = {}) =>
      new SignJWT(claims).setProtectedHeader({ alg, ...header }).sign(pair.privateKey),
  }
}

/** A key for all tests of a file: creating one is slow. */
export const issuer = await createSigner()

/** Claims that the role of `jwtServer` accepts. */
export const validClaims: JWTPayload = { sub: 'ada', aud: 'here', iat: now, exp: now + 60 }

/** A server with the login method jwt, configured with the issuer's key, and its role `app`. */
export interface JwtServer extends TestSecrets {
  login(
    jwt: string,
    body?: object,
    options?: RequestOptions,
  ): ReturnType<TestSecrets['secrets']['post']>
  /** Replaces the role. */
  role(role: object): Promise<void>
}

/** Starts a server with the given role and configuration. */
export async function jwtServer(
  role: object = {},
  config: object = {},
  settings: TestSettings = {},
): Promise<JwtServer> {
  const server = await servedSecrets(settings)
  const { secrets } = server
  const write = async (path: string, body: object) =>
    expect(statusAndBody(await secrets.post(path, body))).toEqual(noContent)
  const roleOf = (changes: object) => ({
    role_type: 'jwt',
    user_claim: 'sub',
    bound_audiences: 'here',
    ...changes,
  })
  await write('sys/auth/jwt', { type: 'jwt' })
  await write('auth/jwt/config', { jwt_validation_pubkeys: [issuer.pem], ...config })
  await write('auth/jwt/role/app', roleOf(role))
  return {
    ...server,
    login: (jwt, body = {}, options = {}) =>
      secrets.post('auth/jwt/login', { role: 'app', jwt, ...body }, { token: null, ...options }),
    async role(changes) {
      expect(statusAndBody(await secrets.delete('auth/jwt/role/app'))).toEqual(noContent)
      await write('auth/jwt/role/app', roleOf(changes))
    },
  }
}
