import type { Key } from 'openpgp'
import type { Refusal } from '../../state/kernel/refusal.ts'
import { Base64Error, decodeBase64 } from '../../state/secrets/base64.ts'
import { invalid } from '../../state/secrets/refusals.ts'

/** A public key that a caller wants secrets encrypted to. */
export interface PgpKey {
  /** 40 lower-case hexadecimal digits. */
  readonly fingerprint: string
  /** The text as a binary OpenPGP message for the key. */
  encrypt(text: string): Promise<Uint8Array>
}

/**
 * Reads a base64 binary public key (1-secrets-decisions.md section 5, PGP) and makes sure that it
 * can encrypt, so that nothing fails once a secret is made.
 *
 * @param refuse makes the refusal of a bad key from the reason.
 */
export async function readPgpKey(
  text: string,
  refuse: (reason: string) => Refusal = invalid,
): Promise<PgpKey> {
  const binaryKey = decode(text, refuse)
  const { readKey, createMessage, encrypt } = await import('openpgp')
  const key = await readKey({ binaryKey }).catch((error) => {
    throw refuse(`error parsing given PGP key: ${reason(error)}`)
  })
  const date = lastSigned(key)
  await key.getEncryptionKey(undefined, date).catch((error) => {
    throw refuse(`error setting up encryption for PGP message: ${reason(error)}`)
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

/** Reads keys in order; refuses for the first bad one. */
export async function readPgpKeys(
  texts: readonly string[],
  refuse: (reason: string) => Refusal = invalid,
): Promise<PgpKey[]> {
  const keys: PgpKey[] = []
  for (const text of texts) keys.push(await readPgpKey(text, refuse))
  return keys
}

function decode(text: string, refuse: (reason: string) => Refusal): Uint8Array {
  try {
    return decodeBase64(text)
  } catch (error) {
    if (!(error instanceof Base64Error)) throw error
    throw refuse(`error decoding given PGP key: ${error.message}`)
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/**
 * The latest moment at which the key says something of itself. Validity is judged by it and not by
 * the process's clock, which a world's clock need not agree with.
 */
function lastSigned(key: Key) {
  const signatures = [
    ...key.users.flatMap(({ selfCertifications }) => selfCertifications),
    ...key.subkeys.flatMap(({ bindingSignatures }) => bindingSignatures),
  ]
  const made = key.getKeys().map((each) => each.getCreationTime())
  const signed = signatures.flatMap(({ created }) => (created === null ? [] : [created]))
  const moments = [...made, ...signed]
  return moments.reduce((latest, each) => (Number(each) > Number(latest) ? each : latest))
}
