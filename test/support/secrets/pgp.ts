import { decrypt, generateKey, type PrivateKey, readMessage } from 'openpgp'

/** PGP key pair, with the forms of the public key that tests need. */
export interface PgpOwner {
  /** Base64 of the binary public key, in the form of the API. */
  readonly publicKey: string
  /** Fingerprint: 40 lower-case hexadecimal digits. */
  readonly fingerprint: string
  readonly privateKey: PrivateKey
}

/** Generates a key, dated after the frozen clocks of the tests' worlds. */
export async function makePgpOwner(type: 'curve25519' | 'ecc' = 'curve25519'): Promise<PgpOwner> {
  const userIDs = [{ name: 'Ada', email: 'ada@example.org' }]
  const { publicKey, privateKey } = await generateKey({ type, userIDs, format: 'object' })
  return {
    publicKey: Buffer.from(publicKey.write()).toString('base64'),
    fingerprint: publicKey.getFingerprint(),
    privateKey,
  }
}

/** Decrypts a binary message with the key of its owner. */
export async function decryptMessage(owner: PgpOwner, message: Buffer): Promise<string> {
  const { data } = await decrypt({
    message: await readMessage({ binaryMessage: Uint8Array.from(message) }),
    decryptionKeys: owner.privateKey,
    format: 'binary',
  })
  return Buffer.from(data as Uint8Array).toString()
}
