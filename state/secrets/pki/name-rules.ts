import { matchesGlob } from '../tokens/globs.ts'
import { refuse } from './messages.ts'
import { asciiHost, type NameChecks } from './requested-names.ts'
import type { PkiRole } from './roles.ts'

/** Returns whether a role allows a host name or a mail address (behaviour/secrets#pki-names). */
function allowsName(role: PkiRole, name: string): boolean {
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
  const allowsSubdomain = (base: string) =>
    role.allow_subdomains && (rest.endsWith(`.${base}`) || (isWildcard && isSameHost(rest, base)))
  const localNames = ['localhost', 'localdomain']
  if (role.allow_localhost) {
    if (localNames.includes(host) || localNames.some(allowsSubdomain)) return true
  }
  return role.allowed_domains.some((base) => {
    if (base === '') return false
    if (role.allow_bare_domains && (isSameHost(name, base) || (isMail && isSameHost(host, base)))) {
      return true
    }
    if (allowsSubdomain(base)) return true
    const isGlob = role.allow_glob_domains && base.includes('*')
    return isGlob && matchesGlob(base, name)
  })
}

function isLeftmostWildcard(host: string): boolean {
  return /^[^.*]*\*[^.*]*\.[^*]+$/.test(host)
}

function isSameHost(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

/** Attributes that a role restricts in a subject. */
interface CheckedSubject {
  readonly commonName: string
  readonly serialNumber: string
  /** Origin of the alternative names; refusals mention it. */
  readonly source: 'API' | 'CSR'
}

/**
 * Checks the common name and the serial number of a subject. Returns the checks that callers run
 * later for the alternative names of the subject. All checks throw `invalid` refusals for values
 * that the role does not allow. An empty common name is refused if the role has `require_cn`.
 */
export function checkSubject(role: PkiRole, subject: CheckedSubject): NameChecks {
  const { commonName: name, serialNumber: value, source } = subject
  if (name === '' && role.require_cn) throw refuse('pki-cn-missing')
  if (name !== '' && !allowsCommonName(role, name)) throw refuse('pki-cn-refused', { name })
  if (value !== '' && !matchesAny(role.allowed_serial_numbers, value)) {
    throw refuse('pki-serial-number-refused', { value })
  }
  return {
    checkHosts(names) {
      const refused = names.find((each) => !allowsName(role, each))
      if (refused !== undefined) throw refuse('pki-name-refused', { name: refused })
    },
    checkMails(names) {
      const refused = names.find((each) => !allowsName(role, each))
      if (refused !== undefined) throw refuse('pki-mail-refused', { name: refused })
    },
    checkOthers(names) {
      for (const each of names) checkOtherName(role, each)
    },
    checkAddresses(names) {
      if (names.length === 0 || role.allow_ip_sans) return
      const what = source === 'CSR' ? 'some via CSR' : `[${names.join(' ')}]`
      throw refuse('pki-ip-refused', { what })
    },
    checkUris: (names) => checkUris(role, names, source === 'CSR' ? 'CSR' : 'the API'),
  }
}

function allowsCommonName(role: PkiRole, name: string): boolean {
  const { cn_validations: validations } = role
  if (validations.includes('disabled')) return true
  return allowsName(role, name) && validations.includes(name.includes('@') ? 'email' : 'hostname')
}

/** Throws an `invalid` refusal for the first user id that the role does not allow. */
export function checkUserIds(role: PkiRole, userIds: readonly string[]): void {
  const allowed = role.allowed_user_ids.map((each) => each.toLowerCase())
  const refused = userIds.find(
    (each) => !allowed.includes(each.toLowerCase()) && !matchesAny(role.allowed_user_ids, each),
  )
  if (refused !== undefined) throw refuse('pki-user-id-refused', { value: refused })
}

function matchesAny(globs: readonly string[], value: string): boolean {
  return globs.some((glob) => glob !== '' && matchesGlob(glob, value))
}

function checkUris(role: PkiRole, uris: readonly string[], source: string): void {
  if (uris.length === 0) return
  const allowed = role.allowed_uri_sans
  if (allowed.length === 0) throw refuse('pki-uri-not-allowed', { source })
  for (const uri of uris) {
    if (!allowed.some((glob) => matchesGlob(glob, uri))) throw refuse('pki-uri-refused', { source })
  }
}

function checkOtherName(role: PkiRole, name: string): void {
  const allowed = role.allowed_other_sans
  if (allowed.includes('*')) return
  const [oid = '', rest = ''] = name.split(';')
  const value = rest.slice(rest.indexOf(':') + 1)
  const allowedForOid = allowed.filter((each) => each.startsWith(`${oid};`))
  if (allowedForOid.length === 0) throw refuse('pki-other-oid-refused', { oid })
  const globs = allowedForOid.map((each) => each.slice(each.indexOf(':') + 1))
  if (!globs.some((glob) => matchesGlob(glob, value))) {
    throw refuse('pki-other-value-refused', { value, oid })
  }
}
