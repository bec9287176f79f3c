import type { Message } from '../../kernel/message.ts'
import { bool, int, list, text, uint } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { entityOfId } from '../identity/entities.ts'
import { templateValue } from '../identity/template-values.ts'
import { type Mount, NamedRows, walField } from '../mounts/mounts.ts'
import { fillTemplate, templateOf } from '../policies/templates.ts'
import { secretsTable } from '../table.ts'
import type { Token } from '../tokens/rows.ts'
import { checkSignatureBits, keySpec } from './key-making.ts'
import { message, refuse } from './messages.ts'
import { isOid, parsePolicyIdentifiers } from './policy-identifiers.ts'
import { findIssuer } from './tables.ts'

/** Members of a role in a reply (behaviour/secrets#pki-roles). Durations are in seconds. */
const roleMembers = {
  allow_any_name: bool,
  allow_bare_domains: bool,
  allow_glob_domains: bool,
  allow_ip_sans: bool,
  allow_localhost: bool,
  allow_subdomains: bool,
  allow_token_displayname: bool,
  allow_wildcard_certificates: bool,
  allowed_domains: list(text),
  allowed_domains_template: bool,
  allowed_other_sans: list(text),
  allowed_serial_numbers: list(text),
  allowed_uri_sans: list(text),
  allowed_uri_sans_template: bool,
  allowed_user_ids: list(text),
  basic_constraints_valid_for_non_ca: bool,
  client_flag: bool,
  cn_validations: list(text),
  code_signing_flag: bool,
  country: list(text),
  email_protection_flag: bool,
  enforce_hostnames: bool,
  ext_key_usage: list(text),
  ext_key_usage_oids: list(text),
  generate_lease: bool,
  issuer_ref: text,
  key_bits: int,
  key_type: text,
  key_usage: list(text),
  locality: list(text),
  max_ttl: uint,
  no_store: bool,
  not_after: text,
  not_before_duration: uint,
  organization: list(text),
  ou: list(text),
  policy_identifiers: list(text),
  postal_code: list(text),
  province: list(text),
  require_cn: bool,
  server_flag: bool,
  signature_bits: int,
  street_address: list(text),
  ttl: uint,
  use_csr_common_name: bool,
  use_csr_sans: bool,
  use_pss: bool,
} as const

const pkiRoleShape = struct({ ...roleMembers, ...walField })
export interface PkiRole extends StoredOf<typeof pkiRoleShape> {}

export const pkiRoleMembers = roleMembers

export const pkiRoleTable = secretsTable('pki-roles', pkiRoleShape, { secrets: 'none' })

export const pkiRoles = new NamedRows(
  pkiRoleTable,
  () => refuse('nothing-here'),
  (name) => name,
)

export const defaultPkiRole: PkiRole = {
  allow_any_name: false,
  allow_bare_domains: false,
  allow_glob_domains: false,
  allow_ip_sans: true,
  allow_localhost: true,
  allow_subdomains: false,
  allow_token_displayname: false,
  allow_wildcard_certificates: true,
  allowed_domains: [],
  allowed_domains_template: false,
  allowed_other_sans: [],
  allowed_serial_numbers: [],
  allowed_uri_sans: [],
  allowed_uri_sans_template: false,
  allowed_user_ids: [],
  basic_constraints_valid_for_non_ca: false,
  client_flag: true,
  cn_validations: ['email', 'hostname'],
  code_signing_flag: false,
  country: [],
  email_protection_flag: false,
  enforce_hostnames: true,
  ext_key_usage: [],
  ext_key_usage_oids: [],
  generate_lease: false,
  issuer_ref: 'default',
  key_bits: 0,
  key_type: 'rsa',
  key_usage: ['DigitalSignature', 'KeyAgreement', 'KeyEncipherment'],
  locality: [],
  max_ttl: 0,
  no_store: false,
  not_after: '',
  not_before_duration: 30,
  organization: [],
  ou: [],
  policy_identifiers: [],
  postal_code: [],
  province: [],
  require_cn: true,
  server_flag: true,
  signature_bits: 0,
  street_address: [],
  ttl: 0,
  use_csr_common_name: true,
  use_csr_sans: true,
  use_pss: false,
}

/** Settings that a request can change. */
type PkiRoleChange = Partial<Omit<PkiRole, 'wal' | 'allow_token_displayname'>>

interface WrittenRole {
  readonly role: PkiRole
  readonly warnings: readonly Message[]
}

/**
 * Checks and stores a role. For RSA and EC, a `key_bits` of 0 becomes the default length; for RSA,
 * a `signature_bits` of 0 becomes 256. Members that are not given keep the value of `before`.
 * Returns the stored role, with a warning if its issuer is unknown. Throws an `invalid` refusal for
 * contradictory TTLs, unsupported keys and hashes, and malformed identifiers and names.
 */
export function writePkiRole(
  world: World,
  mount: Mount,
  name: string,
  change: PkiRoleChange,
  before: PkiRole = defaultPkiRole,
): WrittenRole {
  const merged: PkiRole = { ...before, ...change }
  if (merged.max_ttl !== 0 && merged.ttl > merged.max_ttl) throw refuse('pki-role-ttl')
  const { key_type, key_bits, signature_bits } = merged
  const spec = key_type === 'any' ? { bits: key_bits } : keySpec(key_type, key_bits)
  checkSignatureBits(key_type, signature_bits)
  for (const each of merged.ext_key_usage_oids) {
    if (!isOid(each)) throw refuse('pki-role-oid', { value: each })
  }
  for (const each of merged.allowed_other_sans) {
    if (each !== '*' && !each.includes(';')) throw refuse('pki-role-other-san', { value: each })
  }
  const role: PkiRole = {
    ...merged,
    key_bits: key_type === 'ed25519' ? key_bits : spec.bits,
    signature_bits: storedSignatureBits(key_type, signature_bits),
    issuer_ref: merged.issuer_ref || 'default',
    cn_validations: cnValidations(merged.cn_validations),
    policy_identifiers:
      change.policy_identifiers === undefined
        ? merged.policy_identifiers
        : parsePolicyIdentifiers(change.policy_identifiers),
  }
  pkiRoles.put(world, mount, name, role)
  const ref = role.issuer_ref
  const warning =
    ref === 'default'
      ? message('pki-role-no-default-issuer')
      : message('pki-role-issuer-unknown', { ref })
  return { role, warnings: findIssuer(world, mount, ref) === undefined ? [warning] : [] }
}

/**
 * Changes only the given members of a role. Throws an `invalid` refusal for an unknown role, and
 * the refusals of `writePkiRole`.
 */
export function patchPkiRole(
  world: World,
  mount: Mount,
  name: string,
  change: PkiRoleChange,
): WrittenRole {
  const before = pkiRoles.find(world, mount, name)
  if (before === undefined) throw refuse('pki-role-to-patch-unknown')
  return writePkiRole(world, mount, name, change, before)
}

/**
 * Returns the names of the checks in lower case; an empty list enables both checks. Throws an
 * `invalid` refusal for unknown names, and for `disabled` together with other names.
 */
function cnValidations(values: readonly string[]): readonly string[] {
  const chosen = values.map((value) => value.toLowerCase())
  if (chosen.length === 0) return ['email', 'hostname']
  for (const type of chosen) {
    if (!['email', 'hostname', 'disabled'].includes(type)) throw refuse('pki-cn-type', { type })
  }
  if (chosen.includes('disabled') && chosen.length > 1) throw refuse('pki-cn-disabled')
  return chosen
}

/**
 * Fills in the templates of a role with values of the caller's entity. A template without a value
 * allows nothing. If the caller has no entity, templates stay literal
 * (behaviour/secrets#pki-names).
 */
export function withFilledTemplates(
  world: World,
  role: PkiRole,
  token: Token | undefined,
): PkiRole {
  const entity = token === undefined ? undefined : entityOfId(world, token.entity_id)
  if (entity === undefined) return role
  const fill = (texts: readonly string[]) =>
    texts.flatMap((text) => {
      const template = templateOf(text)
      if (template === undefined || template === 'unbalanced') return [text]
      return fillTemplate(template, (directive) => templateValue(world, entity, directive)) ?? []
    })
  const { allowed_domains: domains, allowed_uri_sans: uris } = role
  return {
    ...role,
    allowed_domains: role.allowed_domains_template ? fill(domains) : domains,
    allowed_uri_sans: role.allowed_uri_sans_template ? fill(uris) : uris,
  }
}

/**
 * Returns the hash length to store: 256 instead of 0 for RSA, 0 for Ed25519 and `any`. EC roles
 * keep any length, because the curve determines the hash.
 */
function storedSignatureBits(type: string, bits: number): number {
  if (type === 'rsa') return bits || 256
  return type === 'ec' ? bits : 0
}
