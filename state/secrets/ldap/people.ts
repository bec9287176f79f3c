import { quoteGo } from '../../go/text.ts'
import type { Message } from '../../kernel/message.ts'
import { list, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, NamedRows, walField } from '../mounts/mounts.ts'
import { optionsOf } from '../options.ts'
import { secretsTable } from '../table.ts'
import { sanitizePolicies } from '../tokens/creation.ts'
import type { Token } from '../tokens/rows.ts'
import { type LdapConfig, ldapConfig } from './config.ts'
import { message, refuse } from './messages.ts'

/**
 * Policies of a group or user of the directory. A user can have groups in addition to those in the
 * directory.
 */
const ldapEntryShape = struct({ policies: list(text), groups: list(text), ...walField })
export interface LdapEntry extends StoredOf<typeof ldapEntryShape> {}

/** Configured groups by `<mount uuid>/<name>`. */
export const ldapGroupTable = secretsTable('ldap-groups', ldapEntryShape, { secrets: 'none' })

/** Configured users by `<mount uuid>/<name>`. */
export const ldapUserTable = secretsTable('ldap-users', ldapEntryShape, { secrets: 'none' })

const absentRefusal = () => refuse('ldap-entry-absent')
const exactName = (name: string) => name

/** The configured groups of each mount. Callers convert names with `entryName` first. */
export const ldapGroups = new NamedRows(ldapGroupTable, absentRefusal, exactName)

/** The configured users of each mount. Callers convert names with `entryName` first. */
export const ldapUsers = new NamedRows(ldapUserTable, absentRefusal, exactName)

/** Converts a name to lower case, unless the mount's configuration preserves case. */
export function entryName(world: World, mount: Mount, name: string): string {
  return ldapConfig(world, mount).case_sensitive_names ? name : name.toLowerCase()
}

/** Creates or changes a group or user of the mount. Members that are left out keep their values. */
export function writeLdapEntry(
  rows: NamedRows<LdapEntry>,
  world: World,
  mount: Mount,
  name: string,
  change: Partial<LdapEntry>,
): void {
  const key = entryName(world, mount, name)
  const before = rows.find(world, mount, key) ?? { policies: [], groups: [] }
  const { policies = before.policies, groups = before.groups } = change
  rows.put(world, mount, key, { policies: sanitizePolicies(policies, false), groups })
}

/** A user of the directory, with the data for a login. */
interface LdapPerson {
  /** Name in the spelling of the directory. */
  readonly name: string
  readonly password: string
  readonly policies: readonly string[]
  /** Names of the user's groups: the groups in the directory, followed by the configured groups. */
  readonly groups: readonly string[]
  readonly warnings: readonly Message[]
}

/**
 * Finds a user of the directory by case-insensitive name.
 * @throws Refusal `invalid` if the directory is unreachable, rejects the configured user that
 *   searches the directory, or has no user with the requested name
 */
export function findPerson(world: World, mount: Mount, username: string): LdapPerson {
  const config = ldapConfig(world, mount)
  const { users = {} } = connect(world, config)
  const found = Object.entries(users).find(
    ([name]) => name.toLowerCase() === username.toLowerCase(),
  )
  if (found === undefined) throw bindFailure('person')
  const [name, { password, groups: known = [] }] = found
  const entry = ldapUsers.find(world, mount, entryName(world, mount, username))
  const groups = [...new Set([...known, ...(entry?.groups ?? [])])]
  const granted = groups.flatMap(
    (group) => ldapGroups.find(world, mount, entryName(world, mount, group))?.policies ?? [],
  )
  const warning = message('ldap-groups-none', { dn: quoteGo(config.groupdn) })
  return {
    name,
    password,
    policies: [...config.token_policies, ...(entry?.policies ?? []), ...granted],
    groups,
    warnings: known.length === 0 ? [warning] : [],
  }
}

/**
 * Cause of a failed bind, for explanations; replies do not contain the cause. `person` is the user
 * who logs in, `binder` is the user that searches the directory, and `fault` is the injected fault
 * of the directory.
 */
export type BindFailureCause = 'person' | 'password' | 'binder' | 'fault'

/** Returns the refusal of a bind. `cause` is visible only in explanations. */
export function bindFailure(cause: BindFailureCause) {
  return refuse('ldap-bind-failed').withDetails({ cause })
}

/**
 * Connects to the simulated directory, binds as the configured user and returns all users. Throws a
 * refusal if the directory is unreachable or refuses the configured user.
 */
function connect(world: World, { url, binddn, bindpass }: LdapConfig) {
  const { directory, directoryFault } = optionsOf(world)
  if (directoryFault === 'unreachable' || directoryFault === 'slow') {
    const why = directoryFault === 'slow' ? 'i/o timeout' : 'connect: connection refused'
    throw refuse('ldap-unreachable', { url, why })
  }
  const { binders = {}, users = {} } = directory.ldap ?? {}
  const isBound = binddn === '' || (Object.hasOwn(binders, binddn) && binders[binddn] === bindpass)
  if (directoryFault === 'refused') throw bindFailure('fault')
  if (!isBound) throw bindFailure('binder')
  return { users }
}

/**
 * Returns the token fields that the user of a token would get by logging in now. Throws a refusal
 * if the directory fails or has no such user.
 */
export function ldapFieldsOf(world: World, mount: Mount, token: Token) {
  const { policies } = findPerson(world, mount, token.meta?.['username'] ?? '')
  return { ...ldapConfig(world, mount), token_policies: [...policies] }
}
