import { any, list, nullable, type StructShape, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { policiesOfIdentities } from '../../../state/mesh/acl/authorization.ts'
import type { SyntheticPolicy } from '../../../state/mesh/acl/identities.ts'
import {
  type AclRole,
  type AclToken,
  aclPolicies,
  aclRoles,
} from '../../../state/mesh/acl/tables.ts'
import { namespaceNamed } from '../../../state/mesh/namespaces/namespaces.ts'
import { optionsOf } from '../../../state/mesh/options.ts'
import type { MeshDialect } from '../dialect.ts'
import { policyJson, roleJson, tokenRenderer, withoutScopeInCommunity } from './views.ts'

const whenExpanded = <const M extends object>(member: M) =>
  described(optional(member), 'Only with `expanded`')

/** A token with the members that `?expanded` adds. */
export const expandedTokenReply: StructShape = {
  ...tokenRenderer.shape,
  fields: {
    ...tokenRenderer.shape.fields,
    ExpandedPolicies: whenExpanded(nullable(list(any))),
    ExpandedRoles: whenExpanded(nullable(list(any))),
    NamespaceDefaultPolicyIDs: whenExpanded(nullable(list(text))),
    NamespaceDefaultRoleIDs: whenExpanded(nullable(list(text))),
    AgentACLDefaultPolicy: whenExpanded(text),
    AgentACLDownPolicy: whenExpanded(text),
    ResolvedByAgent: whenExpanded(text),
  },
}

/**
 * Adds the members of `?expanded` to the JSON of a token (behaviour/mesh#acl-endpoints). These
 * members contain all policies and roles that apply, including the defaults of the token's
 * namespace, and settings of the agent.
 *
 * @param json JSON of the token without these members
 */
export function expandedJson(
  world: World,
  token: AclToken,
  dialect: MeshDialect,
  json: string,
): string {
  const acls = namespaceNamed(world, token.namespace)?.acls
  const defaults = { policies: acls?.policy_defaults ?? [], roles: acls?.role_defaults ?? [] }
  const roles = [...new Set([...token.roles, ...defaults.roles])].flatMap(
    (id) => world.table(aclRoles).get(id) ?? [],
  )
  const { defaultPolicy, nodeName } = optionsOf(world)
  const members: readonly (readonly [string, string])[] = [
    [
      'ExpandedPolicies',
      jsonListOrNull(policiesOf(world, token, roles, defaults.policies, dialect)),
    ],
    ['ExpandedRoles', jsonListOrNull(roles.map((role) => roleJson(world, role, dialect)))],
    [
      'NamespaceDefaultPolicyIDs',
      jsonListOrNull(defaults.policies.map((id) => JSON.stringify(id))),
    ],
    ['NamespaceDefaultRoleIDs', jsonListOrNull(defaults.roles.map((id) => JSON.stringify(id)))],
    ['AgentACLDefaultPolicy', JSON.stringify(defaultPolicy)],
    ['AgentACLDownPolicy', '"extend-cache"'],
    ['ResolvedByAgent', JSON.stringify(nodeName)],
  ]
  return `${json.slice(0, -1)},${members.map(([name, value]) => `"${name}":${value}`).join(',')}}`
}

/** Returns a JSON list of the items, or `null` if there are none. */
function jsonListOrNull(items: readonly string[]): string {
  return items.length === 0 ? 'null' : `[${items.join(',')}]`
}

function policiesOf(
  world: World,
  token: AclToken,
  roles: readonly AclRole[],
  defaults: readonly string[],
  dialect: MeshDialect,
): readonly string[] {
  const ids = [...token.policies, ...defaults, ...roles.flatMap(({ policies }) => policies)]
  const rows = [...new Set(ids)].flatMap((id) => world.table(aclPolicies).get(id) ?? [])
  const identityPolicies = [token, ...roles].flatMap((each) => policiesOfIdentities(world, each))
  const syntheticPolicies = new Map(identityPolicies.map((policy) => [policy.id, policy]))
  return [
    ...rows.map((policy) => policyJson(world, policy, dialect)),
    ...Array.from(syntheticPolicies.values(), (policy) =>
      syntheticJson(world, policy, token, dialect),
    ),
  ]
}

/**
 * Renders a policy that is generated from an identity or a templated policy. The policy is not
 * stored, so it has no indexes.
 */
function syntheticJson(
  world: World,
  policy: SyntheticPolicy,
  { namespace }: AclToken,
  dialect: MeshDialect,
) {
  const json = JSON.stringify({
    ID: policy.id,
    Name: policy.name,
    Description: policy.description,
    Rules: policy.text,
    ...(policy.datacenters.length > 0 && { Datacenters: policy.datacenters }),
    Hash: policy.hash,
    CreateIndex: 0,
    ModifyIndex: 0,
    ...(dialect.showsPartition && { Partition: 'default' }),
    Namespace: namespace,
  })
  return withoutScopeInCommunity(world, json)
}
