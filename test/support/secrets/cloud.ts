import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { checkDocument } from '../../../routes/control/state/documents.ts'
import type { StateDocument } from '../../../state/kernel/worlds/document.ts'
import type { CloudIdentities } from '../../../state/secrets/cloud/identities.ts'
import { secretsService } from '../../../state/secrets/service.ts'
import { servedSecrets, type TestSecrets, type TestSettings } from './secrets.ts'

/** A key as its owner has it. */
interface RsaKey {
  readonly privateKey: KeyObject
  readonly privatePem: string
  readonly publicPem: string
  /** As the cloud shows it. */
  readonly fingerprint: string
}

/** Makes an RSA key; takes a moment, so share it. */
export function generateRsaKey(): RsaKey {
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

/** What a login's signature is made of, where it differs from the usual. */
export interface LoginParts {
  readonly keyId: string
  readonly key: KeyObject
  readonly date?: string
  readonly target?: string
  readonly host?: string
  /** What the signature covers. */
  readonly covered?: readonly string[]
  /** Changes of the parameters of the authorization header; undefined leaves one out. */
  readonly parameters?: Readonly<Record<string, string | undefined>>
}

/**
 * The body of a login, made by nothing but behaviour/secrets#api-cloud: a signature by RSA
 * PKCS#1 v1.5 and SHA-256 over lines `name: value` in the listed order.
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

/** A security token with claims, which nobody signed. */
export function securityToken(claims: object): string {
  const parts = [{ alg: 'RS256', typ: 'JWT' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  )
  return `ST$${parts.join('.')}.bm9ib2R5`
}

/** Fixtures with some identities, checked as the command checks them. */
export function cloudDocument(cloud: CloudIdentities): StateDocument {
  return checkDocument([secretsService], { secrets: { cloud } })
}

/** The identities that most tests log in with. */
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

/** A server with these identities, a configured method and the role `dev`, which needs no policy. */
export async function cloudServer(key: RsaKey, settings: TestSettings = {}): Promise<TestSecrets> {
  const server = await servedSecrets({ document: cloudDocument(identities(key)), ...settings })
  const mount = settings.dialect === 'vendor' ? 'auth/oci' : 'auth/cloud'
  await server.secrets.post(`${mount}/config`, { home_tenancy_id: 'home' })
  await server.secrets.post(`${mount}/role/dev`, { cid_list: 'g-dev,d-web', token_policies: 'p' })
  return server
}

/** How ada signs. */
export const userKeyId = (key: RsaKey): string => `home/ada/${key.fingerprint}`

/** How the instance signs: with a token that says who it is. */
export const instanceKeyId = (): string =>
  securityToken({ tenant: 'home', sub: 'box', ptype: 'instance' })
