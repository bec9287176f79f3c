import type { Mount } from '../../../state/secrets/mounts/mounts.ts'
import { type PkiRole, pkiRoles } from '../../../state/secrets/pki/roles.ts'
import type { Correction } from '../../http/journal-hooks/api-explanations.ts'
import type { RefusedRequest } from '../../http/journal-hooks/token-corrections.ts'
import {
  type ExplainInMount,
  joinNames,
  lastSegment,
  memberOf,
  patchAt,
  withoutMembers,
} from './names.ts'
import { withField } from './root-requests.ts'

/**
 * Returns the role that the last segment of the path names; undefined if the role does not exist.
 */
export function roleOf(request: RefusedRequest, mount: Mount): PkiRole | undefined {
  return pkiRoles.find(request.world, mount, lastSegment(request))
}

/** Lists the names that a role allows, for a sentence. */
function allowedNames(role: PkiRole): string {
  if (role.allow_any_name) return 'any valid host name'
  const domains = role.allowed_domains.filter((domain) => domain !== '')
  const local = role.allow_localhost ? ['localhost'] : []
  if (domains.length === 0) return `no domain${local.length > 0 ? ' but localhost' : ''}`
  const { allow_bare_domains, allow_subdomains, allow_glob_domains } = role
  const all = joinNames(domains)
  const kinds = [
    ...(allow_bare_domains ? [all] : []),
    ...(allow_subdomains ? [`names below ${all}`] : []),
    ...(allow_glob_domains ? [`names that match ${all}`] : []),
  ]
  return kinds.length > 0
    ? `only ${kinds.join(' and ')}`
    : `neither ${all} (allow_bare_domains is false) nor its subdomains (allow_subdomains is false)`
}

/**
 * Returns an example of a name that a role allows. Returns undefined if the role has no allowed
 * domain that is suitable as an example, or if the role allows neither the domain nor its
 * subdomains.
 */
function allowedName(role: PkiRole): string | undefined {
  if (role.allow_any_name) return 'www.example.com'
  const domain = role.allowed_domains.find((each) => /^[\w.-]+$/.test(each))
  if (domain === undefined) return undefined
  if (role.allow_subdomains) return `www.${domain}`
  return role.allow_bare_domains ? domain : undefined
}

/**
 * Returns a correction that changes the role so that it allows `name`. The changed role allows each
 * of its domains and their subdomains.
 */
function allowInRole(
  request: RefusedRequest,
  mount: Mount,
  role: PkiRole,
  name: string,
): Correction {
  const isKnown = role.allowed_domains.some((each) => name === each || name.endsWith(`.${each}`))
  const allowed_domains = isKnown ? role.allowed_domains : [...role.allowed_domains, name]
  const change = { allowed_domains, allow_bare_domains: true, allow_subdomains: true }
  const at = `${mount.path}roles/${lastSegment(request)}`
  return patchAt(request, at, change, `Allow ${name} in the role ${lastSegment(request)}`)
}

/**
 * Explains that the role does not allow a name, and lists the names that it allows. Returns
 * undefined if the role is unknown.
 */
export const explainRefusedName: ExplainInMount = (request, mount) => {
  const role = roleOf(request, mount)
  if (role === undefined) return undefined
  const { refusal, operation, rule } = request
  const name = String(refusal?.params['name'] ?? '')
  const allowed = allowedName(role)
  const isOfCsr = operation?.id.startsWith('pkiSign') === true
  const what = rule === 'pki-cn-refused' ? 'the common name' : 'the alternative name'
  const because = `the role ${lastSegment(request)} allows ${allowedNames(role)}, but ${what} is ${name}`
  if (isOfCsr || allowed === undefined) {
    return { because, ...allowInRole(request, mount, role, name) }
  }
  if (rule === 'pki-cn-refused') return { because, ...withField('common_name', allowed)(request) }
  return {
    because,
    change: `Remove ${name} from "alt_names"`,
    request: { body: (sent) => ({ ...Object(sent), alt_names: namesWithout(sent, name) }) },
  }
}

function namesWithout(body: unknown, name: string): string[] {
  const given = memberOf({ body }, 'alt_names')
  const names = Array.isArray(given) ? given.map(String) : String(given ?? '').split(',')
  return names.map((each) => each.trim()).filter((each) => each !== name)
}

/** Explains that the role requires a common name. Returns undefined if the role is unknown. */
export const explainMissingName: ExplainInMount = (request, mount) => {
  const role = roleOf(request, mount)
  if (role === undefined) return undefined
  const because = `the role ${lastSegment(request)} requires a common name (require_cn is true), but the request has none`
  const name = allowedName(role) ?? 'localhost'
  return { because, ...withField('common_name', name)(request) }
}

/**
 * Returns a function that explains that the role does not allow the alternative names in a member
 * of the body. The explanation is undefined if the role is unknown or the body lacks the member.
 */
export function explainRefusedKind(
  member: string,
  setting: (role: PkiRole) => string,
): ExplainInMount {
  return (request, mount) => {
    const role = roleOf(request, mount)
    const sent = memberOf(request, member)
    if (role === undefined || sent === undefined) return undefined
    const because = `the role ${lastSegment(request)} has ${setting(role)}, but "${member}" is ${[sent].flat().join(', ')}`
    return { because, ...withoutMembers(member) }
  }
}
