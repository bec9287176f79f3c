import type { KeyObject } from 'node:crypto'
import type { Message } from '../../kernel/message.ts'
import { Refusal } from '../../kernel/refusal.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Mount } from '../mounts/mounts.ts'
import { filledAddresses } from './address-templates.ts'
import { type AuthorityAddresses, type CertificateContent, signCertificate } from './certificate.ts'
import { rebuildCrls } from './crl.ts'
import {
  addCertificate,
  addIssuer,
  addKey,
  checkIssuerName,
  checkKeyName,
  hasNoAddresses,
} from './issuers.ts'
import {
  checkSignatureBits,
  formatPrivateKey,
  keySpec,
  makePkiKey,
  pkiKeyTypeOf,
} from './key-making.ts'
import { certificateLifetime, type RequestedLifetime } from './lifetime.ts'
import { message, refuse } from './messages.ts'
import { readCertificate } from './parsed.ts'
import { alternativeNames, type RequestedNames } from './requested-names.ts'
import { encodedPublicKey, keyIdentifier, signatureAlgorithmName, toPem } from './signing.ts'
import { encodeSubject, type listAttributes, type Subject } from './subject-names.ts'
import {
  findKey,
  issuersOf,
  keyObjectOf,
  keysOf,
  type PkiIssuer,
  pkiDefaults,
  pkiIssuers,
  pkiKeys,
  pkiUrls,
  setPkiDefaults,
} from './tables.ts'

type RequestedSubject = Readonly<Record<(typeof listAttributes)[number], readonly string[]>> & {
  readonly common_name: string
  readonly serial_number: string
}

/**
 * Formats that a request asks for. `format` is `pem`, `der` or `pem_bundle`. The value `pkcs8` of
 * `private_key_format` selects PKCS #8; any other string selects the older format of the key type.
 */
export interface RequestedFormat {
  readonly format: string
  readonly private_key_format: string
}

/** Members that describe a new key or, by `key_ref`, an existing key. */
export interface KeyRequest {
  /**
   * `key_type` and `key_bits` are undefined if the request does not set them. A request for an
   * existing key must set neither.
   */
  readonly key_type?: string | undefined
  readonly key_bits?: number | undefined
  readonly key_name: string
  readonly key_ref: string
  readonly signature_bits: number
}

/** Request members that select PSS padding for RSA signatures; one of them is enough. */
export interface PaddingRequest {
  readonly use_pss: boolean
  readonly use_rsa_pss: boolean
}

/** All members of a request for a root (behaviour/secrets#pki-roots). */
export interface RootRequest
  extends RequestedSubject,
    RequestedNames,
    RequestedLifetime,
    RequestedFormat,
    KeyRequest,
    PaddingRequest {
  readonly issuer_name: string
  readonly max_path_length: number
  readonly permitted_dns_domains: readonly string[]
}

/** Bit numbers of `keyCertSign` and `cRLSign` in a key usage. */
export const authorityKeyUsage = [5, 6]

export function requestedSubject(request: RequestedSubject): Subject {
  const { common_name, serial_number } = request
  return { ...request, common_name: [common_name], serial_number: [serial_number] }
}

export function checkFormat(format: string): void {
  if (!['pem', 'der', 'pem_bundle'].includes(format)) throw refuse('pki-format')
}

/** Key that signs a new root or signing request. */
interface ChosenKey {
  readonly key: KeyObject
  /** Id of an existing key; undefined for a new key, which is not yet stored. */
  readonly id: string | undefined
}

/**
 * Generates the key of a new authority without storing it, or returns the existing key that the
 * request names. Throws an `invalid` refusal for an unknown `keyOrigin` or existing key, for a type
 * or length requested together with an existing key, and for a type, length or name that a new key
 * cannot have.
 *
 * @param keyOrigin origin of the key: `internal`, `exported` or `existing`
 */
export function chooseKey(
  world: World,
  mount: Mount,
  keyOrigin: string,
  request: KeyRequest,
): ChosenKey {
  if (keyOrigin === 'kms') throw refuse('pki-kms')
  if (!['internal', 'exported', 'existing'].includes(keyOrigin)) throw refuse('pki-how')
  if (keyOrigin === 'existing') {
    const { key_ref: ref } = request
    if (request.key_type !== undefined || request.key_bits !== undefined) {
      throw refuse('pki-existing-key-fields')
    }
    const found = findKey(world, mount, ref)
    if (found === undefined) throw refuse('pki-existing-key-unknown', { ref })
    return { key: keyObjectOf(world, found), id: found.id }
  }
  const { key_type = 'rsa', key_bits = 0, key_name, signature_bits } = request
  const spec = keySpec(key_type, key_bits)
  checkSignatureBits(key_type, signature_bits)
  checkKeyName(world, mount, key_name)
  return { key: makePkiKey(world, spec), id: undefined }
}

/** Stores the key if it is new. Returns its id in both cases. */
export function storeChosenKey(
  world: World,
  mount: Mount,
  chosen: ChosenKey,
  name: string,
): string {
  const { id, key } = chosen
  if (id !== undefined) return id
  const pem = key.export({ type: 'pkcs8', format: 'pem' }).toString()
  return addKey(world, mount, { name, type: pkiKeyTypeOf(key), pem })
}

/**
 * Returns the private key and its type for the reply if `keyOrigin` is `exported`, otherwise no
 * members.
 */
export function exportedKey(
  key: KeyObject,
  keyOrigin: string,
  request: RequestedFormat,
): { readonly private_key?: string; readonly private_key_type?: string } {
  if (keyOrigin !== 'exported') return {}
  const private_key = formatPrivateKey(key, request.format, request.private_key_format)
  return { private_key, private_key_type: pkiKeyTypeOf(key) }
}

/**
 * Returns 20 random bytes. The first byte is 0x40 to 0x7f, so that the serial is positive and keeps
 * its full length in DER.
 */
export function newSerial(world: World): Buffer {
  const serial = Buffer.from(world.ids.bytes(20))
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40
  return serial
}

/**
 * Returns the addresses for a new root. If a template contains the issuer's id, all addresses are
 * left out and `ignored` is true, because the issuer does not exist yet. Throws an `invalid`
 * refusal for templates that lack another value or do not result in a URL.
 */
function addressesOfRoot(world: World, mount: Mount) {
  const templates = pkiUrls(world, mount)
  const filled = filledAddresses(world, mount, templates, '')
  if (!(filled instanceof Refusal)) return { addresses: filled, ignored: false }
  if (filledAddresses(world, mount, templates, 'empty-issuer-id') instanceof Refusal) {
    const { rule: cause, params, reason: why } = filled
    const refusal = refuse('pki-addresses-of-root', { why, field: '{{issuer_id}}' })
    throw refusal.withDetails({ ...params, cause })
  }
  return { addresses: noAddresses, ignored: true }
}

const noAddresses: AuthorityAddresses = {
  issuing_certificates: [],
  crl_distribution_points: [],
  ocsp_servers: [],
}

interface NewRoot {
  readonly issuer: PkiIssuer
  readonly data: object
  readonly warnings: readonly Message[]
}

/**
 * Issues and stores a self-signed root with its key, and rebuilds the CRLs. The root becomes the
 * default issuer if the mount has no default issuer or `follows_latest` is set. Throws `invalid`
 * refusals for members that are malformed or unsupported.
 * @param keyOrigin origin of the key: `internal`, `exported` or `existing`
 */
export function generateRoot(
  world: World,
  mount: Mount,
  keyOrigin: string,
  request: RootRequest,
): NewRoot {
  checkFormat(request.format)
  checkIssuerName(world, mount, request.issuer_name)
  const names = alternativeNames(request)
  const chosen = chooseKey(world, mount, keyOrigin, request)
  if (request.max_path_length < -1) throw refuse('pki-path-length')
  const { notBefore, notAfter, warnings } = certificateLifetime(world, mount, request)
  const { key } = chosen
  const subject = encodeSubject(requestedSubject(request))
  const publicKey = encodedPublicKey(key)
  const { addresses: urls, ignored } = addressesOfRoot(world, mount)
  const content: CertificateContent = {
    subject,
    names,
    publicKey,
    keyUsage: authorityKeyUsage,
    extKeyUsage: [],
    basicConstraints: { isCa: true, pathLength: request.max_path_length },
    policies: [],
    permittedDomains: request.permitted_dns_domains,
    addresses: urls,
  }
  const options = {
    hashBits: request.signature_bits,
    usesPss: request.use_pss || request.use_rsa_pss,
  }
  const signer = { subject, keyId: keyIdentifier(publicKey), key }
  const validity = { serial: newSerial(world), notBefore, notAfter }
  const der = signCertificate(content, validity, signer, options)
  const parsed = readCertificate(der)
  return world.write(() => {
    const keyId = storeChosenKey(world, mount, chosen, request.key_name)
    const name = request.issuer_name
    const algorithm = signatureAlgorithmName(key, options)
    const issuer = addIssuer(world, mount, { name, key_id: keyId, der, algorithm })
    if (pkiDefaults(world, mount).follows_latest) {
      setPkiDefaults(world, mount, { issuer: issuer.id })
    }
    addCertificate(world, mount, parsed, issuer.id)
    rebuildCrls(world, mount)
    const exported = exportedKey(key, keyOrigin, request)
    const certificate =
      request.format === 'der' ? der.toString('base64') : toPem('CERTIFICATE', der)
    const data = {
      certificate: withExportedKey(certificate, exported, request.format),
      expiration: Math.floor(notAfter / 1000),
      issuer_id: issuer.id,
      issuer_name: issuer.name,
      issuing_ca: certificate,
      key_id: keyId,
      key_name: pkiKeys.read(world, mount, keyId).name,
      serial_number: parsed.serial,
      ...exported,
    }
    const addressWarnings = authorityWarnings(urls, subject)
    const isLast = request.max_path_length === 0
    return {
      issuer,
      data,
      warnings: [
        ...addressWarnings,
        ...(isLast ? [message('pki-generated-path-zero')] : []),
        ...warnings,
        ...(ignored ? [message('pki-root-addresses-ignored')] : []),
      ],
    }
  })
}

/** Puts the exported key in front of the certificate for the format `pem_bundle`. */
function withExportedKey(
  certificate: string,
  exported: { private_key?: string },
  format: string,
): string {
  if (format !== 'pem_bundle' || exported.private_key === undefined) return certificate
  return `${exported.private_key}\n${certificate}`
}

function authorityWarnings(addresses: AuthorityAddresses, subject: Buffer): Message[] {
  return [
    ...(subject.length === 2 ? [message('pki-no-subject')] : []),
    ...(hasNoAddresses(addresses) ? [message('pki-no-addresses')] : []),
  ]
}

/** Deletes all issuers and keys of a mount, and unsets the defaults; issued certificates stay. */
export function deleteRoot(world: World, mount: Mount): void {
  world.write(() => {
    for (const { id } of issuersOf(world, mount)) pkiIssuers.remove(world, mount, id)
    for (const { id } of keysOf(world, mount)) pkiKeys.remove(world, mount, id)
    if (pkiDefaults(world, mount).issuer !== '' || pkiDefaults(world, mount).key !== '') {
      setPkiDefaults(world, mount, { issuer: '', key: '' })
    }
  })
}
