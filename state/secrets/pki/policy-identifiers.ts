import { element, oid, sequence } from '../../kernel/der.ts'
import { isObject } from '../../kernel/objects.ts'

/** Certificate policy with its optional qualifiers (RFC 5280, section 4.2.1.4). */
export interface CertificatePolicy {
  readonly oid: string
  /** URL of the certification practice statement. */
  readonly cps?: string | undefined
  /** Notice that is shown to users of the certificate. */
  readonly notice?: string | undefined
}

/**
 * Parses `policy_identifiers` of a role: a list of object identifiers, a single string of
 * comma-separated object identifiers, or a single string with a JSON array of policies
 * (behaviour/secrets#pki-roles). Returns object identifiers unchanged, and each policy of an array
 * as JSON text without its empty members.
 */
export function parsePolicyIdentifiers(values: readonly string[]): readonly string[] {
  const [text = ''] = values
  if (values.length !== 1 || text === '') return values
  const policies = policiesIn(text)
  if (policies === undefined) return text.split(',').map((each) => each.trim())
  return policies.map(({ oid: identifier, cps, notice }) =>
    JSON.stringify({
      oid: identifier,
      ...(cps !== '' && { cps }),
      ...(notice !== '' && { notice }),
    }),
  )
}

/**
 * Returns the policies of a JSON array. Returns undefined for any other string, and for an array
 * with other items.
 */
function policiesIn(text: string) {
  const value = jsonIn(text)
  if (!Array.isArray(value)) return undefined
  const policies = value.map((each) => {
    if (!isObject(each)) return undefined
    const { oid: identifier = '', cps = '', notice = '' } = each
    return typeof identifier === 'string' && typeof cps === 'string' && typeof notice === 'string'
      ? { oid: identifier, cps, notice }
      : undefined
  })
  return policies.every((each) => each !== undefined) ? policies : undefined
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Converts the stored policies of a role to those of its certificates. If any stored policy is
 * invalid, only the plain object identifiers are used.
 */
export function certificatePolicies(stored: readonly string[]): readonly CertificatePolicy[] {
  const plain = (text: string) => (isOid(text) ? { oid: text } : undefined)
  const policies = stored.map((text) => plain(text) ?? policiesIn(`[${text}]`)?.[0])
  const areValid = policies.every((each) => each !== undefined && isOid(each.oid))
  const usable = areValid ? policies : stored.map(plain)
  return usable.filter((each) => each !== undefined)
}

const cpsQualifier = '1.3.6.1.5.5.7.2.1'
const noticeQualifier = '1.3.6.1.5.5.7.2.2'

/** DER tags of string types. */
const [utf8StringTag, ia5StringTag] = [0x0c, 0x16]

/** Encodes a `PolicyInformation` of RFC 5280. */
export function encodePolicy({
  oid: identifier,
  cps = '',
  notice = '',
}: CertificatePolicy): Buffer {
  const qualifiers = [
    ...(cps === '' ? [] : [sequence(oid(cpsQualifier), element(ia5StringTag, Buffer.from(cps)))]),
    ...(notice === ''
      ? []
      : [sequence(oid(noticeQualifier), sequence(element(utf8StringTag, Buffer.from(notice))))]),
  ]
  return sequence(oid(identifier), ...(qualifiers.length === 0 ? [] : [sequence(...qualifiers)]))
}

/** Returns whether a string is an object identifier in dotted notation, such as `2.5.29.32`. */
export function isOid(value: string): boolean {
  const [first = '', ...others] = value.split('.')
  return (
    /^[0-2]$/.test(first) &&
    others.length > 0 &&
    others.every((part) => /^(?:0|[1-9][0-9]*)$/.test(part))
  )
}
