import { createHash } from 'node:crypto'
import {
  bits,
  childrenOf,
  type DerElement,
  DerSyntaxError,
  derTag,
  element,
  encodedNull,
  explicit,
  generalizedTime,
  implicit,
  octets,
  oid,
  readElement,
  readElements,
  readOid,
  sequence,
  unsigned,
} from '../../kernel/der.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Mount } from '../mounts/mounts.ts'
import { extension, type SigningIssuer } from './certificate.ts'
import { crlSignature } from './crl.ts'
import { crlConfig, crlSeconds } from './crl-config.ts'
import { signerOf } from './issuers.ts'
import { colonHex, signatureAlgorithm, signBytes } from './signing.ts'
import {
  findIssuer,
  issuersOf,
  type PkiCertificate,
  type PkiIssuer,
  parsedCertificate,
  pkiCertificates,
} from './tables.ts'

/** HTTP status and DER body (behaviour/secrets#pki-ocsp). */
interface OcspReply {
  readonly status: number
  readonly bytes: Buffer
}

/** Builds an unsigned reply with only an `OCSPResponseStatus` (RFC 6960, section 4.2.1). */
const failureReply = (status: number, code: number): OcspReply => ({
  status,
  bytes: sequence(element(derTag.enumerated, Buffer.from([code]))),
})

const malformedReply = failureReply(400, 1)
const unauthorizedReply = failureReply(401, 6)

const maximumSize = 2048
const nonceOid = '1.3.6.1.5.5.7.48.1.2'

/** Hash functions that a request may use to name the issuer, by object identifier. */
const hashNames: Readonly<Record<string, string>> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
}

/**
 * The first certificate that an OCSP request asks about. Other certificates in the request are
 * ignored.
 */
interface OcspRequest {
  readonly hashOid: string
  readonly hash: string
  readonly nameHash: Buffer
  readonly keyHash: Buffer
  readonly serial: Buffer
  /** DER of the nonce extension, which the reply repeats. */
  readonly nonce: Buffer | undefined
}

/**
 * Answers an OCSP request with the signed status of a certificate. Malformed requests, requests of
 * 2,048 bytes or more, and requests with an unknown hash function get the HTTP status 400. The HTTP
 * status is 401 if OCSP is disabled, or if no issuer may sign the reply.
 */
export function answerOcsp(world: World, mount: Mount, der: Buffer): OcspReply {
  if (crlConfig(world, mount).ocsp_disable) return unauthorizedReply
  const request = der.length < maximumSize ? parseOcspRequest(der) : undefined
  if (request === undefined) return malformedReply
  const serial = colonHex(request.serial)
  const stored = pkiCertificates.find(world, mount, serial)
  const revoked = stored !== undefined && stored.revoked_at !== null ? stored : undefined
  const candidates = issuersOf(world, mount).filter(
    (issuer) =>
      (revoked === undefined || issuer.id === revoked.issuer_id) &&
      signerOf(world, mount, issuer) !== undefined &&
      isRequested(issuer, request),
  )
  if (candidates.length === 0) {
    const issuer = findIssuer(world, mount, 'default')
    return issuer === undefined
      ? unauthorizedReply
      : signReply(world, mount, issuer, request, 'unknown')
  }
  const issuer = candidates.find(({ usage }) => usage.includes('ocsp-signing'))
  return issuer === undefined
    ? unauthorizedReply
    : signReply(world, mount, issuer, request, revoked ?? 'good')
}

function isRequested(issuer: PkiIssuer, { hash, nameHash, keyHash }: OcspRequest): boolean {
  const hashes = issuerHashes(issuer, hash)
  return hashes.name.equals(nameHash) && hashes.key.equals(keyHash)
}

function issuerHashes(issuer: PkiIssuer, hash: string) {
  const { subject, publicKey } = parsedCertificate(issuer)
  const [, keyBits] = childrenOf(readElement(publicKey), derTag.sequence)
  const digest = (bytes: Buffer) => createHash(hash).update(bytes).digest()
  return { name: digest(subject), key: digest(keyBits?.content.subarray(1) ?? Buffer.alloc(0)) }
}

/** Parses an OCSP request. Returns undefined for other bytes and for an unknown hash function. */
function parseOcspRequest(der: Buffer): OcspRequest | undefined {
  try {
    return decodeOcspRequest(der)
  } catch (error) {
    if (error instanceof DerSyntaxError) return undefined
    throw error
  }
}

function decodeOcspRequest(der: Buffer): OcspRequest | undefined {
  const [body] = childrenOf(readElement(der), derTag.sequence)
  const members = childrenOf(body, derTag.sequence)
  const list = members.find(({ tag }) => tag === derTag.sequence)
  const [first] = childrenOf(list, derTag.sequence)
  const [certificate] = childrenOf(first, derTag.sequence)
  const [algorithm, name, key, serial] = childrenOf(certificate, derTag.sequence)
  const [identifier] = childrenOf(algorithm, derTag.sequence)
  const hashOid = readOid(identifier?.content ?? Buffer.alloc(0))
  const hash = hashNames[hashOid]
  if (hash === undefined || name === undefined || key === undefined) return undefined
  if (serial?.tag !== derTag.integer) return undefined
  const bytes = serial.content[0] === 0 ? serial.content.subarray(1) : serial.content
  const nonce = nonceOf(members.find(({ tag }) => tag === 0xa2))
  return { hashOid, hash, nameHash: name.content, keyHash: key.content, serial: bytes, nonce }
}

function nonceOf(block: DerElement | undefined): Buffer | undefined {
  const [list] = block === undefined ? [] : readElements(block.content)
  if (list === undefined) return undefined
  const found = childrenOf(list, derTag.sequence).find((each) => {
    const [identifier] = childrenOf(each, derTag.sequence)
    return identifier !== undefined && readOid(identifier.content) === nonceOid
  })
  return found === undefined
    ? undefined
    : extension(nonceOid, childrenOf(found, derTag.sequence).at(-1)?.content ?? Buffer.alloc(0))
}

/**
 * Returns a signed reply; `unauthorized` if the issuer may not sign OCSP replies or has no key.
 * @param status status of the certificate; for a revoked certificate its row, which has the time of
 *   revocation
 */
function signReply(
  world: World,
  mount: Mount,
  issuer: PkiIssuer,
  request: OcspRequest,
  status: 'good' | 'unknown' | PkiCertificate,
): OcspReply {
  const signer = signerOf(world, mount, issuer)
  if (signer === undefined || !issuer.usage.includes('ocsp-signing')) return unauthorizedReply
  const now = world.clock.now()
  const lifetime = crlSeconds(crlConfig(world, mount).ocsp_expiry) * 1000
  const hashes = issuerHashes(issuer, request.hash)
  const singleResponse = sequence(
    sequence(
      sequence(oid(request.hashOid), encodedNull),
      octets(hashes.name),
      octets(hashes.key),
      unsigned(request.serial),
    ),
    encodeStatus(status),
    generalizedTime(now),
    ...(lifetime > 0 ? [explicit(0, generalizedTime(now + lifetime))] : []),
  )
  const content = sequence(
    explicit(1, signer.subject),
    // The reference rounds `producedAt` down to whole minutes.
    generalizedTime(Math.floor(now / 60_000) * 60_000),
    sequence(singleResponse),
    ...(request.nonce === undefined ? [] : [explicit(1, sequence(request.nonce))]),
  )
  return { status: 200, bytes: encodeReply(content, signer, issuer) }
}

function encodeStatus(status: 'good' | 'unknown' | PkiCertificate): Buffer {
  if (status === 'good') return implicit(0, Buffer.alloc(0))
  if (status === 'unknown') return implicit(2, Buffer.alloc(0))
  return explicit(1, generalizedTime(status.revoked_at ?? 0))
}

function encodeReply(content: Buffer, signer: SigningIssuer, issuer: PkiIssuer): Buffer {
  // The reference never signs OCSP replies with PSS, even if the issuer's CRLs use it.
  const options = { hashBits: crlSignature(issuer).hashBits, usesPss: false }
  const signature = bits(signBytes(content, signer.key, options))
  const basicResponse = sequence(content, signatureAlgorithm(signer.key, options), signature)
  const successStatus = element(derTag.enumerated, Buffer.from([0]))
  return sequence(
    successStatus,
    explicit(0, sequence(oid('1.3.6.1.5.5.7.48.1.1'), octets(basicResponse))),
  )
}
