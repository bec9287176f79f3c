import {
  childrenOf,
  type DerElement,
  derTag,
  explicit,
  implicit,
  integer,
  readElement,
  sequence,
  time,
  unsigned,
} from '../../kernel/der.ts'
import { extension, extensionOids, type SigningIssuer } from './certificate.ts'
import { readTime } from './parsed.ts'
import { colonHex, type SignatureOptions, signatureAlgorithm, signStructure } from './signing.ts'

export interface CrlEntry {
  /** Pairs of hexadecimal digits, separated by colons. */
  readonly serial: string
  /** Milliseconds since 1970. */
  readonly revokedAt: number
  /** DER of each extension of this entry. */
  readonly extensions?: readonly Buffer[]
}

interface CrlContent {
  readonly number: number
  readonly thisUpdate: number
  readonly nextUpdate: number
  readonly entries: readonly CrlEntry[]
  /** Number of the complete CRL to which a delta CRL belongs; undefined for a complete CRL. */
  readonly baseNumber?: number | undefined
  /** DER of each extension of the whole CRL that `encodeCrl` does not add itself. */
  readonly extensions?: readonly Buffer[]
}

/** Returns the DER of a signed CRL (X.509 version 2). */
export function encodeCrl(
  signer: SigningIssuer,
  content: CrlContent,
  options: SignatureOptions,
): Buffer {
  const { number, thisUpdate, nextUpdate, entries, baseNumber, extensions = [] } = content
  const revoked = entries.map((each) =>
    sequence(
      unsigned(Buffer.from(each.serial.replaceAll(':', ''), 'hex')),
      time(each.revokedAt),
      ...(each.extensions?.length ? [sequence(...each.extensions)] : []),
    ),
  )
  const extensionList = sequence(
    extension(extensionOids.authorityKeyId, sequence(implicit(0, signer.keyId))),
    extension(extensionOids.crlNumber, integer(number)),
    ...extensions,
    ...(baseNumber === undefined
      ? []
      : [extension(extensionOids.deltaCrl, integer(baseNumber), true)]),
  )
  const body = sequence(
    integer(1),
    signatureAlgorithm(signer.key, options),
    signer.subject,
    time(thisUpdate),
    time(nextUpdate),
    ...(revoked.length === 0 ? [] : [sequence(...revoked)]),
    explicit(0, extensionList),
  )
  return signStructure(body, signer.key, options)
}

/**
 * Returns the entries of a CRL without their extensions.
 *
 * @throws DerSyntaxError for malformed DER
 */
export function readCrlEntries(der: Buffer): CrlEntry[] {
  const [body] = childrenOf(readElement(der), derTag.sequence)
  // The entries follow the version, the algorithm, the issuer and one or two times.
  const isTime = ({ tag }: DerElement) => tag === derTag.utcTime || tag === derTag.generalizedTime
  const members = childrenOf(body, derTag.sequence)
  const list = members.slice(members.findLastIndex(isTime) + 1)[0]
  if (list?.tag !== derTag.sequence) return []
  return childrenOf(list, derTag.sequence).flatMap((each) => {
    const [serial, at] = childrenOf(each, derTag.sequence)
    if (serial === undefined || at === undefined) return []
    const bytes = serial.content[0] === 0 ? serial.content.subarray(1) : serial.content
    return [{ serial: colonHex(bytes), revokedAt: readTime(at) }]
  })
}
