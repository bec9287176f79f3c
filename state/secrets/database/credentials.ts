import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto'
import { parseGoInteger } from '../../go/integer.ts'
import { quoteGo } from '../../go/text.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { checkTemplateSyntax, renderNameTemplate } from '../orch/name-template.ts'
import { TemplateError } from '../orch/template-parser.ts'
import { signCertificate } from '../pki/certificate.ts'
import { formatPrivateKey, keySpec, makePkiKey } from '../pki/key-making.ts'
import { wholeSeconds } from '../pki/lifetime.ts'
import { readCertificate } from '../pki/parsed.ts'
import { newSerial } from '../pki/roots.ts'
import { encodedPublicKey, pemBlocks, toPem } from '../pki/signing.ts'
import { encodeSubject, noNames } from '../pki/subject-names.ts'
import type { DatabaseConfig } from './configs.ts'
import { refuse } from './messages.ts'
import { databasePassword } from './passwords.ts'
import type { DatabaseRole } from './roles.ts'

type CredentialConfig = DatabaseRole['credential_config']

type CredentialRole = Pick<DatabaseRole, 'credential_type' | 'credential_config'>

const textSetting = (config: CredentialConfig, name: string): string => String(config[name] ?? '')

/**
 * Returns the settings that a role stores for a type of credentials, with defaults. Throws an
 * `invalid` refusal for unknown types and invalid settings, in the order of
 * behaviour/secrets#database-creds.
 */
export function credentialConfig(
  type: string,
  requestedConfig: CredentialConfig,
): CredentialConfig {
  switch (type) {
    case 'password': {
      const password_policy = textSetting(requestedConfig, 'password_policy')
      return password_policy === '' ? {} : { password_policy }
    }
    case 'rsa_private_key': {
      const format = textSetting(requestedConfig, 'format') || 'pkcs8'
      if (format.toLowerCase() !== 'pkcs8') throw invalidConfigRefusal(`invalid format: ${format}`)
      const key_bits = numberSetting(requestedConfig, 'key_bits') || 2048
      if (![2048, 3072, 4096].includes(key_bits))
        throw invalidConfigRefusal(`invalid key_bits: ${key_bits}`)
      return { format, key_bits }
    }
    case 'client_certificate':
      return clientCertificateConfig(requestedConfig)
    default:
      throw refuse('database-credential-type-unknown', { type: quoteGo(type) })
  }
}

function invalidConfigRefusal(why: string) {
  return refuse('database-credential-config-invalid', { why })
}

function numberSetting(config: CredentialConfig, name: string): number {
  const text = textSetting(config, name)
  if (text === '') return 0
  const parsed = parseGoInteger(text)
  if (parsed !== undefined) return Number(parsed)
  const cause = `strconv.ParseInt: parsing ${quoteGo(text)}: invalid syntax`
  throw invalidConfigRefusal(`1 error(s) decoding:\n\n* cannot parse '${name}' as int: ${cause}`)
}

const bitsOfTypes: Readonly<Record<string, readonly number[]>> = {
  rsa: [0, 2048, 3072, 4096],
  ec: [0, 224, 256, 384, 521],
}

function clientCertificateConfig(requestedConfig: CredentialConfig): CredentialConfig {
  const key_type = textSetting(requestedConfig, 'key_type')
  const [key_bits, signature_bits] = [
    numberSetting(requestedConfig, 'key_bits'),
    numberSetting(requestedConfig, 'signature_bits'),
  ]
  const allowed = bitsOfTypes[key_type]
  if (allowed === undefined && key_type !== 'ed25519')
    throw invalidConfigRefusal('invalid key_type')
  if (allowed?.includes(key_bits) === false) throw invalidConfigRefusal('invalid key_bits')
  if (![0, 256, 384, 512].includes(signature_bits))
    throw invalidConfigRefusal('invalid signature_bits')
  const common_name_template = textSetting(requestedConfig, 'common_name_template')
  if (common_name_template === '')
    throw invalidConfigRefusal('missing required common_name_template')
  try {
    checkTemplateSyntax(common_name_template)
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw invalidConfigRefusal(
      `failed to create template: unable to parse template: ${error.message}`,
    )
  }
  const [ca_cert, ca_private_key] = [
    textSetting(requestedConfig, 'ca_cert'),
    textSetting(requestedConfig, 'ca_private_key'),
  ]
  if (ca_cert === '') throw invalidConfigRefusal('missing required ca_cert')
  if (ca_private_key === '') throw invalidConfigRefusal('missing required ca_private_key')
  checkAuthority(ca_cert, ca_private_key)
  return {
    ca_cert,
    ca_private_key,
    common_name_template,
    key_type,
    ...(key_bits === 0 ? {} : { key_bits }),
    ...(signature_bits === 0 ? {} : { signature_bits }),
  }
}

function checkAuthority(certificate: string, privateKey: string): void {
  let parsed: X509Certificate
  let key: KeyObject
  try {
    parsed = new X509Certificate(certificate)
    key = createPrivateKey(privateKey)
  } catch {
    // OpenSSL's message differs from Go's, so every parse failure is reported with this reason.
    throw invalidConfigRefusal('no data found in PEM block')
  }
  if (!parsed.checkPrivateKey(key)) {
    const why = 'public key of certificate does not match private key'
    throw invalidConfigRefusal(`verification of parsed bundle failed: ${why}`)
  }
  if (!parsed.ca) throw invalidConfigRefusal('the given certificate is not marked for CA use')
}

/** Values that generated credentials can contain. */
interface CredentialOwner {
  readonly displayName: string
  readonly roleName: string
  /** End of the validity of a client certificate, in milliseconds since 1970. */
  readonly expiration: number
}

export interface DatabaseCredentials {
  /** Members of the reply, without the name of the user. */
  readonly data: Readonly<Record<string, string>>
  /** Values for the placeholders of statements. */
  readonly values: { readonly password?: string; readonly public_key?: string }
  /** User name that the credentials determine; only set for client certificates. */
  readonly username?: string
}

/**
 * Generates credentials of the role's type; stores nothing. Throws a refusal if the password policy
 * does not exist.
 */
export function makeCredentials(
  world: World,
  namespace: Namespace,
  role: CredentialRole,
  config: DatabaseConfig,
  owner: CredentialOwner,
): DatabaseCredentials {
  const { credential_type: type, credential_config: settings } = role
  if (type === 'rsa_private_key') return makeKeyPair(world, Number(settings['key_bits'] ?? 2048))
  if (type === 'client_certificate') return makeClientCertificate(world, settings, owner)
  const policy = textSetting(settings, 'password_policy') || config.password_policy
  const password = databasePassword(world, namespace, policy)
  return { data: { password }, values: { password } }
}

/**
 * Generates a key pair. As in the reference, the database receives the public key without the
 * `BEGIN` and `END` lines.
 */
function makeKeyPair(world: World, bits: number): DatabaseCredentials {
  const key = makePkiKey(world, keySpec('rsa', bits))
  const rsa_private_key = String(key.export({ type: 'pkcs8', format: 'pem' }))
  const publicKey = String(createPublicKey(key).export({ type: 'spki', format: 'pem' }))
  const public_key = publicKey.replaceAll(/^-----.*-----\n/gm, '')
  return { data: { rsa_private_key }, values: { public_key } }
}

/** Bit number of the key usage `digitalSignature`. */
const digitalSignature = 0
const clientAuthentication = '1.3.6.1.5.5.7.3.2'

function makeClientCertificate(
  world: World,
  settings: CredentialConfig,
  { displayName, roleName, expiration }: CredentialOwner,
): DatabaseCredentials {
  const template = textSetting(settings, 'common_name_template')
  const names = { displayName, roleName }
  const commonName = renderNameTemplate(world, template, names, 'dbplugin.UsernameMetadata')
  const type = textSetting(settings, 'key_type')
  const key = makePkiKey(world, keySpec(type, Number(settings['key_bits'] ?? 0)))
  const authority = readCertificate(
    pemBlocks(textSetting(settings, 'ca_cert'))[0]?.der ?? Buffer.alloc(0),
  )
  const subject = encodeSubject({ common_name: [commonName] })
  const der = signCertificate(
    {
      subject,
      names: noNames,
      publicKey: encodedPublicKey(key),
      keyUsage: [digitalSignature],
      extKeyUsage: [clientAuthentication],
      policies: [],
      permittedDomains: [],
      addresses: { issuing_certificates: [], crl_distribution_points: [], ocsp_servers: [] },
    },
    {
      serial: newSerial(world),
      notBefore: wholeSeconds(world.clock.now()) - 30_000,
      notAfter: wholeSeconds(expiration),
    },
    {
      subject: authority.subject,
      keyId: authority.keyId,
      key: createPrivateKey(textSetting(settings, 'ca_private_key')),
    },
    { hashBits: Number(settings['signature_bits'] ?? 0), usesPss: false },
  )
  const data = {
    client_certificate: toPem('CERTIFICATE', der),
    private_key: formatPrivateKey(key, 'pem', 'der'),
    private_key_type: type,
  }
  return { data, values: {}, username: `CN=${commonName}` }
}
