import { any, bool, int, list, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, withDefault } from '../../../state/kernel/shape/members.ts'
import { flag, textField } from '../fields/field-kinds.ts'
import { itemEnvelope } from './schemas.ts'

const input = described(text, 'What it is about, as base64')
const context = textField('Context of a derived key, as base64')
const keyVersion = withDefault(described(int, 'Version of the key; 0 for the latest'), 0)
const batchInput = described(list(any), 'Items to do together, in place of the fields of one')
const hashes = 'sha2-… or sha3-… of 224, 256, 384 or 512, sha1'

const signingOptionFields = {
  input: withDefault(input, ''),
  context,
  hash_algorithm: described(text, `${hashes} or none; without it sha2-256`),
  algorithm: described(text, 'The old name of `hash_algorithm`'),
  prehashed: flag('The input is hashed already'),
  signature_algorithm: textField('Of RSA keys: `pss` or `pkcs1v15`'),
  marshaling_algorithm: withDefault(
    described(text, '`asn1`, or `jws` for signatures as JWTs have them'),
    'asn1',
  ),
  salt_length: withDefault(described(text, 'Of PSS: `auto`, `hash` or a number of bytes'), 'auto'),
  batch_input: batchInput,
} as const

/** Fields of a signature. */
export const signFields = { ...signingOptionFields, key_version: keyVersion } as const

/** Fields of a verification. */
export const verifyFields = {
  ...signingOptionFields,
  signature: described(text, 'The signature to verify'),
  hmac: described(text, 'The HMAC to verify'),
} as const

/** Fields of an HMAC. */
export const hmacFields = {
  input,
  algorithm: withDefault(described(text, hashes), 'sha2-256'),
  key_version: keyVersion,
  batch_input: batchInput,
} as const

/** Reply to signing. */
export const signatureEnvelope = itemEnvelope(
  { signature: text, key_version: int, public_key: optional(text) },
  { signature: optional(text), key_version: int, publickey: optional(text) },
)

/** Reply to a verification. */
export const validEnvelope = itemEnvelope({ valid: bool }, { valid: bool })

/** Reply to a request for an HMAC. */
export const hmacEnvelope = itemEnvelope({ hmac: text }, { hmac: optional(text) })
