import { Base64Error, decodeBase64 } from '../../../state/go/base64.ts'
import type { Mount } from '../../../state/secrets/mounts/mounts.ts'
import { type TransitKey, transitKeys } from '../../../state/secrets/transit/keys.ts'
import { isAead, type KeyType, keyTypes } from '../../../state/secrets/transit/types.ts'
import type { Correction, Diagnosis } from '../../http/journal-hooks/api-explanations.ts'
import type { RefusedRequest } from '../../http/journal-hooks/token-corrections.ts'
import {
  type ExplainInMount,
  explainExtraMember,
  explainInMount,
  explainMember,
  explainUnknownName,
  memberOf,
  withoutMembers,
} from './names.ts'
import { targetOf } from './request-target.ts'
import { sendTo, withField } from './root-requests.ts'

/** The text `hello` in base64, for requests that explanations suggest. */
const examplePlaintext = 'aGVsbG8='

/** The text `context` in base64, for requests that explanations suggest. */
const exampleContext = 'Y29udGV4dA=='

function keyName(request: RefusedRequest, mount: Mount): string {
  const parts = targetOf(request).path.slice(mount.path.length).split('/')
  return (/^(?:datakey|export)$/.test(parts[0] ?? '') ? parts[2] : parts[1]) ?? ''
}

/**
 * Returns a function that calls `explain` with the key that the path names. The explanation is
 * undefined if the key is unknown.
 */
function explainByKey(
  explain: (request: RefusedRequest, key: TransitKey, mount: Mount) => Diagnosis | undefined,
): ExplainInMount {
  return (request, mount) => {
    const key = transitKeys.find(request.world, mount, keyName(request, mount))
    return key && explain(request, key, mount)
  }
}

const explainUnknownKey: ExplainInMount = (request, mount) => {
  const name = keyName(request, mount)
  return explainUnknownName(request, mount, {
    kind: 'key',
    name,
    names: transitKeys.names(request.world, mount),
    create: () =>
      sendTo(request, `${mount.path}keys/${name}`, () => ({}), `Create the key ${name} first`),
  })
}

/** Returns a correction that sends the settings to the `config` path of the key. */
function configureKey(
  request: RefusedRequest,
  mount: Mount,
  settings: object,
  change: string,
): Correction {
  const path = `${mount.path}keys/${keyName(request, mount)}/config`
  return sendTo(request, path, () => settings, change)
}

/** Returns a function that explains an invalid ciphertext and suggests encrypting a text. */
function explainCiphertext(because: string): ExplainInMount {
  return explainByKey((request, key, mount) => ({ because, ...encryptFirst(request, key, mount) }))
}

function encryptFirst(
  request: RefusedRequest,
  { name, derived }: TransitKey,
  mount: Mount,
): Correction {
  const context = memberOf(request, 'context') || exampleContext
  const body = () => ({ plaintext: examplePlaintext, ...(derived && { context }) })
  const path = `${mount.path}encrypt/${name}`
  return sendTo(request, path, body, `Send a ciphertext as encrypt/${name} returns it`)
}

const ciphertextRule =
  '"ciphertext" must have the form <prefix>:v<version>:<base64>, as encrypt/ returns it'

const explainOldVersion = explainByKey((request, key, mount) => {
  const version = Number(request.refusal?.details['version'])
  const { name, min_decryption_version: least, min_available_version: available } = key
  const because = `"ciphertext" was made with version ${version} of the key ${name}, which only decrypts with version ${least} or higher`
  if (version < available) return { because, ...encryptFirst(request, key, mount) }
  const settings = { min_decryption_version: version }
  return {
    because,
    ...configureKey(request, mount, settings, `Allow the key to decrypt version ${version}`),
  }
})

const explainNewVersion = explainByKey((request, key, mount) => ({
  because: `"ciphertext" was made with version ${String(request.refusal?.details['version'])} of a key, but the latest version of ${key.name} is ${key.latest_version}`,
  ...encryptFirst(request, key, mount),
}))

/**
 * Returns a function that explains that a key's type does not support an operation.
 *
 * @param what verb for the sentence
 * @param other type of the key that the suggested request creates
 */
function explainType(what: string, other: KeyType): ExplainInMount {
  return explainByKey((request, { name, type }, mount) => ({
    because: `the key ${name} has the type ${type}, which does not ${what}`,
    ...sendTo(
      request,
      `${mount.path}keys/${name}-2`,
      () => ({ type: other }),
      'Create a key of another type and use it',
    ),
  }))
}

/** Explains that the requested version of a key cannot encrypt. */
const explainVersion = explainByKey((request, key, mount) => {
  const { name, min_encryption_version, min_decryption_version, latest_version } = key
  const least = Math.max(min_encryption_version, min_decryption_version)
  const possible = `the key ${name} encrypts with the versions ${least} to ${latest_version}; 0 stands for the latest`
  return explainMember('key_version', possible, withField('key_version', 0))(request, mount)
})

const explainBase64: ExplainInMount = (request) => {
  const member = ['plaintext', 'context'].find((each) => !isBase64(memberOf(request, each)))
  if (member === undefined) return undefined
  const because = `"${member}" is not base64: ${String(request.refusal?.params['why'])}`
  return { because, ...withField(member, examplePlaintext)(request) }
}

function isBase64(value: unknown): boolean {
  try {
    decodeBase64(String(value ?? ''))
    return true
  } catch (error) {
    if (error instanceof Base64Error) return false
    throw error
  }
}

/**
 * Returns a function that explains an invalid version in the settings of a key.
 *
 * @param choose returns the version to suggest
 */
function explainSetting(
  member: 'min_decryption_version' | 'min_encryption_version' | 'min_available_version',
  choose: (key: TransitKey) => number,
): ExplainInMount {
  return explainByKey((request, key) => {
    const sent = String(memberOf(request, member) ?? 'missing')
    const { latest_version, min_available_version, min_decryption_version } = key
    const trimmed =
      min_available_version > 1 ? ` (${min_available_version} is the oldest one left)` : ''
    return {
      because: `"${member}" is ${sent}; the key ${key.name} has versions up to ${latest_version}${trimmed}, encrypts from version ${key.min_encryption_version} and decrypts from version ${min_decryption_version}`,
      ...withField(member, choose(key))(request),
    }
  })
}

const minVersionInUse = ({ min_encryption_version, min_decryption_version }: TransitKey) =>
  Math.min(min_encryption_version, min_decryption_version)

const explainKeyType: ExplainInMount = (request, mount) => {
  const isUpsert = request.operation?.id === 'transitEncrypt'
  const possible = isUpsert
    ? `the type of a key that encrypting creates must be one of ${keyTypes.filter(isAead).join(', ')}`
    : `it must be one of ${keyTypes.join(', ')}`
  return explainMember('type', possible, withField('type', 'aes256-gcm96'))(request, mount)
}

/**
 * Explanations of transit engine refusals about keys, plaintexts, ciphertexts, data keys and the
 * cache, by rule.
 */
export const transitExplanations = explainInMount({
  'transit-key-absent': explainUnknownKey,
  'key-to-rotate-unknown': explainUnknownKey,
  'key-to-configure-unknown': explainUnknownKey,
  'key-to-trim-unknown': explainUnknownKey,
  'key-to-delete-unknown': explainUnknownKey,
  'encryption-key-unknown': explainUnknownKey,
  'signing-key-unknown': explainUnknownKey,
  'verification-key-unknown': explainUnknownKey,
  'hmac-key-unknown': explainUnknownKey,
  'backup-key-unknown': explainUnknownKey,
  'key-type-unknown': explainKeyType,
  'key-type-not-created': explainKeyType,
  'rotate-period-short': explainMember(
    'auto_rotate_period',
    'it must be at least an hour, or 0 for no rotation',
    withField('auto_rotate_period', '1h'),
  ),
  'convergent-without-derivation': (request) => ({
    because: '"convergent_encryption" is true, which only derived keys support',
    ...withField('derived', true)(request),
  }),
  'convergent-without-context': (request) => ({
    because: '"convergent_encryption" is true, but the request has no "context" for a derived key',
    ...withField('context', exampleContext)(request),
  }),
  'key-size-of-other-type': explainExtraMember(
    'key_size',
    'only keys of the type hmac have a size',
  ),
  'key-size-invalid': explainMember(
    'key_size',
    'keys have 32 to 512 bytes',
    withField('key_size', 32),
  ),
  'key-size-missing': (request) => ({
    because: 'a key of the type hmac has 32 to 512 bytes, but the request has no "key_size"',
    ...withField('key_size', 32)(request),
  }),
  'derivation-unsupported': (request) => ({
    because: `keys of the type ${String(request.refusal?.params['type'])} cannot be derived`,
    ...withoutMembers('derived', 'convergent_encryption'),
  }),
  'convergence-unsupported': (request) => ({
    because: `keys of the type ${String(request.refusal?.params['type'])} do not encrypt`,
    ...withoutMembers('convergent_encryption'),
  }),
  'decryption-version-negative': explainSetting('min_decryption_version', () => 1),
  'decryption-version-above-latest': explainSetting(
    'min_decryption_version',
    ({ latest_version }) => latest_version,
  ),
  'decryption-version-trimmed': explainSetting(
    'min_decryption_version',
    ({ min_available_version }) => min_available_version,
  ),
  'encryption-version-negative': explainSetting('min_encryption_version', () => 0),
  'encryption-version-above-latest': explainSetting('min_encryption_version', () => 0),
  'encryption-version-below-decryption': explainSetting('min_encryption_version', () => 0),
  'encryption-version-trimmed': explainSetting(
    'min_encryption_version',
    ({ latest_version }) => latest_version,
  ),
  'available-version-missing': explainSetting('min_available_version', minVersionInUse),
  'available-version-decremented': explainSetting('min_available_version', minVersionInUse),
  'available-version-above-encryption': explainSetting('min_available_version', minVersionInUse),
  'available-version-above-decryption': explainSetting('min_available_version', minVersionInUse),
  'available-version-zero': explainSetting('min_available_version', () => 1),
  'available-version-before-encryption': explainByKey(
    (request, { name, latest_version }, mount) => ({
      because: `"min_encryption_version" of the key ${name} is 0, so every version may encrypt`,
      ...configureKey(
        request,
        mount,
        { min_encryption_version: latest_version },
        `Set "min_encryption_version": ${latest_version} first`,
      ),
    }),
  ),
  'key-not-deletable': explainByKey((request, { name }, mount) => ({
    because: `"deletion_allowed" of the key ${name} is false`,
    ...configureKey(
      request,
      mount,
      { deletion_allowed: true },
      'Set "deletion_allowed": true first',
    ),
  })),
  'plaintext-missing': (request) => ({
    because: 'the request has no "plaintext", which must be base64',
    ...withField('plaintext', examplePlaintext)(request),
  }),
  'ciphertext-missing': explainCiphertext('the request has no "ciphertext"'),
  'ciphertext-without-prefix': explainCiphertext(`${ciphertextRule}; it has no prefix`),
  'ciphertext-fields': explainCiphertext(`${ciphertextRule}; it has no second colon`),
  'ciphertext-version-unreadable': explainCiphertext(
    `${ciphertextRule}; its version is not a number`,
  ),
  'ciphertext-no-base64': explainCiphertext(`${ciphertextRule}; its last part is not base64`),
  'ciphertext-too-short': explainCiphertext(`${ciphertextRule}; its last part is too short`),
  'ciphertext-too-new': explainNewVersion,
  'version-too-old': explainOldVersion,
  'authentication-failed': explainCiphertext(
    '"ciphertext" was changed, or was made with another key, "context" or "associated_data"',
  ),
  'chacha-authentication-failed': explainCiphertext(
    '"ciphertext" was changed, or was made with another key, "context" or "associated_data"',
  ),
  'rsa-decryption-failed': explainCiphertext('"ciphertext" was changed, or made with another key'),
  'rsa-encryption-failed': (request) => ({
    because: '"plaintext" is longer than an RSA key of this size can encrypt',
    ...withField('plaintext', examplePlaintext)(request),
  }),
  'transit-base64-invalid': explainBase64,
  'context-base64-invalid': () => ({
    because: '"context" is not base64',
    change: 'Omit ?context',
    request: { query: { context: undefined } },
  }),
  'context-missing': explainByKey((request, { name }) => ({
    because: `the key ${name} is derived, but the request has no "context"`,
    ...withField('context', exampleContext)(request),
  })),
  'encryption-version-asked-negative': explainVersion,
  'encryption-version-asked-unknown': explainVersion,
  'encryption-version-asked-old': explainVersion,
  'key-version-unknown': explainVersion,
  'encryption-unsupported': explainType('encrypt', 'aes256-gcm96'),
  'decryption-unsupported': explainType('decrypt', 'aes256-gcm96'),
  'signing-unsupported': explainType('sign', 'ed25519'),
  'verification-unsupported': explainType('verify signatures', 'ed25519'),
  'associated-data-unsupported': explainExtraMember(
    'associated_data',
    'keys of this type do not authenticate associated data',
  ),
  'associated-data-invalid': explainMember(
    'associated_data',
    'it must be base64',
    withField('associated_data', examplePlaintext),
  ),
  'data-key-path': ({ path }) => {
    const to = path.replace(/\/datakey\/[^/]+\//, '/datakey/plaintext/')
    return {
      because: 'the path must begin with datakey/plaintext/ or datakey/wrapped/',
      change: `Send the request to ${to}`,
      request: { path: to },
    }
  },
  'data-key-bits': explainMember('bits', 'it must be 128, 256 or 512', withField('bits', 256)),
  'cache-size-small': explainMember(
    'size',
    'it must be at least 10, or 0 for no limit',
    withField('size', 0),
  ),
})
