import { quoteGo } from '../../go/text.ts'
import { bool, int, list, map, text, uint } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, NamedRows, walField } from '../mounts/mounts.ts'
import { secretsTable } from '../table.ts'
import { refuse } from './messages.ts'
import { networksOf } from './networks.ts'

/**
 * Members of a reply about a role with the key type `ca`. Such a role signs certificates. Durations
 * are in seconds.
 */
export const caMembers = {
  algorithm_signer: text,
  allow_bare_domains: bool,
  allow_host_certificates: bool,
  allow_subdomains: bool,
  allow_user_certificates: bool,
  allow_user_key_ids: bool,
  allowed_critical_options: text,
  allowed_domains: text,
  allowed_domains_template: bool,
  allowed_extensions: text,
  allowed_user_key_lengths: map(list(int)),
  allowed_users: text,
  allowed_users_template: bool,
  default_critical_options: map(text),
  default_extensions: map(text),
  default_extensions_template: bool,
  default_user: text,
  default_user_template: bool,
  key_id_format: text,
  key_type: text,
  max_ttl: uint,
  not_before_duration: uint,
  ttl: uint,
} as const

/**
 * Members of a reply about a role with the key type `otp`. Such a role creates one-time passwords.
 */
export const otpMembers = {
  allowed_users: text,
  cidr_list: text,
  default_user: text,
  exclude_cidr_list: text,
  key_type: text,
  port: uint,
} as const

/**
 * A role with the key type `ca` or `otp` (behaviour/secrets#ssh). Each row has the members of both
 * key types.
 */
const sshRoleShape = struct({ ...caMembers, ...otpMembers, ...walField })
export interface SshRole extends StoredOf<typeof sshRoleShape> {}

export const sshRoleTable = secretsTable('ssh-roles', sshRoleShape, { secrets: 'none' })

/** Roles by mount and case-sensitive name. */
export const sshRoles = new NamedRows<SshRole>(
  sshRoleTable,
  () => refuse('nothing-here'),
  (name) => name,
)

const signers = ['default', 'ssh-rsa', 'rsa-sha2-256', 'rsa-sha2-512']

/**
 * Creates or replaces a role; members that are not given lose their earlier values.
 *
 * @throws Refusal `invalid` for the first check that fails, in the order of behaviour/secrets#ssh
 */
export function writeSshRole(
  world: World,
  mount: Mount,
  name: string,
  role: Omit<SshRole, 'wal'>,
): void {
  networksOf(role.cidr_list, 'cidr_list')
  networksOf(role.exclude_cidr_list, 'exclude_cidr_list entry')
  if (role.key_type === '') throw refuse('ssh-key-type-missing')
  const key_type = role.key_type.toLowerCase()
  if (key_type === 'dynamic') throw refuse('ssh-key-type-dynamic')
  if (key_type !== 'otp' && key_type !== 'ca') throw refuse('ssh-key-type-invalid')
  const algorithm_signer = role.algorithm_signer || 'default'
  if (key_type === 'otp') {
    if (role.default_user === '') throw refuse('ssh-default-user-missing')
  } else {
    if (!signers.includes(algorithm_signer)) {
      throw refuse('ssh-signer-unknown', { name: quoteGo(algorithm_signer) })
    }
    if (!role.allow_user_certificates && !role.allow_host_certificates) {
      throw refuse('ssh-certificates-none')
    }
    if (role.max_ttl > 0 && role.ttl > role.max_ttl) throw refuse('ssh-ttl-above-max')
  }
  const port = role.port || 22
  sshRoles.put(world, mount, name, { ...role, key_type, algorithm_signer, port })
}

/** Returns only the members that replies show for the key type of the role. */
export function sshRoleView(role: SshRole): object {
  const members = Object.keys(role.key_type === 'otp' ? otpMembers : caMembers)
  return Object.fromEntries(members.map((name) => [name, role[name as keyof SshRole]]))
}
