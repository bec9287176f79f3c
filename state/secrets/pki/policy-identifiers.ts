import { element, oid, sequence } from '../../kernel/der.ts'
import { isObject } from '../../kernel/objects.ts'

/** Policy of a certificate, with the qualifiers that it may have (RFC 5280, section 4.2.1.4). */
export interface CertificatePolicy {
  readonly oid: string
  /** Address of the practice statement. */
  readonly cps?: string | undefined
  /** Text for people. */
  readonly notice?: string | undefined
}

/**
 * Parses the policies of a role: object identifiers, separated by commas if they are one text, or
 * one text with a JSON array of policies (behaviour/secrets#pki-roles). Each of these becomes a JSON
 * text without its empty members.
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

/** Returns the policies in a JSON array; undefined if the text is not one. */
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
 * Returns the policies of certificates from those that a role stores. If one of them is invalid,
 * returns only the object identifiers without qualifiers.
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

/** DER tags of texts. */
const [utf8Text, ia5Text] = [0x0c, 0x16]

/** Encodes a policy for the extension of a certificate. */
export function encodePolicy({
  oid: identifier,
  cps = '',
  notice = '',
}: CertificatePolicy): Buffer {
  const qualifiers = [
    ...(cps === '' ? [] : [sequence(oid(cpsQualifier), element(ia5Text, Buffer.from(cps)))]),
    ...(notice === ''
      ? []
      : [sequence(oid(noticeQualifier), sequence(element(utf8Text, Buffer.from(notice))))]),
  ]
  return sequence(oid(identifier), ...(qualifiers.length === 0 ? [] : [sequence(...qualifiers)]))
}

/** Returns whether a text is an object identifier in dotted notation. */
export function isOid(value: string): boolean {
  const [first = '', ...others] = value.split('.')
  return (
    /^[0-2]$/.test(first) &&
    others.length > 0 &&
    others.every((part) => /^(?:0|[1-9][0-9]*)$/.test(part))
  )
}
