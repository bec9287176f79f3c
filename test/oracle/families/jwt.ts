import { generateKeyPairSync, sign } from 'node:crypto'
import { rootRequest } from '../../../src/cli/compare/request.ts'
import { enable, type Family, oldFields, remove, tokenFields } from './family.ts'

const key = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const pem = key.publicKey.export({ type: 'spki', format: 'pem' }).toString()

/** Returns a JWT with these claims, signed by the key that the configuration names. */
function jwtOf(claims: object): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${encode({ alg: 'ES256', typ: 'JWT' })}.${encode(claims)}`
  const signature = sign('sha256', Buffer.from(text), {
    key: key.privateKey,
    dsaEncoding: 'ieee-p1363',
  })
  return `${text}.${signature.toString('base64url')}`
}

const always = { exp: 4_102_444_800, iat: 1_700_000_000 }
const jwts = [
  jwtOf({ ...always, sub: 'ada', aud: ['here'], iss: 'me', groups: ['g'] }),
  jwtOf({ ...always, sub: 'ada', iss: 'me', k: 1, groups: 'g' }),
  jwtOf({ ...always, sub: '', iss: 'me' }),
  jwtOf({ sub: 'ada', exp: 1_700_000_000, iat: 1_600_000_000 }),
  jwtOf({ sub: 'ada' }),
  'x.y.z',
  'x',
  '',
]

/** Requests to the login method `jwt`, with JWTs that the servers can check. */
export const jwt: Family = {
  name: 'jwt',
  before: [
    enable('auth/understudy-j', 'jwt'),
    rootRequest('POST', 'auth/understudy-j/config', { jwt_validation_pubkeys: [pem] }),
    rootRequest('POST', 'auth/understudy-j/role/r', {
      role_type: 'jwt',
      user_claim: 'sub',
      bound_subject: 'ada',
    }),
  ],
  after: [remove('sys/auth/understudy-j')],
  requests: [
    {
      weight: 4,
      method: 'POST',
      path: 'auth/understudy-j/role/r|r|s',
      needed: { role_type: ['jwt', 'jwt', 'oidc', 'x'] },
      more: {
        user_claim: ['sub', '/sub', 'zz', ''],
        bound_subject: ['ada', '', 'x'],
        bound_audiences: [['here'], 'zz', []],
        bound_claims: [{ k: 1 }, { k: '1' }, { iss: 'm*' }, {}],
        bound_claims_type: ['string', 'glob', 'x'],
        claim_mappings: [{ iss: 'i' }, { iss: 'role' }, {}],
        groups_claim: ['groups', 'zz', ''],
        user_claim_json_pointer: [true, false],
        clock_skew_leeway: [0, -1, '5s'],
        expiration_leeway: [0, -1, '5s'],
        ...tokenFields,
        ...oldFields,
      },
    },
    { method: 'GET|DELETE', path: 'auth/understudy-j/role/r|s' },
    { method: 'LIST', path: 'auth/understudy-j/role' },
    { method: 'GET', path: 'auth/understudy-j/config' },
    {
      method: 'POST',
      path: 'auth/understudy-j/config',
      more: {
        jwt_validation_pubkeys: [[pem], [], 'x'],
        bound_issuer: ['me', 'x', ''],
        default_role: ['r', ''],
        jwt_supported_algs: [['ES256'], ['RS256'], 'x'],
      },
    },
    {
      weight: 5,
      method: 'POST',
      path: 'auth/understudy-j/login',
      tokens: ['none'],
      more: { role: ['r', 'r', 's', ''], jwt: jwts },
    },
    { method: 'GET|LIST', path: 'auth/understudy-j/login|oidc', tokens: ['none', 'root'] },
  ],
}
