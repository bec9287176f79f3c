import { createECDH, createHash } from 'node:crypto'
import {
  bits,
  directoryText,
  encodedTrue,
  explicit,
  implicit,
  integer,
  namedBits,
  octets,
  oid,
  sequence,
  set,
  time,
  unsigned,
} from '../../kernel/der.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { serverOf } from '../server.ts'
import { clusterIdOf, trustDomainOf } from './trust-domain.ts'

/** The root certificate of the mesh's builtin certificate authority. */
interface RootCertificate {
  /** SHA-1 fingerprint of the certificate, in hexadecimal with colons. */
  readonly id: string
  readonly serialNumber: number
  readonly keyId: string
  /** Start of the validity, in milliseconds since 1970. */
  readonly notBefore: number
  /** End of the validity, in milliseconds since 1970. */
  readonly notAfter: number
  readonly pem: string
}

/** Lifetime of the certificate: 87600 hours, in milliseconds. */
const lifetime = 87_600 * 3_600_000

const serialNumber = 7

/** Order of the curve P-256. */
const curveOrder = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

const sha256 = (...parts: readonly (string | Uint8Array)[]) => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

const numberOf = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
const bytesOf = (number: bigint) => Buffer.from(number.toString(16).padStart(64, '0'), 'hex')
const residue = (number: bigint) => ((number % curveOrder) + curveOrder) % curveOrder

/** Returns the multiplicative inverse of a number modulo the order of the curve. */
function inverse(number: bigint): bigint {
  let [a, b, x, y] = [residue(number), curveOrder, 1n, 0n]
  while (a > 1n) {
    const quotient = b / a
    ;[b, a, y, x] = [a, b - quotient * a, x, y - quotient * x]
  }
  return residue(x)
}

/** Returns the public key that belongs to a private key, as an uncompressed point. */
function pointOf(key: bigint): Buffer {
  const ecdh = createECDH('prime256v1')
  ecdh.setPrivateKey(bytesOf(key))
  return ecdh.getPublicKey()
}

/**
 * Derives a valid private key from strings or bytes: a number of at least 1 and less than the order
 * of the curve.
 */
const scalarFrom = (...parts: readonly (string | Uint8Array)[]) =>
  1n + (numberOf(sha256(...parts)) % (curveOrder - 1n))

const ecdsaWithSha256 = sequence(oid('1.2.840.10045.4.3.2'))
const curve = sequence(oid('1.2.840.10045.2.1'), oid('1.2.840.10045.3.1.7'))

/**
 * Returns an ECDSA signature. The nonce derives from the content and the key, so that certificates
 * are reproducible.
 */
function signatureOf(content: Uint8Array, key: bigint): Buffer {
  const digest = sha256(content)
  const nonce = scalarFrom('nonce', bytesOf(key), digest)
  const r = residue(numberOf(pointOf(nonce).subarray(1, 33)))
  const s = residue(inverse(nonce) * (numberOf(digest) + r * key))
  return sequence(unsigned(bytesOf(r)), unsigned(bytesOf(s)))
}

const formatColonHex = (bytes: Uint8Array) =>
  (Buffer.from(bytes).toString('hex').match(/../g) ?? []).join(':')

function createCertificate(clusterId: string, domain: string, startedAt: number): RootCertificate {
  const key = scalarFrom('root of the mesh', clusterId)
  const notBefore = Math.floor(startedAt / 1_000) * 1_000
  const notAfter = notBefore + lifetime
  const publicKey = sequence(curve, bits(pointOf(key)))
  const keyId = sha256(publicKey)
  const label = numberOf(sha256('name', clusterId)).toString(36).slice(0, 8)
  const commonName = `pri-${label}.consul.ca.${clusterId.slice(0, 8)}.consul`
  const name = sequence(set(sequence(oid('2.5.4.3'), directoryText(commonName))))
  const critical = (id: string, content: Uint8Array) =>
    sequence(oid(id), encodedTrue, octets(content))
  const extensions = sequence(
    critical('2.5.29.15', namedBits([0, 5, 6])),
    critical('2.5.29.19', sequence(encodedTrue)),
    sequence(oid('2.5.29.14'), octets(octets(keyId))),
    sequence(oid('2.5.29.35'), octets(sequence(implicit(0, keyId)))),
    sequence(oid('2.5.29.17'), octets(sequence(implicit(6, Buffer.from(`spiffe://${domain}`))))),
  )
  const content = sequence(
    explicit(0, integer(2)),
    integer(serialNumber),
    ecdsaWithSha256,
    name,
    sequence(time(notBefore), time(notAfter)),
    name,
    publicKey,
    explicit(3, extensions),
  )
  const der = sequence(content, ecdsaWithSha256, bits(signatureOf(content, key)))
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return {
    id: formatColonHex(createHash('sha1').update(der).digest()),
    serialNumber,
    keyId: formatColonHex(keyId),
    notBefore,
    notAfter,
    pem: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  }
}

/**
 * Returns the root certificate of the mesh. The cluster ID, the trust domain and the instant at
 * which the world began determine every byte.
 */
export function rootCertificateOf(world: World): RootCertificate {
  return world.derived(serverOf(world), ({ began_at = 0 }) =>
    createCertificate(clusterIdOf(world), trustDomainOf(world), began_at),
  )
}
