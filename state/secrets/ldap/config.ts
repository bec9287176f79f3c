import type { Message } from '../../kernel/message.ts'
import { bool, int, text } from '../../kernel/shape/kinds.ts'
import { described, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import {
  applyTokenFieldsChange,
  defaultTokenFields,
  type TokenFieldsChange,
  tokenFields,
} from '../logins/token-fields.ts'
import { type Mount, MountRow, walField } from '../mounts/mounts.ts'
import { checkTemplateSyntax } from '../orch/name-template.ts'
import { TemplateError } from '../orch/template-parser.ts'
import { secretsTable } from '../table.ts'
import { message, refuse } from './messages.ts'

/** Members of the configuration that replies contain. */
export const ldapMembers = {
  anonymous_group_search: described(bool, 'Whether groups are searched anonymously'),
  binddn: described(text, 'DN of the user who searches the directory'),
  case_sensitive_names: described(bool, 'Whether names of users and groups are case-sensitive'),
  certificate: described(text, 'PEM certificate of the CA'),
  connection_timeout: described(int, 'Timeout of a connection'),
  deny_null_bind: described(bool, 'Whether empty passwords are refused'),
  dereference_aliases: described(text, 'When aliases are dereferenced'),
  discoverdn: described(bool, 'Whether the DN of a user is searched'),
  groupattr: described(text, 'Attribute with the name of a group'),
  groupdn: described(text, 'Base DN of the search for groups'),
  groupfilter: described(text, 'Template of the search for groups'),
  insecure_tls: described(bool, 'Whether the server certificate is not verified'),
  max_page_size: described(int, 'Maximum number of entries in a page of results'),
  request_timeout: described(int, 'Timeout of a request'),
  starttls: described(bool, 'Whether to use StartTLS'),
  tls_max_version: described(text, 'Maximum TLS version'),
  tls_min_version: described(text, 'Minimum TLS version'),
  upndomain: described(text, 'Domain that is appended to names'),
  url: described(text, 'URL of the directory; every URL leads to the simulated directory'),
  use_pre111_group_cn_behavior: described(
    bool,
    'Whether group names have the form of early releases',
  ),
  use_token_groups: described(bool, 'Whether groups come from the attribute tokenGroups'),
  userattr: described(text, 'Attribute with the name of a user'),
  userdn: described(text, 'Base DN of the search for users'),
  userfilter: described(text, 'Template of the search for users'),
  username_as_alias: described(bool, 'Whether aliases are named as the caller wrote the user name'),
} as const

/** Members of the configuration that no reply contains. */
export const ldapSecretMembers = {
  bindpass: described(text, 'Password of the user who searches the directory'),
  client_tls_cert: described(text, 'PEM certificate of the client'),
  client_tls_key: described(text, 'PEM key of the client'),
} as const

const ldapConfigShape = struct({
  ...ldapMembers,
  ...ldapSecretMembers,
  ...tokenFields,
  ...walField,
})
export interface LdapConfig extends StoredOf<typeof ldapConfigShape> {}

/** Configurations by `<mount uuid>/`. */
export const ldapConfigTable = secretsTable('ldap-configs', ldapConfigShape, {
  secrets: { members: ['bindpass', 'client_tls_key'] },
})

const ldapConfigs = new MountRow(ldapConfigTable, () => refuse('ldap-entry-absent'))

const defaults: LdapConfig = {
  anonymous_group_search: false,
  binddn: '',
  case_sensitive_names: false,
  certificate: '',
  connection_timeout: 30,
  deny_null_bind: true,
  dereference_aliases: 'never',
  discoverdn: false,
  groupattr: 'cn',
  groupdn: '',
  groupfilter: '(|(memberUid={{.Username}})(member={{.UserDN}})(uniqueMember={{.UserDN}}))',
  insecure_tls: false,
  max_page_size: 0,
  request_timeout: 90,
  starttls: false,
  tls_max_version: 'tls12',
  tls_min_version: 'tls12',
  upndomain: '',
  url: 'ldap://127.0.0.1',
  use_pre111_group_cn_behavior: false,
  use_token_groups: false,
  userattr: 'cn',
  userdn: '',
  userfilter: '({{.UserAttr}}={{.Username}})',
  username_as_alias: false,
  bindpass: '',
  client_tls_cert: '',
  client_tls_key: '',
  ...defaultTokenFields,
}

/** Returns the configuration of a mount, or the defaults if the mount was not configured. */
export function ldapConfig(world: World, mount: Mount): LdapConfig {
  return ldapConfigs.find(world, mount) ?? defaults
}

/** A change of the configuration; members that are left out keep their values. */
type LdapConfigChange = TokenFieldsChange &
  Partial<Omit<LdapConfig, keyof typeof tokenFields | 'wal'>>

/**
 * Changes the configuration and returns warnings about it.
 * @throws Refusal `invalid` for the first check that fails, in the order of behaviour/secrets#ldap
 */
export function writeLdapConfig(
  world: World,
  mount: Mount,
  change: LdapConfigChange,
): readonly Message[] {
  const before = ldapConfig(world, mount)
  const isToken = (name: string) => Object.hasOwn(tokenFields, name)
  const others = Object.fromEntries(Object.entries(change).filter(([name]) => !isToken(name)))
  const merged: LdapConfig = { ...before, ...others }
  checkGroupFilter(merged.groupfilter)
  if (merged.certificate !== '' && !/-----BEGIN [^-]+-----[^-]+-----END/.test(merged.certificate)) {
    throw refuse('ldap-certificate')
  }
  checkVersions(merged)
  if ((merged.client_tls_cert === '') !== (merged.client_tls_key === '')) {
    throw refuse('ldap-client-certificate')
  }
  ldapConfigs.put(world, mount, { ...merged, ...applyTokenFieldsChange(before, change) })
  return ldapWarnings(merged)
}

/** Returns the warnings that replies about a configuration contain. */
export function ldapWarnings({ userfilter }: LdapConfig): readonly Message[] {
  return userfilter.includes('UserAttr') ? [] : [message('ldap-user-filter')]
}

function checkGroupFilter(filter: string): void {
  try {
    checkTemplateSyntax(filter)
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    const why = error.message.replace(/^template: template:/, 'template: queryTemplate:')
    throw refuse('ldap-group-filter', { why })
  }
}

const tlsVersions = ['tls10', 'tls11', 'tls12', 'tls13']

function checkVersions({ tls_min_version, tls_max_version }: LdapConfig): void {
  const [minIndex, maxIndex] = [tls_min_version, tls_max_version].map((name) =>
    tlsVersions.indexOf(name),
  )
  if (minIndex === undefined || minIndex < 0) {
    throw refuse('ldap-tls-version', { member: 'tls_min_version' })
  }
  if (maxIndex === undefined || maxIndex < 0) {
    throw refuse('ldap-tls-version', { member: 'tls_max_version' })
  }
  if (maxIndex < minIndex) throw refuse('ldap-tls-versions')
}
