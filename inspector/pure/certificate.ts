import {
  bigEndian,
  bitsOf,
  bytesOfPem,
  colonHex,
  type DerElement,
  instantOf,
  membersOf,
  objectIdentifier,
  readElements,
  serialText,
  textOf,
} from './der.ts'

/** X.509 certificate, decoded for display. */
export interface Certificate {
  /** Pairs of hexadecimal digits, separated by colons. */
  readonly serial: string
  /** Attributes in the order of the certificate: `CN=example.com, O=Acme`. */
  readonly subject: string
  readonly issuer: string
  /** Milliseconds since 1970. */
  readonly notBefore: number
  readonly notAfter: number
  /** Alternative names of the subject, each preceded by its kind: `DNS example.com`. */
  readonly names: readonly string[]
  /** Subject key identifier; empty if the certificate has none. */
  readonly keyId: string
  /** Key identifier of the issuer; empty if the certificate has none. */
  readonly issuerKeyId: string
  /** Titles with their values: public key, signature algorithm and known extensions. */
  readonly fields: readonly (readonly [title: string, values: readonly string[]])[]
}

/** Certificate revocation list (CRL), decoded for display. */
interface RevocationList {
  /** Milliseconds since 1970. */
  readonly thisUpdate: number
  readonly nextUpdate: number
  /** Serials of the revoked certificates. */
  readonly serials: readonly string[]
}

const extensionIds = {
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  alternativeNames: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  nameConstraints: '2.5.29.30',
  crlDistribution: '2.5.29.31',
  policies: '2.5.29.32',
  issuerKeyId: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  authorityAccess: '1.3.6.1.5.5.7.1.1',
} as const

/**
 * Display names of object identifiers: algorithms, curves, key usages, access methods and the
 * attributes of subjects.
 */
const identifierNames: Readonly<Record<string, string>> = {
  '2.5.4.3': 'CN',
  '2.5.4.5': 'serialNumber',
  '2.5.4.6': 'C',
  '2.5.4.7': 'L',
  '2.5.4.8': 'ST',
  '2.5.4.9': 'street',
  '2.5.4.10': 'O',
  '2.5.4.11': 'OU',
  '2.5.4.17': 'postalCode',
  '0.9.2342.19200300.100.1.1': 'UID',
  '1.2.840.113549.1.1.1': 'RSA',
  '1.2.840.113549.1.1.10': 'RSA-PSS',
  '1.2.840.113549.1.1.11': 'SHA256 with RSA',
  '1.2.840.113549.1.1.12': 'SHA384 with RSA',
  '1.2.840.113549.1.1.13': 'SHA512 with RSA',
  '1.2.840.10045.2.1': 'ECDSA',
  '1.2.840.10045.4.3.2': 'ECDSA with SHA256',
  '1.2.840.10045.4.3.3': 'ECDSA with SHA384',
  '1.2.840.10045.4.3.4': 'ECDSA with SHA512',
  '1.2.840.10045.3.1.7': 'P-256',
  '1.3.132.0.33': 'P-224',
  '1.3.132.0.34': 'P-384',
  '1.3.132.0.35': 'P-521',
  '1.3.101.112': 'Ed25519',
  '2.5.29.37.0': 'any',
  '1.3.6.1.5.5.7.3.1': 'server authentication',
  '1.3.6.1.5.5.7.3.2': 'client authentication',
  '1.3.6.1.5.5.7.3.3': 'code signing',
  '1.3.6.1.5.5.7.3.4': 'email protection',
  '1.3.6.1.5.5.7.3.8': 'time stamping',
  '1.3.6.1.5.5.7.3.9': 'OCSP signing',
  '1.3.6.1.5.5.7.48.1': 'OCSP',
  '1.3.6.1.5.5.7.48.2': 'issuer',
}

/** Key usages in the order of their bits (RFC 5280, 4.2.1.3). */
const keyUsages = [
  'digital signature',
  'content commitment',
  'key encipherment',
  'data encipherment',
  'key agreement',
  'certificate signing',
  'CRL signing',
  'encipher only',
  'decipher only',
]

/** Kinds of alternative names whose content is a text, by DER tag. */
const textNameKinds: Readonly<Record<number, string>> = { 129: 'email', 130: 'DNS', 134: 'URI' }

const nameOfIdentifier = (element: DerElement) => {
  const dotted = objectIdentifier(element)
  return identifierNames[dotted] ?? dotted
}

/** Returns a decoded certificate; undefined for a text that is not a certificate. */
export function decodeCertificate(pem: string): Certificate | undefined {
  return decode(pem, readCertificate)
}

/**
 * Returns a decoded CRL; undefined for a CRL without the time of the next update, and for a text
 * that is not a CRL.
 */
export function decodeRevocationList(base64: string): RevocationList | undefined {
  return decode(base64, readRevocationList)
}

/** Returns a function like `decodeCertificate` that decodes each text only once. */
export function memoizedDecoder(): typeof decodeCertificate {
  const decoded = new Map<string, Certificate | undefined>()
  return (pem) => {
    if (!decoded.has(pem)) decoded.set(pem, decodeCertificate(pem))
    return decoded.get(pem)
  }
}

function decode<T>(text: string, read: (body: readonly DerElement[]) => T): T | undefined {
  try {
    const [outer] = readElements(bytesOfPem(text))
    const [body] = membersOf(outer)
    return read(membersOf(body))
  } catch {
    return undefined
  }
}

function readCertificate(body: readonly DerElement[]): Certificate {
  // The version comes first; certificates of version 1 omit it.
  const members = body[0]?.tag === 0xa0 ? body.slice(1) : body
  const [serial, algorithm, issuer, validity, subject, publicKey] = members
  const [from, to] = membersOf(validity)
  if (!serial || !algorithm || !publicKey || !from || !to) throw new Error('Members are missing')
  const [block] = membersOf(members.find(({ tag }) => tag === 0xa3))
  const extensions = new Map(
    membersOf(block).map((each): [string, DerElement | undefined] => {
      const parts = membersOf(each)
      const [identifier] = parts
      const [value] = membersOf(parts.at(-1))
      return [identifier === undefined ? '' : objectIdentifier(identifier), value]
    }),
  )
  const keyId = extensions.get(extensionIds.subjectKeyId)
  const issuerKeyId = membersOf(extensions.get(extensionIds.issuerKeyId)).find(
    ({ tag }) => tag === 0x80,
  )
  return {
    serial: serialText(serial),
    subject: directoryName(subject),
    issuer: directoryName(issuer),
    notBefore: instantOf(from),
    notAfter: instantOf(to),
    names: membersOf(extensions.get(extensionIds.alternativeNames)).map(alternativeName),
    keyId: keyId === undefined ? '' : colonHex(keyId.content),
    issuerKeyId: issuerKeyId === undefined ? '' : colonHex(issuerKeyId.content),
    fields: [
      ['Public key', [publicKeyText(publicKey)]],
      ['Signature algorithm', membersOf(algorithm).slice(0, 1).map(nameOfIdentifier)],
      ...extensionFields(extensions),
    ],
  }
}

/** Returns a title and the values for each known extension that the certificate has. */
function extensionFields(
  extensions: ReadonlyMap<string, DerElement | undefined>,
): Certificate['fields'] {
  const extension = (name: keyof typeof extensionIds) => extensions.get(extensionIds[name])
  const usage = extension('keyUsage')
  const constraints = extension('basicConstraints')
  const [permitted] = membersOf(extension('nameConstraints')).filter(({ tag }) => tag === 0xa0)
  const fields: Certificate['fields'] = [
    ['Basic constraints', constraints === undefined ? [] : constraintTexts(constraints)],
    ['Key usage', usage === undefined ? [] : bitsOf(usage).map((bit) => keyUsages[bit] ?? '')],
    ['Extended key usage', membersOf(extension('extendedKeyUsage')).map(nameOfIdentifier)],
    ['Policies', membersOf(extension('policies')).flatMap((each) => firstIdentifier(each))],
    ['Permitted names', membersOf(permitted).flatMap((each) => membersOf(each).map(textOf))],
    ['CRL', membersOf(extension('crlDistribution')).flatMap(addressesWithin)],
    ['Addresses', membersOf(extension('authorityAccess')).map(accessText)],
  ]
  return fields.filter(([, values]) => values.length > 0)
}

function firstIdentifier(element: DerElement): readonly string[] {
  return membersOf(element).slice(0, 1).map(nameOfIdentifier)
}

function constraintTexts(constraints: DerElement): readonly string[] {
  const members = membersOf(constraints)
  const isAuthority = members.some(({ tag, content }) => tag === 0x01 && content[0] !== 0)
  const length = members.find(({ tag }) => tag === 0x02)
  const limit = length === undefined ? [] : [`at most ${bigEndian(length.content)} CAs below`]
  return [isAuthority ? 'CA' : 'not a CA', ...limit]
}

/** Returns the URIs in a distribution point, which nests them up to three levels deep. */
function addressesWithin(element: DerElement): readonly string[] {
  return membersOf(element).flatMap((each) =>
    each.tag === 0x86 ? [textOf(each)] : each.tag >= 0xa0 ? addressesWithin(each) : [],
  )
}

function accessText(element: DerElement): string {
  const [method, place] = membersOf(element)
  return [method && nameOfIdentifier(method), place && textOf(place)].filter(Boolean).join(' ')
}

function directoryName(name: DerElement | undefined): string {
  const pairs = membersOf(name).flatMap((set) => membersOf(set).map(membersOf))
  return pairs
    .map(([type, value]) => `${type && nameOfIdentifier(type)}=${value && textOf(value)}`)
    .join(', ')
}

function alternativeName(element: DerElement): string {
  const kind = textNameKinds[element.tag]
  if (kind !== undefined) return `${kind} ${textOf(element)}`
  if (element.tag === 0x87) return `IP ${addressText(element.content)}`
  const [type, value] = membersOf(element)
  const [inner] = membersOf(value)
  return `${type === undefined ? 'other' : objectIdentifier(type)} ${inner ? textOf(inner) : ''}`
}

/** Formats an IP address. In an IPv6 address, the longest run of zeros becomes `::`. */
function addressText(bytes: Uint8Array): string {
  if (bytes.length !== 16) return bytes.join('.')
  const groups = Array.from({ length: 8 }, (_, at) =>
    bigEndian(bytes.subarray(at * 2, at * 2 + 2)).toString(16),
  )
  const text = groups.join(':')
  const [longest] = (text.match(/\b0(?::0)+\b/g) ?? []).toSorted((a, b) => b.length - a.length)
  if (longest === undefined) return text
  const at = text.indexOf(longest)
  const rest = text.slice(at + longest.length)
  return `${text.slice(0, at).replace(/:$/, '')}::${rest.replace(/^:/, '')}`
}

function publicKeyText(publicKey: DerElement): string {
  const [algorithm, bits] = membersOf(publicKey)
  const [type, parameter] = membersOf(algorithm)
  if (type === undefined || bits === undefined) return 'unknown'
  const name = nameOfIdentifier(type)
  if (name === 'ECDSA' && parameter !== undefined) return `${name} ${nameOfIdentifier(parameter)}`
  if (name !== 'RSA') return name
  // A byte with the number of unused bits precedes the key.
  const [key] = readElements(bits.content.subarray(1))
  const [modulus] = membersOf(key)
  return `RSA ${modulus === undefined ? '' : `${serialText(modulus).replaceAll(':', '').length * 4} bits`}`
}

function readRevocationList(body: readonly DerElement[]): RevocationList {
  const isTime = ({ tag }: DerElement) => tag === 0x17 || tag === 0x18
  const [thisUpdate, nextUpdate] = body.filter(isTime)
  if (thisUpdate === undefined || nextUpdate === undefined) throw new Error('Times are missing')
  const list = body[body.indexOf(nextUpdate) + 1]
  const revoked = list?.tag === 0x30 ? membersOf(list) : []
  return {
    thisUpdate: instantOf(thisUpdate),
    nextUpdate: instantOf(nextUpdate),
    serials: revoked.flatMap((each) => membersOf(each).slice(0, 1).map(serialText)),
  }
}
