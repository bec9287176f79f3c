import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { compareBytewise } from '../../json/json.ts'
import { refuse } from './messages.ts'
import type { AlternativeNames } from './subject-names.ts'

/** Name members of a request to issue or sign a certificate. */
export interface RequestedNames {
  readonly common_name: string
  readonly alt_names: readonly string[]
  readonly ip_sans: readonly string[]
  readonly uri_sans: readonly string[]
  readonly other_sans: readonly string[]
  readonly exclude_cn_from_sans: boolean
}

const labelPattern = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?'
const hostPattern = new RegExp(
  `^(?:\\*\\.|\\*?${labelPattern}\\*?\\.)?(?:${labelPattern}\\.)*${labelPattern}\\.?$`,
)

/**
 * Converts a host name to ASCII (Punycode); returns undefined for texts that are not host names. A
 * wildcard in the first label is allowed.
 */
export function asciiHost(name: string): string | undefined {
  const isAscii = /^[\x20-\x7e]*$/.test(name)
  const ascii = isAscii ? name : domainToASCII(name)
  return ascii.length <= 253 && hostPattern.test(ascii) ? ascii : undefined
}

/**
 * Checks of requested names against a role, in the order in which they run. Each check throws an
 * `invalid` refusal if the role does not allow one of the names.
 */
export interface NameChecks {
  /** Checks DNS names in ASCII. */
  checkHosts(names: readonly string[]): void
  checkMails(names: readonly string[]): void
  /** Checks names of the form `<object identifier>;UTF8:<text>`. */
  checkOthers(names: readonly string[]): void
  /** Checks IP addresses that are not yet parsed. */
  checkAddresses(names: readonly string[]): void
  checkUris(names: readonly string[]): void
}

/**
 * Returns the alternative names of a certificate: the requested names and, unless excluded, the
 * common name. As in the reference, skips names that are neither host names nor mail addresses, and
 * sorts the others. Throws `invalid` refusals for malformed IP addresses, URIs and `other_sans`,
 * and the refusals of the checks.
 * @param checks the checks of a role; undefined for certificates of authorities
 */
export function alternativeNames(requested: RequestedNames, checks?: NameChecks): AlternativeNames {
  const { common_name, exclude_cn_from_sans, ip_sans, uri_sans } = requested
  const first = exclude_cn_from_sans || common_name === '' ? [] : [common_name]
  const all = [...new Set([...first, ...requested.alt_names].filter((name) => name !== ''))]
  const hosts = all.filter((name) => !name.includes('@')).map(asciiHost)
  const dns = [...new Set(hosts.filter((name) => name !== undefined))].sort(compareBytewise)
  const email = all.filter((name) => name.includes('@')).sort(compareBytewise)
  checks?.checkHosts(dns)
  checks?.checkMails(email)
  const other = requested.other_sans.map(checkOtherName)
  checks?.checkOthers(other)
  checks?.checkAddresses(ip_sans)
  const ip = ip_sans.map(checkAddress)
  checks?.checkUris(uri_sans)
  return { dns, email, ip, uri: uri_sans.map(checkUri), other }
}

function checkAddress(value: string): string {
  const trimmed = value.trim()
  if (isIP(trimmed) === 0) throw refuse('pki-ip-invalid', { value })
  return trimmed
}

function checkUri(value: string): string {
  if (value.startsWith(':') || /[\s\x7f]/.test(value)) throw refuse('pki-uri-invalid', { value })
  return value
}

/**
 * Normalizes an `otherName` (RFC 5280) to `<object identifier>;UTF8:<text>`. Throws an `invalid`
 * refusal for any other form.
 */
function checkOtherName(value: string): string {
  const [identifier, ...rest] = value.split(';')
  const [kind, ...texts] = rest.join(';').split(':')
  if (rest.length === 0) throw refuse('pki-other-san-unreadable', { value })
  if (texts.length === 0) throw refuse('pki-other-san-colon', { value })
  if (!/^utf-?8$/i.test(kind ?? '')) throw refuse('pki-other-san-type', { value })
  return `${identifier};UTF8:${texts.join(':')}`
}
