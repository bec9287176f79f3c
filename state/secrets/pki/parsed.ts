import { createPublicKey, X509Certificate } from 'node:crypto'
import {
  childrenOf,
  type DerElement,
  DerSyntaxError,
  derTag,
  readElement,
  readOid,
} from '../../kernel/der.ts'
import { parseTimestamp } from '../../kernel/time.ts'
import { extensionOids } from './certificate.ts'
import { colonHex, keyIdentifier } from './signing.ts'
import {
  type AlternativeNames,
  noNames,
  readNames,
  readSubject,
  type Subject,
} from './subject-names.ts'

/** Extension whose `value` is still DER. */
interface ParsedExtension {
  readonly isCritical: boolean
  /** Content of the octet string `extnValue`; `raw` is the DER of the whole extension. */
  readonly value: Buffer
  readonly raw: Buffer
}

/** Decoded members of a certificate. Byte members other than `serialBytes` and `keyId` are DER. */
export interface ParsedCertificate {
  readonly der: Buffer
  /** Pairs of hexadecimal digits, separated by colons. */
  readonly serial: string
  readonly serialBytes: Buffer
  /** DER of the distinguished names. */
  readonly issuer: Buffer
  readonly subject: Buffer
  /** Start and end of the validity, in milliseconds since 1970. */
  readonly notBefore: number
  readonly notAfter: number
  readonly publicKey: Buffer
  readonly keyId: Buffer
  readonly isCa: boolean
  /** Maximum number of CA certificates below this certificate; -1 means unlimited. */
  readonly pathLength: number
}

/**
 * Decodes a certificate without verifying its signature.
 *
 * @throws DerSyntaxError for malformed DER and missing members
 */
export function readCertificate(der: Buffer): ParsedCertificate {
  const [body] = childrenOf(readElement(der), derTag.sequence)
  const [first, ...others] = childrenOf(body, derTag.sequence)
  const members = first === undefined || first.tag === 0xa0 ? others : [first, ...others]
  const [serial, , issuer, validity, subject, publicKey, ...rest] = members
  const [notBefore, notAfter] = childrenOf(validity, derTag.sequence)
  if (!serial || !issuer || !subject || !publicKey || !notBefore || !notAfter) {
    throw new DerSyntaxError('missing members')
  }
  const block = rest.find(({ tag }) => tag === 0xa3)
  const extensions = block === undefined ? new Map() : readExtensions(readElement(block.content))
  const keyId = extensions.get(extensionOids.subjectKeyId)
  const constraints = extensions.get(extensionOids.basicConstraints)
  const serialBytes = serial.content[0] === 0 ? serial.content.subarray(1) : serial.content
  return {
    der,
    serial: colonHex(serialBytes),
    serialBytes,
    issuer: issuer.raw,
    subject: subject.raw,
    notBefore: readTime(notBefore),
    notAfter: readTime(notAfter),
    publicKey: publicKey.raw,
    keyId: keyId === undefined ? keyIdentifier(publicKey.raw) : readElement(keyId.value).content,
    ...readConstraints(constraints),
  }
}

/**
 * Decodes the extension "basic constraints". A certificate without the extension is not a CA and
 * has an unlimited path length.
 */
function readConstraints(constraintsExtension: ParsedExtension | undefined) {
  const members =
    constraintsExtension === undefined
      ? []
      : childrenOf(readElement(constraintsExtension.value), derTag.sequence)
  const length = members.find(({ tag }) => tag === derTag.integer)
  return {
    isCa: members.some(({ tag, content }) => tag === derTag.boolean && content[0] !== 0),
    pathLength: length === undefined ? -1 : length.content.readUIntBE(0, length.content.length),
  }
}

/**
 * Returns the extensions of a DER certificate by object identifier. Throws a DerSyntaxError for
 * malformed DER.
 */
export function extensionsOfCertificate(der: Buffer): ReadonlyMap<string, ParsedExtension> {
  const [body] = childrenOf(readElement(der), derTag.sequence)
  const block = childrenOf(body, derTag.sequence).find(({ tag }) => tag === 0xa3)
  return block === undefined ? new Map() : readExtensions(readElement(block.content))
}

/** The bit `cRLSign` of a key usage (RFC 5280, 4.2.1.3). */
const crlSignBit = 0x02

/**
 * Returns whether the key usage of a certificate allows signing CRLs. As in the reference, a
 * certificate without the extension may not sign CRLs.
 */
export function maySignCrls({ der }: Pick<ParsedCertificate, 'der'>): boolean {
  // Layout of a DER bit string: tag, length, number of unused bits, bits.
  const [, , , bits = 0] = extensionsOfCertificate(der).get('2.5.29.15')?.value ?? []
  return (bits & crlSignBit) !== 0
}

/**
 * Decodes a sequence of extensions into a map by object identifier.
 *
 * @throws DerSyntaxError for an extension without identifier or value
 */
export function readExtensions(extensionList: DerElement): ReadonlyMap<string, ParsedExtension> {
  return new Map(
    childrenOf(extensionList, derTag.sequence).map((each): [string, ParsedExtension] => {
      const parts = childrenOf(each, derTag.sequence)
      const [identifier] = parts
      const value = parts.at(-1)
      if (identifier === undefined || value === undefined) throw new DerSyntaxError('extension')
      const read = { isCritical: parts.length > 2, value: value.content, raw: each.raw }
      return [readOid(identifier.content), read]
    }),
  )
}

/**
 * Converts a `UTCTime` or `GeneralizedTime` to milliseconds since 1970.
 *
 * @throws DerSyntaxError for a malformed time
 */
export function readTime({ tag, content }: DerElement): number {
  const digits = content.toString()
  const century = Number(digits.slice(0, 2)) < 50 ? '20' : '19'
  const full = tag === derTag.utcTime ? century + digits : digits
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(full) ?? []
  const instant = parseTimestamp(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  if (instant === undefined) throw new DerSyntaxError('time')
  return instant
}

/** Decoded members of a PKCS #10 signing request. */
export interface ParsedCsr {
  readonly der: Buffer
  readonly subject: Subject
  /** DER of the subject, copied unchanged into certificates that keep it. */
  readonly rawSubject: Buffer
  readonly publicKey: Buffer
  readonly names: AlternativeNames
  readonly extensions: ReadonlyMap<string, ParsedExtension>
}

/**
 * Decodes a signing request without verifying its signature.
 *
 * @throws DerSyntaxError for malformed DER and missing members
 */
export function decodeCsr(der: Buffer): ParsedCsr {
  const [body] = childrenOf(readElement(der), derTag.sequence)
  const [, subject, publicKey, attributes] = childrenOf(body, derTag.sequence)
  if (!subject || !publicKey) throw new DerSyntaxError('missing members')
  let extensions: ReadonlyMap<string, ParsedExtension> = new Map()
  for (const attribute of attributes === undefined ? [] : childrenOf(attributes, 0xa0)) {
    const [type, values] = childrenOf(attribute, derTag.sequence)
    if (type === undefined || readOid(type.content) !== '1.2.840.113549.1.9.14') continue
    const [extensionList] = childrenOf(values, derTag.set)
    if (extensionList !== undefined) extensions = readExtensions(extensionList)
  }
  const names = extensions.get(extensionOids.alternativeNames)
  return {
    der,
    subject: readSubject(subject),
    rawSubject: subject.raw,
    publicKey: publicKey.raw,
    names: names === undefined ? noNames : readNames(readElement(names.value)),
    extensions,
  }
}

/**
 * Returns whether a public key (DER) verifies the signature of a certificate. Returns false for
 * keys and certificates that Node cannot read.
 */
export function isSignedBy(certificate: Buffer, publicKey: Buffer): boolean {
  try {
    const key = createPublicKey({ key: publicKey, format: 'der', type: 'spki' })
    return new X509Certificate(certificate).verify(key)
  } catch {
    return false
  }
}

/**
 * Returns whether the issuer and the subject are equal. Equal names do not prove that the
 * certificate is signed with its own key.
 */
export function isSelfIssued({ issuer, subject }: ParsedCertificate): boolean {
  return issuer.equals(subject)
}
