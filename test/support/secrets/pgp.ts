import { decrypt, generateKey, type PrivateKey, readMessage } from 'openpgp'

/** Somebody who has a PGP key. */
export interface PgpOwner {
  /** Base64 of the binary public key, as the API takes it. */
  readonly publicKey: string
  /** 40 lower-case hexadecimal digits. */
  readonly fingerprint: string
  readonly privateKey: PrivateKey
}

/** Makes a key. It is made in the future of the tests' worlds, whose clocks stand still long before. */
export async function makePgpOwner(type: 'curve25519' | 'ecc' = 'curve25519'): Promise<PgpOwner> {
  const userIDs = [{ name: 'Ada', email: 'ada@example.org' }]
  const { publicKey, privateKey } = await generateKey({ type, userIDs, format: 'object' })
  return {
    publicKey: Buffer.from(publicKey.write()).toString('base64'),
    fingerprint: publicKey.getFingerprint(),
    privateKey,
  }
}

/** What is in a binary message, for the owner of a key. */
export async function decryptMessage(owner: PgpOwner, message: Buffer): Promise<string> {
  const { data } = await decrypt({
    message: await readMessage({ binaryMessage: Uint8Array.from(message) }),
    decryptionKeys: owner.privateKey,
    format: 'binary',
  })
  return Buffer.from(data as Uint8Array).toString()
}
