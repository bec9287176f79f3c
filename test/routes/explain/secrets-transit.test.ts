import { describe } from 'vitest'
import { testMistakes } from './mistake-tests.ts'
import { type Mistake, mistakesAt } from './mistakes.ts'

const mistakesAfter = mistakesAt('transit')

const transit = 'POST /v1/sys/mounts/transit {"type":"transit"}'

/** Returns requests that make a key of a type, `app`. */
const withKey = (type: string, rest = '') => [
  transit,
  `POST /v1/transit/keys/app {"type":"${type}"${rest}}`,
]
const app = withKey('aes256-gcm96')
const rotated = [...app, 'POST /v1/transit/keys/app/rotate']
const config = (body: object) => `POST /v1/transit/keys/app/config ${JSON.stringify(body)}`
const encrypted = 'data.ciphertext<-POST /v1/transit/encrypt/app {"plaintext":"aGVsbG8="}'
const trimmed = [
  ...rotated,
  config({ min_decryption_version: 2, min_encryption_version: 2 }),
  'POST /v1/transit/keys/app/trim {"min_available_version":2}',
]
const text = 'aGVsbG8='
const zeros = Buffer.alloc(40).toString('base64')

const mistakes: readonly Mistake[] = [
  ...mistakesAfter(app, [
    [
      'a key with a slip',
      'GET keys/ap',
      {},
      'transit-key-absent',
      'transit/ has no key ap',
      'it has app',
    ],
    [
      'a rotation of a key that nobody made',
      'POST keys/other/rotate',
      {},
      'key-to-rotate-unknown',
      'has no key other',
    ],
    [
      'settings of a key that nobody made',
      'POST keys/other/config',
      {},
      'key-to-configure-unknown',
      'has no key other',
    ],
    [
      'versions of a key that nobody made',
      'POST keys/other/trim',
      {},
      'key-to-trim-unknown',
      'has no key other',
    ],
    [
      'a deletion of a key that nobody made',
      'DELETE keys/other',
      {},
      'key-to-delete-unknown',
      'has no key other',
    ],
    [
      'a ciphertext of a key that nobody made',
      'POST decrypt/other',
      { ciphertext: 'vault:v1:AAAA' },
      'encryption-key-unknown',
      'has no key other',
    ],
    [
      'a signature with a key that nobody made',
      'POST sign/other',
      { input: text },
      'signing-key-unknown',
      'has no key other',
    ],
    [
      'a check with a key that nobody made',
      'POST verify/other',
      { input: text, signature: 'x' },
      'verification-key-unknown',
      'has no key other',
    ],
    [
      'an HMAC with a key that nobody made',
      'POST hmac/other',
      { input: text },
      'hmac-key-unknown',
      'has no key other',
    ],
    [
      'a backup of a key that nobody made',
      'GET backup/other',
      {},
      'backup-key-unknown',
      'has no key other',
    ],
    [
      'a key of an unknown type',
      'POST keys/b',
      { type: 'aes' },
      'key-type-unknown',
      '"type" is aes',
      'aes256-gcm96',
    ],
    [
      'encryption with a new key for signatures',
      'POST encrypt/b',
      { plaintext: text, type: 'ecdsa-p256' },
      'key-type-not-created',
      'encrypting creates',
    ],
    [
      'a key that rotates every minute',
      'POST keys/b',
      { auto_rotate_period: '1m' },
      'rotate-period-short',
      'at least an hour',
    ],
    [
      'a convergent key that is not derived',
      'POST keys/b',
      { convergent_encryption: true },
      'convergent-without-derivation',
      'only derived keys',
    ],
    [
      'convergent encryption with a new key without a context',
      'POST encrypt/b',
      { plaintext: text, convergent_encryption: true },
      'convergent-without-context',
      'has no "context"',
    ],
    [
      'a size of a key that has none',
      'POST keys/b',
      { key_size: 32 },
      'key-size-of-other-type',
      '"key_size" is 32',
    ],
    [
      'a short HMAC key',
      'POST keys/b',
      { type: 'hmac', key_size: 8 },
      'key-size-invalid',
      '"key_size" is 8',
      '32 to 512 bytes',
    ],
    [
      'an HMAC key without a size',
      'POST keys/b',
      { type: 'hmac' },
      'key-size-missing',
      'has no "key_size"',
    ],
    [
      'a derived key for ECDSA',
      'POST keys/b',
      { type: 'ecdsa-p256', derived: true },
      'derivation-unsupported',
      'type ecdsa-p256 cannot be derived',
    ],
    [
      'a convergent key for Ed25519',
      'POST keys/b',
      { type: 'ed25519', derived: true, convergent_encryption: true },
      'convergence-unsupported',
      'type ed25519 do not encrypt',
    ],
    [
      'a negative version for decryption',
      'POST keys/app/config',
      { min_decryption_version: -1 },
      'decryption-version-negative',
      '"min_decryption_version" is -1',
    ],
    [
      'a version for decryption that does not exist',
      'POST keys/app/config',
      { min_decryption_version: 5 },
      'decryption-version-above-latest',
      'versions up to 1',
    ],
    [
      'a negative version for encryption',
      'POST keys/app/config',
      { min_encryption_version: -1 },
      'encryption-version-negative',
      '"min_encryption_version" is -1',
    ],
    [
      'a version for encryption that does not exist',
      'POST keys/app/config',
      { min_encryption_version: 5 },
      'encryption-version-above-latest',
      'versions up to 1',
    ],
    [
      'a deletion of a key that does not allow it',
      'DELETE keys/app',
      {},
      'key-not-deletable',
      '"deletion_allowed" of the key app is false',
    ],
    [
      'versions that may all encrypt',
      'POST keys/app/trim',
      { min_available_version: 1 },
      'available-version-before-encryption',
      'every version may encrypt',
    ],
    ['encryption of nothing', 'POST encrypt/app', {}, 'plaintext-missing', 'has no "plaintext"'],
    [
      'encryption of text',
      'POST encrypt/app',
      { plaintext: 'hello world' },
      'transit-base64-invalid',
      '"plaintext" is not base64',
    ],
    ['decryption of nothing', 'POST decrypt/app', {}, 'ciphertext-missing', 'has no "ciphertext"'],
    [
      'a ciphertext without a prefix',
      'POST decrypt/app',
      { ciphertext: text },
      'ciphertext-without-prefix',
      'has no prefix',
    ],
    [
      'a ciphertext without its data',
      'POST decrypt/app',
      { ciphertext: 'service:v1' },
      'ciphertext-fields',
      'no second colon',
    ],
    [
      'a ciphertext with a word as version',
      'POST decrypt/app',
      { ciphertext: 'service:vx:AAAA' },
      'ciphertext-version-unreadable',
      'not a number',
    ],
    [
      'a ciphertext of other characters',
      'POST decrypt/app',
      { ciphertext: 'service:v1:!' },
      'ciphertext-no-base64',
      'not base64',
    ],
    [
      'a short ciphertext',
      'POST decrypt/app',
      { ciphertext: 'service:v1:AAAA' },
      'ciphertext-too-short',
      'too short',
    ],
    [
      'a ciphertext of a later version',
      'POST decrypt/app',
      { ciphertext: 'service:v7:AAAA' },
      'ciphertext-too-new',
      'version 7',
      'the latest version of app is 1',
    ],
    [
      'a ciphertext of another key',
      'POST decrypt/app',
      { ciphertext: `service:v1:${zeros}` },
      'authentication-failed',
      'made with another key',
    ],
    [
      'encryption with a negative version',
      'POST encrypt/app',
      { plaintext: text, key_version: -1 },
      'encryption-version-asked-negative',
      '"key_version" is -1',
    ],
    [
      'encryption with a version that does not exist',
      'POST encrypt/app',
      { plaintext: text, key_version: 5 },
      'encryption-version-asked-unknown',
      'versions 1 to 1',
    ],
    [
      'further data that are not base64',
      'POST encrypt/app',
      { plaintext: text, associated_data: '!' },
      'associated-data-invalid',
      '"associated_data" is !',
    ],
    [
      'a data key in an unknown form',
      'POST datakey/clear/app',
      {},
      'data-key-path',
      'datakey/plaintext/ or datakey/wrapped/',
    ],
    [
      'a data key of an unknown length',
      'POST datakey/plaintext/app',
      { bits: 100 },
      'data-key-bits',
      '"bits" is 100',
    ],
    ['a small cache', 'POST cache-config', { size: 5 }, 'cache-size-small', 'at least 10'],
    [
      'a signature with a key for encryption',
      'POST sign/app',
      { input: text },
      'signing-unsupported',
      'does not sign',
    ],
    [
      'a check with a key for encryption',
      'POST verify/app',
      { input: text, signature: 'x' },
      'verification-unsupported',
      'does not verify signatures',
    ],
  ]),
  ...mistakesAfter(rotated, [
    [
      'versions for encryption before those for decryption',
      'POST keys/app/config',
      { min_encryption_version: 1, min_decryption_version: 2 },
      'encryption-version-below-decryption',
      '"min_encryption_version" is 1',
    ],
  ]),
  ...mistakesAfter(trimmed, [
    [
      'encryption with a version that may not encrypt',
      'POST encrypt/app',
      { plaintext: text, key_version: 1 },
      'encryption-version-asked-old',
      'versions 2 to 2',
    ],
    [
      'encryption with versions that are gone',
      'POST keys/app/config',
      { min_encryption_version: 0 },
      'encryption-version-trimmed',
      '2 is the oldest one left',
    ],
    [
      'versions to keep that nobody names',
      'POST keys/app/trim',
      {},
      'available-version-missing',
      '"min_available_version" is missing',
    ],
    [
      'versions to keep that are gone',
      'POST keys/app/trim',
      { min_available_version: 1 },
      'available-version-decremented',
      '2 is the oldest one left',
    ],
    [
      'a ciphertext of a version that is gone',
      'POST decrypt/app',
      { ciphertext: `service:v1:${zeros}` },
      'version-too-old',
      'only decrypts with version 2 or higher',
    ],
  ]),
  ...mistakesAfter(
    [...trimmed, config({ min_encryption_version: 2 })],
    [
      [
        'decryption with versions that are gone',
        'POST keys/app/config',
        { min_decryption_version: 1 },
        'decryption-version-trimmed',
        '2 is the oldest one left',
      ],
    ],
  ),
  ...mistakesAfter(
    [...rotated, config({ min_encryption_version: 1 })],
    [
      [
        'versions to keep that still encrypt',
        'POST keys/app/trim',
        { min_available_version: 2 },
        'available-version-above-encryption',
        'encrypts from version 1',
      ],
      [
        'all versions to keep',
        'POST keys/app/trim',
        { min_available_version: 0 },
        'available-version-zero',
        '"min_available_version" is 0',
      ],
    ],
  ),
  ...mistakesAfter(
    [...rotated, config({ min_encryption_version: 2 })],
    [
      [
        'versions to keep that still decrypt',
        'POST keys/app/trim',
        { min_available_version: 2 },
        'available-version-above-decryption',
        'decrypts from version 1',
      ],
    ],
  ),
  ...mistakesAfter(
    [...app, encrypted, 'POST /v1/transit/keys/app/rotate', config({ min_decryption_version: 2 })],
    [
      [
        'a ciphertext of a version that may not decrypt',
        'POST decrypt/app',
        { ciphertext: '$ciphertext' },
        'version-too-old',
        'version 1 of the key app',
      ],
      [
        'encryption with a version that may not decrypt',
        'POST encrypt/app',
        { plaintext: text, key_version: 1 },
        'key-version-unknown',
        'versions 2 to 2',
      ],
    ],
  ),
  ...mistakesAfter(withKey('aes256-gcm96', ',"derived":true'), [
    [
      'encryption with a derived key without a context',
      'POST encrypt/app',
      { plaintext: text },
      'context-missing',
      'the key app is derived',
    ],
    [
      'a context in the query that is not base64',
      'GET keys/app?context=!',
      {},
      'context-base64-invalid',
      '"context" is not base64',
    ],
  ]),
  ...mistakesAfter(withKey('chacha20-poly1305'), [
    [
      'a ciphertext of another key for ChaCha20',
      'POST decrypt/app',
      { ciphertext: `service:v1:${zeros}` },
      'chacha-authentication-failed',
      'made with another key',
    ],
  ]),
  ...mistakesAfter(withKey('ed25519'), [
    [
      'encryption with a key for signatures',
      'POST encrypt/app',
      { plaintext: text },
      'encryption-unsupported',
      'type ed25519, which does not encrypt',
    ],
    [
      'decryption with a key for signatures',
      'POST decrypt/app',
      { ciphertext: 'service:v1:AAAA' },
      'decryption-unsupported',
      'does not decrypt',
    ],
  ]),
  ...mistakesAfter(withKey('rsa-2048'), [
    [
      'further data for RSA',
      'POST encrypt/app',
      { plaintext: text, associated_data: text },
      'associated-data-unsupported',
      '"associated_data" is',
    ],
    [
      'a plaintext that is too long for RSA',
      'POST encrypt/app',
      { plaintext: Buffer.alloc(300).toString('base64') },
      'rsa-encryption-failed',
      'longer than an RSA key',
    ],
    [
      'a ciphertext of another RSA key',
      'POST decrypt/app',
      { ciphertext: `service:v1:${zeros}` },
      'rsa-decryption-failed',
      'made with another key',
    ],
  ]),
]

describe('behaviour/program#explanations: mistakes in requests to transit engines are named first', () =>
  testMistakes('secrets', 'neutral', mistakes))
