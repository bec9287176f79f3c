import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { Base64Error, decodeBase64 } from '../../go/base64.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { toPem } from '../pki/signing.ts'

/** Thrown for texts that are not SSH keys, with the message of the reference's library. */
export class SshKeyError extends Error {}

/** Encodes a `uint32` of RFC 4251, section 5. */
export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** Encodes a `uint64` of RFC 4251, section 5. */
export function uint64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(value)
  return bytes
}

/** Encodes a `string` of RFC 4251, section 5: its length in four bytes, then its bytes. */
export function string(value: string | Uint8Array): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([uint32(bytes.length), bytes])
}

/**
 * Encodes an `mpint` of RFC 4251, section 5, from the big-endian bytes of a positive number, in
 * base64url or raw.
 */
function mpint(value: string | Uint8Array | undefined): Buffer {
  const bytes =
    typeof value === 'string' ? Buffer.from(value, 'base64url') : Buffer.from(value ?? [])
  const start = bytes.findIndex((byte) => byte !== 0)
  const digits = start < 0 ? Buffer.alloc(0) : bytes.subarray(start)
  const isHigh = (digits[0] ?? 0) >= 0x80
  return string(isHigh ? Buffer.concat([Buffer.from([0]), digits]) : digits)
}

const curveBits: Readonly<Record<string, number>> = { 'P-256': 256, 'P-384': 384, 'P-521': 521 }

/** Encodes the public part of a key (RFC 4253, section 6.6; RFC 5656; RFC 8709). */
export function publicBlob(key: KeyObject): Buffer {
  const { kty, crv = '', n, e, x = '', y = '' } = toPublicKey(key).export({ format: 'jwk' })
  if (kty === 'RSA') return Buffer.concat([string('ssh-rsa'), mpint(e), mpint(n)])
  const bytes = (part: string) => Buffer.from(part, 'base64url')
  if (kty === 'OKP') return Buffer.concat([string('ssh-ed25519'), string(bytes(x))])
  const curve = `nistp${curveBits[crv]}`
  const point = Buffer.concat([Buffer.from([4]), bytes(x), bytes(y)])
  return Buffer.concat([string(`ecdsa-sha2-${curve}`), string(curve), string(point)])
}

function toPublicKey(key: KeyObject): KeyObject {
  return key.type === 'public' ? key : createPublicKey(key)
}

export interface SshPublicKey {
  /** Name of the algorithm in SSH, such as `ssh-ed25519`. */
  readonly algorithm: string
  /** Encoded key, beginning with the algorithm. */
  readonly blob: Buffer
  readonly kind: 'rsa' | 'dsa' | 'ecdsa' | 'ed25519'
  /** Key length in bits; 0 for Ed25519. */
  readonly bits: number
}

/**
 * Splits bytes into the `string` values that they consist of. Throws an SshKeyError if the last
 * value is cut off.
 */
function stringsOf(bytes: Buffer): Buffer[] {
  const strings: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 <= bytes.length ? at + 4 + bytes.readUInt32BE(at) : bytes.length + 1
    if (end > bytes.length) throw new SshKeyError('ssh: short read')
    strings.push(bytes.subarray(at + 4, end))
    at = end
  }
  return strings
}

/**
 * Parses a line of `authorized_keys`, or its base64 alone. Throws an SshKeyError for other strings.
 */
export function parsePublicKey(text: string): SshPublicKey {
  const parts = text.split(' ')
  const encoded = (parts.length > 1 ? parts[1] : text) ?? ''
  let blob: Buffer
  try {
    blob = Buffer.from(decodeBase64(encoded))
  } catch (error) {
    if (!(error instanceof Base64Error)) throw error
    throw new SshKeyError(error.message)
  }
  const [name, first, second] = stringsOf(blob)
  const algorithm = `${name ?? ''}`
  const sizeOf = (number: Buffer | undefined) => (number?.length ? bitLength(number) : 0)
  if (algorithm === 'ssh-rsa') return { algorithm, blob, kind: 'rsa', bits: sizeOf(second) }
  if (algorithm === 'ssh-dss') return { algorithm, blob, kind: 'dsa', bits: sizeOf(first) }
  if (algorithm === 'ssh-ed25519') return { algorithm, blob, kind: 'ed25519', bits: 0 }
  const curve = /^ecdsa-sha2-nistp(256|384|521)$/.exec(algorithm)?.[1]
  if (curve !== undefined) return { algorithm, blob, kind: 'ecdsa', bits: Number(curve) }
  if (name === undefined) throw new SshKeyError('ssh: short read')
  throw new SshKeyError(`ssh: unknown key algorithm: ${algorithm}`)
}

function bitLength(number: Buffer): number {
  return BigInt(`0x${number.toString('hex')}`).toString(2).length
}

/** Formats an encoded public key as a line of `authorized_keys`, with a newline and no comment. */
export function keyLine(blob: Buffer): string {
  const length = blob.readUInt32BE(0)
  return `${blob.subarray(4, 4 + length)} ${blob.toString('base64')}\n`
}

/** Encodes a private key in the format of OpenSSH (PROTOCOL.key), without a passphrase. */
export function formatPrivateKey(world: World, key: KeyObject): string {
  const { kty, d, n, e, p, q, qi, x = '' } = key.export({ format: 'jwk' })
  const blob = publicBlob(key)
  const [algorithm = Buffer.alloc(0), ...parts] = stringsOf(blob)
  const bytes = (part = '') => Buffer.from(part, 'base64url')
  const secret =
    kty === 'RSA'
      ? [mpint(n), mpint(e), mpint(d), mpint(qi), mpint(p), mpint(q)]
      : kty === 'OKP'
        ? [string(bytes(x)), string(Buffer.concat([bytes(d), bytes(x)]))]
        : [...parts.map((part) => string(part)), mpint(d)]
  const checkBytes = Buffer.from(world.ids.bytes(4))
  const body = Buffer.concat([checkBytes, checkBytes, string(algorithm), ...secret, string('')])
  const padding = Buffer.from(Array.from({ length: -body.length & 7 }, (_, at) => at + 1))
  const der = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    string('none'),
    string('none'),
    string(''),
    uint32(1),
    string(blob),
    string(Buffer.concat([body, padding])),
  ])
  return `${toPem('OPENSSH PRIVATE KEY', der)}\n`
}

/**
 * Parses a private key without a passphrase, in PEM or in the format of OpenSSH. Throws an
 * SshKeyError for other strings.
 */
export function parsePrivateKey(text: string): KeyObject {
  const openSshBlock = /-----BEGIN OPENSSH PRIVATE KEY-----([\sA-Za-z0-9+/=]*)-----END/.exec(text)
  try {
    if (openSshBlock !== null) return decodeOpenSshKey(Buffer.from(openSshBlock[1] ?? '', 'base64'))
    if (text.includes('-----BEGIN ')) return createPrivateKey(text)
  } catch (error) {
    if (error instanceof SshKeyError) throw error
    // OpenSSL's messages differ from those of the reference, so the reason is fixed.
    throw new SshKeyError('ssh: unsupported key type')
  }
  throw new SshKeyError('ssh: no key found')
}

function decodeOpenSshKey(der: Buffer): KeyObject {
  const magic = 'openssh-key-v1\0'
  if (der.subarray(0, magic.length).toString() !== magic) {
    throw new SshKeyError('ssh: invalid openssh private key format')
  }
  const keyBytes = der.subarray(magic.length)
  const [cipher, kdf, options] = stringsOf(keyBytes.subarray(0, 4 + 4 + 4 + 4 + 4))
  if (`${cipher}` !== 'none' || `${kdf}` !== 'none' || options === undefined) {
    throw new SshKeyError('ssh: this private key is passphrase protected')
  }
  const [, section = Buffer.alloc(0)] = stringsOf(keyBytes.subarray(24))
  const [algorithm, ...fields] = leadingStrings(section.subarray(8))
  const text = (at: number) => (fields[at] ?? Buffer.alloc(0)).toString('base64url')
  const unsigned = (at: number) => {
    const field = fields[at] ?? Buffer.alloc(0)
    return (field[0] === 0 ? field.subarray(1) : field).toString('base64url')
  }
  if (`${algorithm}` === 'ssh-ed25519') {
    const d = (fields[1] ?? Buffer.alloc(0)).subarray(0, 32).toString('base64url')
    return createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x: text(0) }, format: 'jwk' })
  }
  if (`${algorithm}` === 'ssh-rsa') {
    const numbers = { n: unsigned(0), e: unsigned(1), d: unsigned(2), qi: unsigned(3) }
    const [p, q] = [unsigned(4), unsigned(5)]
    const toBigInt = (value: string) =>
      BigInt(`0x${Buffer.from(value, 'base64url').toString('hex')}`)
    const crtExponent = (prime: string) => {
      const hex = (toBigInt(numbers.d) % (toBigInt(prime) - 1n)).toString(16)
      return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString(
        'base64url',
      )
    }
    const key = { kty: 'RSA', ...numbers, p, q, dp: crtExponent(p), dq: crtExponent(q) }
    return createPrivateKey({ key, format: 'jwk' })
  }
  const bits = /^ecdsa-sha2-nistp(256|384|521)$/.exec(`${algorithm}`)?.[1]
  if (bits === undefined) throw new SshKeyError('ssh: unhandled key type')
  const point = (fields[1] ?? Buffer.alloc(0)).subarray(1)
  const half = point.length / 2
  const d = Buffer.from(unsigned(2), 'base64url')
  const key = {
    kty: 'EC',
    crv: `P-${bits}`,
    x: point.subarray(0, half).toString('base64url'),
    y: point.subarray(half).toString('base64url'),
    d: Buffer.concat([Buffer.alloc(Math.max(0, half - d.length)), d]).toString('base64url'),
  }
  return createPrivateKey({ key, format: 'jwk' })
}

/** Returns the `string` values at the beginning of the bytes. Padding may follow the values. */
function leadingStrings(bytes: Buffer): Buffer[] {
  const strings: Buffer[] = []
  for (let at = 0; at + 4 <= bytes.length; ) {
    const end = at + 4 + bytes.readUInt32BE(at)
    if (end > bytes.length) break
    strings.push(bytes.subarray(at + 4, end))
    at = end
  }
  return strings
}

/**
 * Returns the encoded SSH signature of bytes (RFC 4253, RFC 5656, RFC 8332, RFC 8709).
 *
 * @param signer algorithm of an RSA signature; `default` means `rsa-sha2-256`
 */
export function sshSignature(bytes: Buffer, key: KeyObject, signer: string): Buffer {
  if (key.asymmetricKeyType === 'ed25519') {
    return Buffer.concat([string('ssh-ed25519'), string(sign(null, bytes, key))])
  }
  if (key.asymmetricKeyType === 'rsa') {
    const algorithm = signer === 'default' ? 'rsa-sha2-256' : signer
    const digest = { 'ssh-rsa': 'sha1', 'rsa-sha2-512': 'sha512' }[algorithm] ?? 'sha256'
    return Buffer.concat([string(algorithm), string(sign(digest, bytes, key))])
  }
  const [algorithm = Buffer.alloc(0)] = stringsOf(publicBlob(key))
  const bits = `${algorithm}`.endsWith('256') ? 256 : `${algorithm}`.endsWith('384') ? 384 : 512
  const joinedNumbers = sign(`sha${bits}`, bytes, { key, dsaEncoding: 'ieee-p1363' })
  const half = joinedNumbers.length / 2
  const numbers = Buffer.concat([
    mpint(joinedNumbers.subarray(0, half)),
    mpint(joinedNumbers.subarray(half)),
  ])
  return Buffer.concat([string(algorithm), string(numbers)])
}

/**
 * Returns the hexadecimal SHA-256 hash of the encoded key, which key ids of certificates contain.
 */
export function keyHash({ blob }: SshPublicKey): string {
  return createHash('sha256').update(blob).digest('hex')
}
