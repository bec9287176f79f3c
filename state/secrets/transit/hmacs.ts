import { createHmac, timingSafeEqual } from 'node:crypto'
import {
  decodeInput,
  readVersion,
  splitVersion,
  type Versioned,
  withoutPrefix,
} from './ciphertext.ts'
import { type TransitKey, versionOf } from './keys.ts'
import { type HashSpec, hashNamed } from './hashes.ts'
import { refuse } from './signing-messages.ts'

/** The HMAC key of a version. */
export interface HmacKey {
  readonly version: number
  readonly bytes: Uint8Array
}

/**
 * Returns the HMAC key of a version, which every key type has; 0 means the latest version. Refuses
 * with `invalid`, in the order of behaviour/secrets#transit-signing.
 */
export function hmacKey(key: TransitKey, requested: number): HmacKey {
  const latest = key.latest_version
  const version = requested === 0 ? latest : requested
  const oldest = key.min_encryption_version
  if (oldest > 0 && version < oldest) throw refuse('hmac-version-old')
  if (version < 0) throw refuse('hmac-version-negative')
  if (version > latest) throw refuse('hmac-version-unknown', { latest })
  return { version, bytes: Buffer.from(versionOf(key, version).hmac_key, 'base64') }
}

/** Returns the hash of a name; refuses with `invalid` an unknown name. */
export function hmacHash(name: string): HashSpec {
  const hash = hashNamed(name)
  if (hash === undefined) throw refuse('hmac-hash-unknown')
  return hash
}

/** Computes the HMAC of an input. */
export function makeHmac(
  { version, bytes }: HmacKey,
  hash: HashSpec,
  input: Uint8Array,
): Versioned {
  const text = createHmac(hash.node, bytes).update(input).digest('base64')
  return { version, text }
}

/**
 * Returns whether an HMAC matches an input. Refuses with `invalid` a malformed HMAC or a version
 * that the key lacks.
 */
export function verifyHmac(
  key: TransitKey,
  hash: HashSpec,
  input: Uint8Array,
  text: string,
): boolean {
  const unprefixed = withoutPrefix(text)
  if (unprefixed === undefined) throw refuse('hmac-without-prefix')
  const split = splitVersion(unprefixed)
  if (split === undefined) throw refuse('hmac-fields')
  const version = readVersion(split.number)
  if (version === undefined) throw refuse('hmac-version-unreadable')
  const provided = decodeInput(split.rest, (why) => refuse('hmac-no-base64', { why }))
  if (version > key.latest_version) throw refuse('hmac-too-new')
  if (version < key.min_decryption_version) throw refuse('hmac-too-old')
  const bytes = Buffer.from(versionOf(key, version).hmac_key, 'base64')
  const created = createHmac(hash.node, bytes).update(input).digest()
  return provided.length === created.length && timingSafeEqual(provided, created)
}
