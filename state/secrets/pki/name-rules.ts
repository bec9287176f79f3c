import { matchesGlob } from '../tokens/globs.ts'
import { refuse } from './messages.ts'
import { asciiHost } from './requested-names.ts'
import type { PkiRole } from './roles.ts'
import type { AlternativeNames } from './subject-names.ts'

/**
 * Returns whether a role allows a host name or a mail address (behaviour/secrets#pki-names).
 *
 * @param domains allowed domains with their templates filled in
 */
export function allowsName(role: PkiRole, domains: readonly string[], name: string): boolean {
  const [local = '', domain, ...more] = name.split('@')
  if (more.length > 0) return false
  const isMail = domain !== undefined
  const host = domain ?? local
  const isWildcard = host.includes('*')
  if (isWildcard && (isMail || !role.allow_wildcard_certificates || !isLeftmostWildcard(host))) {
    return false
  }
  if (role.enforce_hostnames && asciiHost(host) === undefined) return false
  if (role.allow_any_name) return true
  const rest = isWildcard ? host.slice(host.indexOf('.') + 1) : host
  const allowsBelow = (base: string) =>
    role.allow_subdomains && (rest.endsWith(`.${base}`) || (isWildcard && isSameHost(rest, base)))
  const localNames = ['localhost', 'localdomain']
  if (role.allow_localhost) {
    if (localNames.includes(host) || localNames.some(allowsBelow)) return true
  }
  return domains.some((base) => {
    if (base === '') return false
    if (role.allow_bare_domains && (isSameHost(name, base) || (isMail && isSameHost(host, base)))) {
      return true
    }
    if (allowsBelow(base)) return true
    const isGlob = role.allow_glob_domains && base.includes('*')
    return isGlob && matchesGlob(base.toLowerCase(), name.toLowerCase())
  })
}

function isLeftmostWildcard(host: string): boolean {
  return /^[^.*]*\*[^.*]*\.[^*]+$/.test(host)
}

function isSameHost(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

/** Names to check, with the way in which they were given. */
interface CheckedNames {
  readonly commonName: string
  readonly names: AlternativeNames
  /** Alternative host names and mail addresses as they were given. */
  readonly requested: readonly string[]
  readonly serialNumber: string
  readonly userIds: readonly string[]
  readonly source: 'API' | 'CSR'
}

/** Throws an `invalid` refusal for the first name that the role does not allow. */
export function checkNames(role: PkiRole, domains: readonly string[], checked: CheckedNames): void {
  const { commonName, names, source } = checked
  if (commonName === '' && role.require_cn) throw refuse('pki-cn-missing')
  const checksName = !role.cn_validations.includes('disabled')
  if (commonName !== '' && checksName && !allowsName(role, domains, commonName)) {
    throw refuse('pki-cn-refused', { name: commonName })
  }
  for (const name of [...names.dns, ...checked.requested.filter((each) => each.includes('@'))]) {
    if (name === commonName || allowsName(role, domains, name)) continue
    throw name.includes('@')
      ? refuse('pki-mail-refused', { name })
      : refuse('pki-name-refused', { name })
  }
  if (names.ip.length > 0 && !role.allow_ip_sans) {
    const what = source === 'CSR' ? 'some via CSR' : `[${names.ip.join(' ')}]`
    throw refuse('pki-ip-refused', { what })
  }
  checkUris(role, names.uri, source)
  for (const name of names.other) checkOther(role, name)
  const allows = (globs: readonly string[], value: string) =>
    globs.some((glob) => matchesGlob(glob, value))
  const value = checked.serialNumber
  if (value !== '' && !allows(role.allowed_serial_numbers, value)) {
    throw refuse('pki-serial-number-refused', { value })
  }
  const userId = checked.userIds.find((each) => !allows(role.allowed_user_ids, each))
  if (userId !== undefined) throw refuse('pki-user-id-refused', { value: userId })
}

function checkUris(role: PkiRole, uris: readonly string[], source: string): void {
  if (uris.length === 0) return
  const allowed = role.allowed_uri_sans
  if (allowed.length === 0) throw refuse('pki-uri-not-allowed', { source })
  for (const uri of uris) {
    if (!allowed.some((glob) => matchesGlob(glob, uri))) throw refuse('pki-uri-refused', { source })
  }
}

function checkOther(role: PkiRole, name: string): void {
  const allowed = role.allowed_other_sans
  if (allowed.includes('*')) return
  const [oid = '', rest = ''] = name.split(';')
  const value = rest.slice(rest.indexOf(':') + 1)
  const ofOid = allowed.filter((each) => each.startsWith(`${oid};`))
  if (ofOid.length === 0) throw refuse('pki-other-oid-refused', { oid })
  const globs = ofOid.map((each) => each.slice(each.indexOf(':') + 1))
  if (!globs.some((glob) => matchesGlob(glob, value))) {
    throw refuse('pki-other-value-refused', { value, oid })
  }
}
