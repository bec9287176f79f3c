import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { compareBytewise } from '../../json/json.ts'
import { refuse } from './messages.ts'
import type { AlternativeNames } from './subject-names.ts'

/** The names that a request sets. Lists may also be texts with commas. */
export interface RequestedNames {
  readonly common_name: string
  readonly alt_names: readonly string[]
  readonly ip_sans: readonly string[]
  readonly uri_sans: readonly string[]
  readonly other_sans: readonly string[]
  readonly exclude_cn_from_sans: boolean
}

const label = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?'
const hostPattern = new RegExp(`^(?:\\*\\.|\\*?${label}\\*?\\.)?(?:${label}\\.)*${label}\\.?$`)

/** Returns a host name in ASCII; undefined for texts that are not host names. */
export function asciiHost(name: string): string | undefined {
  const plain = /^[\x20-\x7e]*$/.test(name)
  const ascii = plain ? name : domainToASCII(name)
  return ascii.length <= 253 && hostPattern.test(ascii) ? ascii : undefined
}

/** The checks of a role in their order. Each check throws `invalid` refusals. */
export interface NameChecks {
  /** Checks host names and mail addresses. */
  hosts(names: readonly string[]): void
  mails(names: readonly string[]): void
  /** Checks names of the form `<object identifier>;UTF8:<text>`. */
  others(names: readonly string[]): void
  /** Checks addresses as they were given. */
  addresses(names: readonly string[]): void
  uris(names: readonly string[]): void
}

/**
 * Returns the alternative names that a request sets, the common name first. Names that are neither
 * host names nor mail addresses are left out, as in the reference. Throws `invalid` refusals for
 * addresses and URIs that cannot be read.
 */
export function alternativeNames(requested: RequestedNames, checks?: NameChecks): AlternativeNames {
  const { common_name, exclude_cn_from_sans, ip_sans, uri_sans } = requested
  const first = exclude_cn_from_sans || common_name === '' ? [] : [common_name]
  const all = [...new Set([...first, ...requested.alt_names].filter((name) => name !== ''))]
  const hosts = all.filter((name) => !name.includes('@')).map(asciiHost)
  // The reference sorts names.
  const dns = [...new Set(hosts.filter((name) => name !== undefined))].sort(compareBytewise)
  const email = all.filter((name) => name.includes('@')).sort(compareBytewise)
  checks?.hosts(dns)
  checks?.mails(email)
  const other = requested.other_sans.map(checkOtherName)
  checks?.others(other)
  checks?.addresses(ip_sans)
  const ip = ip_sans.map(checkAddress)
  checks?.uris(uri_sans)
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

/** Returns an other name in the form `<object identifier>;UTF8:<text>`. */
function checkOtherName(value: string): string {
  const [identifier, ...rest] = value.split(';')
  const [kind, ...texts] = rest.join(';').split(':')
  if (rest.length === 0) throw refuse('pki-other-san-unreadable', { value })
  if (texts.length === 0) throw refuse('pki-other-san-colon', { value })
  if (!/^utf-?8$/i.test(kind ?? '')) throw refuse('pki-other-san-type', { value })
  return `${identifier};UTF8:${texts.join(':')}`
}
