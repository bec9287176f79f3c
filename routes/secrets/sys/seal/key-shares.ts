import type { Key } from 'openpgp'
import { Base64Error, decodeBase64 } from '../../../../state/go/base64.ts'
import type { Message } from '../../../../state/kernel/message.ts'
import type { Refusal } from '../../../../state/kernel/refusal.ts'
import { requiredText } from '../../fields/field-kinds.ts'
import { message, refuse } from '../../messages.ts'

/** Function that creates the refusal for an invalid key, given the reason. */
type RefuseKey = (reason: Message) => Refusal

const refuseKey: RefuseKey = (reason) => refuse('pgp-key-refused', { reason })

/** A caller's public key, which encrypts secrets for the caller. */
export interface PgpKey {
  /** The fingerprint: 40 lower-case hexadecimal digits. */
  readonly fingerprint: string
  /** Encrypts a text. Resolves to a binary OpenPGP message for the key. */
  encrypt(text: string): Promise<Uint8Array>
}

/** Key shares in replies: each share in hex and in base64. */
export interface DeliveredShares {
  readonly keys: readonly string[]
  readonly keys_base64: readonly string[]
}

/**
 * Names of fields in error messages, for operations whose Go struct in the reference declares no
 * JSON names.
 */
export const upperCaseNames = { key: 'Key', nonce: 'Nonce' } as const

/**
 * Parses a binary public key in base64 (behaviour/secrets#pgp). Verifies that the key can encrypt,
 * so that encryption does not fail after a secret was created.
 *
 * @param toRefusal creates the refusal for an invalid key, given the reason
 */
export async function readPgpKey(text: string, toRefusal: RefuseKey = refuseKey): Promise<PgpKey> {
  const binaryKey = decode(text, toRefusal)
  const { readKey, createMessage, encrypt } = await import('openpgp')
  const key = await readKey({ binaryKey }).catch((error) => {
    throw toRefusal(message('pgp-key-unreadable', { why: reason(error) }))
  })
  const date = lastSignatureTime(key)
  await key.getEncryptionKey(undefined, date).catch((error) => {
    throw toRefusal(message('pgp-key-cannot-encrypt', { why: reason(error) }))
  })
  return {
    fingerprint: key.getFingerprint(),
    encrypt: async (secret) =>
      encrypt({
        message: await createMessage({ binary: Buffer.from(secret) }),
        encryptionKeys: key,
        format: 'binary',
        date,
      }),
  }
}

/** Parses public keys in their order. Throws the refusal for the first invalid key. */
export async function readPgpKeys(
  texts: readonly string[],
  toRefusal: RefuseKey = refuseKey,
): Promise<PgpKey[]> {
  const keys: PgpKey[] = []
  for (const text of texts) keys.push(await readPgpKey(text, toRefusal))
  return keys
}

function decode(text: string, toRefusal: RefuseKey): Uint8Array {
  try {
    return decodeBase64(text)
  } catch (error) {
    if (!(error instanceof Base64Error)) throw error
    throw toRefusal(message('pgp-key-undecodable', { why: error.message }))
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/**
 * Returns the latest creation time of a part of the key or of one of its self-signatures. The
 * validity of the key is checked at this time, because the clock of the process may differ from
 * that of the world.
 */
function lastSignatureTime(key: Key) {
  const signatures = [
    ...key.users.flatMap(({ selfCertifications }) => selfCertifications),
    ...key.subkeys.flatMap(({ bindingSignatures }) => bindingSignatures),
  ]
  const creationTimes = key.getKeys().map((each) => each.getCreationTime())
  const signatureTimes = signatures.flatMap(({ created }) => (created === null ? [] : [created]))
  const timestamps = [...creationTimes, ...signatureTimes]
  return timestamps.reduce((latest, each) => (Number(each) > Number(latest) ? each : latest))
}

/**
 * Prepares key shares for the reply. Without PGP keys, the shares are plain. With PGP keys, each
 * entry is a message that contains the share as hex, encrypted for the key at the same position
 * (behaviour/secrets#pgp).
 *
 * @param shares lower-case hex
 */
export async function deliverShares(
  shares: readonly string[],
  keys: readonly PgpKey[],
): Promise<DeliveredShares> {
  const deliveredShares = await Promise.all(
    shares.map(async (share, at) => {
      const key = keys[at]
      return Buffer.from(key === undefined ? Buffer.from(share, 'hex') : await key.encrypt(share))
    }),
  )
  return {
    keys: deliveredShares.map((bytes) => bytes.toString('hex')),
    keys_base64: deliveredShares.map((bytes) => bytes.toString('base64')),
  }
}

/**
 * Returns the fields of a request that submits one key share. `share` and `attempt` are phrases for
 * the descriptions of the fields.
 */
export function shareFields(share: string, attempt: string) {
  const field = (description: string) => requiredText(description)
  return {
    key: field(`${share} in hex or base64`),
    nonce: field(`The nonce of the ${attempt}`),
  } as const
}
