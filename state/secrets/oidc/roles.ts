import { quoteGo } from '../../go/text.ts'
import { text, uint } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, NamedRows, walField } from '../mounts/mounts.ts'
import { secretsTable } from '../table.ts'
import { requireKeyPairs } from './keys.ts'
import { refuse } from './messages.ts'
import { checkedTemplate } from './templates.ts'

/** A role with which entities create identity tokens. */
const oidcRoleShape = struct({
  /** Name of the key that signs the tokens. */
  key: text,
  /** Template of the claims that the role adds to the standard claims; empty to add no claims. */
  template: text,
  /** Lifetime of the tokens in seconds. */
  ttl: uint,
  /** Audience of the tokens. */
  client_id: text,
  ...walField,
})
export interface OidcRole extends StoredOf<typeof oidcRoleShape> {}

/** Roles by `<mount uuid>/<name>`. The mount is that of the identity store. */
export const oidcRoleTable = secretsTable('oidc-roles', oidcRoleShape, { secrets: 'none' })

/** The roles of each namespace; names are case-sensitive. */
export const oidcRoles = new NamedRows(
  oidcRoleTable,
  () => refuse('nothing-here'),
  (name) => name,
)

const defaults = { key: '', template: '', ttl: 24 * 60 * 60, client_id: '' }

/**
 * Creates or changes a role; members that are left out keep their values. Generates an audience if
 * the role has none, and the key pairs of the built-in key at its first use.
 * @throws Refusal `invalid` for the first check that fails, in the order of
 *   behaviour/secrets#identity-tokens
 */
export function writeOidcRole(
  world: World,
  mount: Mount,
  name: string,
  change: Partial<Omit<OidcRole, 'wal'>>,
): void {
  const merged: OidcRole = { ...defaults, ...oidcRoles.find(world, mount, name), ...change }
  if (merged.key === '') throw refuse('oidc-role-key-missing')
  const template = checkedTemplate(world, merged.template)
  const key = requireKeyPairs(world, mount, merged.key)
  if (key === undefined) throw refuse('oidc-role-key-unknown', { name: quoteGo(merged.key) })
  if (merged.ttl > key.verification_ttl) throw refuse('oidc-role-ttl-long')
  const client_id = merged.client_id || world.ids.base62(26)
  oidcRoles.put(world, mount, name, { ...merged, template, client_id })
}

/** Returns the roles that use a key, as pairs of name and role. */
export function rolesOfKey(world: World, mount: Mount, key: string): [string, OidcRole][] {
  return oidcRoles
    .names(world, mount)
    .map((name): [string, OidcRole] => [name, oidcRoles.read(world, mount, name)])
    .filter(([, role]) => role.key === key)
}
