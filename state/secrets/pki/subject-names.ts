import {
  childrenOf,
  type DerElement,
  derTag,
  directoryText,
  element,
  explicit,
  implicit,
  oid,
  readOid,
  sequence,
  set,
} from '../../kernel/der.ts'

/** Object identifiers of the attributes, in the order in which an encoded subject contains them. */
const attributes = {
  country: '2.5.4.6',
  province: '2.5.4.8',
  locality: '2.5.4.7',
  street_address: '2.5.4.9',
  postal_code: '2.5.4.17',
  organization: '2.5.4.10',
  ou: '2.5.4.11',
  common_name: '2.5.4.3',
  serial_number: '2.5.4.5',
  user_ids: '0.9.2342.19200300.100.1.1',
} as const

type Attribute = keyof typeof attributes

/** Attributes of a distinguished name. Empty and repeated values are not encoded. */
export type Subject = Readonly<Partial<Record<Attribute, readonly string[]>>>

/** Attributes that both roles and requests for authorities set as lists. */
export const listAttributes = [
  'ou',
  'organization',
  'country',
  'locality',
  'province',
  'street_address',
  'postal_code',
] as const

/** Encodes a distinguished name. As in the reference, all values of an attribute are in one set. */
export function encodeSubject(subject: Subject): Buffer {
  const sets = Object.entries(attributes).map(([name, identifier]) => {
    const values = [...new Set(subject[name as Attribute] ?? [])].filter((value) => value !== '')
    const pairs = values.map((value) => sequence(oid(identifier), directoryText(value)))
    return pairs.length === 0 ? Buffer.alloc(0) : set(...pairs.sort(Buffer.compare))
  })
  return sequence(...sets)
}

/** Subject alternative names by kind (RFC 5280, section 4.2.1.6). */
export interface AlternativeNames {
  readonly dns: readonly string[]
  readonly email: readonly string[]
  readonly ip: readonly string[]
  readonly uri: readonly string[]
  /** Names of the form `<object identifier>;UTF8:<text>`. */
  readonly other: readonly string[]
}

export const noNames: AlternativeNames = { dns: [], email: [], ip: [], uri: [], other: [] }

export function hasNoNames(names: AlternativeNames): boolean {
  return Object.values(names).every((each) => each.length === 0)
}

/**
 * Encodes the value of the extension "subject alternative name", in the order of the reference:
 * others, DNS, mail, IP, URI.
 */
export function encodeNames(names: AlternativeNames): Buffer {
  return sequence(
    ...names.other.map(encodeOtherName),
    ...names.dns.map((name) => implicit(2, Buffer.from(name))),
    ...names.email.map((name) => implicit(1, Buffer.from(name))),
    ...names.ip.map((name) => implicit(7, addressBytes(name))),
    ...names.uri.map((name) => implicit(6, Buffer.from(name))),
  )
}

function encodeOtherName(name: string): Buffer {
  const semicolon = name.indexOf(';')
  const value = name.slice(name.indexOf(':', semicolon) + 1)
  const encoded = element(derTag.utf8, Buffer.from(value))
  return explicit(0, oid(name.slice(0, semicolon)), explicit(0, encoded))
}

/** Rewrites the dotted end of an IPv6 address, as in `::ffff:1.2.3.4`, as two groups. */
function withoutDots(address: string): string {
  if (!address.includes('.')) return address
  const start = address.lastIndexOf(':') + 1
  const hex = Buffer.from(address.slice(start).split('.').map(Number)).toString('hex')
  return `${address.slice(0, start)}${hex.slice(0, 4)}:${hex.slice(4)}`
}

/** Encodes an IP address as 4 or 16 bytes. Accepts only addresses that `isIP` recognizes. */
function addressBytes(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number))
  const [head = '', tail] = withoutDots(address).split('::')
  const groups = (part: string) => (part === '' ? [] : part.split(':'))
  const first = groups(head)
  const last = groups(tail ?? '')
  const zeros = Array<string>(8 - first.length - last.length).fill('0')
  const all = [...first, ...(tail === undefined ? [] : zeros), ...last]
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex')
}

/** Formats 4 or 16 bytes as an IP address. The longest run of zero groups becomes `::`. */
function addressText(bytes: Buffer): string {
  if (bytes.length === 4) return [...bytes].join('.')
  const groups = bytes.toString('hex').match(/.{4}/g) ?? []
  const full = groups.map((group) => group.replace(/^0{1,3}/, '')).join(':')
  const runs = full.match(/\b0(?::0)+\b/g) ?? []
  const longest = runs.toSorted((a, b) => b.length - a.length)[0]
  if (longest === undefined) return full
  return full.replace(longest, ':').replace(/^::?:?|:?::?$|:::/g, '::')
}

/**
 * Decodes a distinguished name and skips unknown attributes. Throws a DerSyntaxError for malformed
 * DER.
 */
export function readSubject(encoded: DerElement | undefined): Subject {
  const found: { [name in Attribute]?: string[] } = {}
  for (const each of childrenOf(encoded, derTag.sequence)) {
    for (const pair of childrenOf(each, derTag.set)) {
      const [type, value] = childrenOf(pair, derTag.sequence)
      const dotted = type === undefined ? '' : readOid(type.content)
      const known = Object.entries(attributes).find(([, identifier]) => identifier === dotted)
      if (known === undefined || value === undefined) continue
      const name = known[0] as Attribute
      found[name] = [...(found[name] ?? []), value.content.toString()]
    }
  }
  return found
}

/**
 * Decodes the value of the extension "subject alternative name" and skips unknown kinds of names.
 * Throws a DerSyntaxError for malformed DER.
 */
export function readNames(encoded: DerElement): AlternativeNames {
  const names = { dns: [], email: [], ip: [], uri: [], other: [] } as Record<
    keyof AlternativeNames,
    string[]
  >
  for (const { tag, content } of childrenOf(encoded, derTag.sequence)) {
    if (tag === 0x82) names.dns.push(content.toString())
    else if (tag === 0x81) names.email.push(content.toString())
    else if (tag === 0x87) names.ip.push(addressText(content))
    else if (tag === 0x86) names.uri.push(content.toString())
    else if (tag === 0xa0) names.other.push(otherNameText(content))
  }
  return names
}

function otherNameText(content: Buffer): string {
  const [type, value] = childrenOf({ tag: 0xa0, content, raw: content }, 0xa0)
  const [textElement] = childrenOf(value, 0xa0)
  return `${readOid(type?.content ?? Buffer.alloc(0))};UTF8:${textElement?.content.toString() ?? ''}`
}
