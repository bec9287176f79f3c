import { constants, createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import {
  bits,
  childrenOf,
  derTag,
  encodedNull,
  explicit,
  integer,
  oid,
  readElement,
  readOid,
  sequence,
} from '../../kernel/der.ts'

/** Options for RSA signatures; keys of other types ignore them. */
export interface SignatureOptions {
  /** Hash length in bits: 256, 384 or 512. Any other value means 256. */
  readonly hashBits: number
  /** True for PSS padding, false for PKCS #1 v1.5. */
  readonly usesPss: boolean
}

const hashes = {
  256: { oid: '2.16.840.1.101.3.4.2.1', rsa: '1.2.840.113549.1.1.11', ec: '1.2.840.10045.4.3.2' },
  384: { oid: '2.16.840.1.101.3.4.2.2', rsa: '1.2.840.113549.1.1.12', ec: '1.2.840.10045.4.3.3' },
  512: { oid: '2.16.840.1.101.3.4.2.3', rsa: '1.2.840.113549.1.1.13', ec: '1.2.840.10045.4.3.4' },
} as const

type HashBits = keyof typeof hashes

const curveHashBits: Readonly<Record<string, HashBits>> = { secp384r1: 384, secp521r1: 512 }

/** Returns the length of the hash in bits. The curve determines the hash of an ECDSA signature. */
function hashBitsOf(key: KeyObject, { hashBits }: SignatureOptions): HashBits {
  if (key.asymmetricKeyType === 'ec') {
    return curveHashBits[key.asymmetricKeyDetails?.namedCurve ?? ''] ?? 256
  }
  return hashBits === 384 || hashBits === 512 ? hashBits : 256
}

/** Encodes the `AlgorithmIdentifier` of a signature, with parameters for PSS. */
export function signatureAlgorithm(key: KeyObject, options: SignatureOptions): Buffer {
  if (key.asymmetricKeyType === 'ed25519') return sequence(oid('1.3.101.112'))
  const hashBits = hashBitsOf(key, options)
  const hash = hashes[hashBits]
  if (key.asymmetricKeyType === 'ec') return sequence(oid(hash.ec))
  if (!options.usesPss) return sequence(oid(hash.rsa), encodedNull)
  const digest = sequence(oid(hash.oid), encodedNull)
  const mask = sequence(oid('1.2.840.113549.1.1.8'), digest)
  const parameters = [explicit(0, digest), explicit(1, mask), explicit(2, integer(hashBits / 8))]
  return sequence(oid('1.2.840.113549.1.1.10'), sequence(...parameters))
}

/** Returns `RSA`, `ECDSA` or `Ed25519`, the names that messages of the reference contain. */
export function algorithmName({ asymmetricKeyType: type }: KeyObject): string {
  if (type === 'rsa') return 'RSA'
  return type === 'ec' ? 'ECDSA' : 'Ed25519'
}

/**
 * Returns the name of the signature algorithm in the spelling of the reference, such as
 * `SHA256WithRSAPSS` or `ECDSAWithSHA384`.
 */
export function signatureAlgorithmName(key: KeyObject, options: SignatureOptions): string {
  if (key.asymmetricKeyType === 'ed25519') return 'Ed25519'
  const hash = hashBitsOf(key, options)
  if (key.asymmetricKeyType === 'ec') return `ECDSAWithSHA${hash}`
  return `SHA${hash}WithRSA${options.usesPss ? 'PSS' : ''}`
}

/** Returns the DER of a signed structure: `body`, the algorithm and the signature. */
export function signStructure(body: Buffer, key: KeyObject, options: SignatureOptions): Buffer {
  const algorithm = signatureAlgorithm(key, options)
  return sequence(body, algorithm, bits(signBytes(body, key, options)))
}

/** Returns only the signature, without `bytes` or the algorithm. ECDSA signatures are DER. */
export function signBytes(bytes: Buffer, key: KeyObject, options: SignatureOptions): Buffer {
  if (key.asymmetricKeyType === 'ed25519') return sign(null, bytes, key)
  const hashBits = hashBitsOf(key, options)
  const isPss = options.usesPss && key.asymmetricKeyType === 'rsa'
  const padding = isPss
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: hashBits / 8 }
    : {}
  return sign(`sha${hashBits}`, bytes, { key, ...padding })
}

const hashOids: Readonly<Record<string, string>> = {
  '1.2.840.113549.1.1.5': 'sha1',
  '1.2.840.10045.4.1': 'sha1',
  '1.2.840.10045.4.3.1': 'sha224',
  ...Object.fromEntries(
    Object.entries(hashes).flatMap(([bits, { oid: hash, rsa, ec }]) =>
      [hash, rsa, ec].map((identifier) => [identifier, `sha${bits}`]),
    ),
  ),
}

/**
 * Verifies the signature of a certificate, CRL or signing request. Also accepts algorithms that
 * `signStructure` does not use, such as SHA-1. Returns false for unknown algorithms and missing
 * members. Throws a DerSyntaxError for malformed DER.
 */
export function verifyStructure(der: Buffer, key: KeyObject): boolean {
  const [body, algorithm, signature] = childrenOf(readElement(der), derTag.sequence)
  if (body === undefined || algorithm === undefined || signature === undefined) return false
  const [identifier, parameters] = childrenOf(algorithm, derTag.sequence)
  const name = readOid(identifier?.content ?? Buffer.alloc(0))
  const value = signature.content.subarray(1)
  if (name === '1.3.101.112') return verify(null, body.raw, key, value)
  if (name !== '1.2.840.113549.1.1.10') {
    const hash = hashOids[name]
    return hash !== undefined && verify(hash, body.raw, key, value)
  }
  const [digest] = childrenOf(parameters, derTag.sequence)
  const [hashName] = childrenOf(readElement(digest?.content ?? Buffer.alloc(0)), derTag.sequence)
  const hash = hashOids[readOid(hashName?.content ?? Buffer.alloc(0))] ?? 'sha1'
  const padding = constants.RSA_PKCS1_PSS_PADDING
  return verify(hash, body.raw, { key, padding, saltLength: constants.RSA_PSS_SALTLEN_AUTO }, value)
}

/**
 * Returns the `SubjectPublicKeyInfo` (DER) of a public key, or of the public part of a private key.
 */
export function encodedPublicKey(key: KeyObject): Buffer {
  const publicKey = key.type === 'public' ? key : createPublicKey(key)
  return publicKey.export({ type: 'spki', format: 'der' })
}

/**
 * Returns the SHA-1 hash of the public key's bits, the usual subject key identifier (RFC 5280,
 * section 4.2.1.2).
 */
export function keyIdentifier(publicKey: Buffer): Buffer {
  const [, keyBits] = childrenOf(readElement(publicKey), derTag.sequence)
  return createHash('sha1')
    .update(keyBits?.content.subarray(1) ?? '')
    .digest()
}

/** Encodes DER as PEM, without a newline at the end. */
export function toPem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`].join('\n')
}

export interface PemBlock {
  readonly label: string
  readonly der: Buffer
}

/** Returns the blocks of a PEM text and skips any text between them. */
export function pemBlocks(text: string): PemBlock[] {
  const pattern = /-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\s]*)-----END \1-----/g
  return [...text.matchAll(pattern)].map(([, label = '', body = '']) => ({
    label,
    der: Buffer.from(body, 'base64'),
  }))
}

/** Formats bytes as pairs of lower-case hexadecimal digits, separated by colons. */
export function colonHex(bytes: Uint8Array): string {
  return (Buffer.from(bytes).toString('hex').match(/../g) ?? []).join(':')
}
