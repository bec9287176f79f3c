import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { checkDocument } from '../../../routes/control/state/documents.ts'
import type { StateDocument } from '../../../state/kernel/worlds/document.ts'
import type { CloudIdentities } from '../../../state/secrets/cloud/identities.ts'
import { secretsService } from '../../../state/secrets/service.ts'
import { servedSecrets, type TestSecrets, type TestSettings } from './secrets.ts'

/** RSA key pair with its fingerprint. */
interface RsaKey {
  readonly privateKey: KeyObject
  readonly privatePem: string
  readonly publicPem: string
  /** Fingerprint in the form that the cloud displays. */
  readonly fingerprint: string
}

function generateRsaKey(): RsaKey {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const publicKey = createPublicKey(privateKey)
  const der = publicKey.export({ type: 'spki', format: 'der' })
  const pairs = createHash('md5').update(der).digest('hex').match(/../g) ?? []
  return {
    privateKey,
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    fingerprint: pairs.join(':'),
  }
}

/** Key pair of an identity. All tests share it, because generating one is slow. */
export const rsaKey = generateRsaKey()

/** Second key pair, which no identity has. */
export const foreignRsaKey = generateRsaKey()

/** Parts of a login's signature. Omitted parts have the defaults of `loginBody`. */
export interface LoginParts {
  readonly keyId: string
  readonly key: KeyObject
  readonly date?: string
  readonly target?: string
  readonly host?: string
  /** Headers that the signature covers. */
  readonly covered?: readonly string[]
  /** Parameters of the authorization header to change; undefined removes a parameter. */
  readonly parameters?: Readonly<Record<string, string | undefined>>
}

/**
 * Returns the body of a login, built only from behaviour/secrets#api-cloud: an RSA PKCS#1 v1.5
 * signature with SHA-256 over lines `name: value` in the listed order.
 */
export function loginBody(parts: LoginParts): { request_headers: Record<string, string[]> } {
  const { keyId, key, covered = ['date', '(request-target)', 'host'] } = parts
  const { date = 'Thu, 01 Jan 2026 00:00:00 GMT', host = 'secrets.example.com:8200' } = parts
  const { target = 'get /v1/auth/cloud/login/dev' } = parts
  const values: Record<string, string> = {
    date,
    '(request-target)': target,
    host,
    'content-type': 'application/json',
  }
  const text = covered.map((name) => `${name}: ${values[name]}`).join('\n')
  const parameters: Record<string, string | undefined> = {
    version: '1',
    headers: covered.join(' '),
    keyId,
    algorithm: 'rsa-sha256',
    signature: sign('RSA-SHA256', Buffer.from(text), key).toString('base64'),
    ...parts.parameters,
  }
  const list = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${value}"`],
  )
  return {
    request_headers: {
      date: [date],
      '(request-target)': [target],
      host: [host],
      'content-type': ['application/json'],
      authorization: [`Signature ${list.join(',')}`],
    },
  }
}

/** Returns an unsigned security token with claims. */
export function securityToken(claims: object): string {
  const parts = [{ alg: 'RS256', typ: 'JWT' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  )
  return `ST$${parts.join('.')}.bm9ib2R5`
}

/** Returns fixtures with some identities, checked like the fixtures of the command. */
export function cloudDocument(cloud: CloudIdentities): StateDocument {
  return checkDocument([secretsService], { secrets: { cloud } })
}

/** Returns the identities that most tests log in with. */
export function identities(key: RsaKey): CloudIdentities {
  return {
    tenancies: ['home', 'elsewhere'],
    users: [
      { id: 'ada', groups: ['g-dev', 'g-ops'], keys: [key.publicPem] },
      { id: 'eve', tenancy: 'elsewhere', groups: ['g-dev'], keys: [key.publicPem] },
      { id: 'hermit', keys: [key.publicPem] },
      { id: 'keyless', groups: ['g-dev'] },
    ],
    instances: [
      { id: 'box', dynamic_groups: ['d-web'], key: key.publicPem },
      { id: 'blank', dynamic_groups: ['d-web'] },
    ],
  }
}

/**
 * Starts a server with the identities of `identities`, a configured login method and its role
 * `dev`.
 */
export async function cloudServer(key: RsaKey, settings: TestSettings = {}): Promise<TestSecrets> {
  const server = await servedSecrets({ document: cloudDocument(identities(key)), ...settings })
  const mount = settings.dialect === 'vendor' ? 'auth/oci' : 'auth/cloud'
  await server.secrets.post(`${mount}/config`, { home_tenancy_id: 'home' })
  await server.secrets.post(`${mount}/role/dev`, { cid_list: 'g-dev,d-web', token_policies: 'p' })
  return server
}

/** Returns the key id of the user ada. */
export const userKeyId = (key: RsaKey): string => `home/ada/${key.fingerprint}`

/** Returns the key id of the instance `box`: a security token with the identity of the instance. */
export const instanceKeyId = (): string =>
  securityToken({ tenant: 'home', sub: 'box', ptype: 'instance' })
