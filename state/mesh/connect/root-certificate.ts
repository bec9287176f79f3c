import { createECDH, createHash } from 'node:crypto'
import { formatTimestamp } from '../../kernel/time.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { serverOf } from '../server.ts'
import { clusterIdOf, trustDomainOf } from './trust-domain.ts'

/** The certificate of the authority that signs the mesh's certificates. */
export interface RootCertificate {
  /** Fingerprint (SHA-1). */
  readonly id: string
  readonly serialNumber: number
  /** ID of the key. */
  readonly keyId: string
  /** Instants in milliseconds since 1970. */
  readonly notBefore: number
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

/** Returns the inverse of a number modulo the order of the curve. */
function inverse(number: bigint): bigint {
  let [a, b, x, y] = [residue(number), curveOrder, 1n, 0n]
  while (a > 1n) {
    const quotient = b / a
    ;[b, a, y, x] = [a, b - quotient * a, x, y - quotient * x]
  }
  return residue(x)
}

/** Returns the point of a private key on the curve, uncompressed. */
function pointOf(key: bigint): Buffer {
  const ecdh = createECDH('prime256v1')
  ecdh.setPrivateKey(bytesOf(key))
  return ecdh.getPublicKey()
}

/** Returns a number between 1 and the order of the curve that follows from a text. */
const scalarFrom = (...parts: readonly (string | Uint8Array)[]) =>
  1n + (numberOf(sha256(...parts)) % (curveOrder - 1n))

function element(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...parts: readonly Uint8Array[]) => element(0x30, ...parts)
const octets = (content: Uint8Array) => element(0x04, content)
const text = (tag: number, content: string) => element(tag, Buffer.from(content))
const oid = (hex: string) => element(0x06, Buffer.from(hex, 'hex'))
const bits = (content: Uint8Array) => element(0x03, Buffer.from([0]), content)

function integer(number: bigint): Buffer {
  const hex = number.toString(16)
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')
  return element(0x02, Buffer.from((bytes[0] ?? 0) > 127 ? [0] : []), bytes)
}

function time(instant: number): Buffer {
  const digits = `${formatTimestamp(instant).slice(0, 19).replaceAll(/[-:T]/g, '')}Z`
  // Times until 2049 have two digits of the year.
  return digits < '2050' ? text(0x17, digits.slice(2)) : text(0x18, digits)
}

const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'))
const curve = sequence(oid('2a8648ce3d0201'), oid('2a8648ce3d030107'))
const encodedTrue = Buffer.from([0x01, 0x01, 0xff])

/** Returns the signature (ECDSA) of some content, which depends on nothing else. */
function signatureOf(content: Uint8Array, key: bigint): Buffer {
  const digest = sha256(content)
  const nonce = scalarFrom('nonce', bytesOf(key), digest)
  const r = residue(numberOf(pointOf(nonce).subarray(1, 33)))
  const s = residue(inverse(nonce) * (numberOf(digest) + r * key))
  return sequence(integer(r), integer(s))
}

const colons = (bytes: Uint8Array) =>
  (Buffer.from(bytes).toString('hex').match(/../g) ?? []).join(':')

function make(clusterId: string, domain: string, began: number): RootCertificate {
  const key = scalarFrom('root of the mesh', clusterId)
  const notBefore = Math.floor(began / 1_000) * 1_000
  const notAfter = notBefore + lifetime
  const publicKey = sequence(curve, bits(pointOf(key)))
  const keyId = sha256(publicKey)
  const label = numberOf(sha256('name', clusterId)).toString(36).slice(0, 8)
  const commonName = `pri-${label}.consul.ca.${clusterId.slice(0, 8)}.consul`
  const name = sequence(element(0x31, sequence(oid('550403'), text(0x13, commonName))))
  const critical = (id: string, content: Uint8Array) =>
    sequence(oid(id), encodedTrue, octets(content))
  const extensions = sequence(
    critical('551d0f', Buffer.from([0x03, 0x02, 0x01, 0x86])),
    critical('551d13', sequence(encodedTrue)),
    sequence(oid('551d0e'), octets(octets(keyId))),
    sequence(oid('551d23'), octets(sequence(element(0x80, keyId)))),
    sequence(oid('551d11'), octets(sequence(text(0x86, `spiffe://${domain}`)))),
  )
  const content = sequence(
    element(0xa0, integer(2n)),
    integer(BigInt(serialNumber)),
    ecdsaWithSha256,
    name,
    sequence(time(notBefore), time(notAfter)),
    name,
    publicKey,
    element(0xa3, extensions),
  )
  const der = sequence(content, ecdsaWithSha256, bits(signatureOf(content, key)))
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return {
    id: colons(createHash('sha1').update(der).digest()),
    serialNumber,
    keyId: colons(keyId),
    notBefore,
    notAfter,
    pem: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  }
}

/** Returns the root certificate of the mesh, which follows from the identity of the server. */
export function rootCertificateOf(world: World): RootCertificate {
  return world.derived(serverOf(world), ({ began_at = 0 }) =>
    make(clusterIdOf(world), trustDomainOf(world), began_at),
  )
}
