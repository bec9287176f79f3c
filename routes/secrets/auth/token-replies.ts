import { bool, int, list, map, nullable, text, word } from '../../../state/kernel/shape/kinds.ts'
import { described, optional } from '../../../state/kernel/shape/members.ts'
import { formatTimestamp } from '../../../state/kernel/time.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { listedIdentityPolicies } from '../../../state/secrets/identity/entity-policies.ts'
import type { CreatedToken } from '../../../state/secrets/tokens/creation.ts'
import { secondsUntil } from '../../../state/secrets/tokens/lifetime.ts'
import type { TokenRole } from '../../../state/secrets/tokens/roles.ts'
import { isLeased } from '../../../state/secrets/tokens/rows.ts'
import { authBlock, type Token } from '../../../state/secrets/tokens/tokens.ts'
import type { SecretsOutcome } from '../envelope/outcome.ts'
import { structEnvelope } from '../envelope/schemas.ts'

const textList = list(text)
const seconds = described(int, 'Seconds')

/** Reply to every look-up of a token (behaviour/secrets#tokens). */
export const lookupEnvelope = structEnvelope({
  accessor: text,
  bound_cidrs: optional(textList),
  creation_time: described(int, 'Seconds since 1970'),
  creation_ttl: seconds,
  display_name: text,
  entity_id: text,
  expire_time: nullable(text),
  explicit_max_ttl: seconds,
  external_namespace_policies: optional(
    described(map(textList), 'Policies of the entity in other namespaces, by namespace id'),
  ),
  id: described(text, 'Empty if the token was looked up by accessor'),
  identity_policies: optional(
    described(
      nullable(textList),
      'Policies of the entity in its own namespace; null if there are none',
    ),
  ),
  issue_time: optional(text),
  last_renewal: optional(text),
  last_renewal_time: optional(described(int, 'Seconds since 1970')),
  meta: nullable(map(text)),
  namespace_path: optional(text),
  num_uses: int,
  orphan: bool,
  path: text,
  period: optional(seconds),
  policies: textList,
  renewable: optional(bool),
  role: optional(text),
  ttl: seconds,
  type: word('service', 'batch'),
})

/**
 * Returns the data of a token for look-ups, without its parent. The keys are in the reference's
 * order.
 */
export function lookupData(world: World, token: Token): object {
  const { expire_time: expires, last_renewal: renewed } = token
  const identity = listedIdentityPolicies(world, token)
  const otherNamespaces = [...identity].filter(([namespace]) => namespace !== token.namespace)
  return {
    accessor: token.accessor,
    ...(token.bound_cidrs.length > 0 && { bound_cidrs: token.bound_cidrs }),
    creation_time: Math.floor(token.creation_time / 1000),
    creation_ttl: token.creation_ttl,
    display_name: token.display_name,
    entity_id: token.entity_id,
    expire_time: expires === null ? null : formatTimestamp(expires),
    explicit_max_ttl: token.explicit_max_ttl,
    ...(identity.size > 0 && {
      external_namespace_policies: Object.fromEntries(otherNamespaces),
    }),
    id: token.id,
    ...(identity.size > 0 && { identity_policies: identity.get(token.namespace) ?? null }),
    ...(isLeased(token) && { issue_time: formatTimestamp(token.creation_time) }),
    ...(renewed !== null && {
      last_renewal: formatTimestamp(renewed),
      last_renewal_time: Math.floor(renewed / 1000),
    }),
    meta: token.meta,
    ...(token.namespace_path !== '' && { namespace_path: token.namespace_path }),
    num_uses: token.num_uses,
    orphan: token.parent === null,
    path: token.path,
    ...(token.period > 0 && { period: token.period }),
    policies: token.policies,
    ...(isLeased(token) && { renewable: token.renewable }),
    ...(token.role !== '' && { role: token.role }),
    ttl: expires === null ? 0 : secondsUntil(expires, world.clock.now()),
    type: token.type,
  }
}

/** Returns an envelope in which the member `auth` describes a new or renewed token. */
export function authOutcome(
  world: World,
  { token, shownUses, warnings }: CreatedToken,
): Extract<SecretsOutcome, { kind: 'envelope' }> {
  return { kind: 'envelope', auth: authBlock(world, token, shownUses), warnings }
}

export const roleEnvelope = structEnvelope({
  allowed_entity_aliases: nullable(textList),
  allowed_policies: textList,
  allowed_policies_glob: textList,
  bound_cidrs: optional(described(textList, 'Networks, if the last write used the old name')),
  disallowed_policies: textList,
  disallowed_policies_glob: textList,
  explicit_max_ttl: seconds,
  name: text,
  orphan: bool,
  path_suffix: text,
  period: seconds,
  renewable: bool,
  token_bound_cidrs: optional(textList),
  token_explicit_max_ttl: seconds,
  token_no_default_policy: bool,
  token_num_uses: optional(int),
  token_period: seconds,
  token_type: text,
})

/**
 * Returns the data of a token role. A field that was set under an old name also appears under that
 * name.
 */
export function roleData(role: TokenRole): object {
  const { old_bound_cidrs: oldAddresses = [] } = role
  return {
    allowed_entity_aliases: role.allowed_entity_aliases ?? null,
    allowed_policies: role.allowed_policies,
    allowed_policies_glob: role.allowed_policies_glob,
    ...(oldAddresses.length > 0 && { bound_cidrs: oldAddresses }),
    disallowed_policies: role.disallowed_policies,
    disallowed_policies_glob: role.disallowed_policies_glob,
    explicit_max_ttl: role.old_explicit_max_ttl ?? 0,
    name: role.name,
    orphan: role.orphan,
    path_suffix: role.path_suffix,
    period: role.old_period ?? 0,
    renewable: role.renewable,
    ...(role.bound_cidrs.length > 0 && { token_bound_cidrs: role.bound_cidrs }),
    token_explicit_max_ttl: role.explicit_max_ttl,
    token_no_default_policy: role.no_default_policy,
    ...(role.num_uses > 0 && { token_num_uses: role.num_uses }),
    token_period: role.period,
    token_type: role.token_type,
  }
}
