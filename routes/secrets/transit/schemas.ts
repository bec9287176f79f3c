import {
  any,
  bool,
  type Field,
  int,
  list,
  map,
  type Shape,
  text,
  textOf,
  union,
} from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withDefault } from '../../../state/kernel/shape/members.ts'
import { keyTypes } from '../../../state/secrets/transit/types.ts'
import { envelopeOf, structEnvelope } from '../envelope/schemas.ts'
import { duration, flag, requiredField, textField } from '../fields/field-kinds.ts'

export const newKeyFields = {
  type: withDefault(described(text, `One of ${keyTypes.join(', ')}`), 'aes256-gcm96'),
  derived: flag('Whether a separate key is derived for each context'),
  convergent_encryption: flag('Whether equal plaintexts and contexts result in equal ciphertexts'),
  exportable: flag('Whether the key can be exported'),
  allow_plaintext_backup: flag('Whether the key can be backed up'),
  auto_rotate_period: withDefault(
    duration('Time between two automatic rotations; 0 means never'),
    0,
  ),
  key_size: withDefault(described(int, 'Length of a key of the type hmac, in bytes'), 0),
} as const

export const keySettingsFields = {
  min_decryption_version: described(int, 'Oldest version that can decrypt and verify'),
  min_encryption_version: described(int, 'Oldest version that can encrypt and sign; 0 means any'),
  deletion_allowed: described(bool, 'Whether the key can be deleted'),
  exportable: described(bool, 'Whether the key can be exported; cannot be revoked'),
  allow_plaintext_backup: described(bool, 'Whether the key can be backed up; cannot be revoked'),
  auto_rotate_period: duration('Time between two automatic rotations; 0 means never'),
} as const

/** Field of a request that trims old versions of a key. */
export const trimFields = {
  min_available_version: requiredField(described(int, 'Oldest version that is kept')),
} as const

export const keyEnvelope = structEnvelope({
  name: text,
  type: text,
  derived: bool,
  deletion_allowed: bool,
  min_available_version: int,
  min_decryption_version: int,
  min_encryption_version: int,
  latest_version: int,
  exportable: bool,
  allow_plaintext_backup: bool,
  supports_encryption: bool,
  supports_decryption: bool,
  supports_signing: bool,
  supports_derivation: bool,
  auto_rotate_period: described(int, 'Seconds'),
  imported_key: bool,
  key_size: optional(int),
  kdf: optional(text),
  convergent_encryption: optional(bool),
  convergent_encryption_version: optional(int),
  keys: optional(
    map(
      union(
        described(int, 'Creation time, in seconds since 1970'),
        struct({ name: text, creation_time: textOf({ format: 'date-time' }), public_key: text }),
      ),
    ),
  ),
})

const plaintext = described(text, 'Plaintext in base64; required without a batch')

const ciphertext = described(text, 'Ciphertext; required without a batch')

const context = described(text, 'Context of a derived key, in base64')

const associatedData = described(text, 'Additional authenticated data, in base64')

const keyVersion = withDefault(described(int, 'Version of the key; 0 means the latest'), 0)

const batchInput = described(list(any), 'Items of a batch, instead of the fields of a single item')

const partialFailure = described(int, 'Status of the reply if some items of a batch fail')

export const encryptFields = {
  plaintext,
  context: withDefault(context, ''),
  associated_data: withDefault(associatedData, ''),
  key_version: keyVersion,
  type: withDefault(described(text, 'Type of the key, if the key is created'), 'aes256-gcm96'),
  convergent_encryption: flag('Whether the key is convergent, if the key is created'),
  batch_input: batchInput,
  partial_failure_response_code: partialFailure,
} as const

export const decryptFields = {
  ciphertext: withDefault(ciphertext, ''),
  context: withDefault(context, ''),
  associated_data: withDefault(associatedData, ''),
  batch_input: batchInput,
  partial_failure_response_code: partialFailure,
} as const

export const rewrapFields = {
  ciphertext: withDefault(ciphertext, ''),
  context: withDefault(context, ''),
  key_version: keyVersion,
  batch_input: batchInput,
} as const

export const dataKeyFields = {
  context: withDefault(context, ''),
  bits: withDefault(described(int, 'Key length in bits: 128, 256 or 512'), 256),
  key_version: keyVersion,
} as const

/** Members of every item in the reply to a batch. */
const itemMembers = {
  reference: described(text, 'Reference of an item, which is returned unchanged'),
  error: optional(text),
}

export const ciphertextEnvelope = itemEnvelope(
  { ciphertext: text, key_version: int },
  { ciphertext: optional(text), key_version: optional(int) },
)

export const plaintextEnvelope = itemEnvelope({ plaintext: text }, { plaintext: text })

export const dataKeyEnvelope = structEnvelope({
  ciphertext: text,
  key_version: int,
  plaintext: optional(text),
})

const input = described(text, 'Input in base64')

const hashNamesText = 'sha2-… or sha3-… of 224, 256, 384 or 512, sha1'

const signingOptionFields = {
  input: withDefault(input, ''),
  context: withDefault(context, ''),
  hash_algorithm: described(text, `${hashNamesText} or none; without it sha2-256`),
  algorithm: described(text, 'Old name of `hash_algorithm`'),
  prehashed: flag('Whether the input is a hash'),
  signature_algorithm: textField('For RSA keys: `pss` or `pkcs1v15`'),
  marshaling_algorithm: withDefault(
    described(text, '`asn1`, or `jws` for the form that JWTs use'),
    'asn1',
  ),
  salt_length: withDefault(
    described(text, 'Salt length of PSS: `auto`, `hash` or a number of bytes'),
    'auto',
  ),
  batch_input: batchInput,
} as const

export const signFields = { ...signingOptionFields, key_version: keyVersion } as const

export const verifyFields = {
  ...signingOptionFields,
  signature: described(text, 'The signature to verify'),
  hmac: described(text, 'The HMAC to verify'),
} as const

export const hmacFields = {
  input,
  algorithm: withDefault(described(text, hashNamesText), 'sha2-256'),
  key_version: keyVersion,
  batch_input: batchInput,
} as const

export const signatureEnvelope = itemEnvelope(
  { signature: text, key_version: int, public_key: optional(text) },
  { signature: optional(text), key_version: int, publickey: optional(text) },
)

/** Reply to a verification. */
export const validEnvelope = itemEnvelope({ valid: bool }, { valid: bool })

export const hmacEnvelope = itemEnvelope({ hmac: text }, { hmac: optional(text) })

/** Returns the schema of a reply that concerns one item or a batch. */
function itemEnvelope(
  singleMembers: Readonly<Record<string, Shape | Field>>,
  resultMembers: Readonly<Record<string, Shape | Field>>,
): Shape {
  return envelopeOf(
    union(
      struct(singleMembers),
      struct({ batch_results: list(struct({ ...resultMembers, ...itemMembers })) }),
    ),
  )
}
