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

/** Policies of a group of the directory, or of a user, who may have further groups. */
const ldapEntryShape = struct({ policies: list(text), groups: list(text), ...walField })
export interface LdapEntry extends StoredOf<typeof ldapEntryShape> {}

/** Groups by mount and name. */
export const ldapGroupTable = secretsTable('ldap-groups', ldapEntryShape, { secrets: 'none' })

/** Users by mount and name. */
export const ldapUserTable = secretsTable('ldap-users', ldapEntryShape, { secrets: 'none' })

const absent = () => refuse('ldap-entry-absent')
const exactName = (name: string) => name

/** The groups of each mount, by name. Callers pass names in the form of `entryName`. */
export const ldapGroups = new NamedRows(ldapGroupTable, absent, exactName)

/** The users of each mount, by name. Callers pass names in the form of `entryName`. */
export const ldapUsers = new NamedRows(ldapUserTable, absent, exactName)

/** Returns the stored form of a name: lower case, unless the configuration preserves case. */
export function entryName(world: World, mount: Mount, name: string): string {
  return ldapConfig(world, mount).case_sensitive_names ? name : name.toLowerCase()
}

/** Creates or changes a group or a user; members that are left out keep their values. */
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

/** A person of the directory with everything that a login gives. */
interface LdapPerson {
  /** The name in the spelling of the directory. */
  readonly name: string
  readonly password: string
  readonly policies: readonly string[]
  /** Names of the directory's groups and of the user's further groups. */
  readonly groups: readonly string[]
  readonly warnings: readonly Message[]
}

/**
 * Returns a person of the directory, by name without regard to case.
 * @throws Refusal `invalid` if the directory is unreachable, refuses the binding user, or does not
 *   know the person
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

/** Cause for which the directory refused a bind; replies do not contain it. */
export type BindFault = 'person' | 'password' | 'binder' | 'fault'

/** Returns the refusal of a bind, with its cause for explanations. */
export function bindFailure(cause: BindFault) {
  return refuse('ldap-bind-failed').withDetails({ cause })
}

/** Connects to the directory and binds as the configured user. Returns the people. */
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

/** Returns the token fields with which the person of a token would log in now. */
export function ldapFieldsOf(world: World, mount: Mount, token: Token) {
  const { policies } = findPerson(world, mount, token.meta?.['username'] ?? '')
  return { ...ldapConfig(world, mount), token_policies: [...policies] }
}
