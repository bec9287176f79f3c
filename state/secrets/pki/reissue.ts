import {
  type AuthorityAddresses,
  addressExtensions,
  extension,
  extensionOids,
  type SigningIssuer,
} from './certificate.ts'
import { childrenOf, derTag, element, explicit, implicit, readElement, sequence } from './der.ts'
import { readExtensions } from './parsed.ts'
import { type SignatureOptions, signatureAlgorithm, signStructure } from './signing.ts'

/** Extensions of a certificate that follow from the issuer. */
const ofIssuer: ReadonlySet<string> = new Set([
  extensionOids.authorityKeyId,
  extensionOids.authorityInfo,
  extensionOids.crlDistribution,
])

/**
 * Signs the content of a certificate again with another issuer, and returns its DER. All members
 * stay but the issuer, the signature and what follows from the issuer.
 */
export function reissueCertificate(
  der: Buffer,
  issuer: SigningIssuer,
  addresses: AuthorityAddresses,
  options: SignatureOptions = { hashBits: 0, pss: false },
): Buffer {
  const [body] = childrenOf(readElement(der), derTag.sequence)
  const members = childrenOf(body, derTag.sequence)
  const version = members[0]?.tag === 0xa0 ? 1 : 0
  const kept = members.map(({ raw }) => raw)
  const at = (index: number) => kept[version + index] ?? Buffer.alloc(0)
  const block = members.find(({ tag }) => tag === 0xa3)
  const known = block === undefined ? new Map() : readExtensions(readElement(block.content))
  const extensions = [...known].filter(([identifier]) => !ofIssuer.has(identifier))
  const content = sequence(
    explicit(0, element(derTag.integer, Buffer.from([2]))),
    at(0),
    signatureAlgorithm(issuer.key, options),
    issuer.subject,
    at(3),
    at(4),
    at(5),
    explicit(
      3,
      sequence(
        ...extensions.map(([, { raw }]) => raw),
        extension(extensionOids.authorityKeyId, sequence(implicit(0, issuer.keyId))),
        ...addressExtensions(addresses),
      ),
    ),
  )
  return signStructure(content, issuer.key, options)
}
